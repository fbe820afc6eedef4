import type { Claims, Records } from '../ports.ts';
import type { ThreadPlace } from '../question/question.ts';
import type { MessageFile } from '../question/thread-notes.ts';
import { type Acceptance, type AcceptPorts, questionId as idOf, type NewQuestion } from './accept.ts';
import type { Attempt } from './attempts.ts';

/** A message whose edit added a mention of the app. The app stores it for the button that asks it. */
export interface AddedMention {
  version: 1;
  place: ThreadPlace;
  userId: string;
  ts: string;
  /** Its current text, plain and without the mention. Empty once the mention was removed. */
  text: string;
  files: MessageFile[];
  /** The mention was removed or the message was deleted. */
  isTakenBack?: boolean;
}

export interface AddedMentionPorts {
  addedMentions: Records<AddedMention>;
  claims: Pick<Claims, 'claim'>;
  digest: AcceptPorts['digest'];
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  attemptUnder: (key: string) => Promise<Attempt>;
}

/**
 * Stores mentions that edits add. Nothing is asked until a person clicks the button. `key` names the message, as in
 * `accept`.
 */
export function createAddedMentions({ addedMentions, claims, digest, accept, attemptUnder }: AddedMentionPorts) {
  return { noteMention, changeMention, takeMentionBack, findMention, askMention };

  /**
   * Stores the current version of the message. The first call returns the id of its future question, so that the notice
   * is sent once. `delivery` is different in every call.
   */
  async function noteMention(key: string, mention: AddedMention, delivery: string): Promise<string | undefined> {
    const questionId = idOf(digest, key);
    await addedMentions.update(questionId, () => mention);
    const first = await claims.claim(`added-mention:${key}`, delivery);
    return first === delivery ? questionId : undefined;
  }

  /** Stores a later edit of a stored message. Ignores other messages. */
  async function changeMention(key: string, change: Pick<AddedMention, 'text' | 'files'>): Promise<void> {
    const questionId = idOf(digest, key);
    const known = await addedMentions.get(questionId);
    if (known !== undefined) await addedMentions.update(questionId, (stored = known) => ({ ...stored, ...change }));
  }

  /** Stores that a message no longer mentions the app or was deleted. */
  async function takeMentionBack(key: string): Promise<void> {
    const questionId = idOf(digest, key);
    const known = await addedMentions.get(questionId);
    if (known === undefined) return;
    await addedMentions.update(questionId, (stored = known) => ({ ...stored, text: '', files: [], isTakenBack: true }));
  }

  /** The message of a clicked button, if the requester wrote it in that channel. */
  async function findMention(
    questionId: string,
    requester: { userId: string; teamId: string; channelId: string },
  ): Promise<AddedMention | undefined> {
    const known = await addedMentions.get(questionId);
    if (known === undefined || known.isTakenBack === true || known.userId !== requester.userId) return undefined;
    const { teamId, channelId } = known.place;
    return teamId === requester.teamId && channelId === requester.channelId ? known : undefined;
  }

  /** Asks the message, once: its key names the question. */
  async function askMention(key: string, request: Omit<NewQuestion, 'key'>, byMs?: number): Promise<Acceptance> {
    const attempt = await attemptUnder(key);
    return accept({ ...request, key: attempt.key }, byMs);
  }
}
