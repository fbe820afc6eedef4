import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import {
  fewestRunRarely,
  listedRunMs,
  stepCheckLifeMs,
  watchBackstopMs,
  watchTickMs,
} from '../../../src/core/settings.ts';
import { afterReading, createListedService, runningQuestion } from '../../support/watching/listed-service.ts';
import { paceMs, startWatching, watchMany } from '../../support/watching/watching-process.ts';

/** Two processes that each know and list ten questions of one account: q1 to q10, and q101 to q110. */
async function watchWithTwo() {
  const service = createListedService();
  const [one, two] = [startWatching(service), startWatching(service)];
  const ofOne = await watchMany(service, one, 10);
  const ofTwo = await watchMany(service, two, 10, 101);
  for (const { watching } of [one, two]) await watching.tick();
  service.taken();
  const [first = runningQuestion(1)] = ofOne;
  return { service, one, two, ofOne, ofTwo, first };
}

const ended = { questions: [{ state: 'completed' }] };

describe('several processes that watch one account', () => {
  it('each list for the questions that run there', async () => {
    const { service, one, two } = await watchWithTwo();
    service.change(1);
    service.change(101);
    for (const { watching } of [one, two]) await watching.tick();
    expect(one.ran).toEqual(['q1']);
    expect(two.ran).toEqual(['q101']);
    expect(service.taken()).toEqual(['list', 'list']);
  });

  it('read no question that moves from one to the other, whether it changed or not', async () => {
    const { service, one, two, ofOne, ofTwo, first } = await watchWithTwo();
    for (const question of ofOne) expect(await two.watching.read(question)).toBeUndefined();
    for (const question of ofTwo) expect(await one.watching.read(question)).toBeUndefined();
    service.change(1, 'completed');
    for (const { watching } of [one, two]) await watching.tick();
    expect(await two.watching.read(first)).toMatchObject(ended);
    expect(service.taken()).toEqual(['list', 'list']);
  });

  it('run a question that moved to one whose last list is older as soon as its next list shows the change', async () => {
    const { service, one, two, first } = await watchWithTwo();
    service.change(1, 'completed');
    await one.watching.tick();
    expect(one.ran).toEqual(['q1']);
    expect(await two.watching.read(first)).toBeUndefined();
    two.watching.goesOn(first, paceMs);
    await two.watching.tick();
    expect(two.ran).toEqual(['q1']);
    for (const { watching } of [one, two]) expect(await watching.read(first)).toMatchObject(ended);
    expect(service.taken()).toEqual(['list', 'list']);
  });

  it('do not take an older list for progress', async () => {
    const { service, two, first } = await watchWithTwo();
    service.change(1);
    await two.watching.tick();
    const { upstream } = afterReading(first, { id: 1, mark: 'newer', questions: [] });
    expect(await two.watching.read({ ...first, upstream: { ...upstream, steps: 1 } })).toBeUndefined();
    const { seenMark: _, ...unseen } = upstream;
    expect(await two.watching.read({ ...first, upstream: { ...unseen, steps: 1 } })).toMatchObject({ id: 1 });
    service.change(1, 'completed');
    await two.watching.tick();
    expect(await two.watching.read({ ...first, upstream: { ...upstream, steps: 1 } })).toMatchObject(ended);
  });

  it('run the questions of one that stops, and at their own pace where it still takes them', async () => {
    const { one, first, ofOne } = await watchWithTwo();
    await one.watching.stop();
    expect(new Set(one.ran)).toEqual(new Set(ofOne.map(({ id }) => id)));
    expect(one.watching.goesOn(first, paceMs)).toBe(paceMs);
  });
});

describe('very many running questions of one account', () => {
  const count = fewestRunRarely;

  it('run once a minute while nothing changes, when the check of who reads their cards is old', async () => {
    const service = createListedService();
    const process = startWatching(service);
    const [first = runningQuestion(1)] = await watchMany(service, process, count);
    const waitMs = process.watching.goesOn(first, paceMs);
    expect(waitMs).toBeGreaterThanOrEqual(Math.max(listedRunMs, stepCheckLifeMs));
    expect(waitMs).toBeLessThanOrEqual(listedRunMs * 1.1);
    for (let passedMs = 0; passedMs < waitMs; passedMs += watchTickMs) {
      service.pass(watchTickMs);
      await process.watching.tick();
    }
    expect(process.ran).toEqual([]);
    expect(await process.watching.read(first)).toBeUndefined();
  });

  it.each<[string, (service: ReturnType<typeof createListedService>) => void, number]>([
    ['where lists carry no conversations', (service) => service.listOnlyMarks(), count],
    ['if they are fewer', () => {}, count - 1],
  ])('run twice a minute %s', async (_, prepare, watched) => {
    const service = createListedService();
    prepare(service);
    const process = startWatching(service);
    const [first = runningQuestion(1)] = await watchMany(service, process, watched);
    expect(process.watching.goesOn(first, paceMs)).toBeLessThanOrEqual(watchBackstopMs);
  });

  it('keep their own pace while lists fail', async () => {
    const service = createListedService();
    const process = startWatching(service);
    const [first = runningQuestion(1)] = await watchMany(service, process, count);
    service.fail(new AppError('unavailable', 'down'));
    await process.watching.tick();
    expect(process.watching.goesOn(first, paceMs)).toBe(paceMs);
  });
});
