import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Question } from '../../../src/core/question/question.ts';
import {
  fewestRunRarely,
  firstListMs,
  listedRunMs,
  mostOverduePerTick,
  quietRunMs,
  stepCheckLifeMs,
  watchBackstopMs,
  watchTickMs,
} from '../../../src/core/settings.ts';
import { createSharedWatch, watchAlone } from '../../../src/storage/shared-watch.ts';
import { memoryStore } from '../../support/storage/memory-store.ts';
import { createListedService, type ListedService } from '../../support/watching/listed-service.ts';
import { paceMs, startWatching, type WatchingProcess, watchMany } from '../../support/watching/watching-process.ts';

const count = 2 * fewestRunRarely;

/** A process that watches very many questions, each of which ran after the start of the process. */
async function watchVeryMany(service: ListedService, process: WatchingProcess): Promise<Question[]> {
  const questions = await watchMany(service, process, count);
  service.pass(firstListMs);
  await process.watching.tick();
  for (const question of questions) process.watching.goesOn(question, paceMs);
  process.ran.length = 0;
  return questions;
}

async function start() {
  const service = createListedService();
  const process = startWatching(service, watchAlone);
  const [first] = await watchVeryMany(service, process);
  if (first === undefined) throw new Error('no question');
  return { service, ...process, first };
}

/** Ticks for longer than the backstop. */
async function tickOn(service: ListedService, ...processes: WatchingProcess[]): Promise<void> {
  for (let passedMs = 0; passedMs <= 2 * watchBackstopMs; passedMs += 5 * watchTickMs) {
    service.pass(5 * watchTickMs);
    for (const { watching } of processes) await watching.tick();
  }
}

describe('very many running questions of one account', () => {
  it('run rarely while the lists show what they have seen', async () => {
    const { service, watching, ran, first } = await start();
    expect(watching.goesOn(first, paceMs)).toBeGreaterThan(listedRunMs * 0.8);
    for (let passedMs = 0; passedMs < listedRunMs; passedMs += 5 * watchTickMs) {
      service.pass(5 * watchTickMs);
      await watching.tick();
    }
    expect(ran).toEqual([]);
  });

  it('run as often as fewer questions where no list comes, not all in one tick', async () => {
    const { service, watching, ran } = await start();
    service.fail(new AppError('unavailable', 'down'));
    service.pass(watchBackstopMs);
    await watching.tick();
    expect(ran).toHaveLength(mostOverduePerTick);
    await watching.tick();
    expect(new Set(ran).size).toBe(count);
    await watching.tick();
    expect(ran).toHaveLength(count);
  });

  it('run within the time of the backstop after a start where no list comes, whenever their runs were planned', async () => {
    const service = createListedService();
    const questions = await watchVeryMany(service, startWatching(service, watchAlone));
    const restarted = startWatching(service, watchAlone);
    for (const question of questions) restarted.watching.resumed(question);
    for (let passedMs = 0; passedMs <= 2 * watchBackstopMs; passedMs += 5 * watchTickMs) {
      service.fail(new AppError('unavailable', 'down'));
      service.pass(5 * watchTickMs);
      await restarted.watching.tick();
    }
    expect(new Set(restarted.ran).size).toBe(count);
  });

  it('find the check of who reads their cards old whenever they run', async () => {
    const { watching, first } = await start();
    expect(watching.goesOn(first, paceMs)).toBeGreaterThanOrEqual(stepCheckLifeMs);
  });

  it('run every few minutes, spread over time, while their cards show no steps', async () => {
    const service = createListedService();
    const waits = new Set<number>();
    for (const random of [0, 0.5, 0.999]) {
      const process = startWatching(service, watchAlone, { random });
      const [first] = await watchVeryMany(service, process);
      if (first === undefined) throw new Error('no question');
      waits.add(process.watching.goesOn(first, paceMs, { isQuiet: true }));
    }
    expect(waits.size).toBe(3);
    expect(Math.min(...waits)).toBe(quietRunMs / 2);
    expect(Math.max(...waits)).toBeLessThanOrEqual(quietRunMs);
  });

  it('keep the time of the backstop if they are fewer, also while their cards show no steps', async () => {
    const service = createListedService();
    const process = startWatching(service, watchAlone);
    const [first] = await watchMany(service, process, fewestRunRarely - 1);
    if (first === undefined) throw new Error('no question');
    expect(process.watching.goesOn(first, paceMs, { isQuiet: true })).toBeLessThanOrEqual(watchBackstopMs);
  });

  it('are known until they run, however long they wait, and run when they change or no list shows them', async () => {
    const service = createListedService();
    const process = startWatching(service, watchAlone);
    const questions = await watchVeryMany(service, process);
    for (const question of questions) process.watching.goesOn(question, paceMs, { isQuiet: true });
    for (let passedMs = 0; passedMs < quietRunMs; passedMs += 5 * watchTickMs) {
      service.pass(5 * watchTickMs);
      await process.watching.tick();
    }
    expect(process.ran).toEqual([]);
    service.change(1, 'completed');
    await process.watching.tick();
    expect(process.ran).toEqual(['q1']);
    service.hide(2);
    await tickOn(service, process);
    expect(new Set(process.ran)).toEqual(new Set(['q1', 'q2']));
  });

  it('are known after a start until they run, however long an earlier process let them wait', async () => {
    const service = createListedService();
    const questions = await watchVeryMany(service, startWatching(service, watchAlone));
    const restarted = startWatching(service, watchAlone);
    for (const question of questions) restarted.watching.resumed(question);
    for (let passedMs = 0; passedMs < quietRunMs; passedMs += 5 * watchTickMs) {
      service.pass(5 * watchTickMs);
      await restarted.watching.tick();
    }
    restarted.ran.length = 0;
    service.hide(2);
    await tickOn(service, restarted);
    expect(restarted.ran).toEqual(['q2']);
  });

  it('run as often as fewer questions where the lists show another mark than they have seen', async () => {
    const { service, watching, ran, first } = await start();
    service.change(1);
    await watching.tick();
    expect(ran).toEqual(['q1']);
    // The run takes the change and fails before it is stored: the question goes on with what it had seen.
    await watching.read(first);
    watching.goesOn(first, paceMs);
    ran.length = 0;
    await tickOn(service, { watching, ran, run: async (question) => question });
    expect(ran).toEqual(['q1']);
  });

  it('keep the time of the backstop where lists carry no conversations', async () => {
    const service = createListedService();
    service.listOnlyMarks();
    const process = startWatching(service, watchAlone);
    const [first] = await watchVeryMany(service, process);
    if (first === undefined) throw new Error('no question');
    expect(process.watching.goesOn(first, paceMs)).toBeLessThanOrEqual(watchBackstopMs);
  });

  it('keep their own pace after a failed list, however long it is', async () => {
    const { service, watching, ran, first } = await start();
    service.fail(new AppError('unavailable', 'down'));
    service.pass(watchTickMs);
    await watching.tick();
    expect(watching.goesOn(first, 300_000)).toBe(300_000);
    ran.length = 0;
    await tickOn(service, { watching, ran, run: async (question) => question });
    expect(ran).not.toContain('q1');
  });

  it('run rarely where another process lists what they have seen, and in time where it lists something else', async () => {
    const service = createListedService();
    const kv = memoryStore();
    const [one, two] = [1, 2].map(() => startWatching(service, createSharedWatch(kv, service.now)));
    if (one === undefined || two === undefined) throw new Error('two processes');
    const questions = await watchVeryMany(service, one);
    for (let turn = 0; turn < 2; turn += 1) {
      await two.watching.tick();
      for (const question of questions) two.watching.goesOn(question, paceMs);
      await tickOn(service, one, two);
    }
    for (const question of questions) {
      one.watching.goesOn(question, paceMs);
      two.watching.goesOn(question, paceMs);
    }
    const [first] = questions;
    if (first === undefined) throw new Error('no question');
    const outdated = { ...first, upstream: { ...first.upstream, seenMark: 'older' } };
    two.watching.goesOn(outdated, paceMs);
    two.ran.length = 0;
    await tickOn(service, one, two);
    expect(new Set(two.ran)).toEqual(new Set(['q1']));
  });

  it('run within the time of the backstop after the last list of another process that showed them', async () => {
    const service = createListedService();
    const kv = memoryStore();
    const [one, two] = [1, 2].map(() => startWatching(service, createSharedWatch(kv, service.now)));
    if (one === undefined || two === undefined) throw new Error('two processes');
    const questions = await watchVeryMany(service, one);
    await two.watching.tick();
    for (const question of questions) two.watching.goesOn(question, paceMs);
    await tickOn(service, one, two);
    for (const { watching } of [one, two]) for (const question of questions) watching.goesOn(question, paceMs);
    two.ran.length = 0;
    // The other process tells of its last list until that is too old.
    service.pass(watchBackstopMs / 3);
    await two.watching.tick();
    expect(two.ran).toEqual([]);
    service.hide(1);
    const lastMs = service.shownMs(1) ?? 0;
    while (!two.ran.includes('q1')) {
      service.pass(watchTickMs);
      for (const { watching } of [one, two]) await watching.tick();
      expect(service.now() - lastMs).toBeLessThanOrEqual(watchBackstopMs + 2 * watchTickMs);
    }
  });

  it('run at the next tick if the schedule could not be changed', async () => {
    const service = createListedService();
    let isFailing = false;
    const process = startWatching(service, watchAlone, {
      schedule() {
        if (isFailing) throw new AppError('storage', 'down');
      },
    });
    await watchVeryMany(service, process);
    service.fail(new AppError('unavailable', 'down'));
    service.pass(watchBackstopMs);
    isFailing = true;
    await process.watching.tick();
    isFailing = false;
    process.ran.length = 0;
    await process.watching.tick();
    await process.watching.tick();
    expect(new Set(process.ran).size).toBe(count);
  });
});
