import { BASE_MARK } from '../ask/finding.ts';
import { type ConversationRecord, isOpen, type QuestionError, type QuestionRecord } from '../conversations/records.ts';
import { iso, shareUrl } from './rest-wire.ts';

/** What the replies depend on beside the records. */
export interface ServiceWireOptions {
  baseUrl: string;
  /** Whether a finished question carries `suggestedFollowups`. */
  suggestedFollowups: boolean;
}

// Replies of the second generation: names in lowerCamelCase; empty texts and lists are left out, empty messages are not.

/** A conversation; its state is that of its last question. */
export function conversationMessage(conversation: ConversationRecord, options: ServiceWireOptions) {
  return {
    ...summaryMessage(conversation, options),
    state: stateMessage(conversation.questions.at(-1)),
    questions: conversation.questions.map((question) => questionMessage(question, options)),
  };
}

/** An entry of ListConversationSummaries. */
export function summaryMessage(conversation: ConversationRecord, { baseUrl }: ServiceWireOptions) {
  const title = conversation.questions[0]?.title ?? '';
  return {
    name: conversationName(conversation.id),
    ...(title === '' ? {} : { title }),
    createTime: iso(conversation.createdMs),
    updateTime: iso(conversation.updatedMs),
    url: shareUrl(conversation, baseUrl),
  };
}

/** A question without id and state, as the second generation shows it; the whole answer is one block. */
export function questionMessage(question: QuestionRecord, { baseUrl, suggestedFollowups }: ServiceWireOptions) {
  // As clients of this generation know addresses of code; a page of the service itself has no `/r`.
  const answer = (question.answer ?? '')
    .replaceAll(new RegExp(`${BASE_MARK}/(?!deepsearch/|search[?/]|r/)`, 'g'), `${baseUrl}/r/`)
    .replaceAll(BASE_MARK, baseUrl);
  const followUps = suggestedFollowups ? (question.followUps ?? []) : [];
  return {
    input: [{ question: { text: question.text } }],
    ...(answer === '' ? {} : { answer: [{ markdown: { text: answer } }] }),
    createTime: iso(question.createdMs),
    ...(followUps.length === 0 ? {} : { suggestedFollowups: followUps }),
  };
}

export function conversationName(id: number): string {
  return `users/~self/conversations/${id}`;
}

const CODES: Record<Exclude<QuestionError['kind'], 'Cancelled'>, string> = {
  TokenLimitExceeded: 'ERROR_TOKEN_LIMIT_EXCEEDED',
  RateLimitExceeded: 'ERROR_QUOTA_EXCEEDED',
  InternalError: 'ERROR_INTERNAL',
};

function stateMessage(question: QuestionRecord | undefined) {
  if (question === undefined || isOpen(question)) return { processing: {} };
  const { error } = question;
  if (error === undefined) return { completed: {} };
  if (error.kind === 'Cancelled') return { canceled: {} };
  return {
    error: {
      code: CODES[error.kind],
      message: error.message,
      ...(error.retryAtMs === undefined ? {} : { retryTime: iso(error.retryAtMs) }),
    },
  };
}
