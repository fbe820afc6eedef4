import { type ConversationRecord, isOpen, type QuestionRecord } from '../conversations/records.ts';
import { BASE_MARK } from '../search/finding.ts';
import { type Html, html } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { type Page, page } from './page.ts';

/** A conversation for reading: questions, answers with their links, sources. */
export function conversationPage(conversation: ConversationRecord): Page {
  const first = conversation.questions[0];
  const title = first?.title ?? first?.text.slice(0, 80) ?? 'Conversation';
  return page({
    title,
    heading: html`${title}`,
    detail: html`Started ${new Date(conversation.createdMs).toISOString()}`,
    body: html`${conversation.questions.map(questionPart)}`,
  });
}

function questionPart(question: QuestionRecord): Html {
  const sources = question.sources ?? [];
  const list =
    sources.length === 0
      ? html``
      : html`<h3>Sources</h3><ul>${sources.map((source) => html`<li><a href="${source.link}">${source.label}</a></li>`)}</ul>`;
  return html`<section><h2>${question.text}</h2><article>${answerPart(question)}</article>${list}</section>`;
}

function answerPart(question: QuestionRecord): Html {
  if (question.error !== undefined) return html`<p class="dim">${question.error.title}: ${question.error.message}</p>`;
  if (isOpen(question)) {
    const steps = question.turns
      .filter((turn) => turn.role === 'assistant')
      .map((turn) => html`<li>${turn.reasoning}</li>`);
    return html`<p class="dim">Still being answered. Load this page again to see how far it is.</p><ol>${steps}</ol>`;
  }
  // Links within the service stay relative, so that the page works under any host name.
  return renderMarkdown((question.answer ?? '').replaceAll(BASE_MARK, ''));
}
