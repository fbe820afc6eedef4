import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { IssuedTokens } from '../../../src/core/accounts/accounts.ts';
import { AppError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createBotTokens, type Installation } from '../../../src/core/workspaces/installations.ts';
import { createKeyRing } from '../../../src/storage/encryption.ts';
import { createLocks } from '../../../src/storage/locks.ts';
import { createInstallations } from '../../../src/storage/sealed-records.ts';
import { eventually } from '../../support/eventually.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { memoryStore } from '../../support/storage/memory-store.ts';

const hourMs = 60 * 60 * 1_000;
const key = { id: 'a', key: new Secret(randomBytes(32).toString('base64')) };
const refusal = new AppError('refused', 'oauth.v2.access: invalid_refresh_token', { code: 'invalid_refresh_token' });

function installed(nowMs: number, more: Partial<Installation> = {}): Installation {
  return {
    workspaceId: 'T1',
    botUserId: 'U1',
    token: new Secret('xoxb-0'),
    refreshToken: new Secret('xoxe-0'),
    expiresAtMs: nowMs + 12 * hourMs,
    refreshAtMs: nowMs + 10 * hourMs,
    scopes: [],
    installedMs: nowMs,
    ...more,
  };
}

/** Two processes on one storage, and Slack, which issues `xoxb-1`, `xoxb-2` and so on. */
async function createWorld(more: Partial<Installation> = {}) {
  let nowMs = 1_000_000;
  const used: string[] = [];
  const failures: unknown[] = [];
  let failsToStore = 0;
  let replies = Promise.resolve();
  const kv = memoryStore();
  const { log } = createRecordingLog();
  const installations = createInstallations(kv, createKeyRing([key]));
  await installations.replace(installed(nowMs, more));
  const issuer = {
    async refresh(refreshToken: Secret): Promise<IssuedTokens> {
      used.push(refreshToken.reveal());
      await replies;
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return {
        accessToken: new Secret(`xoxb-${used.length}`),
        refreshToken: new Secret(`xoxe-${used.length}`),
        expiresAtMs: nowMs + 12 * hourMs,
        refreshAtMs: nowMs + 10 * hourMs,
      };
    },
  };
  const update: typeof installations.update = async (...change) => {
    failsToStore -= 1;
    if (failsToStore >= 0) throw new AppError('storage', 'down');
    return installations.update(...change);
  };
  const createProcess = () =>
    createBotTokens({
      installations: { ...installations, update },
      locks: createLocks(kv, log),
      issuer,
      now: () => nowMs,
      log,
    });
  const [one, other] = [createProcess(), createProcess()];
  return {
    one: async () => (await one('T1')).reveal(),
    other: async () => (await other('T1')).reveal(),
    installations,
    used,
    failures,
    /** Slack's replies come when the returned function is called. */
    hold: () => {
      let release = (): void => {};
      replies = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    failToStore: (times: number) => {
      failsToStore = times;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
    now: () => nowMs,
    stored: async () => (await installations.get('T1'))?.token.reveal(),
  };
}

describe('the bot token of a workspace', () => {
  it('is the stored one, without a refresh, where Slack does not rotate tokens', async () => {
    const kv = memoryStore();
    const { log } = createRecordingLog();
    const installations = createInstallations(kv, createKeyRing([key]));
    const { refreshToken: _, expiresAtMs: __, refreshAtMs: ___, ...plain } = installed(0);
    await installations.replace(plain);
    const issuer = { refresh: () => Promise.reject(refusal) };
    const botToken = createBotTokens({
      installations,
      locks: createLocks(kv, log),
      issuer,
      now: () => 99 * hourMs,
      log,
    });
    expect((await botToken('T1')).reveal()).toBe('xoxb-0');
    await expect(botToken('T2')).rejects.toMatchObject({ kind: 'unauthorized', code: 'account_inactive' });
  });

  it('is used without waiting while it is valid, and refreshed beside that', async () => {
    const world = await createWorld();
    expect(await world.one()).toBe('xoxb-0');
    expect(world.used).toEqual([]);
    world.pass(10 * hourMs);
    expect(await world.one()).toBe('xoxb-0');
    await eventually(async () => expect(await world.stored()).toBe('xoxb-1'));
    expect(await world.one()).toBe('xoxb-1');
    expect(world.used).toEqual(['xoxe-0']);
  });

  it('is refreshed once, and stored before use, by any number of callers in two processes', async () => {
    const world = await createWorld();
    world.pass(13 * hourMs);
    const callers = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? world.one() : world.other()));
    expect(new Set(await Promise.all(callers))).toEqual(new Set(['xoxb-1']));
    expect(world.used).toEqual(['xoxe-0']);
    expect(await world.stored()).toBe('xoxb-1');
  });

  it('is not lost when it can not be stored: the next call stores it without another refresh', async () => {
    const world = await createWorld();
    world.pass(13 * hourMs);
    world.failToStore(1);
    await expect(world.one()).rejects.toMatchObject({ kind: 'storage' });
    expect(await world.one()).toBe('xoxb-1');
    expect(world.used).toEqual(['xoxe-0']);
    expect(await world.stored()).toBe('xoxb-1');
  });

  it('is stored by a call that waits beside the one which could not store it', async () => {
    const world = await createWorld();
    world.pass(13 * hourMs);
    world.failToStore(1);
    const [first, second] = [world.one(), world.one()];
    await expect(first).rejects.toMatchObject({ kind: 'storage' });
    expect(await second).toBe('xoxb-1');
    expect(world.used).toEqual(['xoxe-0']);
  });

  it('stays in use until it expires when the refresh fails, which is repeated after a pause', async () => {
    const world = await createWorld();
    world.pass(12 * hourMs - 1_000);
    world.failures.push(new AppError('unavailable', 'no answer', { outcomeUnknown: true }));
    expect(await world.one()).toBe('xoxb-0');
    expect(await world.one()).toBe('xoxb-0');
    expect(world.used).toHaveLength(1);
    world.pass(6_000);
    expect(await world.one()).toBe('xoxb-2');
  });

  it('ends when it expired and Slack refuses to replace it, until the workspace installs the app again', async () => {
    const world = await createWorld();
    world.pass(13 * hourMs);
    world.failures.push(refusal);
    await expect(world.one()).rejects.toMatchObject({ kind: 'unauthorized', code: 'token_expired' });
    await expect(world.one()).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(world.used).toHaveLength(1);
    await world.installations.replace(installed(world.now(), { token: new Secret('xoxb-new') }));
    expect(await world.one()).toBe('xoxb-new');
  });

  it('is the one of a new installation that came during the refresh', async () => {
    const world = await createWorld();
    world.pass(13 * hourMs);
    const reply = world.hold();
    const asked = world.one();
    await eventually(() => expect(world.used).toHaveLength(1));
    const again = { token: new Secret('xoxb-new'), refreshToken: new Secret('xoxe-new') };
    await world.installations.replace(installed(world.now(), again));
    reply();
    expect(await asked).toBe('xoxb-new');
    expect(await world.stored()).toBe('xoxb-new');
  });
});
