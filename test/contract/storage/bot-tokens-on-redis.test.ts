import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IssuedTokens } from '../../../src/core/accounts/accounts.ts';
import { AppError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createBotTokens } from '../../../src/core/workspaces/installations.ts';
import { lockKey } from '../../../src/storage/locks.ts';
import { openStorage, openStoreBeside, type Storage } from '../../../src/storage/open-storage.ts';
import { eventually } from '../../support/eventually.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const { log } = createRecordingLog();
const encryptionKeys = [{ id: 'a', key: new Secret(randomBytes(32).toString('base64')) }];
const options = { clock: Date.now, log, encryptionKeys };
const hourMs = 60 * 60 * 1_000;

/** Two copies of the app, each with its own connections to one Redis. */
describe.skipIf(!hasRedisServer())('the bot token that two copies of the app share on Redis', () => {
  let server: RedisServer;
  let storages: Storage[] = [];
  let used: string[];
  /** Slack's replies wait for this. */
  let replies: Promise<void>;

  beforeAll(async () => {
    server = await startRedisServer();
  });

  beforeEach(async () => {
    await server.flush();
    storages = [
      await openStorage({ redisUrl: server.url }, options),
      await openStorage({ redisUrl: server.url }, options),
    ];
    used = [];
    replies = Promise.resolve();
    const expired = { expiresAtMs: Date.now() - 1, refreshAtMs: Date.now() - 2 * hourMs };
    await storages[0]?.installations.replace({
      workspaceId: 'T1',
      botUserId: 'U1',
      token: new Secret('xoxb-0'),
      refreshToken: new Secret('xoxe-0'),
      ...expired,
      scopes: [],
      installedMs: 1,
    });
  });

  afterEach(async () => {
    for (const storage of storages) await storage.close();
  });

  afterAll(() => server.stop());

  /** Like Slack: a refresh token works once. */
  async function refresh(refreshToken: Secret): Promise<IssuedTokens> {
    const isUsed = used.includes(refreshToken.reveal());
    used.push(refreshToken.reveal());
    const number = used.length;
    await replies;
    if (isUsed) throw new AppError('refused', 'oauth.v2.access: invalid_refresh_token');
    return {
      accessToken: new Secret(`xoxb-${number}`),
      refreshToken: new Secret(`xoxe-${number}`),
      expiresAtMs: Date.now() + 12 * hourMs,
      refreshAtMs: Date.now() + 10 * hourMs,
    };
  }

  const copies = () =>
    storages.map((storage) => createBotTokens({ ...storage, issuer: { refresh }, now: Date.now, log }));

  function hold(): () => void {
    let release = (): void => {};
    replies = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  }

  it('is refreshed exactly once by any number of callers, who all get the new one', async () => {
    const reply = hold();
    const [one, other] = copies();
    const asked = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : other)?.('T1'));
    await eventually(() => expect(used).toEqual(['xoxe-0']));
    reply();
    const tokens = await Promise.all(asked);
    expect(new Set(tokens.map((token) => token?.reveal()))).toEqual(new Set(['xoxb-1']));
    expect(used).toEqual(['xoxe-0']);
    expect((await storages[1]?.installations.get('T1'))?.refreshToken?.reveal()).toBe('xoxe-1');
  });

  it('is kept when the lock of a slow refresh ended and another copy was refused', async () => {
    const reply = hold();
    const [one, other] = copies();
    const slow = one?.('T1');
    await eventually(() => expect(used).toEqual(['xoxe-0']));
    const beside = await openStoreBeside({ redisUrl: server.url }, options);
    await beside.delete(lockKey('installation:T1'));
    await beside.close();
    const second = expect(other?.('T1')).rejects.toMatchObject({ kind: 'unauthorized' });
    await eventually(() => expect(used).toEqual(['xoxe-0', 'xoxe-0']));
    reply();
    expect((await slow)?.reveal()).toBe('xoxb-1');
    await second;
    expect((await other?.('T1'))?.reveal()).toBe('xoxb-1');
    expect(used).toHaveLength(2);
  });
});
