import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Conversation, UpstreamQuestion } from '../../../src/core/ports.ts';
import { quotaLifeMs, quotaPatienceMs } from '../../../src/core/settings.ts';
import { type KnownQuota, withQuota } from '../../../src/core/watching/watching.ts';
import { runningQuestion } from '../../support/watching/listed-service.ts';

const now = 1_800_000_000_000;
const question = runningQuestion(1);
const quota = { used: 90, limit: 100, resetAtMs: now + 3_600_000 };

function conversationWith(change: Partial<UpstreamQuestion>): Conversation {
  const base: UpstreamQuestion = {
    id: 10,
    ordinal: 0,
    text: '',
    state: 'completed',
    steps: 0,
    sources: [],
    followUps: [],
  };
  return { id: 1, questions: [{ ...base, ...change }] };
}

const answered = conversationWith({ answer: 'Here.' });
const limited = conversationWith({ state: 'failed', error: { cause: 'limited', title: '', message: '' } });

/** An account whose conversations have a quota in single reads only. */
function account(read = async (): Promise<Conversation | undefined> => ({ ...answered, quota })) {
  const watched: KnownQuota = { quota: undefined, quotaUntilMs: 0 };
  let reads = 0;
  return {
    reads: () => reads,
    take: (listed: Conversation, nowMs = now) =>
      withQuota(
        listed,
        question,
        watched,
        () => {
          reads += 1;
          return read();
        },
        nowMs,
      ),
  };
}

describe('a conversation from a list', () => {
  it.each(['pending', 'processing'] as const)('is taken as it is while its question is %s', async (state) => {
    const { take, reads } = account();
    const listed = conversationWith({ state });
    expect(await take(listed)).toBe(listed);
    expect(reads()).toBe(0);
  });

  it('is taken as it is if the list tells the quota', async () => {
    const { take, reads } = account();
    const listed = { ...answered, quota: { used: 1, limit: 2 } };
    expect(await take(listed)).toBe(listed);
    expect(reads()).toBe(0);
  });

  it('gets the quota by one read for all questions that end in half a minute', async () => {
    const { take, reads } = account();
    const taken = await Promise.all([take(answered), take(answered, now + 1)]);
    expect(taken[0]).toEqual({ ...answered, quota });
    expect(await take(answered, now + quotaLifeMs - 1)).toEqual({ ...answered, quota });
    expect(reads()).toBe(1);
    await take(answered, now + quotaLifeMs);
    expect(reads()).toBe(2);
  });

  it('has no quota if the service tells none', async () => {
    const { take } = account(async () => answered);
    expect(await take(answered)).toEqual(answered);
    expect(await take(answered, now + 1)).toEqual(answered);
  });

  it('is taken without the quota if that cannot be read', async () => {
    const { take, reads } = account(() => Promise.reject(new AppError('unavailable', 'down')));
    expect(await take(answered)).toBe(answered);
    expect(await take(answered, now + 1)).toBe(answered);
    expect(reads()).toBe(1);
  });

  it('is taken without the quota if that takes longer than a few seconds', async () => {
    vi.useFakeTimers();
    try {
      const { take } = account(() => new Promise(() => {}));
      const taken = take(answered);
      await vi.advanceTimersByTimeAsync(quotaPatienceMs);
      expect(await taken).toBe(answered);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is not taken if the app itself fails', async () => {
    const { take } = account(() => Promise.reject(new TypeError('a defect')));
    await expect(take(answered)).rejects.toThrow('a defect');
  });
});

describe('a conversation from a list whose question a limit stopped', () => {
  it('is always read, because only the quota tells when the limit ends', async () => {
    const { take, reads } = account(async () => ({ ...limited, quota }));
    await take(answered);
    expect(await take(limited, now + 1)).toEqual({ ...limited, quota });
    expect(await take(limited, now + 2)).toEqual({ ...limited, quota });
    expect(reads()).toBe(3);
  });

  it('is taken as it is if it tells when the limit ends', async () => {
    const { take } = account(async () => undefined);
    const timed = conversationWith({
      state: 'failed',
      error: { cause: 'limited', title: '', message: '', retryAtMs: now + 1 },
    });
    await take(answered);
    expect(await take(timed, now + 1)).toBe(timed);
  });

  it('fails while it cannot be read, and is gone if the service has it no more', async () => {
    const down = account(() => Promise.reject(new AppError('unavailable', 'down')));
    await expect(down.take(limited)).rejects.toThrow('down');
    const gone = account(async () => undefined);
    expect(await gone.take(limited)).toBeUndefined();
  });
});
