import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { ThreadStore } from '../../../src/core/ports.ts';
import { newThread, type Question } from '../../../src/core/question/question.ts';
import type { SessionMarks } from '../../../src/core/session-marks.ts';
import { createAgentSessions } from '../../../src/slack/agent-sessions/agent-sessions.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import { createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import type { WorkspaceContext } from '../../../src/slack/context.ts';
import { createUnlimitedSlackApi } from '../../support/fake-slack/unlimited-slack-api.ts';
import { createMemoryRecords } from '../../support/memory-records.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { answered, exampleQuestion } from '../render/example.ts';

const HOUR_MS = 60 * 60 * 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Sessions with a Slack that gives the planned answers first, and then success. */
function newSessions(planned: (string | number | Promise<string>)[] = [], more: Partial<WorkspaceContext> = {}) {
  const told: string[] = [];
  const line = [running.id];
  const { log } = createRecordingLog();
  const logger = createLibraryLogger(log);
  const fetch = async (_url: unknown, init: { body?: unknown } = {}): Promise<Response> => {
    const body = new URLSearchParams(String(init.body));
    told.push(body.get('status') ?? `rename ${body.get('title')}`);
    const next = await planned.shift();
    if (next === 'never') return new Promise(() => {});
    if (typeof next === 'number') return new Response('', { status: next, headers: { 'retry-after': '1' } });
    return Response.json(next === undefined || next === 'ok' ? { ok: true } : { ok: false, error: next });
  };
  const client = createWebClient('xoxb-test', { ...webClientOptions('http://127.0.0.1:9/api/', logger), fetch });
  const owners = new Map<string, string>();
  const sessions = createAgentSessions(
    only<WorkspaceContext>({
      slack: createUnlimitedSlackApi(client),
      tasks: createBackgroundTasks({ log }),
      questions: only({ get: async () => running }),
      sessionMarks: createMemoryRecords(),
      threads: only({ get: async (place) => ({ ...newThread(place, true), queue: [...line] }) }),
      claims: only({
        claim: async (key, owner) => {
          if (!owners.has(key)) owners.set(key, owner);
          return owners.get(key) ?? owner;
        },
      }),
      now: Date.now,
      log,
      ...more,
    }),
  );
  return { sessions, told, line };
}

const running = exampleQuestion({ admittedMs: 1 });
const over: Question = answered({}, { admittedMs: 1, upstream: { steps: 1, conversationId: 7 } });

describe('agent sessions', () => {
  it('report every half hour that a question still runs, and nothing after it has ended', async () => {
    const { sessions, told } = newSessions();
    sessions.changed(running);
    sessions.changed(running);
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS + 1000);
    expect(told).toEqual(['processing', 'processing', 'processing', 'processing', 'processing']);
    await sessions.closing(over);
    await sessions.closing(over);
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(told.slice(5)).toEqual(['active', 'rename Payment retries']);
  });

  it.each<[what: string, change: Partial<Question>]>([
    ['its asker kept the answer to themselves', { access: 'own', showing: { choice: 'onlyMe', by: 'asker' } }],
    ['the time to choose its readers was over', { access: 'own', showing: { choice: 'onlyMe', by: 'time' } }],
    ['the answers of the channel are private', { answersPrivately: true }],
  ])('do not show the title of an answer to the thread if %s', async (_, change) => {
    const { sessions, told } = newSessions();
    sessions.changed({ ...running, ...change });
    await vi.advanceTimersByTimeAsync(1_000);
    await sessions.closing({ ...over, ...change });
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(told).toEqual(['processing', 'active']);
  });

  it('show the title of an answer with own access whose asker agreed', async () => {
    const { sessions, told } = newSessions();
    await sessions.closing({ ...over, access: 'own', showing: { choice: 'here', by: 'earlier' } });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toContain('rename Payment retries');
  });

  it('are forgotten when another process ended the question', async () => {
    const { sessions, told, line } = newSessions();
    sessions.changed(running);
    await vi.advanceTimersByTimeAsync(1_000);
    line.length = 0;
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(told).toEqual(['processing']);
    sessions.changed({ ...running, id: 'qffffffffffffffffffffffff' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual(['processing', 'processing']);
  });

  it('of many threads at once are marked in few writes', async () => {
    const marks = createMemoryRecords<SessionMarks>();
    let writes = 0;
    const update: typeof marks.update = async (...change) => {
      writes += 1;
      return marks.update(...change);
    };
    const { sessions, told } = newSessions([], { sessionMarks: { ...marks, update } });
    for (let thread = 1; thread <= 50; thread += 1) {
      sessions.changed({ ...running, place: { ...running.place, threadTs: `1700000000.${thread}` } });
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual(Array.from({ length: 50 }, () => 'processing'));
    expect((await marks.get(running.place.teamId))?.threads).toHaveLength(50);
    expect(writes).toBeLessThan(20);
  });

  it('never delay an end for Slack by more than 2 s', async () => {
    const { sessions, told } = newSessions(['never']);
    sessions.changed(running);
    const startMs = Date.now();
    const closing = sessions.closing(over);
    await vi.advanceTimersByTimeAsync(2_000);
    await closing;
    expect(Date.now() - startMs).toBeLessThanOrEqual(2_000);
    expect(told).toEqual(['processing']);
  });

  it('delay no end while the rate limit leaves no room for their calls', async () => {
    const { sessions, told, line } = newSessions([429, 'never']);
    line.length = 0;
    await sessions.closing(running);
    const startMs = Date.now();
    const threadTs = '1700000000.000900';
    await sessions.closing({ ...running, id: 'qffffffffffffffffffffffff', place: { ...running.place, threadTs } });
    expect(Date.now()).toBe(startMs);
    await vi.advanceTimersByTimeAsync(10);
    expect(told).toEqual(['active', 'active']);
  });

  it('report the end again a few times when Slack asked them to wait', async () => {
    const once = newSessions([429]);
    await once.sessions.closing(running);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(once.told).toEqual(['active', 'active']);
    const forGood = newSessions(Array<number>(20).fill(429));
    await forGood.sessions.closing(running);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(forGood.told).toHaveLength(8);
  });

  it.each<[string, () => Partial<WorkspaceContext>]>([
    [
      'the storage failed',
      () => {
        let reads = 0;
        const get = async () => {
          reads += 1;
          if (reads === 1) throw new AppError('storage', 'away');
          return undefined;
        };
        return { threads: only({ get }) };
      },
    ],
    [
      'too many tasks were under way',
      () => {
        const { log } = createRecordingLog();
        const [none, tasks] = [createBackgroundTasks({ log }).limitedTo(0), createBackgroundTasks({ log })];
        let runs = 0;
        return {
          tasks: only({
            run: (failure, work) => {
              runs += 1;
              return (runs === 1 ? none : tasks).run(failure, work);
            },
          }),
        };
      },
    ],
  ])('report the end when the question is closed again, if %s before', async (_, trouble) => {
    const { sessions, told } = newSessions([], trouble());
    await sessions.closing(over);
    expect(told).toEqual([]);
    await sessions.closing(over);
    await sessions.closing(over);
    expect(told).toEqual(['active', 'rename Payment retries']);
  });

  it('end nothing that Slack was never told about', async () => {
    const { sessions, told } = newSessions([429]);
    sessions.changed(running);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    await sessions.closing({ ...over, outcome: { kind: 'cancelled' } });
    expect(told).toEqual(['processing']);
  });

  it('end the session of one question when Slack did not learn about the next', async () => {
    const { sessions, told } = newSessions(['ok', 429]);
    sessions.changed(running);
    await vi.advanceTimersByTimeAsync(1_000);
    sessions.changed({ ...running, id: 'qffffffffffffffffffffffff' });
    await vi.advanceTimersByTimeAsync(1_000);
    await sessions.closing({ ...over, outcome: { kind: 'cancelled' } });
    // After a refusal for want of room, an end does not wait for Slack.
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual(['processing', 'processing', 'active']);
  });

  it('end when questions came and ended while Slack was told about another one', async () => {
    let answer: (reply: string) => void = () => {};
    const slow = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const { sessions, told, line } = newSessions([429, slow]);
    for (const id of [running.id, 'qeeeeeeeeeeeeeeeeeeeeeeee', 'qffffffffffffffffffffffff']) {
      sessions.changed({ ...running, id });
      await vi.advanceTimersByTimeAsync(100);
    }
    line.length = 0;
    await sessions.closing({ ...over, outcome: { kind: 'cancelled' } });
    answer('ok');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual(['processing', 'processing', 'active']);
  });

  it('report a question that comes in the same moment in which the first one goes on', async () => {
    const { sessions, told } = newSessions();
    sessions.changed(running);
    await vi.advanceTimersByTimeAsync(1_000);
    sessions.changed({ ...running, phase: 'running' });
    sessions.changed({ ...running, id: 'qeeeeeeeeeeeeeeeeeeeeeeee' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual(['processing', 'processing']);
  });

  it('report the end where it is unknown whether Slack learned about the beginning', async () => {
    const { sessions, told } = newSessions([500]);
    sessions.changed(running);
    await vi.advanceTimersByTimeAsync(1_000);
    await sessions.closing({ ...over, outcome: { kind: 'cancelled' } });
    expect(told).toEqual(['processing', 'active']);
  });

  it.each(['feature_disabled', 'unknown_method', 'not_authorized', 'missing_scope', 404])(
    'are not requested for a day after %s',
    async (refusal) => {
      const { sessions, told } = newSessions([refusal]);
      sessions.changed(running);
      await vi.advanceTimersByTimeAsync(1_000);
      await sessions.closing(over);
      sessions.changed({ ...running, id: 'qffffffffffffffffffffffff' });
      sessions.settle({ teamId: 'T1', channelId: 'C1', threadTs: '1.1' });
      await vi.advanceTimersByTimeAsync(23 * HOUR_MS);
      expect(told).toEqual(['processing']);
      await vi.advanceTimersByTimeAsync(HOUR_MS);
      sessions.changed(running);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(told).toEqual(['processing', 'processing']);
    },
  );

  it.each(['channel_not_found', 'thread_ts_required', 'user_not_found'])(
    'skip only that thread after %s',
    async (refusal) => {
      const { sessions, told } = newSessions([refusal]);
      sessions.changed(running);
      await vi.advanceTimersByTimeAsync(1_000);
      sessions.changed(running);
      sessions.changed({ ...running, place: { ...running.place, threadTs: '1700000000.000900' } });
      await vi.advanceTimersByTimeAsync(1_000);
      expect(told).toEqual(['processing', 'processing']);
    },
  );

  it('treat an unknown refusal as a missing feature when it repeats', async () => {
    const { sessions, told } = newSessions(Array<string>(9).fill('something_new'));
    for (let index = 0; index < 9; index += 1) {
      sessions.changed({ ...running, place: { ...running.place, threadTs: `170000000${index}.000100` } });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(told).toHaveLength(3);
  });

  it('end while a question is parked, and begin again after it', async () => {
    const { sessions, told } = newSessions();
    for (const phase of ['waiting', 'parked', 'waiting', 'running'] as const) {
      sessions.changed({ ...running, phase });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(told).toEqual(['processing', 'active', 'processing']);
  });

  it('are never reported for questions that are not allowed, for answers shown again, and for questions without a thread', async () => {
    const { sessions, told } = newSessions();
    const { admittedMs: _, ...refused } = running;
    const { threadTs: _ts, ...place } = running.place;
    for (const question of [refused, { ...running, origin: 'shared' as const }, { ...running, place }]) {
      sessions.changed(question);
      await sessions.closing(question);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual([]);
  });

  it('report nothing after they were stopped', async () => {
    const { sessions, told } = newSessions();
    sessions.changed(running);
    await vi.advanceTimersByTimeAsync(1_000);
    sessions.stop();
    sessions.changed({ ...running, place: { ...running.place, threadTs: '1700000000.000900' } });
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(told).toEqual(['processing']);
  });
});

describe('a session that Slack shows as working although nothing runs', () => {
  /** Two processes of the app with one storage, and whether a question is in the thread's queue. */
  function twoProcesses(planned: Parameters<typeof newSessions>[0] = []) {
    const sessionMarks = createMemoryRecords<SessionMarks>();
    const queue: string[] = [running.id];
    const threads = only<ThreadStore>({
      get: async (place) => ({ ...newThread(place, true), queue: [...queue] }),
    });
    const [first, second] = [planned, []].map((plan) => newSessions(plan, { sessionMarks, threads }));
    if (first === undefined || second === undefined) throw new Error('unreachable');
    const marks = () => [...sessionMarks.all.values()].flatMap((record) => record.threads);
    return { first, second, marks, end: () => queue.splice(0) };
  }

  it('is ended by another process when the first one is killed', async () => {
    const { first, second, marks, end } = twoProcesses();
    first.sessions.changed(running);
    await vi.advanceTimersByTimeAsync(1_000);
    first.sessions.stop();
    await second.sessions.tend();
    expect(second.told).toEqual([]);
    end();
    await second.sessions.tend();
    expect(second.told).toEqual(['active']);
    expect(marks()).toEqual([]);
  });

  it('is ended once more where the call that began it may come later than the one that ended it', async () => {
    const { first, second, marks, end } = twoProcesses(['never']);
    first.sessions.changed(running);
    await vi.advanceTimersByTimeAsync(1_000);
    first.sessions.stop();
    end();
    await second.sessions.closing(over);
    expect(second.told).toEqual(['active', 'rename Payment retries']);
    expect(marks()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(30_000);
    await second.sessions.tend();
    expect(second.told.filter((status) => status === 'active')).toHaveLength(2);
    expect(marks()).toEqual([]);
  });

  it('is ended however often Slack fails', async () => {
    const failing = Array.from({ length: 40 }, () => 500);
    const { first, marks, end } = twoProcesses(['ok', ...failing]);
    first.sessions.changed(running);
    await vi.advanceTimersByTimeAsync(1_000);
    end();
    await Promise.all([first.sessions.closing(over), vi.advanceTimersByTimeAsync(3_000)]);
    for (let round = 0; round < 80 && marks().length > 0; round += 1) {
      await vi.advanceTimersByTimeAsync(10_000);
      await Promise.all([first.sessions.tend(), vi.advanceTimersByTimeAsync(1_000)]);
    }
    expect(marks()).toEqual([]);
    expect(first.told.filter((status) => status === 'active').length).toBeGreaterThan(30);
  });
});
