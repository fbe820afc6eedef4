import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccountParts } from '../../src/app/accounts.ts';
import type { AppContext } from '../../src/app/context.ts';
import { parseConfig } from '../../src/config.ts';
import { type Accounts, createAccountChanges } from '../../src/core/accounts/accounts.ts';
import { createAuditLog } from '../../src/core/history/audit.ts';
import { Secret } from '../../src/core/secret.ts';
import { noTracer } from '../../src/core/tracing.ts';
import { createLimiters } from '../../src/rate-limits/limiters.ts';
import { createOutbound } from '../../src/service/outbound.ts';
import { createBackgroundTasks } from '../../src/slack/background-tasks.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import {
  json,
  type Reply,
  type ScriptedServer,
  silence,
  startScriptedServer,
  status,
} from '../support/fake-service/scripted-server.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';

const ana = { teamId: 'T1', userId: 'U1' };
const token = 'sgp_of-ana';
const isAna: Reply = json({ data: { currentUser: { username: 'ana.s' } } });

let server: ScriptedServer;
let closers: (() => Promise<void>)[];
let recording: ReturnType<typeof createRecordingLog>;

beforeEach(async () => {
  server = await startScriptedServer();
  closers = [() => server.close()];
  recording = createRecordingLog();
});

afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

async function start(): Promise<Accounts> {
  const directory = await createTempDir();
  closers.push(() => directory.remove());
  const { log } = recording;
  const config = parseConfig({
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_APP_TOKEN: 'xapp-1',
    SRC_ENDPOINT: server.origin,
    SRC_ACCESS_TOKEN: 'sgp_of-the-app',
    ACCOUNTS: 'preferred',
    ENCRYPTION_KEYS: `k:${Buffer.alloc(32, 7).toString('base64')}`,
  });
  const storage = await openStorage(
    { dataDir: directory.path },
    { clock: Date.now, log, encryptionKeys: config.ENCRYPTION_KEYS },
  );
  const context: AppContext = {
    config,
    log,
    tracer: noTracer,
    now: Date.now,
    random: () => 0.5,
    storage,
    audit: createAuditLog(log),
    createLimiter: createLimiters({ log }),
    outbound: createOutbound({}),
    accountChanges: createAccountChanges(),
    tasks: createBackgroundTasks({ log }),
    onStop: (close) => void closers.push(close),
  };
  closers.push(() => storage.close());
  return createAccountParts(context).accounts;
}

describe('the check of a token', () => {
  it("asks the service with this token, and never with the app's", async () => {
    const accounts = await start();
    server.script(isAna);
    expect(await accounts.connectWithToken(ana, new Secret(token))).toEqual({ kind: 'connected', username: 'ana.s' });
    expect(await accounts.statusOf(ana)).toMatchObject({ state: 'connected', kind: 'token', username: 'ana.s' });
    expect(server.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/.api/graphql', `token ${token}`],
    ]);
    expect(JSON.stringify(server.requests)).not.toContain('sgp_of-the-app');
    expect(inspect(recording.lines, { depth: 9 })).not.toContain(token);
  });

  it.each<[string, Reply]>([
    ['a 401', status(401)],
    ['a 403', status(403)],
    ['no user', json({ data: { currentUser: null } })],
  ])('refuses a token that is answered with %s', async (_, reply) => {
    const accounts = await start();
    server.script(reply);
    expect(await accounts.connectWithToken(ana, new Secret(token))).toEqual({ kind: 'refused' });
    expect(await accounts.statusOf(ana)).toEqual({ state: 'none' });
  });

  it('refuses a token that no header can carry, without a request', async () => {
    const accounts = await start();
    expect(await accounts.connectWithToken(ana, new Secret('sgp_\u00e4\n'))).toEqual({ kind: 'refused' });
    expect(server.requests).toEqual([]);
  });

  it.each<[string, Reply]>([
    ['nothing', silence],
    ['a failure each time', status(500)],
    ['another form', json({ data: { currentUser: { name: 'ana' } } })],
    ['an error of GraphQL', json({ errors: [{ message: token }], data: null })],
  ])('stores nothing when the service answers with %s, and says that it was not checked', async (_, reply) => {
    const accounts = await start();
    server.script(reply, reply, reply, reply, reply, reply);
    expect(await accounts.connectWithToken(ana, new Secret(token))).toEqual({ kind: 'notChecked' });
    expect(await accounts.statusOf(ana)).toEqual({ state: 'none' });
    expect(inspect(recording.lines, { depth: 9 })).not.toContain(token);
  });

  it('is done ten times in a minute for one person, and still for others', async () => {
    const accounts = await start();
    server.script(...Array.from({ length: 11 }, () => status(401)));
    const results = await Promise.all(
      Array.from({ length: 12 }, () => accounts.connectWithToken(ana, new Secret(token))),
    );
    expect(results.filter(({ kind }) => kind === 'notChecked')).toHaveLength(2);
    expect(server.requests).toHaveLength(10);
    const other = await accounts.connectWithToken({ ...ana, userId: 'U2' }, new Secret(token));
    expect(other).toEqual({ kind: 'refused' });
  });
});
