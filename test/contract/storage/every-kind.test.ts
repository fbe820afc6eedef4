import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usualRules } from '../../../src/core/channels/channel-settings.ts';
import type { Subject } from '../../../src/core/personal-data/person-data.ts';
import { newThread } from '../../../src/core/question/question.ts';
import { backUpStore } from '../../../src/storage/backup.ts';
import { moveChannel, shortenLives } from '../../../src/storage/every-record.ts';
import { migrateStore } from '../../../src/storage/migration.ts';
import { openStorage, openStoreBeside, type StorageLocation } from '../../../src/storage/open-storage.ts';
import { erasePerson, exportPerson } from '../../../src/storage/person-records.ts';
import { recordKinds } from '../../../src/storage/record-kinds.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { memoryStore } from '../../support/storage/memory-store.ts';
import { sampleQuestion } from './sample-records.ts';

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;
/** What `RETENTION_DAYS` allows here. */
const retentionMs = 3 * dayMs;
const { log } = createRecordingLog();

/** Ada is the subject, in the workspace T1. The questions `qada…` are hers. */
const [ada, ben] = ['U0ADA', 'U0BEN'];
const subject: Subject = {
  userId: ada,
  teamId: 'T1',
  isOwnQuestion: (id) => id.startsWith('qada'),
  isOwnText: (text) => text.startsWith('Adas'),
};
const place = { teamId: 'T1', channelId: 'C1', threadTs: '1.1' };
const thread = { channelId: 'C1', threadTs: '1.1' };
const closed = { place, phase: 'closed' as const };

/** One stored record, and what each program that walks over the storage makes of it. */
interface Row {
  kind: string;
  key: string;
  record: object;
  /** The life that retention leaves it. Undefined: as long as it had. */
  lifeMs?: number;
  /** What the export says of Ada. Undefined: nothing. */
  told?: unknown;
  /** What is left without Ada. Default: the record as it is. */
  left?: object | 'gone';
  /** What the move of C1 to C9 leaves, under its new key. Default: the record under its key. */
  moved?: { key?: string; record?: object };
}

const note = (userId: string) => ({ ts: userId, userId, text: `${userId} said`, files: [] });
const logged = (userId: string) => ({ ts: userId, userId, atMs: 1, disposition: 'asked' });
const settings = { version: 1, teamId: 'T1', channelId: 'C1', ...usualRules(false), changedBy: ada, changedMs: 1 };
const ticket = { person: { teamId: 'T1', userId: ada }, shownName: 'Ada', expiresMs: 9 };
const vote = { version: 1, teamId: 'T1', userId: ada, questionId: 'qben', verdict: 'up', reasons: [], atMs: 1 };
const asked = { ...newThread(place, true), startedBy: ada, asked: ['qada', 'qben'], queue: [] };
const { startedBy: _startedBy, ...notStarted } = asked;
const own = sampleQuestion({ ...closed, id: 'qada', askerId: ada, responseUrl: 'https://hooks.example/secret' });
const { responseUrl: _responseUrl, ...told } = own;
const bens = sampleQuestion({
  ...{ ...closed, id: 'qben', askerId: ben, text: 'Bens words' },
  follows: { text: 'Bens first', before: ['Adas words', 'Bens words'] },
  cancel: { byUserId: ada, atMs: 5 },
  usedFollowUps: [{ index: 2, byUserId: ada }],
  askedAgain: { byUserId: ada },
});
const { cancel: _cancel, usedFollowUps: _used, ...bensWithoutActs } = bens;

const rows: Row[] = [
  {
    kind: 'threadNotes',
    key: 'ds:thread-notes:T1:C1:1.1',
    record: { version: 1, messages: [note(ada), note(ben)] },
    lifeMs: retentionMs,
    told: [note(ada)],
    left: { version: 1, messages: [note(ben)] },
    moved: { key: 'ds:thread-notes:T1:C9:1.1' },
  },
  {
    kind: 'messageLog',
    key: 'ds:message-log:T1:C1',
    record: { version: 1, entries: [logged(ada), logged(ben)] },
    lifeMs: dayMs,
    told: [logged(ada)],
    left: { version: 1, entries: [logged(ben)] },
    moved: { key: 'ds:message-log:T1:C9' },
  },
  {
    kind: 'homeVisits',
    key: `ds:visit:T1:${ada}`,
    record: { version: 1, openedMs: 1, channelId: 'D1' },
    lifeMs: retentionMs,
    told: { version: 1, openedMs: 1, channelId: 'D1' },
    left: 'gone',
  },
  {
    kind: 'dayCounts',
    key: `ds:day-count:T1:${ada}:2026-11-27`,
    record: { version: 1, questionIds: ['qada'] },
    lifeMs: 2 * dayMs,
    told: { version: 1, questionIds: ['qada'] },
    left: 'gone',
  },
  {
    kind: 'dayCounts',
    key: 'ds:day-count:T1:C1:2026-11-27',
    record: { version: 1, questionIds: ['qada'] },
    lifeMs: 2 * dayMs,
    moved: { key: 'ds:day-count:T1:C9:2026-11-27' },
  },
  {
    kind: 'choicesOfReaders',
    key: `ds:showing:T1:${ada}`,
    record: { version: 1, threads: [thread], channels: ['C1', 'C2'] },
    lifeMs: retentionMs,
    told: { version: 1, threads: [thread], channels: ['C1', 'C2'] },
    left: 'gone',
    moved: { record: { version: 1, threads: [{ ...thread, channelId: 'C9' }], channels: ['C9', 'C2'] } },
  },
  {
    kind: 'questionsThatWait',
    key: `ds:account-waits:T1:${ada}`,
    record: { version: 1, waiting: [{ questionId: 'qada', sinceMs: 1 }] },
    lifeMs: 2 * dayMs,
    told: { version: 1, waiting: [{ questionId: 'qada', sinceMs: 1 }] },
    left: 'gone',
  },
  {
    kind: 'history',
    key: `ds:history:T1:${ada}`,
    record: { version: 1, entries: [{ questionId: 'qada', atMs: 1 }] },
    lifeMs: retentionMs,
    told: { version: 1, entries: [{ questionId: 'qada', atMs: 1 }] },
    left: 'gone',
  },
  {
    kind: 'history',
    key: `ds:history:T2:${ada}`,
    record: { version: 1, entries: [{ questionId: 'qada', atMs: 1 }] },
    lifeMs: retentionMs,
  },
  {
    kind: 'refusedTexts',
    key: 'ds:refused-text:qada',
    record: { version: 1, text: 'Adas words' },
    lifeMs: hourMs,
    told: { version: 1, text: 'Adas words' },
    left: 'gone',
  },
  { kind: 'refusedTexts', key: 'ds:refused-text:qben', record: { version: 1, text: 'Bens' }, lifeMs: hourMs },
  {
    kind: 'channelSettings',
    key: 'ds:channel-settings:T1:C1',
    record: settings,
    lifeMs: 3_650 * dayMs,
    told: settings,
    left: { ...settings, changedBy: '' },
    moved: { key: 'ds:channel-settings:T1:C9', record: { ...settings, channelId: 'C9' } },
  },
  // Encrypted: the export says only that it is there.
  { kind: 'accounts', key: `ds:account:T1:${ada}`, record: { sealed: 1 }, told: { isConnected: true }, left: 'gone' },
  { kind: 'accounts', key: `ds:account:T1:${ben}`, record: { sealed: 1 } },
  {
    kind: 'signIns',
    key: 'ds:sign-in:one',
    record: { version: 1, ...ticket, secretDigest: 'd' },
    lifeMs: 10 * 60 * 1_000,
    told: ticket,
    left: 'gone',
  },
  { kind: 'votes', key: `ds:vote:qben:${ada}`, record: vote, lifeMs: retentionMs, told: vote, left: 'gone' },
  {
    kind: 'durations',
    key: 'ds:durations:T1',
    record: {
      version: 1,
      entries: [
        { questionId: 'qada', durationMs: 7 },
        { questionId: 'qben', durationMs: 8 },
      ],
    },
    lifeMs: retentionMs,
    told: [{ questionId: 'qada', durationMs: 7 }],
    left: {
      version: 1,
      entries: [
        { questionId: '', durationMs: 7 },
        { questionId: 'qben', durationMs: 8 },
      ],
    },
  },
  {
    kind: 'runSlots',
    key: 'ds:run-slots:T1',
    record: { version: 1, running: [{ questionId: 'qopen', userId: ada }], waiting: [], parked: [] },
    lifeMs: 90 * dayMs,
  },
  {
    kind: 'runSlots',
    key: 'ds:run-slots:T2',
    record: { version: 1, running: [], waiting: [], parked: [] },
    lifeMs: retentionMs,
  },
  {
    kind: 'sessionMarks',
    key: 'ds:session-marks:T1',
    record: { version: 1, threads: [{ ...thread, atMs: 1, isSent: true }] },
    lifeMs: dayMs,
  },
  {
    kind: 'attendance',
    key: 'ds:attendance:T1',
    record: { version: 1, lastMs: 1, threads: [{ ...thread, atMs: 1 }] },
    lifeMs: retentionMs,
    moved: { record: { version: 1, lastMs: 1, threads: [{ ...thread, channelId: 'C9', atMs: 1 }] } },
  },
  {
    kind: 'threads',
    key: 'ds:thread:T1:C1:1.1',
    record: asked,
    lifeMs: retentionMs,
    told: { ...place, startedThread: true, questions: ['qada'] },
    left: { ...notStarted, asked: ['qben'] },
    moved: { key: 'ds:thread:T1:C9:1.1', record: { ...asked, channelId: 'C9' } },
  },
  {
    kind: 'questions',
    key: 'ds:question:qada',
    record: own,
    lifeMs: retentionMs,
    told,
    left: 'gone',
    moved: { record: { ...own, place: { ...place, channelId: 'C9' } } },
  },
  {
    kind: 'actsOnQuestions',
    key: 'ds:question:qben',
    record: bens,
    lifeMs: retentionMs,
    told: { actedOn: 'qben', askedFollowUps: [2], cancelledMs: 5, askedAgain: true },
    left: {
      ...bensWithoutActs,
      follows: { text: 'Bens first', before: ['Bens words'] },
      askedAgain: { byUserId: '' },
    },
    moved: { record: { ...bens, place: { ...place, channelId: 'C9' } } },
  },
  // Open, asked elsewhere about a thread in C1.
  {
    kind: 'questions',
    key: 'ds:question:qopen',
    record: sampleQuestion({ id: 'qopen', askerId: ben, place: { ...place, channelId: 'C2' }, readsFrom: place }),
    lifeMs: 90 * dayMs,
    moved: {
      record: sampleQuestion({
        ...{ id: 'qopen', askerId: ben, place: { ...place, channelId: 'C2' } },
        readsFrom: { ...place, channelId: 'C9' },
      }),
    },
  },
];

/** A store in memory with the record of each row, which live for ten years or without an end. */
function filled() {
  const store = memoryStore();
  for (const { key, record, lifeMs } of rows) {
    store.texts.set(key, JSON.stringify(record));
    store.lifetimesMs.set(key, lifeMs === undefined ? undefined : 3_650 * dayMs);
  }
  return store;
}

const parsed = (text: string | undefined): unknown => (text === undefined ? 'gone' : JSON.parse(text));

describe('the table of kinds of records', () => {
  it('has each kind, and each kind of the table has a row', () => {
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(recordKinds.map(({ kind }) => kind)));
    for (const { kind, key } of rows) {
      expect(recordKinds.find((each) => each.kind === kind && key.startsWith(each.prefix))).toBeDefined();
    }
  });

  it('has each record that is defined', () => {
    const src = new URL('../../../src/', import.meta.url);
    const defined = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.startsWith('codesearch'))
      .map((path) => readFileSync(new URL(path, src), 'utf8'))
      .flatMap((text) => [...text.matchAll(/defineRecord\(\{\s*key: \(\w+\) => `(ds:[a-z-]+:)/g)])
      .map(([, prefix]) => prefix);
    expect(defined.length).toBeGreaterThan(15);
    const known = new Set<string | undefined>(recordKinds.map(({ prefix }) => prefix));
    expect(defined.filter((prefix) => !known.has(prefix))).toEqual([]);
  });
});

describe.each(rows)('$kind under $key', ({ kind, key, record, lifeMs, told: ofAda, left = record, moved }) => {
  it('lives as long as retention allows', async () => {
    const store = filled();
    await shortenLives(store, retentionMs);
    expect(store.lifetimesMs.get(key)).toBe(lifeMs);
    expect(parsed(store.texts.get(key))).toEqual(record);
  });

  it('is exported as far as it is about the person', async () => {
    const { parts, unreadable } = await exportPerson(filled(), subject);
    const found = parts[kind]?.find((part) => part instanceof Object && 'key' in part && part.key === key);
    expect(found).toEqual(ofAda === undefined ? undefined : { key, record: ofAda });
    expect(unreadable).toEqual([]);
  });

  it('is forgotten as far as it is about the person, and lives on no longer than before', async () => {
    const store = filled();
    const { inUse, unreadable } = await erasePerson(store, subject, { retentionMs, kept: new Set() });
    expect([inUse, unreadable]).toEqual([[], []]);
    expect(parsed(store.texts.get(key))).toEqual(left);
    if (left !== record && left !== 'gone') expect(store.lifetimesMs.get(key)).toBe(lifeMs);
    const twice = await erasePerson(store, subject, { retentionMs, kept: new Set() });
    expect(twice.erased).toEqual({});
  });

  it('moves along with its channel', async () => {
    const store = filled();
    await moveChannel(store, { teamId: 'T1', from: 'C1', to: 'C9' }, retentionMs);
    const newKey = moved?.key ?? key;
    expect(parsed(store.texts.get(newKey))).toEqual(moved?.record ?? record);
    if (newKey !== key) expect(store.texts.has(key)).toBe(false);
    expect(await moveChannel(store, { teamId: 'T1', from: 'C1', to: 'C9' }, retentionMs)).toBe(0);
  });
});

describe('a store with a record of each kind', () => {
  let directory: Awaited<ReturnType<typeof createTempDir>>;
  let redis: RedisServer | undefined;
  let stored: StorageLocation & { dataDir: string };
  const stands = rows.map(({ key, record }) => `${key} ${JSON.stringify(record)}`).sort();

  beforeAll(async () => {
    directory = await createTempDir();
    redis = hasRedisServer() ? await startRedisServer() : undefined;
    stored = { dataDir: join(directory.path, 'data') };
    await (await openStorage(stored, { clock: Date.now, log })).close();
    const store = await openStoreBeside(stored, { clock: Date.now, log });
    for (const { key, record } of rows) await store.set(key, JSON.stringify(record), 30 * dayMs);
    // Belongs to processes, and stays where it is.
    await store.set('ds:limit:one', 'x', hourMs);
    await store.close();
  });

  afterAll(async () => {
    await redis?.stop();
    await directory.remove();
  });

  async function contentsOf(location: StorageLocation): Promise<string[]> {
    const store = await openStoreBeside(location, { clock: Date.now, log });
    const all = new Set<string>();
    for await (const key of store.keys('ds:')) {
      if (!/^ds:(?:closed|ping|bull|lock)/.test(key)) all.add(`${key} ${await store.get(key)}`);
    }
    await store.close();
    return [...all].sort();
  }

  it('is the same in its backup', async () => {
    const folder = join(directory.path, 'backup');
    await backUpStore(stored.dataDir, folder, { version: '1', clock: Date.now });
    expect(await contentsOf({ dataDir: folder })).toEqual([...stands, 'ds:limit:one x'].sort());
  });

  it.skipIf(!hasRedisServer())('is the same after its migration to Redis and back', async () => {
    const redisUrl = redis?.url ?? '';
    const options = { ...stored, redisUrl, patienceMs: 0, clock: Date.now, log };
    await migrateStore({ ...options, to: 'redis' });
    expect(await contentsOf({ redisUrl })).toEqual(stands);
    await migrateStore({ ...options, to: 'embedded' });
    expect(await contentsOf(stored)).toEqual([...stands, 'ds:limit:one x'].sort());
  });
});
