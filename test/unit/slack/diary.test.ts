import { describe, expect, it } from 'vitest';
import type { Diary, DiaryEntry } from '../../../src/core/diary.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { Records } from '../../../src/core/ports.ts';
import { createDiary } from '../../../src/slack/reports/diary.ts';
import { createRecordingJournal } from '../../support/recording-journal.ts';

const place = { teamId: 'T1', channelId: 'C1' };

function entry(ts: number, fate: DiaryEntry['fate'] = 'asked'): DiaryEntry {
  return { ts: `${ts}.000001`, userId: 'U1', atMs: ts, fate };
}

function createMemory() {
  const stored = new Map<string, Diary>();
  const memory = { stored, writes: 0, isBroken: false };
  const records: Records<Diary> = {
    get: async (name) => stored.get(name),
    update: async (name, change) => {
      await Promise.resolve();
      if (memory.isBroken) throw new AppError('storage', 'down');
      const next = change(stored.get(name));
      if (next !== stored.get(name)) memory.writes += 1;
      stored.set(name, next);
      return next;
    },
  };
  return { memory, diary: createDiary({ records, journal: createRecordingJournal().journal }) };
}

describe('the diary', () => {
  it('keeps the order in which messages were dealt with, in few writes, per channel', async () => {
    const { diary, memory } = createMemory();
    for (let ts = 1; ts <= 20; ts += 1) diary.note(place, entry(ts));
    diary.note({ ...place, channelId: 'C2' }, entry(99));
    expect((await diary.read(place)).map(({ atMs }) => atMs)).toEqual(Array.from({ length: 20 }, (_, at) => 20 - at));
    expect(memory.writes).toBeLessThanOrEqual(3);
    expect(await diary.read({ ...place, channelId: 'C2' })).toHaveLength(1);
    expect([...memory.stored.keys()].toSorted()).toEqual(['T1:C1', 'T1:C2']);
  });

  it('keeps the newest hundred', async () => {
    const { diary } = createMemory();
    for (let ts = 1; ts <= 250; ts += 1) {
      diary.note(place, entry(ts));
      if (ts % 40 === 0) await diary.read(place);
    }
    const kept = await diary.read(place);
    expect(kept).toHaveLength(100);
    expect([kept.at(0)?.atMs, kept.at(-1)?.atMs]).toEqual([250, 151]);
  });

  it('notes the same fate of a message once, and another one beside it', async () => {
    const { diary, memory } = createMemory();
    diary.note(place, entry(1));
    await diary.read(place);
    diary.note(place, entry(1));
    await diary.read(place);
    expect(memory.writes).toBe(1);
    diary.note(place, entry(1, 'duplicate'));
    expect((await diary.read(place)).map(({ fate }) => fate)).toEqual(['duplicate', 'asked']);
  });

  it('loses entries, and nothing else, while nothing can be stored', async () => {
    const { diary, memory } = createMemory();
    memory.isBroken = true;
    diary.note(place, entry(1));
    await diary.drain(1_000);
    memory.isBroken = false;
    diary.note(place, entry(2));
    await diary.drain(1_000);
    expect((await diary.read(place)).map(({ atMs }) => atMs)).toEqual([2]);
  });
});
