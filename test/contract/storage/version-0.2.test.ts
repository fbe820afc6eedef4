import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStorage, openStoreBeside, type Storage, type StorageLocation } from '../../../src/storage/open-storage.ts';
import { type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { engines } from '../../support/storage/engines.ts';
import { copyDataDir, fillRedis, type Stored, storedBy02 } from '../../support/storage/version-0.2.ts';

const { log } = createRecordingLog();
const options = { clock: Date.now, log };

describe.each(engines)('a store of version 0.2 on $name', ({ isRedis }) => {
  let directory: Awaited<ReturnType<typeof createTempDir>>;
  let server: RedisServer | undefined;
  let location: StorageLocation;
  let stored: Stored;

  beforeEach(async () => {
    directory = await createTempDir();
    server = isRedis ? await startRedisServer() : undefined;
    stored = await storedBy02(isRedis ? 'redis' : 'embedded');
    if (server === undefined) {
      location = { dataDir: join(directory.path, 'data') };
      await copyDataDir(location.dataDir);
    } else {
      location = { redisUrl: server.url };
      await fillRedis(server.url);
    }
  });

  afterEach(async () => {
    await server?.stop();
    await directory.remove();
  });

  // The fixture of version 0.1 has a visit, whose format is the same.
  it('holds every kind of record that version 0.2 stored, but visits', () => {
    const kinds = new Set(Object.keys(stored.records).map((key) => key.split(':')[1]));
    kinds.delete('ping');
    expect([...kinds].sort()).toEqual([
      ...['added-mention', 'claim', 'durations', 'history', 'message-log', 'question', 'refused-text'],
      ...['run-slots', 'thread', 'thread-notes', 'vote'],
    ]);
    expect(Object.keys(stored.sets).sort()).toEqual(['ds:open-questions', 'ds:votes']);
  });

  it('is read as a whole by this version, and stays as it is', async () => {
    const storage = await openStorage(location, options);
    for (const [key, text] of Object.entries(stored.records)) {
      // Kinds that this version has no more are left to their lifetime.
      if (key !== 'ds:ping' && !key.startsWith('ds:added-mention:'))
        expect(await readByKey(storage, key, text), key).toEqual(recordOf(key, text));
    }
    expect((await storage.questions.openIds()).sort()).toEqual(stored.sets['ds:open-questions']?.toSorted());
    await storage.close();
    const beside = await openStoreBeside(location, options);
    for (const [key, text] of Object.entries(stored.records)) {
      if (key !== 'ds:ping') expect([key, await beside.get(key)]).toEqual([key, text]);
    }
    await beside.close();
  });
});

function recordOf(key: string, text: string): unknown {
  return key.startsWith('ds:claim:') ? text : JSON.parse(text);
}

/** Reads a record through the storage, by its key. */
async function readByKey(storage: Storage, key: string, text: string): Promise<unknown> {
  const [, kind = '', name = ''] = /^ds:([a-z-]+):(.+)$/.exec(key) ?? [];
  const [first = '', second = '', third = ''] = name.split(':');
  switch (kind) {
    case 'question':
      return storage.questions.get(name);
    case 'thread':
      return storage.threads.get({ teamId: first, channelId: second, threadTs: third });
    case 'claim':
      return storage.claims.ownerOf(name);
    case 'run-slots':
      return storage.runSlots.get(name);
    case 'durations':
      return storage.durations.get(name);
    case 'history':
      return storage.askedQuestions.get(name);
    case 'thread-notes':
      return storage.threadNotes.get(name);
    case 'message-log':
      return storage.messageLogs.get(name);
    case 'refused-text':
      return storage.refusedTexts.get(name);
    case 'visit':
      return storage.visits.get(name);
    case 'vote':
      return storage.votes.get(first, second);
    default:
      throw new Error(`No kind of record has the key ${key}, which holds ${text}`);
  }
}
