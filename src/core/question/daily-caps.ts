import { z } from 'zod';
import { isAppError } from '../errors.ts';
import type { Records } from '../ports.ts';
import { dayMs, defineRecord, type RecordOf } from '../record.ts';
import { isBetweenTwo, type Question, type Refusal } from './question.ts';

/**
 * The questions that count for one person or one channel on one day (UTC). At most as many as the cap. A question is
 * admitted within a day, or not at all.
 */
export const dayCountType = defineRecord({
  key: (name) => `ds:day-count:${name}`,
  ttlMs: 2 * dayMs,
  schema: z.looseObject({ version: z.literal(1), questionIds: z.array(z.string()) }),
});
export type DayCount = RecordOf<typeof dayCountType>;

/** Why a question is over a daily cap. */
export type OverCap = Extract<Refusal, 'personCap' | 'channelCap'>;

/** Limits how many questions people ask in a day. Throws `AppError` of kind `storage` or `corrupt`. */
export interface DailyCaps {
  /**
   * Counts a question for its asker and its channel, once, on the day it was accepted. Returns why it is over a cap: then
   * it is not counted.
   */
  take(question: Question): Promise<OverCap | undefined>;
  /** No longer counts a question that ended without reaching the service. Safe to repeat. */
  giveBack(question: Question): Promise<void>;
}

/** How many questions a day allows. 0: any number. */
export interface CapSettings {
  perPerson: number;
  perChannel: number;
}

export function isOverCap(reason: Refusal): reason is OverCap {
  return reason === 'personCap' || reason === 'channelCap';
}

/** When a question of this time would count for the next day: the next midnight (UTC). */
export function resetMs(acceptedMs: number): number {
  return (Math.floor(acceptedMs / dayMs) + 1) * dayMs;
}

/**
 * `isExempt`: whether caps do not hold for a person. Their questions do not count for the channel either. If it throws
 * `AppError`, the caps hold.
 */
export function createDailyCaps({
  counts,
  settings: { perPerson, perChannel },
  isExempt,
}: {
  counts: Records<DayCount>;
  settings: CapSettings;
  isExempt: (userId: string) => Promise<boolean>;
}): DailyCaps {
  return {
    async take(question) {
      if (!(await hasCaps(question))) return undefined;
      if (!(await count(ofPerson(question), perPerson, question.id))) return 'personCap';
      if (await count(ofChannel(question), capOfChannel(question), question.id)) return undefined;
      await uncount(ofPerson(question), perPerson, question.id);
      return 'channelCap';
    },
    async giveBack(question) {
      if (hasReachedService(question)) return;
      await uncount(ofPerson(question), perPerson, question.id);
      await uncount(ofChannel(question), capOfChannel(question), question.id);
    },
  };

  async function hasCaps(question: Asking): Promise<boolean> {
    return (perPerson > 0 || capOfChannel(question) > 0) && !(await isExemptForSure(question.askerId));
  }

  async function isExemptForSure(userId: string): Promise<boolean> {
    try {
      return await isExempt(userId);
    } catch (error) {
      if (!isAppError(error)) throw error;
      return false;
    }
  }

  /** Only its own person asks in a direct message, and they have their own cap. */
  function capOfChannel({ place }: Asking): number {
    return isBetweenTwo(place) ? 0 : perChannel;
  }

  async function count(name: string, cap: number, id: string): Promise<boolean> {
    if (cap === 0) return true;
    const { questionIds } = await counts.update(name, (current = { version: 1, questionIds: [] }) =>
      current.questionIds.includes(id) || current.questionIds.length >= cap
        ? current
        : { ...current, questionIds: [...current.questionIds, id] },
    );
    return questionIds.includes(id);
  }

  async function uncount(name: string, cap: number, id: string): Promise<void> {
    if (cap === 0 || (await counts.get(name))?.questionIds.includes(id) !== true) return;
    await counts.update(name, (current = { version: 1, questionIds: [] }) =>
      current.questionIds.includes(id)
        ? { ...current, questionIds: current.questionIds.filter((other) => other !== id) }
        : current,
    );
  }
}

/** Who asks where and when. */
type Asking = Pick<Question, 'place' | 'askerId' | 'acceptedMs'>;

function ofPerson({ place, askerId, acceptedMs }: Asking): string {
  return `${place.teamId}:${askerId}:${dayOf(acceptedMs)}`;
}

function ofChannel({ place, acceptedMs }: Asking): string {
  return `${place.teamId}:${place.channelId}:${dayOf(acceptedMs)}`;
}

/** The day (UTC) of a time. */
export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** Also while the outcome of the call is unknown: the service may have got the question. */
function hasReachedService({ upstream }: Question): boolean {
  return upstream.conversationId !== undefined || upstream.intentMs !== undefined;
}
