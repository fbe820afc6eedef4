import { createHash } from 'node:crypto';
import { isAppError } from '../core/errors.ts';
import { isAskedBy, type Subject } from '../core/personal-data/person-data.ts';
import {
  type AccessKind,
  type ConversationId,
  type Question,
  questionType,
  withFinalCancel,
} from '../core/question/question.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { OPEN_QUESTIONS_KEY } from './record-kinds.ts';
import { createQuestionStore } from './repositories.ts';
import { createRunRequests } from './run-requests.ts';

/** What erasing a person needs to know of one of their questions. */
export interface OwnQuestion {
  id: string;
  teamId: string;
  isOpen: boolean;
  /** The service's conversation, and whose account it belongs to. */
  conversationId?: ConversationId;
  access: AccessKind;
  /** Other people asked in the conversation too. */
  isShared: boolean;
}

/**
 * Finds the questions that a person asked, and how to recognize them in other records. Holds ids and digests of texts,
 * never texts. Throws `AppError` of kind `storage`.
 */
export async function findQuestionsOf(
  kv: Pick<KeyValueStore, 'get' | 'keys'>,
  person: { userId: string; teamId?: string },
): Promise<{ questions: OwnQuestion[]; subject: Subject }> {
  const questions = new Map<string, Omit<OwnQuestion, 'isShared'>>();
  const ofOthers = new Set<ConversationId>();
  const digests = new Set<string>();
  const subject: Subject = {
    ...person,
    isOwnQuestion: (id) => questions.has(id),
    isOwnText: (text) => digests.has(digestOf(text)),
  };
  for await (const key of kv.keys(questionType.key(''))) {
    const text = await kv.get(key);
    const question = text === undefined ? undefined : decode(key, text);
    if (question === undefined) continue;
    const summary = summaryOf(question);
    if (!isAskedBy(subject, question)) {
      if (summary.access === 'app' && summary.conversationId !== undefined) ofOthers.add(summary.conversationId);
      continue;
    }
    questions.set(question.id, summary);
    for (const own of textsOf(question)) digests.add(digestOf(own));
  }
  // A conversation of a person's own account has questions of that person only.
  const isShared = ({ access, conversationId }: Omit<OwnQuestion, 'isShared'>): boolean =>
    access === 'app' && conversationId !== undefined && ofOthers.has(conversationId);
  return { questions: [...questions.values()].map((own) => ({ ...own, isShared: isShared(own) })), subject };
}

/**
 * Cancels a person's open questions in a way that the running app carries out: it stops them at the service and closes
 * their cards. Returns the ids of those that are still open. Safe to repeat. Throws `AppError` of kind `storage`.
 */
export async function cancelOpen(
  kv: KeyValueStore,
  questions: readonly OwnQuestion[],
  { userId, nowMs }: { userId: string; nowMs: number },
): Promise<string[]> {
  const store = createQuestionStore(kv);
  const open: string[] = [];
  for (const { id } of questions.filter(({ isOpen }) => isOpen)) {
    const question = await store.update(id, (stored) => withFinalCancel(stored, { byUserId: userId, atMs: nowMs }));
    if (question === undefined || !isOpen(question)) continue;
    open.push(id);
    await kv.addMember(OPEN_QUESTIONS_KEY, id);
    await createRunRequests(kv).add(id);
  }
  return open;
}

/** Which of these questions are still open. A question that can't be read counts as closed. */
export async function stillOpen(kv: Pick<KeyValueStore, 'get'>, ids: readonly string[]): Promise<string[]> {
  const open: string[] = [];
  for (const id of ids) {
    const text = await kv.get(questionType.key(id));
    const question = text === undefined ? undefined : decode(questionType.key(id), text);
    if (question !== undefined && isOpen(question)) open.push(id);
  }
  return open;
}

function isOpen({ phase }: Question): boolean {
  return phase !== 'closed';
}

function summaryOf(question: Question): Omit<OwnQuestion, 'isShared'> {
  const { id, place, access = 'app', upstream, shares } = question;
  // The conversation of an answer that is shown again belongs to the question that was answered.
  const conversationId = shares === undefined ? upstream.conversationId : undefined;
  return {
    id,
    teamId: place.teamId,
    isOpen: isOpen(question),
    access,
    conversationId,
  };
}

function textsOf({ text, edited }: Question): string[] {
  return [text, edited?.text].flatMap((each) => (each ? [each] : []));
}

function decode(key: string, text: string): Question | undefined {
  try {
    return questionType.format.decode(key, text);
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return undefined;
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
