import type { Core } from '../context.ts';
import { accountPatienceMs, mostWaitingForAccount, reconnectNoticeMs } from '../settings.ts';
import { type AccountWaitList, type Person, personName } from './accounts.ts';

// A list only says whom to wake: a question that is missing finds the account by itself soon, and one that no longer waits does
// nothing when it is woken. Every function throws only `AppError` of kind `storage` or `corrupt`.

/** Adds a question that waits for its asker's account, once. Returns false if too many of the person's questions wait already. */
export async function addWaiting({ accountWaits, now }: Core, person: Person, questionId: string): Promise<boolean> {
  const nowMs = now();
  const list = await accountWaits.update(personName(person), (stored = none) => {
    const waiting = stored.waiting.filter(({ sinceMs }) => sinceMs > nowMs - accountPatienceMs);
    if (has(waiting, questionId) || waiting.length >= mostWaitingForAccount) {
      return waiting.length === stored.waiting.length ? stored : { ...stored, waiting };
    }
    return { ...stored, waiting: [...waiting, { questionId, sinceMs: nowMs }] };
  });
  return has(list.waiting, questionId);
}

export async function removeWaiting({ accountWaits }: Core, person: Person, questionId: string): Promise<void> {
  await accountWaits.update(personName(person), (stored = none) =>
    has(stored.waiting, questionId)
      ? { ...stored, waiting: stored.waiting.filter((entry) => entry.questionId !== questionId) }
      : stored,
  );
}

/**
 * Whether this question is the one whose asker is told that they have to connect again. One question in an hour is,
 * and stays it when the step is repeated.
 */
export async function mayNotice({ accountWaits, now }: Core, person: Person, questionId: string): Promise<boolean> {
  const nowMs = now();
  const { notice } = await accountWaits.update(personName(person), (stored = none) =>
    stored.notice !== undefined && Math.abs(nowMs - stored.notice.atMs) < reconnectNoticeMs
      ? stored
      : { ...stored, notice: { questionId, atMs: nowMs } },
  );
  return notice?.questionId === questionId;
}

/** Plans a run of every waiting question of this person, at once. */
export async function wakeWaiting({ accountWaits, scheduler }: Core, person: Person): Promise<void> {
  const list = await accountWaits.get(personName(person));
  await Promise.all((list?.waiting ?? []).map(({ questionId }) => scheduler.schedule(questionId, 0)));
}

const none: AccountWaitList = { version: 1, waiting: [] };

function has(waiting: AccountWaitList['waiting'], questionId: string): boolean {
  return waiting.some((entry) => entry.questionId === questionId);
}
