import { type Acceptance, type AcceptPorts, questionId as idOf, type NewQuestion } from './intake/accept.ts';
import type { Attempt } from './intake/attempts.ts';
import type { Claims, Records } from './ports.ts';
import type { ThreadPlace } from './question/question.ts';
import type { MessageFile } from './question/thread-notes.ts';

/** A message that mentions the app only since it was edited, kept for the button that asks it. */
export interface AddedMention {
  version: 1;
  place: ThreadPlace;
  userId: string;
  ts: string;
  /** What it says now, as plain readable text without the mention. Empty once that was taken back. */
  text: string;
  files: MessageFile[];
  /** The mention was taken out again, or the message was deleted. */
  isTakenBack?: boolean;
}

export interface AddedMentionPorts {
  addedMentions: Records<AddedMention>;
  claims: Pick<Claims, 'claim'>;
  digest: AcceptPorts['digest'];
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  attemptUnder: (key: string) => Promise<Attempt>;
}

/** Mentions that edits add: they ask nothing by themselves. `key` names the message, as in `accept`. */
export function createAddedMentions({ addedMentions, claims, digest, accept, attemptUnder }: AddedMentionPorts) {
  return { noteMention, changeMention, takeMentionBack, findMention, askMention };

  /**
   * Keeps what the message says now. Returns the id that its question will have when this is the first time, for the notice
   * that comes once; `delivery` differs between any two calls.
   */
  async function noteMention(key: string, mention: AddedMention, delivery: string): Promise<string | undefined> {
    const questionId = idOf(digest, key);
    await addedMentions.update(questionId, () => mention);
    const first = await claims.claim(`added-mention:${key}`, delivery);
    return first === delivery ? questionId : undefined;
  }

  /** A later edit of a message that is kept; another one is left alone. */
  async function changeMention(key: string, change: Pick<AddedMention, 'text' | 'files'>): Promise<void> {
    const questionId = idOf(digest, key);
    const known = await addedMentions.get(questionId);
    if (known !== undefined) await addedMentions.update(questionId, (stored = known) => ({ ...stored, ...change }));
  }

  /** A message that is kept does not mention the app any more, or is gone. */
  async function takeMentionBack(key: string): Promise<void> {
    const questionId = idOf(digest, key);
    const known = await addedMentions.get(questionId);
    if (known === undefined) return;
    await addedMentions.update(questionId, (stored = known) => ({ ...stored, text: '', files: [], isTakenBack: true }));
  }

  /** The message whose button was pressed, if it is the presser's and in the place of the press. */
  async function findMention(
    questionId: string,
    requester: { userId: string; teamId: string; channelId: string },
  ): Promise<AddedMention | undefined> {
    const known = await addedMentions.get(questionId);
    if (known === undefined || known.isTakenBack === true || known.userId !== requester.userId) return undefined;
    const { teamId, channelId } = known.place;
    return teamId === requester.teamId && channelId === requester.channelId ? known : undefined;
  }

  /** Asks such a message, once: its timestamp names the question. */
  async function askMention(key: string, request: Omit<NewQuestion, 'key'>, byMs?: number): Promise<Acceptance> {
    const attempt = await attemptUnder(key);
    return accept({ ...request, key: attempt.key }, byMs);
  }
}
