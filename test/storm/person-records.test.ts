import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { usualRules } from '../../src/core/channels/channel-settings.ts';
import { newThread, type Question, type ThreadPlace } from '../../src/core/question/question.ts';
import { Secret } from '../../src/core/secret.ts';
import { openStorage, openStoreBeside, type Storage, type StorageLocation } from '../../src/storage/open-storage.ts';
import { sampleQuestion } from '../contract/storage/sample-records.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { engines } from '../support/storage/engines.ts';

const adminProgram = await builtProgram('src/cli/admin.ts');

const { log } = createRecordingLog();
const encryptionKeys = [{ id: 'k1', key: new Secret(randomBytes(32).toString('base64')) }];
const ada = 'U0ADA';
const ben = 'U0BEN';
/** Every text of Ada's begins with this, so that a search of the store shows what is left of her. */
const adasWords = 'Adas own words';
const own: ThreadPlace = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000100' };
const shared: ThreadPlace = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000200' };
const otherTeam: ThreadPlace = { teamId: 'T2', channelId: 'C1', threadTs: '1700000000.000300' };

let directory: Awaited<ReturnType<typeof createTempDir>>;
let redis: RedisServer | undefined;
let location: StorageLocation;
let environment: Record<string, string>;

function closed(number: number, askerId: string, place: ThreadPlace, more: Partial<Question> = {}): Question {
  const text = askerId === ada ? `${adasWords} ${number}` : `Bens words ${number}`;
  return sampleQuestion({ id: `q${number}`, askerId, place, text, phase: 'closed', ...more });
}

async function withStorage<Result>(work: (storage: Storage) => Promise<Result>): Promise<Result> {
  const storage = await openStorage(location, { clock: Date.now, log, encryptionKeys });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** Stores what two people did in a thread of Ada's, in a thread of both, and in another workspace. */
async function fill(): Promise<void> {
  await withStorage(async (storage) => {
    const questions = [
      closed(1, ada, own, { responseUrl: 'https://hooks.example/secret-hook' }),
      closed(2, ada, shared, { upstream: { steps: 0, conversationId: 7 } }),
      closed(3, ben, shared, {
        follows: { text: 'Bens words', before: [`${adasWords} 2`, 'Bens words 0'] },
        usedFollowUps: [{ index: 0, byUserId: ada }],
        cancel: { byUserId: ada, atMs: 5 },
        askedAgain: { byUserId: ada },
      }),
      closed(4, ada, otherTeam),
      closed(5, ben, shared, {
        origin: 'shared',
        text: `${adasWords} 1`,
        shares: {
          questionId: 'q1',
          withLink: false,
          confirmed: [],
        },
      }),
      closed(6, ben, shared, { follows: { text: `${adasWords} 2` } }),
    ];
    for (const question of questions) {
      await storage.questions.create(question);
      await storage.questions.markClosed(question.id);
      const { place, askerId } = question;
      await storage.askedQuestions.update(`${place.teamId}:${askerId}`, (known) => ({
        version: 1,
        entries: [...(known?.entries ?? []), { questionId: question.id, atMs: 1 }],
      }));
    }
    const threads = [
      { ...newThread(own, true), startedBy: ada, asked: ['q1'] },
      {
        ...newThread(shared, true),
        startedBy: ada,
        conversationId: 7,
        asked: ['q2', 'q3', 'q6'],
        ownConversations: [{ userId: ada, conversationId: 8 }],
      },
      { ...newThread(otherTeam, true), startedBy: ada, asked: ['q4'] },
    ];
    for (const thread of threads) await storage.threads.update(thread, () => thread);
    for (const userId of [ada, ben]) {
      await storage.votes.put({
        version: 1,
        teamId: 'T1',
        userId,
        questionId: 'q3',
        verdict: 'down',
        reasons: [],
        comment: userId === ada ? adasWords : 'Bens words',
        atMs: 1,
      });
      await storage.visits.update(`T1:${userId}`, () => ({ version: 1, openedMs: 1, channelId: 'D1' }));
    }
    await storage.threadNotes.update('T1:C1:1', () => ({
      version: 1,
      messages: [
        { ts: '1', userId: ada, text: adasWords, files: [] },
        { ts: '2', userId: ben, text: 'Bens words', files: [] },
      ],
    }));
    await storage.messageLogs.update('T1:C1', () => ({
      version: 1,
      entries: [
        { ts: '1', userId: ada, atMs: 1, disposition: 'asked' },
        { ts: '2', userId: ben, atMs: 1, disposition: 'asked' },
      ],
    }));
    await storage.refusedTexts.update('q1', () => ({ version: 1, text: adasWords }));
    await storage.durations.update('T1', () => ({ version: 1, entries: [{ questionId: 'q1', durationMs: 9 }] }));
    await storage.channelSettings.update('T1:C1', () => ({
      version: 1,
      teamId: 'T1',
      channelId: 'C1',
      ...usualRules(false),
      changedBy: ada,
      changedMs: 1,
    }));
    for (const userId of [ada, ben]) {
      const person = { teamId: 'T1', userId };
      const credential = { kind: 'token' as const, token: new Secret(`sgp_${userId}`) };
      await storage.accounts.update(person, () => ({ person, username: userId, credential, connectedMs: 1 }));
    }
  });
}

/** Every stored key and text. */
async function everything(): Promise<Record<string, string>> {
  const store = await openStoreBeside(location, { clock: Date.now, log });
  const all: Record<string, string> = {};
  for await (const key of store.keys('ds:')) all[key] = (await store.get(key)) ?? '';
  all.votes = (await store.members('ds:votes')).join();
  await store.close();
  return all;
}

const forget = (...args: string[]) => runProgram(adminProgram, ['forget', ...args], environment);
/** The data that was written before the line for the audit log. */
const withoutAudit = (output: string) => JSON.parse(output.replace(/^\{"level".*$/m, ''));
const exported = (...args: string[]) => runProgram(adminProgram, ['export', ...args], environment);

describe.each(engines)('the data of a person in $name', ({ isRedis }) => {
  beforeEach(async () => {
    directory = await createTempDir();
    redis = isRedis ? await startRedisServer() : undefined;
    location = redis === undefined ? { dataDir: directory.path } : { redisUrl: redis.url };
    environment = redis === undefined ? { DATA_DIR: directory.path } : { REDIS_URL: redis.url };
    await fill();
  });

  afterEach(async () => {
    await redis?.stop();
    await directory.remove();
  });

  it('is exported with everything the person did and nothing of others, to a file for its owner', async () => {
    const out = join(directory.path, 'ada.json');
    const before = await everything();
    const run = exported('--user', ada, '--team', 'T1', '--out', out);
    expect(await run.ended).toBe(0);
    expect(JSON.parse(run.output())).toMatchObject({ audit: true, action: 'dataExported', teamId: 'T1', detail: ada });
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    const text = await readFile(out, 'utf8');
    const data = JSON.parse(text);
    expect(data).toMatchObject({
      person: { userId: ada, teamId: 'T1' },
      questions: [
        { record: { id: expect.stringMatching(/q[12]/) } },
        { record: { id: expect.stringMatching(/q[12]/) } },
      ],
      actsOnQuestions: [{ record: { actedOn: 'q3', askedFollowUps: [0], cancelledMs: 5, askedAgain: true } }],
      history: [{ record: { entries: [{ questionId: 'q1' }, { questionId: 'q2' }] } }],
      votes: [{ record: { comment: adasWords } }],
      homeVisits: [{ record: { channelId: 'D1' } }],
      threadNotes: [{ record: [{ text: adasWords }] }],
      messageLog: [{ record: [{ ts: '1' }] }],
      refusedTexts: [{ record: { text: adasWords } }],
      durations: [{ record: [{ durationMs: 9 }] }],
      channelSettings: [{ key: 'ds:channel-settings:T1:C1' }],
      accounts: [{ key: `ds:account:T1:${ada}`, record: { isConnected: true } }],
    });
    expect(data.threads).toHaveLength(2);
    expect(text).not.toContain('Bens words');
    expect(text).not.toContain('secret-hook');
    expect(await everything()).toEqual(before);
  });

  it('is exported from every workspace unless one is named, and is empty for others', async () => {
    const all = exported('--user', ada);
    await all.ended;
    expect(withoutAudit(all.output()).questions).toHaveLength(3);
    const none = exported('--user', 'U0NONE');
    await none.ended;
    const { person, exportedAt, ...parts } = withoutAudit(none.output());
    expect(Object.values(parts).flat()).toEqual([]);
  });

  it('is erased, and only the part of the person', async () => {
    const before = await everything();
    const run = forget('--user', ada, '--team', 'T1');
    expect([await run.ended, run.output()]).toEqual([0, expect.stringContaining('questions: 2\n')]);
    expect(run.output()).not.toContain(adasWords);
    const after = await everything();
    const ofTeam = Object.entries(after).filter(([key]) => !/T2|q4/.test(key));
    expect(ofTeam.filter(([key, text]) => `${key} ${text}`.includes(ada))).toEqual([]);
    expect(ofTeam.filter(([, text]) => text.includes(adasWords))).toEqual([]);
    // What other people did is as before.
    for (const [key, text] of Object.entries(before)) {
      if (!`${key} ${text}`.includes(ada) && !/q1|q2|Adas/.test(`${key} ${text}`)) expect(after[key]).toBe(text);
    }
    await withStorage(async ({ questions, threads, threadNotes, messageLogs, channelSettings }) => {
      expect(await questions.get('q3')).toMatchObject({ text: 'Bens words 3', follows: { before: ['Bens words 0'] } });
      expect(await threads.get(own)).toBeUndefined();
      expect(await threads.get(shared)).toEqual({
        ...newThread(shared, true),
        conversationId: 7,
        asked: ['q3', 'q6'],
      });
      expect((await threadNotes.get('T1:C1:1'))?.messages).toMatchObject([{ userId: ben }]);
      expect((await messageLogs.get('T1:C1'))?.entries).toMatchObject([{ userId: ben }]);
      expect(await channelSettings.get('T1:C1')).toMatchObject({ isOn: true, changedBy: '' });
    });
  });

  it('stays erased when the command runs again, and goes from the other workspaces without --team', async () => {
    await forget('--user', ada, '--team', 'T1').ended;
    const again = forget('--user', ada, '--team', 'T1');
    expect(await again.ended).toBe(0);
    const [noted = '', ...counts] = again.output().split('\n');
    expect(JSON.parse(noted)).toMatchObject({ audit: true, action: 'dataForgotten', teamId: 'T1' });
    expect(noted).not.toContain(ada);
    expect(counts).toEqual(['cancelled: 0', '']);
    expect(JSON.stringify(await everything())).toContain(ada);
    await forget('--user', ada).ended;
    expect(JSON.stringify(await everything())).not.toContain(ada);
  });

  it('is erased after kills of the command at any moment', async () => {
    for (const afterMs of [1_000, 1_400]) {
      const run = forget('--user', ada);
      const timer = setTimeout(() => run.child.kill('SIGKILL'), afterMs);
      await run.ended;
      clearTimeout(timer);
    }
    expect(await forget('--user', ada).ended).toBe(0);
    const left = await everything();
    expect(JSON.stringify(left)).not.toContain(ada);
    expect(JSON.stringify(left)).not.toContain(adasWords);
    expect(left.votes).toBe(`q3:${ben}`);
  }, 60_000);

  it('keeps open questions until the app closed them, and says so', async () => {
    await withStorage(({ questions }) => questions.create(closed(7, ada, own, { phase: 'parked' })));
    const run = forget('--user', ada, '--wait', '0');
    expect([await run.ended, run.output()]).toEqual([1, expect.stringContaining('still open: 1 questions')]);
    await withStorage(async ({ questions, runRequests }) => {
      expect(await questions.get('q7')).toMatchObject({ phase: 'parked', cancel: { byUserId: ada } });
      expect(await runRequests.ids()).toEqual(['q7']);
      await questions.update('q7', (stored) => ({ ...stored, phase: 'closed' }));
    });
    expect(await forget('--user', ada).ended).toBe(0);
    expect(JSON.stringify(await everything())).not.toContain(ada);
  });

  it('is counted where a record can not be read', async () => {
    const store = await openStoreBeside(location, { clock: Date.now, log });
    await store.set('ds:question:q8', `{"askerId":"${ada}"}`);
    await store.close();
    const run = forget('--user', ada);
    expect([await run.ended, run.output()]).toEqual([1, expect.stringContaining("can't be read: 1 records")]);
    const other = exported('--user', ada);
    await other.ended;
    expect(other.output()).toContain("left out because they can't be read: 1");
  });
});

describe('the commands for the data of a person', () => {
  it.each([
    ['no person', ['forget']],
    ['a name instead of an id', ['export', '--user', 'ada']],
    ['a wrong workspace and an unknown option', ['forget', '--user', 'U1', '--team', 'C1', '--all']],
  ])('end with 2 for %s', async (_, args) => {
    const run = runProgram(adminProgram, args, {});
    expect([await run.ended, run.output()]).toEqual([2, expect.stringContaining('--')]);
  });

  it('end with 1 where there is no store, and create none', async () => {
    const empty = await createTempDir();
    const run = runProgram(adminProgram, ['forget', '--user', 'U1'], { DATA_DIR: join(empty.path, 'none') });
    expect(await run.ended).toBe(1);
    await expect(stat(join(empty.path, 'none'))).rejects.toThrow();
    await empty.remove();
  });
});
