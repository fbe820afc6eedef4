import type { Followed, Question, ThreadContext } from './question.ts';
import { readScope } from './scope.ts';

/**
 * The question of a mention without text in a thread. The thread's messages are sent along. People see it in their
 * language.
 */
export const threadQuestion = 'Answer what was asked above.';

/** The question of a message that only forwards another one. What it forwards is sent along. */
export const forwardQuestion = 'Answer what was forwarded.';

/** The question of a message that has only files. They are sent along. */
export const fileQuestion = 'Answer what the file asks or shows.';

/** Whether the app wrote the question, because its message has no text. */
export function hasNoWords(text: string): boolean {
  return text === threadQuestion || text === forwardQuestion || text === fileQuestion;
}

type Asked = Pick<Question, 'text' | 'follows' | 'forwarded' | 'context' | 'scope'>;

/**
 * The text for the service: the repositories to which it is limited, what the question continues, the question, and
 * what the app read for it.
 */
export function upstreamText({ text, follows, forwarded, context, scope }: Asked): string {
  const before = [
    ...(scope === undefined ? [] : [`${ONLY_IN}${scope.repositories.join(', ')}`]),
    ...(follows === undefined ? [] : [carryingOn(follows)]),
  ];
  const asked = scope?.isFromText === true ? readScope(text, scope.repositories).rest : text;
  return [...before, asked, forwarded?.text ?? '', context?.text ?? ''].filter((part) => part !== '').join('\n\n');
}

/**
 * Reads the question back from a text that the service was asked, by this app or by others: its first paragraph after
 * what this app writes before a question. Leaves out what is quoted after it, because not everyone may see that.
 */
export function questionIn(words: string): string {
  const paragraphs = words.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  let at = 0;
  for (const opening of [ONLY_IN, CARRYING_ON]) {
    if (paragraphs[at]?.startsWith(opening) === true && at + 1 < paragraphs.length) at += 1;
  }
  return (paragraphs[at] ?? '').trim();
}

const ONLY_IN = 'Search only in these repositories and in no others: ';
const CARRYING_ON = 'Carrying on from the question ';

function carryingOn({ text, before = [], shareUrl }: Followed): string {
  const older = before.map((each) => JSON.stringify(each)).join(', ');
  const asked = older === '' ? '' : ` Questions before it, oldest first: ${older}.`;
  const findings = shareUrl === undefined ? '' : ` Based on the findings in ${shareUrl}.`;
  return `${CARRYING_ON}${JSON.stringify(text)}.${asked}${findings}`;
}

/** An address of a Slack message, as people paste it. `host`: with its port, in lower case. */
export interface Permalink {
  host: string;
  channelId: string;
  ts: string;
  /** The thread, if the message is a reply. */
  threadTs?: string;
}

/** Begins with the path, because a search for a host would begin at every letter of a text. */
const messagePath = /\/archives\/([CDG][A-Z0-9]{1,20})\/p(\d{10})(\d{6})(?!\d)(?:\?([\w.=&%-]{1,200}))?/g;

/** Finds the host at the end of the text before that path. A host within the path or the query of another address does not count. */
const hostBefore = /(?:^|https?:\/\/|[^\w./:@%?#&=-])([a-z0-9-]+(?:\.[a-z0-9-]+){0,6}(?::\d{1,5})?)$/i;

const longestHost = 120;

/** The Slack messages that a text links to, each once, in order. Runs in linear time. */
export function permalinksIn(text: string): Permalink[] {
  const found = new Map<string, Permalink>();
  for (const { index, 1: channelId = '', 2: seconds, 3: micros, 4: query = '' } of text.matchAll(messagePath)) {
    const [, host] = hostBefore.exec(text.slice(Math.max(0, index - longestHost), index)) ?? [];
    if (host === undefined) continue;
    const ts = `${seconds}.${micros}`;
    if (found.has(`${channelId}:${ts}`)) continue;
    const [, threadTs] = /(?:^|&)thread_ts=(\d{10}\.\d{6})(?:&|$)/.exec(query) ?? [];
    const link = { host: host.toLowerCase(), channelId, ts };
    found.set(`${channelId}:${ts}`, threadTs === undefined || threadTs === ts ? link : { ...link, threadTs });
  }
  return [...found.values()];
}

/** The messages that the asker linked to. Nothing is read for links that the service wrote. */
export function linksOf(question: Pick<Question, 'origin' | 'text' | 'isSuggested'>): Permalink[] {
  return question.origin === 'shared' || isSuggested(question) ? [] : permalinksIn(question.text);
}

/** Whether the service wrote the question, as a follow-up that it suggested, also if people ask it again. */
export function isSuggested({ origin, isSuggested }: Pick<Question, 'origin' | 'isSuggested'>): boolean {
  return origin === 'followUp' || isSuggested === true;
}

/** Whether the app reads something before it asks the question: its thread, or messages that it links to. */
function readsBefore(question: Question): boolean {
  return question.readsThread === true || linksOf(question).length > 0;
}

/** Whether the question is only about what its message forwards or has as a file, and the app has to read that. */
export function isOnlyInMessage({ text, files, forwarded }: Question): boolean {
  return (text === forwardQuestion || text === fileQuestion) && files === undefined && forwarded === undefined;
}

/** Whether the app still has to read something. */
export function isThreadUnread(question: Question): boolean {
  return question.context === undefined && readsBefore(question);
}

/** What was read of a question's thread and links if nothing could be read. */
export function nothingRead(question: Question): ThreadContext {
  const links = linksOf(question).length;
  return {
    ...{ messages: 0, total: 0, files: 0, unreadable: 0, text: '' },
    ...(question.readsThread === true ? { refused: true } : {}),
    ...(links > 0 ? { linksUnread: links } : {}),
  };
}

/**
 * Marks a question's thread as changed, so that deleted text is not sent: the app reads the thread again before the
 * next attempt to ask. Keeps the old text for an attempt that is under way, because the app searches for it by its
 * text.
 */
export function readThreadAgain(question: Question): Question {
  const { phase, context } = question;
  const mayBeAsked = phase === 'waiting' || phase === 'parked' || phase === 'running';
  if (!mayBeAsked || !readsBefore(question) || context?.outdated === true) return question;
  // A read that is under way may return the old messages.
  if (context === undefined) return { ...question, threadChanges: (question.threadChanges ?? 0) + 1 };
  return { ...question, context: { ...context, outdated: true } };
}

/** Removes outdated thread text from a question that is about to be asked. */
export function withoutOutdated(question: Question): Question {
  if (question.context?.outdated !== true) return question;
  const { context: _, ...unread } = question;
  return unread;
}
