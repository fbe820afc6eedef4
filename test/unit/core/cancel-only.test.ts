import { describe, expect, it } from 'vitest';
import { createCoreHarness } from '../../support/lifecycle/core-harness.ts';

const place = { teamId: 'T1', channelId: 'C1' };
const work = { takesMs: 9_000, ends: 'completed' } as const;

function threadOf(threadTs: string) {
  return { place: { ...place, threadTs } };
}

describe('cancelling the only question of a person', () => {
  it('cancels the one question that the person has open in a place, whatever its thread', async () => {
    const { ask, life, requests } = createCoreHarness({ work });
    const own = await ask({ ...threadOf('1.000001'), askerId: 'U2' });
    const others = await ask({ ...threadOf('2.000001'), askerId: 'U3' });
    const elsewhere = await ask({ place: { ...place, channelId: 'C2', threadTs: '3.000001' }, askerId: 'U2' });
    await life.run(life.startMs + 3_000);
    expect(await requests.cancelOnlyIn(place, 'U4', 'by another')).toEqual({ kind: 'nothing' });
    expect(await requests.cancelOnlyIn({ ...place, teamId: 'T2' }, 'U2', 'of another team')).toEqual({
      kind: 'nothing',
    });
    expect(await requests.cancelOnlyIn(place, 'U2', 'said once')).toEqual({ kind: 'cancelling' });
    expect(await requests.cancelOnlyIn(place, 'U2', 'said twice')).toEqual({ kind: 'cancelling' });
    await life.run();
    expect([own, others, elsewhere].map(({ id }) => life.question(id).outcome?.kind)).toEqual([
      'cancelled',
      'answered',
      'answered',
    ]);
    expect(await requests.cancelOnlyIn(place, 'U2', 'said later')).toEqual({ kind: 'nothing' });
  });

  it('cancels none of several questions', async () => {
    const { ask, life, requests } = createCoreHarness({ work });
    const [first, second] = [await ask(threadOf('1.000001')), await ask(threadOf('2.000001'))];
    await life.run(life.startMs + 3_000);
    expect(await requests.cancelOnlyIn(place, first.askerId, 'said once')).toEqual({ kind: 'several' });
    await life.run();
    expect([first, second].map(({ id }) => life.question(id).outcome?.kind)).toEqual(['answered', 'answered']);
  });

  it('does not touch later questions when the request is delivered again', async () => {
    const { ask, life, requests } = createCoreHarness({ work });
    const first = await ask(threadOf('1.000001'));
    await life.run(life.startMs + 3_000);
    await requests.cancelOnlyIn(place, first.askerId, 'the same message');
    await life.run(life.startMs + 9_000);
    const second = await ask(threadOf('2.000001'));
    expect(await requests.cancelOnlyIn(place, first.askerId, 'the same message')).toEqual({ kind: 'nothing' });
    await life.run();
    expect(life.question(second.id).outcome?.kind).toBe('answered');
  });
});

describe('pressing "Check again" twice at once', () => {
  it('reports to the second press that the question is watched already', async () => {
    const { ask, life, requests } = createCoreHarness({ work: { takesMs: 10_000_000, ends: 'completed' } });
    const { id } = await ask(threadOf('1.000001'));
    await life.run(life.startMs + 2_000_000);
    expect(life.question(id).outcome?.kind).toBe('gaveUp');
    const press = { userId: 'U1', ...place };
    const results = await Promise.all([requests.checkAgain(id, press), requests.checkAgain(id, press)]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'duplicate']);
  });
});
