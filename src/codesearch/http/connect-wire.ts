import { createHash } from 'node:crypto';
import type { Viewer } from '../accounts/viewer.ts';
import { BASE_MARK } from '../ask/finding.ts';
import { type ListQuery, readCursor } from '../conversations/list.ts';
import { type ConversationRecord, isOpen, type QuestionError, type QuestionRecord } from '../conversations/records.ts';
import { LIMITS } from '../limits.ts';
import { isObject, readQuestionText } from './body.ts';
import { ConnectError } from './connect-error.ts';
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

function conversationName(id: number): string {
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

type Message = Record<string, unknown>;

const SORT = '-updated_at';

/** Reads `conversation` of CreateConversation: exactly one question with one block of text. */
export function readNewConversation(message: Message): string {
  const conversation = readMessage(message, 'conversation');
  if (conversation === undefined) throw invalid('question is required');
  const [question, ...more] = readList(conversation, 'questions');
  if (question === undefined) throw invalid('question is required');
  if (more.length > 0) throw invalid('conversation.questions must hold one question.');
  return readInput(asMessage(question, 'conversation.questions'));
}

/** Reads `question` of AddConversationQuestion: one block of text. */
export function readAddedQuestion(message: Message): string {
  const question = readMessage(message, 'question');
  if (question === undefined) throw invalid('question is required');
  return readInput(question);
}

function readInput(question: Message): string {
  const [block, ...more] = readList(question, 'input');
  if (block === undefined) throw invalid('question is required');
  if (more.length > 0) throw invalid('input must hold one block.');
  const content = asMessage(block, 'input');
  if (field(content, 'image') !== undefined) throw invalid('input must be a question: images are not supported.');
  const asked = readMessage(content, 'question');
  if (asked === undefined) throw invalid('question is required');
  return readQuestionText(field(asked, 'text'), 'question');
}

/** Checks `parent` of CreateConversation and ListConversationSummaries: absent or the own user, in any of its names. */
export function checkParent(message: Message, viewer: Viewer): void {
  const parent = readText(message, 'parent');
  if (parent === undefined) return;
  const user = /^users\/([^/]+)$/.exec(parent)?.[1];
  if (user === undefined) throw invalid('parent must be a user, for example users/~self.');
  if (!isSelf(user, viewer)) throw new ConnectError('permission_denied', 'parent is another user.');
}

/**
 * Reads the name of a conversation in a field. Undefined for a well-formed name that no conversation of this viewer has:
 * that of another user, or an id that is not a number.
 */
export function readName(message: Message, key: 'name' | 'parent', viewer: Viewer): number | undefined {
  const name = readText(message, key);
  const [, user, id] = /^users\/([^/]+)\/conversations\/([^/]+)$/.exec(name ?? '') ?? [];
  if (user === undefined || id === undefined) {
    throw invalid(`${key} must be the name of a conversation, for example users/~self/conversations/140.`);
  }
  return isSelf(user, viewer) && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

function isSelf(user: string, { userId, username }: Viewer): boolean {
  return user === '~self' || user === '-' || user === String(userId) || user === `@${username}`;
}

/**
 * Reads page size, page token and filters of ListConversationSummaries. Several filters must all match; undefined when
 * no conversation can match them.
 */
export function readListQuery(message: Message): ListQuery | undefined {
  const first = readPageSize(message);
  const { words, starred } = readFilters(message);
  if (starred.size === 2) return undefined;
  const [only] = starred;
  const query: ListQuery = {
    sort: SORT,
    first,
    ...(words.length === 0 ? {} : { words }),
    ...(only === undefined ? {} : { starred: only }),
  };
  const token = readText(message, 'pageToken');
  if (token === undefined || token === '') return query;
  const [cursor = '', filters] = token.split('.');
  const place = readCursor(cursor)?.place;
  if (place === undefined || readCursor(cursor)?.sort !== SORT || filters !== filterDigest(query)) {
    throw invalid('pageToken is not a token of this list with these filters.');
  }
  return { ...query, after: place };
}

/** The page token that continues a list after `endCursor`; it is only accepted together with the same filters. */
export function writePageToken(query: ListQuery, endCursor: string): string {
  return `${endCursor}.${filterDigest(query)}`;
}

function filterDigest({ words = [], starred }: ListQuery): string {
  const text = JSON.stringify([words.map((word) => word.toLowerCase()).toSorted(), starred ?? null]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function readPageSize(message: Message): number {
  const sent = field(message, 'pageSize') ?? 0;
  // The JSON form of protobuf allows a number as text.
  const size = typeof sent === 'string' && /^-?\d{1,10}$/.test(sent) ? Number(sent) : sent;
  if (typeof size !== 'number' || !Number.isInteger(size)) throw invalid('pageSize must be a whole number.');
  if (size < 0) throw invalid('pageSize must not be negative.');
  return size === 0 ? LIMITS.summariesDefault : Math.min(size, LIMITS.pageSizeMax);
}

function readFilters(message: Message): { words: string[]; starred: Set<boolean> } {
  const words: string[] = [];
  const starred = new Set<boolean>();
  for (const entry of readList(message, 'filters')) {
    const filter = asMessage(entry, 'filters');
    const query = readText(filter, 'contentQuery');
    const wanted = field(filter, 'starred');
    if ((query === undefined) === (wanted === undefined)) {
      throw invalid('A filter must be either contentQuery or starred.');
    }
    if (wanted !== undefined && typeof wanted !== 'boolean') throw invalid('starred must be true or false.');
    if (wanted !== undefined) starred.add(wanted);
    words.push(...(query ?? '').split(/\s+/).filter((word) => word !== ''));
  }
  if (words.join(' ').length > LIMITS.contentQueryCharacters) {
    throw invalid(`contentQuery must have at most ${LIMITS.contentQueryCharacters} characters.`);
  }
  return { words, starred };
}

/** A field in either spelling; `null` counts as absent. */
function field(message: Message, name: string): unknown {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const values = [...new Set([name, snake])].flatMap((key) =>
    Object.hasOwn(message, key) ? [message[key] ?? undefined] : [],
  );
  if (values.length > 1) throw invalid(`${name} is given in two spellings.`);
  return values[0];
}

function readText(message: Message, name: string): string | undefined {
  const value = field(message, name);
  if (value !== undefined && typeof value !== 'string') throw invalid(`${name} must be a string.`);
  return value;
}

function readMessage(message: Message, name: string): Message | undefined {
  const value = field(message, name);
  return value === undefined ? undefined : asMessage(value, name);
}

function readList(message: Message, name: string): unknown[] {
  const value = field(message, name) ?? [];
  if (!Array.isArray(value)) throw invalid(`${name} must be a list.`);
  return value;
}

function asMessage(value: unknown, name: string): Message {
  if (!isObject(value)) throw invalid(`${name} must be an object.`);
  return value;
}

function invalid(message: string): ConnectError {
  return new ConnectError('invalid_argument', message);
}
