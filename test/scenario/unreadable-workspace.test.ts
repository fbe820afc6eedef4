import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { uninstalledPatienceMs } from '../../src/core/settings.ts';
import { people } from '../../src/local-slack/people.ts';
import { openStorage, type Storage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import type { FakeSlack } from '../support/fake-slack/fake-slack.ts';
import { type InstallingSlack, startInstallingSlack } from '../support/fake-slack/installing-slack.ts';
import { envelope } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { type InstalledWorld, installationKey, startInstalledWorld } from '../support/world/installed-world.ts';

/* A workspace whose stored installation no key of the settings decrypts. */

const FIRST = 'T0ONE';
const ada = { teamId: FIRST, userId: people.ada };
const otherKey = { id: 'k2', key: randomBytes(32).toString('base64') };

let slack: InstallingSlack;
let first: FakeSlack;
let service: FakeService;
let world: InstalledWorld;
let settings: Record<string, string>;

beforeEach(async () => {
  slack = await startInstallingSlack();
  first = await slack.add(FIRST);
  service = await startFakeService();
  settings = { ACCOUNTS: 'preferred' };
  world = await startInstalledWorld({ slack, service: { url: service.url, token: serviceToken }, settings });
  await world.install(FIRST);
});

afterEach(async () => {
  await world.stop();
  await service.stop();
  expect(slack.violations()).toEqual([]);
  await slack.stop();
});

const uninstalled = () => envelope({ type: 'app_uninstalled', event_ts: '1700000000.000000' });
const openQuestions = async () =>
  /deepsearch_slack_open_questions(?:\{[^}]*\})? (\d+)/.exec(await world.metrics())?.[1];

/** Asks, and stops the app while the question runs. */
async function askAndStop() {
  const ts = await world.within(FIRST, first).mention('runs?', { user: people.bob });
  const question = await eventually(() => one(service.find('runs?')));
  await eventually(() => expect(world.within(FIRST, first).card(ts)).toBeDefined());
  await world.stopApp();
  await withStorage(({ accounts }) =>
    accounts.update(ada, () => ({
      person: ada,
      username: 'ada',
      credential: { kind: 'token', token: new Secret('sgp_of-ada') },
      connectedMs: 1,
    })),
  );
  return { ts, question };
}

/** The app must not run. */
async function withStorage<Result>(work: (storage: Storage) => Promise<Result>): Promise<Result> {
  const encryptionKeys = [{ id: installationKey.id, key: new Secret(installationKey.key) }];
  const { log } = createRecordingLog();
  const storage = await openStorage({ dataDir: world.dataDir }, { clock: Date.now, log, encryptionKeys });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

const loseKey = () => {
  settings.ENCRYPTION_KEYS = `${otherKey.id}:${otherKey.key}`;
};

describe('a workspace whose installation can not be decrypted', () => {
  test('and that removes the app: its questions end and its accounts are erased', async () => {
    await askAndStop();
    loseKey();
    await world.startApp();
    slack.revoke(FIRST);
    await world.deliver(FIRST, uninstalled());
    await world.untilEnded(1);
    await eventually(async () => expect(await openQuestions()).toBe('0'));
    await world.stopApp();
    expect(await withStorage(({ accounts }) => accounts.people(FIRST))).toEqual([]);
  });

  test('lets a question wait a day for the right key, and then ends it', async () => {
    const { ts, question } = await askAndStop();
    loseKey();
    await world.startApp();
    await world.stopApp();
    // With what decrypts the record again, the question goes on.
    delete settings.ENCRYPTION_KEYS;
    await world.startApp();
    service.answer(question);
    await eventually(() => expect(world.within(FIRST, first).answersIn(ts)).toHaveLength(1));
    const later = await world.within(FIRST, first).mention('runs later?', { user: people.bob });
    await eventually(() => one(service.find('runs later?')));
    await world.stopApp();
    loseKey();
    await withStorage(async ({ questions }) => {
      for (const id of await questions.openIds()) {
        await questions.update(id, (stored) => ({ ...stored, acceptedMs: stored.acceptedMs - uninstalledPatienceMs }));
      }
    });
    await world.startApp();
    await eventually(async () => expect(await openQuestions()).toBe('0'));
    expect(world.within(FIRST, first).answersIn(later)).toEqual([]);
  });
});
