import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError, parseConfig } from '../../src/config.ts';
import { type Finding, findingOf, runChecks, worstOf } from '../../src/core/doctor.ts';
import { doctorText } from '../../src/render/doctor.ts';
import { createLibraryLogger } from '../../src/slack/api/web-client.ts';
import { botScopes } from '../../src/slack/install/install-pages.ts';
import { createHttpReceiver } from '../../src/slack/receivers/http-receiver.ts';
import { createDiskCheck } from '../../src/storage/checks/disk-check.ts';
import { type Routes, startRoutedService } from '../support/doctor/healthy-service.ts';
import { createPatient, examinePatient, expectGolden, type Patient } from '../support/doctor/patient.ts';
import { openProxy } from '../support/fake-service/http-proxy.ts';
import { hangUp, json, listenLocally, type Reply, status, text } from '../support/fake-service/scripted-server.ts';
import { nowhere } from '../support/nowhere.ts';
import { freePort } from '../support/processes/free-port.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { bulk, type ScriptedReply, startScriptedRedis } from '../support/processes/scripted-redis.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { expired, ofOtherHost, selfSigned } from './self-signed.ts';

/** What a Redis says of itself; a healthy one by default. */
interface Told {
  version?: string;
  policy?: string;
  isLogged?: boolean;
  sync?: string;
  lastSave?: 'ok' | 'err';
  /** The reply to INFO and CONFIG, instead of what it says. */
  refusal?: ScriptedReply;
}

/** Starts a Redis that says this of itself; stopped at the end of the test. Returns its URL. */
async function startToldRedis(told: Told = {}): Promise<string> {
  const { version = '7.2.4', policy = 'noeviction', isLogged = true, sync = 'always', lastSave = 'ok' } = told;
  const info = [
    '# Server',
    `redis_version:${version}`,
    `maxmemory_policy:${policy}`,
    `aof_enabled:${isLogged ? 1 : 0}`,
    `rdb_last_bgsave_status:${lastSave}`,
  ].join('\r\n');
  const settings: Record<string, string> = { appendfsync: sync };
  const server = await startScriptedRedis((name, args) => {
    if ((name === 'INFO' || name === 'CONFIG') && told.refusal !== undefined) return told.refusal;
    if (name === 'INFO') return bulk(`${info}\r\n`);
    if (name !== 'CONFIG') return undefined;
    const setting = args.at(-1) ?? '';
    return `*2\r\n${bulk(setting)}${bulk(settings[setting] ?? '')}`;
  });
  onTestFinished(() => server.stop());
  return server.url;
}

const signingSecret = 'signing-secret';
const generation1 = 'GET /.api/deepsearch/v1';
const generation2 = 'POST /api/deepsearch.v1.Service/ListConversationSummaries';

/** The lines of one check, as `status code`, with the reason and the settings to look at. */
function linesOf(findings: readonly Finding[], check: Finding['check']): string[] {
  return findings
    .filter((finding) => finding.check === check)
    .map(({ status: how, code, values }) => {
      const { reason, settings } = { reason: '', settings: '', ...values };
      return [how, code, reason, settings && `-> ${settings}`].filter((part) => part !== '').join(' ');
    });
}

/** The endpoint of an app with this signing secret, as Slack reaches it. */
async function startEndpoint(secret: string): Promise<string> {
  const { log } = createRecordingLog();
  const receiver = createHttpReceiver({ signingSecret: secret, logger: createLibraryLogger(log), log });
  const server = createServer(receiver.handle);
  const port = await listenLocally(server);
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${port}/slack/events`;
}

function withSignedRequests(patient: Patient): void {
  const { SLACK_APP_TOKEN: _, ...settings } = patient.settings;
  patient.settings = { ...settings, SLACK_SIGNING_SECRET: signingSecret };
}

async function withService(routes: Routes): Promise<Patient> {
  return createPatient((await startRoutedService(routes)).origin);
}

async function withRedis(url: string): Promise<Patient> {
  const patient = await createPatient();
  patient.settings.REDIS_URL = url;
  return patient;
}

async function trusting(tls: { key: string; cert: string }): Promise<Patient> {
  const patient = await createPatient((await startRoutedService({}, tls)).origin);
  const file = join(patient.settings.DATA_DIR ?? '', 'authority.pem');
  await writeFile(file, tls.cert);
  patient.settings.SRC_CA_FILE = file;
  return patient;
}

describe('the doctor of a healthy set-up', () => {
  test('passes everything that can be checked beside the app, with Socket Mode and the embedded storage', async () => {
    const findings = await examinePatient(await createPatient());
    expectGolden('healthy', doctorText(findings));
    expect(findings.filter(({ status: each }) => each !== 'pass').map(({ code }) => code)).toEqual(['eventsNeedApp']);
  });

  test('passes signed requests, TLS and Redis', async () => {
    const patient = await trusting(selfSigned);
    withSignedRequests(patient);
    patient.settings.REDIS_URL = await startToldRedis();
    const findings = await examinePatient(patient, { requestUrl: await startEndpoint(signingSecret) });
    expectGolden('healthy-http-redis', doctorText(findings));
    expect(findings.filter(({ status: each }) => each !== 'pass').map(({ code }) => code)).toEqual(['eventsNeedApp']);
  });

  test('says where to check the token when each workspace has its own', async () => {
    const patient = await createPatient();
    withSignedRequests(patient);
    const { SLACK_BOT_TOKEN: _, ...settings } = patient.settings;
    patient.settings = {
      ...settings,
      SLACK_CLIENT_ID: '1.2',
      SLACK_CLIENT_SECRET: 'client-secret',
      SLACK_WORKSPACES: 'T0FAKE',
      PUBLIC_URL: 'http://127.0.0.1:3000',
      ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 1).toString('base64')}`,
    };
    const findings = await examinePatient(patient);
    expect(linesOf(findings, 'token')).toEqual(['warn tokenOfEachWorkspace']);
    expect(linesOf(findings, 'scopes')).toEqual(['warn notChecked']);
    expect(linesOf(findings, 'clock')).toEqual(['pass clockRight']);
  });

  test('sends one request for each thing it asks, changes nothing at the service and posts nothing in Slack', async () => {
    const service = await startRoutedService();
    const patient = await createPatient(service.origin);
    await examinePatient(patient);
    expect(service.requests.map(({ method, url }) => `${method} ${url.split('?', 1)[0]}`)).toEqual([
      generation1,
      'POST /.api/graphql',
    ]);
    expect(patient.slack.calls.toSorted()).toEqual(['apps.connections.open', 'auth.test']);
  });
});

describe('the doctor of a broken set-up names the error, and what to look at', () => {
  test('when Slack refuses a token, or it belongs to no bot', async () => {
    const patient = await createPatient();
    patient.settings.SLACK_BOT_TOKEN = 'xoxb-wrong';
    patient.settings.SLACK_APP_TOKEN = 'xapp-wrong';
    const findings = await examinePatient(patient);
    expect(linesOf(findings, 'token')).toEqual(['fail refused auth.test: invalid_auth -> SLACK_BOT_TOKEN']);
    expect(linesOf(findings, 'scopes')).toEqual(['warn notChecked']);
    expect(linesOf(findings, 'delivery')).toEqual([
      'fail refused apps.connections.open: invalid_auth -> SLACK_APP_TOKEN',
    ]);
    expect(doctorText(findings)).toContain('-> Check SLACK_BOT_TOKEN; docs/troubleshooting.md says more.');
  });

  test('when scopes are missing: needed ones fail, optional ones warn; or Slack does not tell them', async () => {
    const patient = await createPatient();
    const left = Object.keys(botScopes).filter((scope) => !['im:history', 'users:read', 'files:write'].includes(scope));
    patient.slack.grantScopes(left);
    const findings = await examinePatient(patient);
    expect(findings.filter(({ check }) => check === 'scopes').map(({ code, values }) => [code, values])).toEqual([
      ['scopesMissing', { scopes: 'im:history, users:read' }],
      ['scopesOptionalMissing', { scopes: 'files:write' }],
    ]);
    patient.slack.grantScopes(undefined);
    expect(linesOf(await examinePatient(patient), 'scopes')).toEqual(['warn notTold the reply has no x-oauth-scopes']);
  });

  test('when Slack lets the app open no more connections', async () => {
    const patient = await createPatient();
    patient.slack.fault('apps.connections.open', { retryAfterSeconds: 30 });
    expect(linesOf(await examinePatient(patient), 'delivery')).toEqual([
      'fail refused apps.connections.open: rate limited -> SLACK_APP_TOKEN',
    ]);
  });

  test('when Slack can not be reached', async () => {
    const patient = await createPatient();
    // `fetch` refuses port 9 without trying.
    patient.settings.SLACK_API_URL = `http://127.0.0.1:${await freePort()}/api/`;
    const findings = await examinePatient(patient);
    expect(linesOf(findings, 'token')).toEqual(['fail noReply auth.test: no answer (ECONNREFUSED)']);
    expect(linesOf(findings, 'clock')).toEqual(['warn notChecked']);
  });

  test('when the app at the Request URL has another signing secret, or something else answers there', async () => {
    const patient = await createPatient();
    withSignedRequests(patient);
    const { origin } = await startRoutedService();
    const mine = await startEndpoint(signingSecret);
    for (const [requestUrl, line] of [
      [await startEndpoint('another'), 'fail refused POST HOST answered 401 -> SLACK_SIGNING_SECRET'],
      [`${origin}/slack/events`, 'fail refused POST HOST answered 404 -> PUBLIC_URL'],
      [`http://127.0.0.1:${await freePort()}/slack/events`, 'fail noReply ECONNREFUSED'],
      [mine, 'pass endpointAnswers'],
      [undefined, 'warn endpointNotGiven'],
    ] as const) {
      const [found] = linesOf(
        await examinePatient(patient, requestUrl === undefined ? {} : { requestUrl }),
        'delivery',
      );
      expect(found?.replace(/127\.0\.0\.1:\d+/, 'HOST')).toBe(line);
    }
    patient.settings.PUBLIC_URL = new URL('..', mine).href;
    expect(linesOf(await examinePatient(patient), 'delivery')).toEqual(['pass endpointAnswers']);
  });

  test('when the clock is ten minutes off, or some seconds', async () => {
    const patient = await createPatient();
    const far = await examinePatient(patient, { now: () => Date.now() + 600_000 });
    expect(linesOf(far, 'clock')).toEqual(['fail clockFarOff']);
    const few = await examinePatient(patient, { now: () => Date.now() - 20_000 });
    expect(linesOf(few, 'clock')).toEqual(['warn clockOff']);
  });

  test.each<[string, Reply, string]>([
    ['breaks off', hangUp, `noReply ${generation1}: no complete reply (UND_ERR_SOCKET: other side closed)`],
    ['fails', status(502), `noReply ${generation1} answered 502`],
    [
      'has moved',
      text('', 'text/plain', 301, { location: 'https://new.example.com/v1' }),
      `refused ${generation1} answered 301, a redirect to https://new.example.com; it is not followed -> SRC_ENDPOINT`,
    ],
    [
      'is behind a sign-in page',
      text('<html>', 'text/html'),
      `refused ${generation1} answered with an HTML page (signInPage) -> SRC_HEADERS, SRC_ENDPOINT`,
    ],
    [
      'is compressed by a proxy',
      text('{}', 'application/json', 200, { 'content-encoding': 'gzip' }),
      `refused ${generation1}: the reply has the content coding gzip (compressed_gzip) -> SRC_ENDPOINT`,
    ],
    ['refuses the token', status(401), `refused ${generation1} answered 401 -> SRC_ACCESS_TOKEN`],
    ['does not let it ask', status(403), `refused ${generation1} answered 403 -> SRC_ACCESS_TOKEN`],
  ])('when the service %s', async (_, reply, line) => {
    const findings = await examinePatient(await withService({ [generation1]: reply }));
    expect(linesOf(findings, 'service')).toEqual([`fail ${line}`]);
    expect(linesOf(findings, 'account')).toEqual(['warn notChecked']);
    expect(linesOf(findings, 'quota')).toEqual(['warn notChecked']);
  });

  test('when there is no connection to the service, because of its certificate or of a proxy', async () => {
    const untrusted = await createPatient((await startRoutedService({}, selfSigned)).origin);
    const away = await createPatient(`http://127.0.0.1:${await freePort()}`);
    const proxied = await createPatient('https://search.example.com');
    proxied.settings.HTTPS_PROXY = (await openProxy({ refuse: true })).address('user:proxy-password@');
    const withoutProxy = await createPatient('https://search.example.com');
    withoutProxy.settings.HTTPS_PROXY = nowhere;
    for (const [patient, code] of [
      [untrusted, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      [await trusting(expired), 'CERT_HAS_EXPIRED'],
      [await trusting(ofOtherHost), 'ERR_TLS_CERT_ALTNAME_INVALID'],
      [away, 'ECONNREFUSED'],
      [proxied, 'UND_ERR_ABORTED: Proxy response (403) !== 200 when HTTP Tunneling'],
      [withoutProxy, 'ECONNREFUSED'],
    ] as const) {
      const findings = await examinePatient(patient);
      expect(linesOf(findings, 'service')).toEqual([`fail noReply ${generation1}: no complete reply (${code})`]);
    }
  });

  test('when the token belongs to another user than SRC_SUDO_USER, to none, or may not tell whose it is', async () => {
    const patient = await createPatient();
    patient.settings.SRC_SUDO_USER = 'someone-else';
    expect(linesOf(await examinePatient(patient), 'account')).toEqual(['fail accountIsOther']);
    const noOne = await withService({ 'graphql CurrentUser': json({ data: { currentUser: null } }) });
    expect(linesOf(await examinePatient(noOne), 'account')).toEqual([
      'fail refused the credential belongs to no user -> SRC_ACCESS_TOKEN',
    ]);
    const untold = await withService({ 'graphql CurrentUser': status(403) });
    expect(linesOf(await examinePatient(untold), 'account')).toEqual(['warn notTold POST /.api/graphql answered 403']);
  });

  test('when the service does not offer the generation of its API that SRC_API names, or none', async () => {
    const gone = text('no route', 'text/plain', 404);
    const patient = await withService({ [generation1]: gone });
    const generationOf = async () => (await examinePatient(patient)).find(({ check }) => check === 'service')?.values;
    expect(await generationOf()).toMatchObject({ generation: 2 });
    patient.settings.SRC_API = '1';
    const needs1 = await examinePatient(patient);
    expect(linesOf(needs1, 'service')).toEqual([`fail refused ${generation1} answered 404 -> SRC_ENDPOINT, SRC_API`]);
    const none = await withService({ [generation1]: gone, [generation2]: status(404) });
    expect(linesOf(await examinePatient(none), 'service')).toEqual([
      `fail refused ${generation2} answered 404 -> SRC_ENDPOINT, SRC_API`,
    ]);
  });

  test.each<[number, string]>([
    [1_000, 'fail quotaUsedUp'],
    [800, 'warn quotaNearlyUsed'],
    [799, 'pass quotaLeft'],
  ])('when %i of 1,000 of the quota are used', async (used, line) => {
    const quota = { total_quota: used, quota_limit: 1_000, reset_time: '2030-01-01T00:00:00Z' };
    const conversations = [{ id: 7, questions: [], quota_usage: quota }];
    const patient = await withService({ [generation1]: json({ conversations, page_info: { has_next_page: false } }) });
    expect(linesOf(await examinePatient(patient), 'quota')).toEqual([line]);
  });

  test('when Redis is not as the app needs it, or can not be reached', async () => {
    const lines = async (url: string) => {
      const findings = await examinePatient(await withRedis(url));
      return [...linesOf(findings, 'redis'), ...linesOf(findings, 'persistence')].map((line) =>
        line.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST'),
      );
    };
    expect(await lines(await startToldRedis({ policy: 'allkeys-lru' }))).toEqual([
      expect.stringContaining('set its maxmemory-policy to noeviction (it is allkeys-lru) -> REDIS_URL'),
      'warn notChecked',
    ]);
    expect(await lines(await startToldRedis({ version: '5.0.14' }))).toEqual([
      'fail refused Redis at HOST is too old: at least version 6.2 is needed -> REDIS_URL',
      'warn notChecked',
    ]);
    expect(await lines(await startToldRedis({ refusal: '-NOPERM this user has no permissions\r\n' }))).toEqual([
      'warn redisNotTold',
      'warn notTold INFO has no aof_enabled',
    ]);
    expect((await lines('redis://:redis-password@127.0.0.1:9')).join()).toMatch(/^fail refused .*ECONNREFUSED/);
  });

  test.each([
    ['appendonly no', { isLogged: false }, 'warn persistenceWeak'],
    ['appendfsync no', { sync: 'no' }, 'warn persistenceWeak'],
    ['a failed write', { isLogged: false, lastSave: 'err' }, 'fail persistenceFails'],
  ] as const)('when Redis stores its data with %s', async (_, told, line) => {
    const findings = await examinePatient(await withRedis(await startToldRedis(told)));
    expect(linesOf(findings, 'persistence')).toEqual([line]);
  });

  test('when DATA_DIR can not be written', async () => {
    const patient = await createPatient();
    // A file is no folder, not even for root.
    const file = join(patient.settings.DATA_DIR ?? '', 'a-file');
    await writeFile(file, '');
    patient.settings.DATA_DIR = file;
    expect(linesOf(await examinePatient(patient), 'disk')).toEqual(['fail diskNotWritable']);
  });

  test('when the disk is full, or nearly', async () => {
    const folder = await createTempDir();
    onTestFinished(() => folder.remove());
    const report = async (bytes: number): Promise<string> => {
      const check = createDiskCheck(folder.path, async () => bytes);
      return doctorText(await runChecks([check], { deadlineMs: 5_000, onCrash: () => undefined }));
    };
    expect(await report(3 * 1024 ** 2)).toMatch(/^fail .*is full \(3 MiB free\)/);
    expect(await report(500 * 1024 ** 2)).toMatch(/^warn .*500 MiB free/);
    expect(await report(5 * 1024 ** 3)).toMatch(/^pass .*5 GiB free/);
  });

  test('when settings are wrong: one line for each problem; and with risks that the settings show', async () => {
    const problems = ((): string[] => {
      try {
        parseConfig({ SLACK_BOT_TOKEN: 'xoxb-1', PORT: 'soon', ADMINS: 'ada', SRC_ENDPOINT: 'search' });
        return [];
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return error.problems;
      }
    })();
    const findings = problems.map((problem) => findingOf('configuration', 'configurationWrong', { problem }));
    expectGolden('wrong-configuration', doctorText(findings));
    const patient = await createPatient('http://search.invalid');
    Object.assign(patient.settings, { SLACK_STAND_IN: 'true', ACCOUNTS: 'preferred' });
    expect(linesOf(await examinePatient(patient), 'configuration')).toEqual([
      'warn standIn',
      'warn serviceWithoutTls',
      'warn accountsWithoutKeys',
    ]);
  });
});

describe('the doctor', () => {
  test('turns a check that fails, and one that does not end, into a line each, and goes on', async () => {
    const crashed: unknown[] = [];
    const findings = await runChecks(
      [
        { name: 'disk', run: async () => Promise.reject(new TypeError('with a secret')) },
        { name: 'redis', run: () => new Promise(() => undefined) },
        { name: 'events', run: async (say) => [say('eventArrived', {})] },
      ],
      { deadlineMs: 50, onCrash: (_, error) => crashed.push(error) },
    );
    expect(findings.map(({ check, code, values }) => [check, code, values])).toEqual([
      ['disk', 'checkFailed', { code: 'TypeError' }],
      ['redis', 'checkFailed', { code: 'ETIMEDOUT' }],
      ['events', 'eventArrived', {}],
    ]);
    expect(worstOf(findings)).toBe('fail');
    expect(doctorText(findings)).not.toContain('secret');
    expect(crashed).toHaveLength(1);
  });

  test.runIf(hasRedisServer())('reads a real Redis', async () => {
    const folder = await createTempDir();
    onTestFinished(() => folder.remove());
    const redis = await startRedisServer(['--appendonly', 'yes', '--dir', folder.path]);
    onTestFinished(() => redis.stop());
    const findings = await examinePatient(await withRedis(redis.url));
    expect(findings.slice(-2).map(({ code, values }) => [code, values])).toEqual([
      ['redisReached', expect.anything()],
      ['persistenceOn', { sync: 'everysec' }],
    ]);
  });
});
