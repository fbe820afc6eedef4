import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { uninstalledPatienceMs } from '../../src/core/settings.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { serviceToken } from '../support/fake-service/fake-service.ts';
import { questionWith } from '../support/lifecycle/sample-questions.ts';
import { envelope } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';

const { log } = createRecordingLog();
const key = randomBytes(32).toString('base64');
const ada = { teamId: team.id, userId: people.ada };

let directory: Awaited<ReturnType<typeof createTempDir>>;
const { world, service, beginWorld, endWorld } = worldOfEachTest();

beforeEach(async () => {
  directory = await createTempDir();
  await withStorage(({ accounts }) =>
    accounts.update(ada, () => ({
      person: ada,
      username: 'ada',
      credential: { kind: 'token', token: new Secret(serviceToken) },
      connectedMs: 1,
    })),
  );
  await beginWorld({ settings: { DATA_DIR: directory.path, ACCOUNTS: 'preferred', ENCRYPTION_KEYS: `k1:${key}` } });
});

afterEach(async () => {
  await endWorld();
  await directory.remove();
});

async function withStorage<Result>(
  work: (storage: Awaited<ReturnType<typeof openStorage>>) => Promise<Result>,
): Promise<Result> {
  const encryptionKeys = [{ id: 'k1', key: new Secret(key) }];
  const storage = await openStorage({ dataDir: directory.path }, { clock: Date.now, log, encryptionKeys });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

async function openQuestions(): Promise<string | undefined> {
  return /deepsearch_slack_open_questions(?:\{[^}]*\})? (\d+)/.exec(await world.metrics())?.[1];
}

function untilEnded(): Promise<void> {
  return eventually(async () => expect(await world.metrics()).toMatch(/event="workspace_ended"/));
}

/** What the app showed in Slack. */
const shown = (): number =>
  world.slack.requests.filter(({ method }) => /^chat\.(post|update)|^files\./.test(method)).length;

const ends = [
  ['removes the app', () => envelope({ type: 'app_uninstalled', event_ts: '1700000000.000000' })],
  [
    "revokes the bot's token",
    () => envelope({ type: 'tokens_revoked', tokens: { bot: [team.botUserId] }, event_ts: '1700000000.000000' }),
  ],
] as const;

describe.each(ends)('a workspace that %s', (_, endOf) => {
  test('gets nothing more in Slack, its questions stop at the service, and its accounts are erased', async () => {
    await world.mention('runs?', { user: people.ada });
    await world.mention('runs too?', { user: people.bob });
    const running = await eventually(() => {
      const found = [one(service.find('runs?')), one(service.find('runs too?'))];
      expect(world.slack.messages.filter(({ bot_id: bot }) => bot !== undefined)).toHaveLength(2);
      return found;
    });
    expect((await world.deliver(endOf())).acknowledged).toBe(true);
    await eventually(async () => expect(await openQuestions()).toBe('0'));
    const before = shown();
    for (const { error } of running) expect(error?.kind).toBe('Cancelled');
    await untilEnded();
    await world.stopApp();
    expect(await withStorage(({ accounts }) => accounts.get(ada))).toBeUndefined();
    expect(shown()).toBe(before);
    expect(world.slack.violations).toEqual([]);
  });

  test('can install the app again, also when Slack repeats the event', async () => {
    const end = endOf();
    await world.deliver(end);
    await untilEnded();
    const ts = await world.mention('again?', { user: people.bob });
    const question = await eventually(() => one(service.find('again?')));
    await world.deliver(end);
    service.answer(question);
    await world.answered(ts);
  });
});

test("a revoked token of a person's ends nothing", async () => {
  const ts = await world.mention('runs on?', { user: people.bob });
  const question = await eventually(() => one(service.find('runs on?')));
  await world.deliver(
    envelope({ type: 'tokens_revoked', tokens: { oauth: [people.ada] }, event_ts: '1700000000.000000' }),
  );
  service.answer(question);
  await world.answered(ts);
  await world.stopApp();
  expect(await withStorage(({ accounts }) => accounts.get(ada))).toBeDefined();
});

test('a question of a workspace that the token does not belong to waits a day, and then ends without a word', async () => {
  await world.stopApp();
  const threadTs = world.slack.say('C0GENERAL', people.ada, 'Look.');
  const place = { teamId: 'T0OTHER', channelId: 'C0GENERAL', threadTs };
  const other = questionWith({ place, askerId: people.ada, text: 'of another?', acceptedMs: Date.now() });
  await withStorage(({ questions }) => questions.create(other));
  await world.startApp();
  const ts = await world.mention('of this one?', { user: people.bob });
  service.answer(await eventually(() => one(service.find('of this one?'))));
  await world.answered(ts);
  await eventually(async () => expect(await openQuestions()).toBe('1'));
  await world.stopApp();
  await withStorage(({ questions }) =>
    questions.update(other.id, (stored) => ({ ...stored, acceptedMs: stored.acceptedMs - uninstalledPatienceMs })),
  );
  await world.startApp();
  await eventually(async () => expect(await openQuestions()).toBe('0'));
  expect(service.find('of another?')).toEqual([]);
  expect(world.slack.inThread(threadTs)).toEqual([]);
});
