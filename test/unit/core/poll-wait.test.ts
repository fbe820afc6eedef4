import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { learnPace, pollMs, pollsPerQuestion } from '../../../src/core/learned-pace.ts';
import { createAdvance } from '../../../src/core/lifecycle/advance.ts';
import { createPollWait, untilDueMs } from '../../../src/core/lifecycle/poll-wait.ts';
import { defaultPacing } from '../../../src/core/pacing.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { createCoreHarness } from '../../support/lifecycle/core-harness.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const slowMs = [20, 25, 30, 35, 40, 45, 50, 55, 60, 65].map((seconds) => seconds * 1_000);

/** The waits of one process, with durations that a test can change and refuse. */
async function waiting() {
  const { life, ask } = createCoreHarness();
  const question = life.question((await ask()).id);
  const reads: string[] = [];
  const state: { nowMs: number; recent: (teamId: string) => Promise<number[]> } = {
    nowMs: 0,
    recent: async () => slowMs,
  };
  const { log, lines } = createRecordingLog();
  const pollWait = createPollWait({
    durations: {
      ...life.ports.durations,
      recent: (teamId) => {
        reads.push(teamId);
        return state.recent(teamId);
      },
    },
    log,
    now: () => state.nowMs,
    random: () => 0.5,
    settings: { pacing: defaultPacing, cardEditMs: 3_000, threadLimit: 20, lateCallMs: 15_000 },
  });
  const of = (teamId: string): Question => ({ ...question, place: { ...question.place, teamId } });
  return { pollWait, of, reads, lines, state };
}

const unreadable = () => Promise.reject(new AppError('storage', 'planned'));
const minuteMs = 60_000;

describe('the waits of a process', () => {
  it('follow the durations of the workspace', async () => {
    const { pollWait, of, state } = await waiting();
    state.recent = async (teamId) => (teamId === 'T1' ? slowMs : []);
    expect(await pollWait(of('T1'), 0)).toBe(defaultPacing.maxMs);
    expect(await pollWait(of('T2'), 0)).toBe(defaultPacing.firstPollMs);
  });

  it('are those of the settings for a cancelled question, so that it ends soon', async () => {
    const { pollWait, of } = await waiting();
    const cancelled: Question = { ...of('T1'), cancel: { byUserId: 'U1', atMs: 2_000 } };
    expect(await pollWait(of('T1'), 2_000)).toBe(defaultPacing.maxMs);
    expect(await pollWait(cancelled, 2_000)).toBe(defaultPacing.minMs);
  });

  it('take one read of the durations in ten minutes, however many questions are polled', async () => {
    const { pollWait, of, reads, state } = await waiting();
    await Promise.all(Array.from({ length: 100 }, (_, second) => pollWait(of('T1'), second * 1_000)));
    state.nowMs = 10 * minuteMs - 1;
    await pollWait(of('T1'), 0);
    expect(reads).toEqual(['T1']);
    state.nowMs = 10 * minuteMs;
    state.recent = async () => [];
    expect(await pollWait(of('T1'), 0)).toBe(defaultPacing.firstPollMs);
    expect(reads).toEqual(['T1', 'T1']);
  });

  it('are those of the settings while the durations cannot be read', async () => {
    const { pollWait, of, reads, lines, state } = await waiting();
    state.recent = unreadable;
    expect(await pollWait(of('T1'), 0)).toBe(defaultPacing.firstPollMs);
    expect(await pollWait(of('T1'), 60_000)).toBe(6_000);
    expect(reads).toEqual(['T1']);
    expect(lines).toHaveLength(1);
    state.nowMs = 10 * minuteMs;
    state.recent = async () => slowMs;
    expect(await pollWait(of('T1'), 0)).toBe(defaultPacing.maxMs);
  });

  it('stay those that were learned when the durations cannot be read any more', async () => {
    const { pollWait, of, state } = await waiting();
    expect(await pollWait(of('T1'), 0)).toBe(defaultPacing.maxMs);
    state.recent = unreadable;
    for (const minutes of [10, 20, 30]) {
      state.nowMs = minutes * minuteMs;
      expect(await pollWait(of('T1'), 0)).toBe(defaultPacing.maxMs);
    }
  });

  it('throw a bug, and are learned again after that', async () => {
    const { pollWait, of, state } = await waiting();
    state.recent = () => Promise.reject(new TypeError('planned'));
    await expect(pollWait(of('T1'), 0)).rejects.toThrow(TypeError);
    state.recent = async () => slowMs;
    expect(await pollWait(of('T1'), 0)).toBe(defaultPacing.maxMs);
  });

  it('are kept for a thousand workspaces, and the one that was learned first is learned again', async () => {
    const { pollWait, of, reads, state } = await waiting();
    state.recent = async () => [];
    for (let team = 0; team <= 1_000; team += 1) await pollWait(of(`T${team}`), 0);
    await pollWait(of('T1'), 0);
    await pollWait(of('T1000'), 0);
    expect(reads).toHaveLength(1_001);
    await pollWait(of('T0'), 0);
    expect(reads).toHaveLength(1_002);
  });
});

describe('a question', () => {
  it.each([
    ['is polled at the times of the settings without a history', []],
    ['is polled where answers of its workspace are likely', slowMs],
  ])('%s', async (_, recentMs) => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 60_000, ends: 'completed' } });
    const { id } = await ask();
    let nowMs = life.now();
    const advance = createAdvance({
      ...life.ports,
      durations: { ...life.ports.durations, recent: async () => recentMs },
      now: () => nowMs,
      random: () => 0.5,
    });
    const pace = learnPace(recentMs, defaultPacing, pollsPerQuestion);
    expect(await advance(id)).toBe(pollMs(pace, defaultPacing, 0, 0.5));
    nowMs += 20_000;
    expect(await advance(id)).toBe(pollMs(pace, defaultPacing, 20_000, 0.5));
  });

  it.each<[string, number, Partial<Question>]>([
    ['the end of its patience', 10_000, {}],
    ['the time from which it takes longer than usual', 5_000, { expected: { fromMs: 1, toMs: 2, lateMs: 55_000 } }],
    ['its check for copies', 3_000, { recheckMs: 103_000 }],
  ])('that waits for a change at the service runs at %s', async (_, leftMs, more) => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 900_000, ends: 'completed' } });
    const { id } = await ask();
    await life.ports.questions.update(id, (stored) => ({
      ...stored,
      phase: 'running',
      upstream: { ...stored.upstream, askedMs: 50_000 },
      ...more,
    }));
    expect(untilDueMs(life.question(id), 110_000, 100_000)).toBe(leftMs);
  });

  it('that may wait long for a change runs when it takes longer than usual', async () => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 900_000, ends: 'completed' } });
    const { id } = await ask();
    const advance = createAdvance({ ...life.ports, watching: { ...life.ports.watching, goesOn: () => 60_000 } });
    await advance(id);
    await life.ports.questions.update(id, (stored) => ({ ...stored, expected: { fromMs: 1, toMs: 2, lateMs: 5_000 } }));
    expect(await advance(id)).toBeLessThanOrEqual(5_000);
  });

  it('does not run for what was due before', async () => {
    const { life, ask } = createCoreHarness();
    const { id } = await ask();
    const question = { ...life.question(id), recheckMs: 1, expected: { fromMs: 1, toMs: 2, lateMs: 3 } };
    expect(untilDueMs(question, question.acceptedMs + 20_000, question.acceptedMs + 10_000)).toBe(10_000);
  });
});
