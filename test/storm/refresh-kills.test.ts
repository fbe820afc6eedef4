import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createOAuthClient } from '../../src/service/oauth.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { answerConsent, registerOAuthApp } from '../codesearch/support/oauth-app.ts';
import { createPerson, createPkce } from '../codesearch/support/people.ts';
import { createHarbourRepository } from '../codesearch/support/repository.ts';
import { startTestService } from '../codesearch/support/service.ts';
import { eventually } from '../support/eventually.ts';
import { listenLocally } from '../support/fake-service/scripted-server.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { refreshPlan, type WrittenRefreshPlan } from '../support/storm/refresh-plan.ts';

const processFile = fileURLToPath(new URL('./account-user-process.ts', import.meta.url));
const person = { teamId: 'T1', userId: 'UBOB' };
const redirectUri = 'http://127.0.0.1/callback';
/** Lifetime of an access token in seconds: each process needs a refresh all the time. */
const lifetimeSeconds = 1;

/** When a process is killed: around its refresh at the service, and around what it does with the reply. */
const moments = ['beforeTheService', 'beforeTheReply', 'afterTheReply'] as const;
type Moment = (typeof moments)[number];
/** How often the processes are killed at each moment. */
const rounds = 4;

/** Passes requests for tokens on to the service, and kills as planned. */
async function startTokenProxy(tokenUrl: string, kill: () => void) {
  const refreshTokens: string[] = [];
  let planned: Moment | undefined;
  let kills = 0;
  const killAt = (moment: Moment) => {
    if (planned !== moment) return;
    planned = undefined;
    kills += 1;
    kill();
  };
  const server = createServer(async (incoming, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      refreshTokens.push(new URLSearchParams(body).get('refresh_token') ?? 'none');
      killAt('beforeTheService');
      const { authorization = '' } = incoming.headers;
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
      const reply = await fetch(tokenUrl, { method: 'POST', headers, body });
      const text = await reply.text();
      killAt('beforeTheReply');
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text, () => killAt('afterTheReply'));
    } catch {
      response.destroy();
    }
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/token`,
    refreshTokens,
    kills: () => kills,
    plan: (moment: Moment) => {
      planned = moment;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function openPlace(inRedis: boolean) {
  if (inRedis) {
    const redis = await startRedisServer();
    return { place: redis.url, close: () => redis.stop() };
  }
  const directory = await createTempDir();
  return { place: directory.path, close: () => directory.remove() };
}

/** A person who signed in, and processes that use the account. */
async function setUp(inRedis: boolean) {
  const repository = createHarbourRepository();
  const service = await startTestService({ repos: [repository.path], oauthTokenLifetime: lifetimeSeconds });
  const { place, close } = await openPlace(inRedis);
  const app = await registerOAuthApp(service.url, 'test-token', redirectUri);
  const processes = new Set<ReturnType<typeof runProgram>>();
  const killAll = () => {
    for (const { child } of processes) child.kill('SIGKILL');
  };
  const proxy = await startTokenProxy(app.tokenUrl, killAll);
  const written: WrittenRefreshPlan = {
    place,
    encryptionKey: randomBytes(32).toString('base64'),
    person,
    serviceUrl: service.url,
    oauth: { ...app, tokenUrl: proxy.url },
    leaseMs: 1_000,
  };
  await connect();

  return {
    proxy,
    outputs: [] as string[],
    async start(count: number) {
      const started = Array.from({ length: count }, () => runProgram(processFile, [JSON.stringify(written)]));
      for (const each of started) processes.add(each);
      return started;
    },
    async end() {
      killAll();
      const outputs = await Promise.all([...processes].map((each) => each.ended.then(() => each.output())));
      processes.clear();
      return outputs;
    },
    async stop() {
      killAll();
      await Promise.all([...processes].map(({ ended }) => ended));
      proxy.stop();
      await close();
      await service.stop();
      repository.remove();
    },
  };

  /** Signs in at the service and stores the account, as the app does. */
  async function connect(): Promise<void> {
    const server = createOAuthClient(app);
    const browser = createPerson(service.url);
    await browser.signIn('test-token');
    const { verifier: codeVerifier, challenge: codeChallenge } = createPkce();
    const target = await answerConsent(browser, server.authorizeUrl({ state: 's', codeChallenge, redirectUri }));
    const code = target.searchParams.get('code') ?? '';
    const tokens = await server.exchange({ code, codeVerifier, redirectUri });
    await server.close();
    const { location, encryptionKeys } = refreshPlan(JSON.stringify(written));
    const storage = await openStorage(location, { clock: Date.now, log: createRecordingLog().log, encryptionKeys });
    await storage.accounts.update(person, () => ({
      person,
      username: 'alice',
      credential: { kind: 'oauth', ...tokens },
      connectedMs: 0,
    }));
    await storage.close();
  }
}

const uses = (output: string): number => output.split('\n').filter((line) => line.startsWith('used')).length;
const refusals = (output: string): string[] =>
  output.split('\n').filter((line) => line.startsWith('failed unauthorized'));

const places: [string, boolean, number][] = [
  ['one process on the embedded store', false, 1],
  ['three processes on Redis', true, 3],
];

describe.each(places)('%s that refresh a token every second', (_, inRedis, count) => {
  const isThere = !inRedis || hasRedisServer();

  it.skipIf(!isThere)('send each refresh token once', async () => {
    const storm = await setUp(inRedis);
    try {
      const started = await storm.start(count);
      await eventually(() => expect(storm.proxy.refreshTokens.length).toBeGreaterThanOrEqual(8));
      for (const each of started) expect(uses(each.output())).toBeGreaterThan(0);
      expect(new Set(storm.proxy.refreshTokens).size).toBe(storm.proxy.refreshTokens.length);
      expect((await storm.end()).flatMap(refusals)).toEqual([]);
    } finally {
      await storm.stop();
    }
  });

  it.skipIf(!isThere)('never lose the grant, killed at any moment of a refresh', async () => {
    const storm = await setUp(inRedis);
    try {
      const outputs: string[] = [];
      for (const moment of Array.from({ length: rounds }, () => moments).flat()) {
        const before = storm.proxy.kills();
        storm.proxy.plan(moment);
        await storm.start(count);
        await eventually(() => expect(storm.proxy.kills()).toBe(before + 1));
        outputs.push(...(await storm.end()));
      }
      const last = await storm.start(count);
      await eventually(() => {
        for (const each of last) expect(uses(each.output())).toBeGreaterThan(20);
      });
      outputs.push(...(await storm.end()));
      expect(outputs.flatMap(refusals)).toEqual([]);
      // The refresh after each kill repeated the token of the one that was killed, or used the one that was stored.
      expect(new Set(storm.proxy.refreshTokens).size).toBeLessThan(storm.proxy.refreshTokens.length);
    } finally {
      await storm.stop();
    }
  });
});
