import { z } from 'zod';
import type { Clock, Records, Scheduler } from '../ports.ts';
import { dayMs, defineRecord, type RecordOf } from '../record.ts';
import { accountPatienceMs, mostWaitingForAccount, reconnectNoticeMs } from '../settings.ts';
import { type AccountWaits, type Person, personName } from './accounts.ts';

/** One person's questions that wait for an account, and which of them told the person to connect again. */
export const accountWaitsType = defineRecord({
  key: (person) => `ds:account-waits:${person}`,
  // Questions wait for a day.
  ttlMs: 2 * dayMs,
  schema: z.looseObject({
    version: z.literal(1),
    waiting: z.array(z.looseObject({ questionId: z.string(), sinceMs: z.number() })),
    notice: z.looseObject({ questionId: z.string(), atMs: z.number() }).exactOptional(),
  }),
});
export type AccountWaitList = RecordOf<typeof accountWaitsType>;

export interface AccountWaitPorts {
  /** One record per person: see {@link personName}. */
  accountWaits: Records<AccountWaitList>;
  scheduler: Pick<Scheduler, 'schedule'>;
  now: Clock;
}

/**
 * The lists of questions that wait for an account. A list only says whom to wake: a question that is missing finds the
 * account by itself soon, and one that no longer waits does nothing when it is woken. Every method throws only
 * `AppError` of kind `storage` or `corrupt`.
 */
export function createAccountWaits({ accountWaits, scheduler, now }: AccountWaitPorts): AccountWaits {
  return { add, remove, mayNotice, wake };

  async function add(person: Person, questionId: string): Promise<boolean> {
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

  async function remove(person: Person, questionId: string): Promise<void> {
    await accountWaits.update(personName(person), (stored = none) =>
      has(stored.waiting, questionId)
        ? { ...stored, waiting: stored.waiting.filter((entry) => entry.questionId !== questionId) }
        : stored,
    );
  }

  async function mayNotice(person: Person, questionId: string): Promise<boolean> {
    const nowMs = now();
    const { notice } = await accountWaits.update(personName(person), (stored = none) =>
      stored.notice !== undefined && Math.abs(nowMs - stored.notice.atMs) < reconnectNoticeMs
        ? stored
        : { ...stored, notice: { questionId, atMs: nowMs } },
    );
    return notice?.questionId === questionId;
  }

  async function wake(person: Person): Promise<void> {
    const list = await accountWaits.get(personName(person));
    await Promise.all((list?.waiting ?? []).map(({ questionId }) => scheduler.schedule(questionId, 0)));
  }
}

const none: AccountWaitList = { version: 1, waiting: [] };

function has(waiting: AccountWaitList['waiting'], questionId: string): boolean {
  return waiting.some((entry) => entry.questionId === questionId);
}
