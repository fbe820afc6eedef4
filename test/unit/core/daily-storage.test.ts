import { describe, expect, it } from 'vitest';
import { questionId } from '../../../src/core/intake/accept.ts';
import { createDailyStorage } from '../../../src/core/question/daily-storage.ts';
import { mostStoredPerDay } from '../../../src/core/settings.ts';
import { createCoreHarness, digestOf, failing, thread } from '../../support/lifecycle/core-harness.ts';
import { createMemoryRecords } from '../../support/memory-records.ts';

const ana = { teamId: 'T1', userId: 'U1' };
const noonMs = Date.parse('2026-03-01T12:00:00Z');
const dayMs = 24 * 60 * 60 * 1_000;

describe('what one person stores in a day', () => {
  const open = () => createDailyStorage(createMemoryRecords(), { refused: 2, verbs: 1 });

  it('is counted once per id, up to the bound, for each person, kind and day apart', async () => {
    const { take, isFull } = open();
    expect(await take('refused', ana, 'a', noonMs)).toBe(true);
    expect(await take('refused', ana, 'a', noonMs)).toBe(true);
    expect(await isFull('refused', ana, noonMs)).toBe(false);
    expect(await take('refused', ana, 'b', noonMs)).toBe(true);
    expect(await isFull('refused', ana, noonMs)).toBe(true);
    expect(await take('refused', ana, 'c', noonMs)).toBe(false);
    expect(await take('refused', ana, 'b', noonMs)).toBe(true);
    expect(await take('verbs', ana, 'c', noonMs)).toBe(true);
    expect(await take('refused', { ...ana, userId: 'U2' }, 'c', noonMs)).toBe(true);
    expect(await take('refused', { ...ana, teamId: 'T2' }, 'c', noonMs)).toBe(true);
    expect(await take('refused', ana, 'c', noonMs + dayMs)).toBe(true);
  });
});

/** A person who was refused as often as is stored. */
async function refusedOften() {
  const harness = createCoreHarness();
  const { life, accept, request } = harness;
  life.refusedUsers.add('U1');
  for (let n = 0; n < mostStoredPerDay.refused; n += 1) {
    const threadTs = `1700000001.${n}`;
    expect((await accept(request({ place: { ...thread, threadTs } }))).kind).toBe('accepted');
    await life.run();
  }
  return { ...harness, stored: life.questions().length };
}

describe('a question of a person who was refused too often today', () => {
  it('is refused before anything is stored, in threads and by command', async () => {
    const { life, accept, request, stored } = await refusedOften();
    expect(stored).toBe(mostStoredPerDay.refused);
    const [threads, open] = [life.threads().length, life.openIds()];
    const { teamId, channelId } = thread;
    for (const place of [thread, { ...thread, threadTs: '1700000009.000001' }, { teamId, channelId }]) {
      expect(await accept(request({ place, key: 'again' }))).toEqual({
        kind: 'refused',
        reason: 'guest',
        questionId: questionId(digestOf, 'again'),
      });
    }
    await life.run();
    expect(life.questions()).toHaveLength(stored);
    expect(life.threads()).toHaveLength(threads);
    expect(life.openIds()).toEqual(open);
  });

  it('is accepted once the person may ask, and a second delivery of a stored question stays one', async () => {
    const { life, accept, request, stored } = await refusedOften();
    const [first] = life.questions();
    const repeated = request({ key: 'key 1' });
    expect(await accept(repeated)).toMatchObject({ kind: 'duplicate', question: { id: first?.id } });
    life.refusedUsers.delete('U1');
    expect((await accept(request())).kind).toBe('accepted');
    expect(life.questions()).toHaveLength(stored + 1);
  });

  it('is not stored while Slack can’t tell whether they may ask, and others ask as before', async () => {
    const { life, accept, request, plan, stored } = await refusedOften();
    plan('admit', [failing('unavailable')]);
    await expect(accept(request())).rejects.toMatchObject({ kind: 'unavailable' });
    expect(life.questions()).toHaveLength(stored);
    expect((await accept(request({ askerId: 'U2' }))).kind).toBe('accepted');
  });
});
