import type { Claims, Records } from '../ports.ts';
import type { DailyStorage } from '../question/daily-storage.ts';
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
  /** Cannot be asked: the mention was removed, the message was deleted, or an older edit that added it came late. */
  isTakenBack?: boolean;
  /** The time of the latest edit or deletion, the same for every delivery. Earlier records have none. */
  atMs?: number;
}

/** A message after an edit, made at `atMs`. */
export type MentionEdit = AddedMention & { atMs: number };

export interface AddedMentionPorts {
  addedMentions: Records<AddedMention>;
  claims: Pick<Claims, 'claim'>;
  dailyStorage: Pick<DailyStorage, 'take'>;
  digest: AcceptPorts['digest'];
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  attemptUnder: (key: string) => Promise<Attempt>;
}

/**
 * Stores mentions that edits add. Nothing is asked until a person clicks the button. `key` names the message, as in
 * `accept`.
 */
export function createAddedMentions(ports: AddedMentionPorts) {
  const { addedMentions, claims, dailyStorage, digest, accept, attemptUnder } = ports;
  return { noteMention, changeMention, takeMentionBack, findMention, askMention };

  /**
   * Stores a message whose edit added a mention. The first call for an edit returns the id of the future question, so
   * that the notice is sent once. `delivery` is different in every call. An edit too many of a day is not offered.
   */
  async function noteMention(key: string, edit: MentionEdit, delivery: string): Promise<string | undefined> {
    const questionId = idOf(digest, key);
    if (!(await mayStore(edit, `${questionId}:${edit.atMs}`))) {
      await changeMention(key, edit);
      return undefined;
    }
    const { atMs } = await storeNewer(questionId, edit.atMs, () => edit);
    if (atMs !== edit.atMs) return undefined;
    const first = await claims.claim(`added-mention:${key}:${edit.atMs}`, delivery);
    return first === delivery ? questionId : undefined;
  }

  /** Stores a later edit of a mention. Stores only its time if the mention cannot be asked. */
  async function changeMention(key: string, edit: MentionEdit): Promise<void> {
    if (!(await isStoredOrMay(key, edit))) return;
    await storeNewer(idOf(digest, key), edit.atMs, (stored) =>
      stored === undefined || stored.isTakenBack === true ? takenBack(edit, stored) : { ...stored, ...edit },
    );
  }

  /** Stores that a message no longer mentions the app or was deleted. */
  async function takeMentionBack(
    key: string,
    message: Pick<MentionEdit, 'place' | 'userId' | 'ts' | 'atMs'>,
  ): Promise<void> {
    if (!(await isStoredOrMay(key, message))) return;
    await storeNewer(idOf(digest, key), message.atMs, (stored) => takenBack(message, stored));
  }

  /** A stored message is always changed, so that no text is asked that its author took back. */
  async function isStoredOrMay(key: string, message: Pick<MentionEdit, 'place' | 'userId' | 'atMs'>): Promise<boolean> {
    const questionId = idOf(digest, key);
    return (await addedMentions.get(questionId)) !== undefined || mayStore(message, questionId);
  }

  function mayStore({ place, userId, atMs }: Pick<MentionEdit, 'place' | 'userId' | 'atMs'>, id: string) {
    return dailyStorage.take('addedMentions', { teamId: place.teamId, userId }, id, atMs);
  }

  /** Slack can deliver edits late and repeatedly: changes nothing if the stored version is from `atMs` or later. */
  function storeNewer(
    questionId: string,
    atMs: number,
    next: (stored: AddedMention | undefined) => AddedMention,
  ): Promise<AddedMention> {
    return addedMentions.update(questionId, (stored) =>
      stored?.atMs !== undefined && stored.atMs >= atMs ? stored : next(stored),
    );
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

/** A record without the words of the message. It stops older edits that come later. */
function takenBack(
  { place, userId, ts, atMs }: Pick<MentionEdit, 'place' | 'userId' | 'ts' | 'atMs'>,
  stored: AddedMention = { version: 1, place, userId, ts, text: '', files: [] },
): AddedMention {
  return { ...stored, text: '', files: [], isTakenBack: true, atMs };
}
