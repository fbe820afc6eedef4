import { cp, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBullScheduler } from '../../../src/scheduler/bullmq.ts';
import { openStorage, readAllVotes, type Storage, type StorageLocation } from '../../../src/storage/open-storage.ts';
import { OPEN_QUESTIONS_KEY, VOTES_KEY } from '../../../src/storage/records.ts';
import { eventually } from '../../support/eventually.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

/**
 * Data written by the version of November 2026: `embedded/` is a data directory, `redis/` a Redis dump, `expected.json`
 * lists the content of both. The times to live end after the year 2126. The dump was made while a process advanced a
 * question.
 */
const fixture = fileURLToPath(new URL('../../fixtures/store-2026-11/', import.meta.url));

interface Expected {
  /** Records by key; for a claim, its owner. */
  records: Record<string, unknown>;
  /** Sets of names by key, sorted. */
  sets: Record<string, string[]>;
  /** Ids of questions in the job queue of Redis, by the state of the job. */
  looks: { active: string[]; waiting: string[]; overdue: string[]; later: { questionId: string; dueMs: number }[] };
}

const { log } = createRecordingLog();

let expected: Expected;
let directory: Awaited<ReturnType<typeof createTempDir>>;

beforeEach(async () => {
  expected = JSON.parse(await readFile(`${fixture}expected.json`, 'utf8'));
  directory = await createTempDir();
  await cp(fixture, directory.path, { recursive: true });
});

afterEach(() => directory.remove());

describe('a data directory of an earlier version', () => {
  it('is read as a whole', async () => {
    await expectWhole({ dataDir: `${directory.path}/embedded` });
  });

  it('is written under the names of today, and then read there', async () => {
    const storage = await openStorage({ dataDir: `${directory.path}/embedded` }, { clock: Date.now, log });
    const place = { teamId: 'T0ACME', channelId: 'C0GENERAL', threadTs: '1795165200.000100' };
    const name = `${place.teamId}:${place.channelId}`;
    try {
      await storage.messageLogs.update(name, (known) => ({ version: 1, entries: known?.entries.slice(0, 1) ?? [] }));
      expect((await storage.messageLogs.get(name))?.entries).toHaveLength(1);
      const before = await storage.runSlots.update(
        place.teamId,
        (book) => book ?? { version: 1, running: [], waiting: [], parked: [] },
      );
      const emptied = await storage.runSlots.update(place.teamId, (book) => ({
        ...before,
        ...book,
        running: [],
        waiting: [],
      }));
      expect(await storage.runSlots.get(place.teamId)).toEqual(emptied);
      expect(before.running.length).toBeGreaterThan(0);
    } finally {
      await storage.close();
    }
  });
});

describe.skipIf(!hasRedisServer())('a Redis of an earlier version', () => {
  let server: RedisServer;

  beforeEach(async () => {
    server = await startRedisServer(['--dir', `${directory.path}/redis`, '--dbfilename', 'dump.rdb']);
  });

  afterEach(() => server.stop());

  it('is read as a whole', async () => {
    await expectWhole({ redisUrl: server.url });
  });

  it('has all its planned jobs taken over, each when it is due', async () => {
    const { active, waiting, overdue, later } = expected.looks;
    const due = [...active, ...waiting, ...overdue].sort();
    const notDue = later.map(({ questionId }) => questionId).sort();
    const advanced = new Set<string>();
    const scheduler = createBullScheduler({ redisUrl: server.url, log, random: Math.random });
    expect(await scheduler.unscheduled([...due, ...notDue, 'qunknown'])).toEqual(['qunknown']);

    await scheduler.start(async (questionId) => {
      advanced.add(questionId);
      return undefined;
    });
    await eventually(async () => {
      expect([...advanced].sort()).toEqual(due);
      expect(await scheduler.counts()).toEqual({ active: 0, waiting: 0, delayed: notDue.length });
    });
    expect(await scheduler.unscheduled(notDue)).toEqual([]);
    await scheduler.stop(5_000);
  });
});

async function expectWhole(location: StorageLocation): Promise<void> {
  const options = { clock: Date.now, log };
  const storage = await openStorage(location, options);
  try {
    for (const [key, record] of Object.entries(expected.records)) {
      expect(await readByKey(storage, key), key).toEqual(underTodaysNames(key, record));
    }
    expect((await storage.questions.openIds()).sort()).toEqual(expected.sets[OPEN_QUESTIONS_KEY]);
  } finally {
    await storage.close();
  }
  const { votes, unreadable } = await readAllVotes(location, options);
  expect(unreadable).toBe(0);
  expect(votes.map(({ questionId, userId }) => `${questionId}:${userId}`).sort()).toEqual(expected.sets[VOTES_KEY]);
}

/** The record that the current code reads from a stored one. */
function underTodaysNames(key: string, record: unknown): unknown {
  const text = JSON.stringify(record);
  if (key.startsWith('ds:thread:')) return JSON.parse(text.replace('"line":', '"queue":'));
  if (key.startsWith('ds:question:')) return JSON.parse(text.replace('"organisations":', '"organizations":'));
  if (!key.startsWith('ds:diary:')) return record;
  return JSON.parse(
    text
      .replaceAll('"fate":', '"disposition":')
      .replace('"obeyed"', '"verbCarriedOut"')
      .replace('"lineFull"', '"queueFull"'),
  );
}

/** Reads a record through the storage, by the key that the earlier version used. */
async function readByKey(storage: Storage, key: string): Promise<unknown> {
  const [, kind = '', name = ''] = /^ds:([a-z-]+):(.+)$/.exec(key) ?? [];
  const [first = '', second = '', third = ''] = name.split(':');
  switch (kind) {
    case 'question':
      return storage.questions.get(name);
    case 'thread':
      return storage.threads.get({ teamId: first, channelId: second, threadTs: third });
    case 'claim':
      return storage.claims.ownerOf(name);
    case 'turns':
      return storage.runSlots.update(name, (book) => book ?? { version: 1, running: [], waiting: [], parked: [] });
    case 'durations':
      return storage.durations.get(name);
    case 'history':
      return storage.askedQuestions.get(name);
    case 'heard':
      return storage.threadNotes.get(name);
    case 'diary':
      return storage.messageLogs.get(name);
    case 'refused-text':
      return storage.refusedTexts.get(name);
    case 'visit':
      return storage.visits.get(name);
    case 'vote':
      return storage.votes.get(first, second);
    default:
      throw new Error(`No kind of record has the key ${key}`);
  }
}
