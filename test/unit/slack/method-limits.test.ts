import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { createLimiters } from '../../../src/rate-limits/limiters.ts';
import {
  type CallOptions,
  createMethodLimits,
  type MethodLimits,
  methodAllowances,
  type SlackMethod,
} from '../../../src/slack/api/method-limits.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const minuteMs = 60_000;

/** Slack's limits per minute and workspace: docs.slack.dev/apis/web-api/rate-limits and the pages of the methods. */
const granted: Record<SlackMethod, number> = {
  'agents.sessions.rename': 50,
  'agents.sessions.setStatus': 50,
  'assistant.threads.setSuggestedPrompts': 100,
  'auth.teams.list': 20,
  'auth.test': 200,
  'chat.delete': 50,
  'chat.postMessage': 300,
  'chat.postEphemeral': 100,
  'chat.unfurl': 50,
  'chat.update': 50,
  'conversations.history': 50,
  'conversations.info': 50,
  'conversations.join': 50,
  'conversations.members': 100,
  'conversations.open': 50,
  'conversations.replies': 50,
  'files.completeUploadExternal': 100,
  'files.delete': 50,
  'files.getUploadURLExternal': 100,
  'files.info': 100,
  'usergroups.list': 20,
  'users.conversations': 50,
  'users.info': 100,
  'users.list': 20,
  'views.open': 100,
  'views.publish': 100,
  'views.update': 100,
};

const methods = fc.constantFrom(...(Object.keys(methodAllowances) as SlackMethod[]));
/** Groups of calls, each with the pause before it. */
const schedule = fc.array(fc.record({ pauseMs: fc.integer({ min: 0, max: 12_000 }), calls: fc.nat({ max: 40 }) }), {
  maxLength: 25,
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function newGate(): MethodLimits {
  const { log } = createRecordingLog();
  return createMethodLimits({ createLimiter: createLimiters({ log }), now: Date.now, log });
}

const passage = (priority: CallOptions['priority'], channelId?: string): CallOptions => ({
  teamId: 'T1',
  channelId,
  priority,
});

/** Whether the call was sent. */
async function passes(gate: MethodLimits, method: SlackMethod, to: CallOptions): Promise<boolean> {
  let sent = false;
  try {
    await gate.pass(method, to, async () => {
      sent = true;
    });
  } catch (error) {
    expect(error).toMatchObject({ kind: 'rateLimited', outcomeUnknown: false });
    expect(sent).toBe(false);
  }
  return sent;
}

async function countPassing(calls: number, call: () => Promise<boolean>): Promise<number> {
  let passed = 0;
  for (let i = 0; i < calls; i += 1) if (await call()) passed += 1;
  return passed;
}

/** The largest number of these times within any one minute. */
function mostInAMinute(timesMs: number[]): number {
  return Math.max(0, ...timesMs.map((fromMs) => timesMs.filter((ms) => ms >= fromMs && ms < fromMs + minuteMs).length));
}

describe('room for calls', () => {
  it('is never more than Slack grants, in any minute', async () => {
    await fc.assert(
      fc.asyncProperty(methods, schedule, async (method, groups) => {
        const gate = newGate();
        const timesMs: number[] = [];
        for (const { pauseMs, calls } of groups) {
          await vi.advanceTimersByTimeAsync(pauseMs);
          const passed = await countPassing(calls, () => passes(gate, method, passage('edit')));
          timesMs.push(...new Array<number>(passed).fill(Date.now()));
        }
        expect(mostInAMinute(timesMs)).toBeLessThanOrEqual(granted[method]);
      }),
      { numRuns: 150 },
    );
  });

  it.each(Object.keys(methodAllowances) as SlackMethod[])('for %s returns within 20 s', async (method) => {
    const gate = newGate();
    await countPassing(300, () => passes(gate, method, passage('edit')));
    expect(await passes(gate, method, passage('edit'))).toBe(false);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await passes(gate, method, passage('edit'))).toBe(true);
  });

  it('is counted separately for each workspace and each method', async () => {
    const gate = newGate();
    await countPassing(50, () => passes(gate, 'chat.postEphemeral', passage('edit')));
    expect(await passes(gate, 'chat.postEphemeral', { ...passage('edit'), teamId: 'T2' })).toBe(true);
    expect(await passes(gate, 'conversations.info', passage('edit'))).toBe(true);
  });

  it('is announced with the time when there will be some again', async () => {
    const gate = newGate();
    await countPassing(50, () => passes(gate, 'chat.postEphemeral', passage('edit')));
    await vi.advanceTimersByTimeAsync(4_000);
    const refused = gate.pass('chat.postEphemeral', passage('edit'), async () => 'sent');
    await expect(refused).rejects.toMatchObject({ kind: 'rateLimited', retryAfterMs: 16_000 });
  });

  it('is promised to each waiting caller at a different time, and used by them', async () => {
    const gate = newGate();
    const times: number[] = [];
    const startMs = Date.now();
    const post = async (priority: 'answer' | 'card'): Promise<void> => {
      for (;;) {
        try {
          await gate.pass('chat.postMessage', passage(priority, 'C1'), async () => times.push(Date.now() - startMs));
          return;
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          await new Promise((resolve) => setTimeout(resolve, error.retryAfterMs));
        }
      }
    };
    const all = Promise.all(Array.from({ length: 40 }, (_, index) => post(index % 2 === 0 ? 'card' : 'answer')));
    await vi.advanceTimersByTimeAsync(45_000);
    await all;
    expect(times).toHaveLength(40);
  });
});

describe('messages of one channel', () => {
  it('go out five at once, then one per second', async () => {
    const gate = newGate();
    const post = () => passes(gate, 'chat.postMessage', passage('edit', 'C1'));
    expect(await countPassing(9, post)).toBe(5);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await countPassing(9, post)).toBe(1);
    expect(await passes(gate, 'chat.postMessage', passage('edit', 'C2'))).toBe(true);
  });

  it('do not use up the room of the workspace where the channel has no room', async () => {
    const gate = newGate();
    await countPassing(500, () => passes(gate, 'chat.postMessage', passage('edit', 'C1')));
    expect(await passes(gate, 'chat.postMessage', passage('edit', 'C2'))).toBe(true);
  });

  it('of one answer wait for each other', async () => {
    const gate = newGate();
    const timesMs: number[] = [];
    const startMs = Date.now();
    const answer = (async () => {
      for (let part = 0; part < 7; part += 1) {
        await gate.pass('chat.postMessage', passage('answer', 'C1'), async () => timesMs.push(Date.now() - startMs));
      }
    })();
    await vi.advanceTimersByTimeAsync(5_000);
    await answer;
    expect(timesMs).toEqual([0, 0, 0, 0, 0, 1_000, 2_000]);
  });
});

describe.each(['answer', 'private', 'final'] as const)('a call of the kind %s', (priority) => {
  it('waits no longer than 2 s', async () => {
    const gate = newGate();
    const startMs = Date.now();
    const ends = Promise.all(
      Array.from({ length: 30 }, async () => {
        const sent = await passes(gate, 'chat.postMessage', passage(priority, 'C1'));
        return { sent, afterMs: Date.now() - startMs };
      }),
    );
    await vi.advanceTimersByTimeAsync(10_000);
    const all = await ends;
    expect(Math.max(...all.map(({ afterMs }) => afterMs))).toBeLessThanOrEqual(2_000);
    expect(all.filter(({ sent }) => sent)).toHaveLength(7);
  });

  it('is refused at once where waiting would not be enough', async () => {
    const gate = newGate();
    await countPassing(300, () => passes(gate, 'chat.postMessage', passage('edit')));
    const startMs = Date.now();
    expect(await passes(gate, 'chat.postMessage', passage(priority, 'C1'))).toBe(false);
    expect(Date.now()).toBe(startMs);
  });
});

describe('new cards', () => {
  const post = (gate: MethodLimits, priority: CallOptions['priority']) =>
    passes(gate, 'chat.postMessage', passage(priority, 'C1'));
  const retryAfterMs = async (gate: MethodLimits, priority: CallOptions['priority']): Promise<unknown> =>
    gate.pass('chat.postMessage', passage(priority, 'C1'), async () => 0).catch((error) => error.retryAfterMs);

  it('do not wait, and each is told a later time', async () => {
    const gate = newGate();
    expect(await countPassing(9, () => post(gate, 'card'))).toBe(5);
    expect([await retryAfterMs(gate, 'card'), await retryAfterMs(gate, 'card')]).toEqual([5_000, 6_000]);
  });

  it('and edits leave room to an answer that waits, and to one that comes again', async () => {
    const gate = newGate();
    await countPassing(5, () => post(gate, 'card'));
    const waits = post(gate, 'answer');
    await vi.advanceTimersByTimeAsync(999);
    expect(await post(gate, 'card')).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await waits).toBe(true);
    const full = Array.from({ length: 4 }, () => retryAfterMs(gate, 'answer'));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await Promise.all(full)).toEqual([0, 0, 1_000, 2_000]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await post(gate, 'card'), await post(gate, 'edit')]).toEqual([false, false]);
    expect([await post(gate, 'answer'), await retryAfterMs(gate, 'card')]).toEqual([true, 3_000]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await post(gate, 'card')).toBe(true);
  });
});

it('a call is confirmed only when there is room, and not sent where that fails', async () => {
  const gate = newGate();
  const happened: string[] = [];
  const edit = (isRefused: boolean) =>
    passes(gate, 'chat.update', {
      ...passage('edit'),
      confirm: async () => {
        happened.push('confirmed');
        if (isRefused) throw new AppError('rateLimited', 'refused');
      },
    });
  expect([await edit(false), await edit(true), await edit(false), await edit(false)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
  expect(await edit(false)).toBe(false);
  expect(happened).toHaveLength(4);
});

describe('edits of running cards', () => {
  it('always leave room for cards that end', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async (groups) => {
        const gate = newGate();
        const end = () => passes(gate, 'chat.update', passage('final'));
        let endedMs = Number.NEGATIVE_INFINITY;
        for (const { pauseMs, calls } of groups) {
          await vi.advanceTimersByTimeAsync(pauseMs);
          const edits = Array.from({ length: calls }, () => passes(gate, 'chat.update', passage('edit')));
          if (Date.now() - endedMs >= 10_000) {
            endedMs = Date.now();
            expect([await end(), await end(), await end()]).toEqual([true, true, true]);
          }
          await Promise.all(edits);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('may use four of the seven calls of a window', async () => {
    const gate = newGate();
    expect(await countPassing(20, () => passes(gate, 'chat.update', passage('edit')))).toBe(4);
    expect(await countPassing(20, () => passes(gate, 'chat.update', passage('final')))).toBe(3);
  });
});

describe('a refusal by Slack', () => {
  const refuse = (gate: MethodLimits, method: SlackMethod, retryAfterMs?: number) =>
    expect(
      gate.pass(method, passage('card', 'C1'), async () => {
        throw new AppError('rateLimited', 'told so', { retryAfterMs });
      }),
    ).rejects.toThrow('told so');

  it('stops that method of that workspace for the named time, and nothing else', async () => {
    const gate = newGate();
    await refuse(gate, 'chat.postMessage', 30_000);
    expect(await passes(gate, 'chat.postMessage', passage('answer', 'C2'))).toBe(false);
    expect(await passes(gate, 'chat.postMessage', { ...passage('answer', 'C2'), teamId: 'T2' })).toBe(true);
    expect(await passes(gate, 'chat.update', passage('final'))).toBe(true);
    await vi.advanceTimersByTimeAsync(29_900);
    expect(await passes(gate, 'chat.postMessage', passage('edit', 'C2'))).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(await passes(gate, 'chat.postMessage', passage('answer', 'C2'))).toBe(true);
  });

  it('is verbCarriedOut for an hour at most', async () => {
    const gate = newGate();
    await refuse(gate, 'views.open', 1_000 * minuteMs);
    await vi.advanceTimersByTimeAsync(60 * minuteMs);
    expect(await passes(gate, 'views.open', passage('private'))).toBe(true);
  });

  it('stops nothing where Slack names no time', async () => {
    const gate = newGate();
    await refuse(gate, 'views.open');
    expect(await passes(gate, 'views.open', passage('private'))).toBe(true);
  });
});

it('results and failures of a call pass unchanged', async () => {
  const gate = newGate();
  const failure = new AppError('unavailable', 'lost', { outcomeUnknown: true });
  await expect(gate.pass('chat.postMessage', passage('answer', 'C1'), async () => 'sent')).resolves.toBe('sent');
  const failed = gate.pass('chat.postMessage', passage('answer', 'C1'), () => Promise.reject(failure));
  await expect(failed).rejects.toBe(failure);
  expect(await passes(gate, 'chat.postMessage', passage('answer', 'C1'))).toBe(true);
});
