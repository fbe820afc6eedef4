import { BASE_MARK } from '../ask/finding.ts';
import { separateSurroundings } from '../ask/question/surroundings.ts';
import type { Conversations } from '../conversations/conversations.ts';
import { readCursor } from '../conversations/list.ts';
import { type ConversationRecord, isOpen, type QuestionRecord } from '../conversations/records.ts';
import { LIMITS } from '../limits.ts';
import { type Html, html } from './html.ts';
import type { MarkdownRenderer } from './markdown.ts';
import { formTokenField, type Page, page, pager, tab } from './page.ts';
import { plural } from './repository-frame.ts';
import { type PageRequest, parameter } from './request.ts';

const SORT = '-updated_at';

/** The conversations of the signed-in user, newest first, and a form for a new question. */
export function conversationsPage(request: PageRequest, conversations: Conversations): Page {
  const { viewer, formToken } = request;
  const frame = { title: 'Conversations', section: 'conversations', viewer, formToken } as const;
  if (viewer.credential === 'none') {
    return page({
      ...frame,
      body: html`<p class="empty">Conversations belong to a user. <a href="/sign-in?returnTo=%2Fdeepsearch">Sign in</a> to see yours.</p>`,
    });
  }
  const starred = parameter(request, 'starred') === '1';
  const cursor = readCursor(parameter(request, 'after') ?? '');
  const found = conversations.list(viewer, {
    userId: viewer.userId,
    first: LIMITS.pageSizeDefault,
    sort: SORT,
    ...(starred ? { starred } : {}),
    ...(cursor?.sort === SORT ? { after: cursor.place } : {}),
  });
  return page({
    ...frame,
    detail: html`Questions about the code, and their answers`,
    body: html`${
      formToken === undefined ? undefined : askForm('Ask a question about the code', '/deepsearch', formToken)
    }<nav class="tabs" aria-label="Filter">${tab('All', '/deepsearch', !starred)}${tab('Starred', '/deepsearch?starred=1', starred)}</nav>${
      found.conversations.length === 0
        ? html`<p class="empty">${starred ? 'You have not starred a conversation.' : 'You have not asked anything yet.'}</p>`
        : html`<ul class="rows">${found.conversations.map(conversationRow)}</ul>`
    }${found.hasNextPage ? pager('Older conversations', request, found.endCursor) : undefined}`,
  });
}

function conversationRow(conversation: ConversationRecord): Html {
  const open = conversation.questions.some(isOpen);
  return html`<li><a class="main" href="/deepsearch/${conversation.readToken}">${titleOf(conversation)}</a>${
    conversation.starred === true ? html`<span title="Starred">★</span>` : undefined
  }${open ? html`<span class="badge">in progress</span>` : undefined}<span class="dim">${plural(conversation.questions.length, 'question')}</span><span class="dim">${moment(conversation.updatedMs)}</span></li>`;
}

/**
 * The conversation of `/deepsearch/<read token>`, `/deepsearch/shared/<read token>` or `/deepsearch/<id>`: for its
 * owner, and by its read token for others while sharing is on. All others get one page with status 404, so that it
 * does not show whether the conversation exists.
 */
export async function conversationByAddress(
  request: PageRequest,
  conversations: Conversations,
  markdown: MarkdownRenderer,
): Promise<Page | undefined> {
  const [, ...rest] = request.segments;
  const token = rest[0] === 'shared' ? rest[1] : rest[0];
  if (token === undefined || rest.length > (rest[0] === 'shared' ? 2 : 1)) return undefined;
  const found = findConversation(request, conversations, token);
  if (found !== undefined) return conversationPage(request, found.conversation, found.isOwner, markdown);
  const { viewer, formToken } = request;
  const back = new URLSearchParams({ returnTo: `/${request.segments.map(encodeURIComponent).join('/')}` });
  return page({
    title: 'No such conversation',
    status: 404,
    section: 'conversations',
    viewer,
    formToken,
    body: html`<p class="empty">There is no such conversation, or it is not shared with you.${
      viewer.credential === 'none'
        ? html` <a href="/sign-in?${back.toString()}">Sign in</a> if it is yours.`
        : undefined
    }</p>`,
  });
}

function findConversation({ viewer }: PageRequest, conversations: Conversations, token: string) {
  if (!/^[1-9]\d{0,14}$/.test(token)) return conversations.byReadToken(viewer, token);
  const own = conversations.list(viewer, { userId: viewer.userId, id: Number(token), first: 1, sort: SORT });
  const conversation = own.conversations[0];
  return conversation === undefined ? undefined : { conversation, isOwner: true };
}

async function conversationPage(
  request: PageRequest,
  conversation: ConversationRecord,
  isOwner: boolean,
  markdown: MarkdownRenderer,
): Promise<Page> {
  const { viewer, formToken } = request;
  const isActive = conversation.questions.some(isOpen);
  const canChange = isOwner && formToken !== undefined;
  // Links within the service stay relative, so that the page works under any host name.
  const answers = await Promise.all(
    conversation.questions.map(({ answer = '' }) => markdown.render(answer.replaceAll(BASE_MARK, ''))),
  );
  return page({
    title: titleOf(conversation),
    section: 'conversations',
    viewer,
    formToken,
    detail: html`Started ${moment(conversation.createdMs)}${isOwner ? '' : ' by another user, who shared it'}`,
    scripts: ['conversation.js'],
    ...(isActive ? { refreshSeconds: 3 } : {}),
    body: html`${canChange ? starForm(conversation, formToken) : undefined}<div id="conversation" data-open="${String(isActive)}" aria-live="polite">${conversation.questions.map(
      (question, index) =>
        questionPart(question, {
          conversation,
          answer: answers[index],
          canChange,
          formToken,
          isLast: index === conversation.questions.length - 1,
        }),
    )}${canChange && !isActive ? askForm('Ask a follow-up', `/deepsearch/${conversation.id}/questions`, formToken) : undefined}</div>`,
  });
}

interface Place {
  conversation: ConversationRecord;
  /** The rendered answer. */
  answer: Html | undefined;
  canChange: boolean;
  formToken: string | undefined;
  isLast: boolean;
}

function questionPart(question: QuestionRecord, place: Place): Html {
  const sources = question.sources ?? [];
  const list =
    sources.length === 0
      ? undefined
      : html`<details class="sources"${place.isLast ? html` open` : undefined}><summary>${plural(sources.length, 'source')}</summary><ul>${sources.map((source) => html`<li><a href="${source.link}">${source.label}</a></li>`)}</ul></details>`;
  return html`<section class="question" id="question-${question.id}">${askedPart(question)}<article>${answerPart(question, place)}</article>${list}${statistics(question)}${followUps(question, place)}</section>`;
}

/** The question, without what a chat app sends with it: that is below, as it was sent. */
function askedPart({ text }: QuestionRecord): Html {
  const { asked } = separateSurroundings(text);
  if (asked === '' || asked === text) return html`<h2>${text}</h2>`;
  return html`<h2>${asked}</h2><details class="sources"><summary>As it was sent</summary><pre>${text}</pre></details>`;
}

function answerPart(question: QuestionRecord, { conversation, answer, canChange, formToken }: Place): Html {
  if (question.error !== undefined) {
    return html`<p class="error"><strong>${question.error.title}.</strong> ${question.error.message}</p>`;
  }
  if (isOpen(question)) {
    const steps = question.turns.slice(-LIMITS.stepsShown).map(({ reasoning }) => html`<li>${reasoning}</li>`);
    return html`<p class="working">Searching…</p><ol class="steps">${steps}</ol>${
      canChange
        ? html`<form method="post" action="/deepsearch/${conversation.id}/questions/${question.id}/cancel">${formTokenField(formToken)}<button>Cancel</button></form>`
        : undefined
    }`;
  }
  return html`${answer}`;
}

/**
 * Counts the steps that were reported and the answer, as the API's clients do: there, the answer is a turn too. A viewer
 * who may not see the steps gets the time alone.
 */
function statistics({ status, stats, turns, answer }: QuestionRecord): Html | undefined {
  if (status !== 'completed') return undefined;
  const reported = turns.length;
  const steps = plural(reported + (answer === undefined ? 0 : 1), 'step');
  return html`<p class="dim">Took ${(stats.timeMs / 1_000).toFixed(1)} s${reported === 0 ? '' : ` and ${steps}`}.</p>`;
}

/** The suggested questions of the newest answer: buttons for the owner, text for all others. */
function followUps(question: QuestionRecord, { conversation, canChange, formToken, isLast }: Place): Html | undefined {
  const texts = question.followUps ?? [];
  if (texts.length === 0 || !isLast) return undefined;
  if (!canChange) return html`<h3>Follow-ups</h3><ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`;
  return html`<h3>Follow-ups</h3><form class="follow-ups" method="post" action="/deepsearch/${conversation.id}/questions">${formTokenField(formToken)}${texts.map((text) => html`<button name="question" value="${text}">${text}</button>`)}</form>`;
}

function starForm({ id, starred = false }: ConversationRecord, formToken: string): Html {
  return html`<form class="star" method="post" action="/deepsearch/${id}/star">${formTokenField(formToken)}<button name="starred" value="${String(!starred)}" aria-pressed="${String(starred)}">${starred ? '★ Starred' : '☆ Star'}</button></form>`;
}

function askForm(label: string, action: string, formToken: string): Html {
  return html`<form class="ask" method="post" action="${action}">${formTokenField(formToken)}<label>${label}<textarea name="question" rows="2" required maxlength="20000"></textarea></label><button class="primary">Ask</button></form>`;
}

function titleOf({ questions: [first] }: ConversationRecord): string {
  return first?.title ?? (first?.text.slice(0, 80) || 'Conversation');
}

function moment(timeMs: number): Html {
  const iso = new Date(timeMs).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
