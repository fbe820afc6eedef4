import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError, parseConfig } from '../../src/config.ts';
import { type Finding, worstOf } from '../../src/core/doctor/finding.ts';
import { runChecks } from '../../src/core/doctor/run-checks.ts';
import { proxyFor } from '../../src/deepsearch/proxy.ts';
import { team } from '../../src/local-slack/people.ts';
import { doctorText } from '../../src/render/doctor.ts';
import { createLibraryLogger } from '../../src/slack/api/library-logger.ts';
import { createHttpReceiver } from '../../src/slack/receivers/http-receiver.ts';
import { botScopes } from '../../src/slack/scopes.ts';
import { createDiskCheck } from '../../src/storage/checks/disk-check.ts';
import { startRoutedService } from '../support/doctor/healthy-service.ts';
import { createPatient, examinePatient, expectGolden, type Patient } from '../support/doctor/patient.ts';
import { startToldRedis } from '../support/doctor/told-redis.ts';
import { openProxy } from '../support/fake-service/http-proxy.ts';
import { hangUp, json, listenLocally, status, text } from '../support/fake-service/scripted-server.ts';
import { nowhere } from '../support/nowhere.ts';
import { freePort } from '../support/processes/free-port.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { expired, ofOtherHost, selfSigned } from './self-signed.ts';

/** An address without a listener. */
const signingSecret = 'signing-secret';

/** The lines of one check, as `status code`. */
function linesOf(findings: readonly Finding[], check: Finding['check']): string[] {
  return findings.filter((finding) => finding.check === check).map(({ status, code }) => `${status} ${code}`);
}

async function expectReport(name: string, patient: Patient, options: Parameters<typeof examinePatient>[1] = {}) {
  const findings = await examinePatient(patient, options);
  expectGolden(name, doctorText(findings));
  return findings;
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

async function withRedis(url: string): Promise<Patient> {
  const patient = await createPatient();
  patient.settings.REDIS_URL = url;
  return patient;
}

async function trusting(tls: { key: string; cert: string }, trusted = tls.cert): Promise<Patient> {
  const patient = await createPatient((await startRoutedService({}, tls)).origin);
  const file = join(patient.settings.DATA_DIR ?? '', 'authority.pem');
  await writeFile(file, trusted);
  patient.settings.SRC_CA_FILE = file;
  return patient;
}

describe('the doctor of a healthy set-up', () => {
  test('passes everything that can be checked beside the app, with Socket Mode and the embedded storage', async () => {
    const findings = await expectReport('healthy', await createPatient());
    expect(findings.filter(({ status: each }) => each !== 'pass').map(({ code }) => code)).toEqual(['eventsNeedApp']);
  });

  test('passes signed requests, TLS and Redis', async () => {
    const patient = await trusting(selfSigned);
    const { SLACK_APP_TOKEN: _, ...settings } = patient.settings;
    patient.settings = { ...settings, SLACK_SIGNING_SECRET: signingSecret, REDIS_URL: await startToldRedis() };
    const requestUrl = await startEndpoint(signingSecret);
    const findings = await expectReport('healthy-http-redis', patient, { requestUrl });
    expect(worstOf(findings)).toBe('warn');
    expect(linesOf(findings, 'certificate')).toEqual(['pass certificateValid']);
    // The endpoint of the test has no TLS.
    expect(linesOf(findings, 'delivery')).toEqual(['warn endpointNotHttps']);
  });

  test('says where to check the token when each workspace has its own', async () => {
    const patient = await createPatient();
    const { SLACK_BOT_TOKEN: _, SLACK_APP_TOKEN: __, ...settings } = patient.settings;
    patient.settings = {
      ...settings,
      SLACK_CLIENT_ID: '1.2',
      SLACK_CLIENT_SECRET: 'client-secret',
      SLACK_WORKSPACES: 'T0FAKE',
      SLACK_SIGNING_SECRET: signingSecret,
      PUBLIC_URL: 'http://127.0.0.1:3000',
      ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 1).toString('base64')}`,
    };
    const findings = await examinePatient(patient);
    expect(linesOf(findings, 'token')).toEqual(['warn tokenOfEachWorkspace']);
    expect(linesOf(findings, 'scopes')).toEqual(['warn notChecked']);
    expect(linesOf(findings, 'clock')).toEqual(['pass clockRight']);
  });

  test('changes nothing: it only reads at the service, and posts nothing in Slack', async () => {
    const service = await startRoutedService();
    const patient = await createPatient(service.origin);
    await examinePatient(patient);
    expect(new Set(service.requests.map(({ method, url }) => `${method} ${url.split('?', 1)[0]}`))).toEqual(
      new Set([
        'GET /__version',
        'GET /.api/deepsearch/v1',
        'POST /api/deepsearch.v1.Service/ListConversationSummaries',
        'POST /.api/graphql',
      ]),
    );
    expect(patient.slack.agentSessions.size).toBe(0);
    expect(new Set(patient.slack.calls)).toEqual(
      new Set([
        'auth.test',
        'apps.connections.open',
        'agents.sessions.setStatus',
        'assistant.threads.setSuggestedPrompts',
      ]),
    );
  });
});

describe('the doctor of a broken set-up says what to mend', () => {
  test('when Slack refuses the bot token', async () => {
    const patient = await createPatient();
    patient.settings.SLACK_BOT_TOKEN = 'xoxb-wrong';
    expect(worstOf(await expectReport('wrong-token', patient))).toBe('fail');
  });

  test('when scopes are missing: needed ones fail, optional ones warn', async () => {
    const patient = await createPatient();
    const left = Object.keys(botScopes).filter((scope) => !['im:history', 'users:read', 'files:write'].includes(scope));
    patient.slack.grantScopes(left);
    const findings = await expectReport('missing-scopes', patient);
    expect(linesOf(findings, 'scopes')).toEqual(['fail scopesMissing', 'warn scopesOptionalMissing']);
  });

  test('when Slack refuses the app-level token, or it is the bot token', async () => {
    const patient = await createPatient();
    patient.settings.SLACK_APP_TOKEN = 'xapp-wrong';
    await expectReport('wrong-app-token', patient);
    patient.settings.SLACK_APP_TOKEN = team.appToken;
    patient.slack.fault('apps.connections.open', { error: 'not_allowed_token_type' });
    expect(linesOf(await examinePatient(patient), 'delivery')).toEqual(['fail appTokenOfOtherKind']);
  });

  test('when Slack lets the app open no more connections', async () => {
    const patient = await createPatient();
    patient.slack.fault('apps.connections.open', { retryAfterSeconds: 30 });
    expect(linesOf(await examinePatient(patient), 'delivery')).toEqual(['warn socketLimited']);
  });

  test('when Slack can not be reached', async () => {
    const patient = await createPatient();
    // `fetch` refuses port 9 without trying.
    patient.settings.SLACK_API_URL = `http://127.0.0.1:${await freePort()}/api/`;
    await expectReport('slack-unreachable', patient);
  });

  test('when the app at the Request URL has another signing secret, or something else answers there', async () => {
    const patient = await createPatient();
    const { SLACK_APP_TOKEN: _, ...settings } = patient.settings;
    patient.settings = { ...settings, SLACK_SIGNING_SECRET: signingSecret };
    await expectReport('wrong-signing-secret', patient, { requestUrl: await startEndpoint('another') });
    const { origin } = await startRoutedService();
    const isOther = await examinePatient(patient, { requestUrl: `${origin}/slack/events` });
    expect(linesOf(isOther, 'delivery')).toEqual(['fail endpointIsOther']);
    const isAway = await examinePatient(patient, { requestUrl: `${nowhere}/slack/events` });
    expect(linesOf(isAway, 'delivery')).toEqual(['fail endpointUnreachable']);
    expect(linesOf(await examinePatient(patient), 'delivery')).toEqual(['warn endpointNotGiven']);
    patient.settings.PUBLIC_URL = new URL('.', await startEndpoint(signingSecret)).href.replace('/slack/', '/');
    expect(linesOf(await examinePatient(patient), 'delivery')).toEqual(['warn endpointNotHttps']);
  });

  test('when the workspace lacks features, and Slack does not tell the scopes', async () => {
    const patient = await createPatient();
    patient.slack.agentFeatures = false;
    patient.slack.grantScopes(undefined);
    expect(worstOf(await expectReport('missing-features', patient))).toBe('warn');
  });

  test('when the clock is ten minutes off, or some seconds', async () => {
    const patient = await createPatient();
    await expectReport('clock-skew', patient, { now: () => Date.now() + 600_000 });
    const few = await examinePatient(patient, { now: () => Date.now() - 20_000 });
    expect(linesOf(few, 'clock')).toEqual(['warn clockOff']);
  });

  test('when the proxy refuses CONNECT', async () => {
    const proxy = await openProxy({ refuse: true });
    const patient = await createPatient('https://search.example.com');
    patient.settings.HTTPS_PROXY = proxy.address('user:proxy-password@');
    await expectReport('proxy-refuses', patient);
  });

  test('when the proxy is away, and passes when it carries or is not used', async () => {
    const service = await startRoutedService({}, selfSigned);
    const patient = await createPatient(service.origin);
    patient.settings.HTTPS_PROXY = nowhere;
    expect(linesOf(await examinePatient(patient), 'proxy')).toEqual(['fail proxyUnreachable', 'pass proxyNotFor']);
    patient.settings.HTTPS_PROXY = (await openProxy()).address();
    expect(linesOf(await examinePatient(patient), 'proxy')).toEqual(['pass proxyCarries', 'pass proxyNotFor']);
    patient.settings.NO_PROXY = '127.0.0.1';
    expect(linesOf(await examinePatient(patient), 'proxy')).toEqual(['pass proxyNotFor']);
  });

  test('when the service can not be reached', async () => {
    await expectReport('service-unreachable', await createPatient(nowhere));
  });

  test('when the service breaks off, fails, has moved or is something else', async () => {
    const moved = text('', 'text/plain', 301, { location: 'https://new.example.com/__version' });
    for (const [reply, line] of [
      [hangUp, 'fail serviceUnreachable'],
      [status(502), 'fail serviceFails'],
      [moved, 'fail serviceMoved'],
      [text('<html>', 'text/html'), 'fail serviceSignInPage'],
      [status(302, { location: 'https://login.example.com/' }), 'fail serviceSignInPage'],
      [text('<html>', 'text/html', 404), 'warn serviceIsOther'],
      [text('7.1.0', 'text/plain', 200, { 'content-encoding': 'gzip' }), 'fail serviceCompresses'],
    ] as const) {
      const service = await startRoutedService({ 'GET /__version': reply });
      expect(linesOf(await examinePatient(await createPatient(service.origin)), 'service')).toEqual([line]);
    }
  });

  test('when the certificate of the service is not trusted', async () => {
    const patient = await createPatient((await startRoutedService({}, selfSigned)).origin);
    await expectReport('certificate-not-trusted', patient);
  });

  test('when the certificate of the service has expired', async () => {
    await expectReport('certificate-expired', await trusting(expired));
  });

  test('when the certificate of the service is for another name', async () => {
    const findings = await examinePatient(await trusting(ofOtherHost));
    expect(linesOf(findings, 'certificate')).toEqual(['fail certificateOfOtherHost']);
    expect(linesOf(findings, 'service')).toEqual(['fail serviceNotTrusted']);
  });

  test('when the service refuses the token', async () => {
    const refused = status(401);
    const service = await startRoutedService({
      'GET /.api/deepsearch/v1': refused,
      'POST /api/deepsearch.v1.Service/ListConversationSummaries': refused,
      'graphql CurrentUser': refused,
      'graphql Quota': refused,
    });
    await expectReport('service-token-refused', await createPatient(service.origin));
  });

  test('when the token may not ask, or belongs to another user than SRC_SUDO_USER', async () => {
    const forbidden = await startRoutedService({ 'GET /.api/deepsearch/v1': status(403) });
    const findings = await examinePatient(await createPatient(forbidden.origin));
    expect(linesOf(findings, 'serviceToken')).toEqual(['fail serviceTokenMayNotAsk']);
    const patient = await createPatient();
    patient.settings.SRC_SUDO_USER = 'someone-else';
    expect(linesOf(await examinePatient(patient), 'account')).toEqual(['fail accountIsOther']);
  });

  test('when the token may not ask for currentUser, or belongs to no user', async () => {
    const service = await startRoutedService({ 'graphql CurrentUser': status(403), 'graphql Quota': status(403) });
    await expectReport('no-current-user', await createPatient(service.origin));
    const noOne = await startRoutedService({ 'graphql CurrentUser': json({ data: { currentUser: null } }) });
    const findings = await examinePatient(await createPatient(noOne.origin));
    expect(linesOf(findings, 'account')).toEqual(['fail accountOfNoOne']);
  });

  test('when the service does not offer the generation of its API that SRC_API names, or none', async () => {
    const only2 = {
      'GET /__version': text('8.0.0', 'text/plain'),
      'GET /.api/deepsearch/v1': text('no route', 'text/plain', 404),
    };
    const patient = await createPatient((await startRoutedService(only2)).origin);
    patient.settings.SRC_API = '1';
    await expectReport('generation-not-offered', patient);
    patient.settings.SRC_API = 'auto';
    const findings = await examinePatient(patient);
    expect(linesOf(findings, 'version')).toEqual(['pass generationChosen']);
    expect(linesOf(findings, 'sharing')).toEqual(['pass sharingWithoutTokens']);
    const none = {
      'GET /__version': text('6.2.0', 'text/plain'),
      'GET /.api/deepsearch/v1': text('no route', 'text/plain', 404),
      'POST /api/deepsearch.v1.Service/ListConversationSummaries': status(404),
    };
    const old = await examinePatient(await createPatient((await startRoutedService(none)).origin));
    expect(linesOf(old, 'version')).toEqual(['fail apiMissing']);
  });

  test('when a gateway has no route for the API, although the version promises it', async () => {
    const service = await startRoutedService({
      'GET /.api/deepsearch/v1': json({ message: 'no Route matched with those values' }, 404),
    });
    const findings = await examinePatient(await createPatient(service.origin));
    expect(linesOf(findings, 'version')).toEqual(['fail apiNotFound']);
    expect(linesOf(findings, 'serviceToken')).toEqual(['warn notChecked']);
  });

  test('when the quota is used up, and the share link is not opened', async () => {
    const service = await startRoutedService({
      'GET /.api/deepsearch/v1': json({ conversations: [] }),
      'graphql Quota': json({ data: { deepSearchQuotaUsage: { limit: 1_000, consumed: 1_000 } } }),
    });
    await expectReport('quota-used-up', await createPatient(service.origin));
  });

  test('when Redis may drop questions', async () => {
    const url = await startToldRedis({ policy: 'allkeys-lru' });
    await expectReport('redis-eviction', await withRedis(url));
  });

  test('when Redis says what is no word', async () => {
    const patient = await withRedis(await startToldRedis({ policy: '\u001b[2Jnoeviction' }));
    expect(linesOf(await examinePatient(patient), 'eviction')).toEqual(['warn evictionNotTold']);
  });

  test('when Redis stores nothing on disk, or only now and then', async () => {
    const patient = await withRedis(await startToldRedis({ isLogged: false }));
    await expectReport('redis-without-persistence', patient);
    patient.settings.REDIS_URL = await startToldRedis({ isLogged: false, save: '3600 1' });
    expect(linesOf(await examinePatient(patient), 'persistence')).toEqual(['warn persistenceSnapshots']);
    patient.settings.REDIS_URL = await startToldRedis({ isLogged: false, save: '3600 1', lastSave: 'err' });
    expect(linesOf(await examinePatient(patient), 'persistence')).toEqual(['fail persistenceFails']);
  });

  test('when Redis is too old, tells nothing, or can not be reached', async () => {
    const patient = await withRedis(await startToldRedis({ version: '5.0.14' }));
    expect(linesOf(await examinePatient(patient), 'redis')).toEqual(['fail redisTooOld']);
    patient.settings.REDIS_URL = await startToldRedis({ refusal: '-NOPERM this user has no permissions\r\n' });
    const untold = await examinePatient(patient);
    expect(['redis', 'eviction', 'persistence'].flatMap((check) => linesOf(untold, check as Finding['check']))).toEqual(
      ['warn redisVersionNotTold', 'warn evictionNotTold', 'warn persistenceNotTold'],
    );
    patient.settings.REDIS_URL = 'redis://:redis-password@127.0.0.1:9';
    await expectReport('redis-unreachable', patient);
  });

  test('when DATA_DIR can not be written', async () => {
    const patient = await createPatient();
    // A file is no folder, not even for root.
    const file = join(patient.settings.DATA_DIR ?? '', 'a-file');
    await writeFile(file, '');
    patient.settings.DATA_DIR = file;
    await expectReport('data-dir-not-writable', patient);
  });

  test('when the disk is full, or nearly', async () => {
    const folder = await createTempDir();
    onTestFinished(() => folder.remove());
    const report = async (bytes: number): Promise<string> => {
      const check = createDiskCheck(folder.path, async () => bytes);
      return doctorText(await runChecks([check], { deadlineMs: 5_000, onCrash: () => undefined }));
    };
    expectGolden('disk-full', await report(3 * 1024 ** 2));
    expect(await report(500 * 1024 ** 2)).toMatch(/^warn .*500 MiB free/);
    expect(await report(5 * 1024 ** 3)).toMatch(/^pass .*5 GiB free/);
  });

  test('when settings are wrong: one line for each problem', () => {
    const problems = ((): string[] => {
      try {
        parseConfig({ SLACK_BOT_TOKEN: 'xoxb-1', POLL_MIN_MS: 'soon', ADMINS: 'ada', SRC_ENDPOINT: 'search' });
        return [];
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return error.problems;
      }
    })();
    const findings = problems.map((problem) => ({
      check: 'configuration' as const,
      status: 'fail' as const,
      code: 'configurationWrong' as const,
      values: { problem },
    }));
    expectGolden('wrong-configuration', doctorText(findings));
  });
});

describe('the proxy that the doctor expects', () => {
  const proxy = { http: 'http://plain.example:1', https: 'secure.example:2' };

  test.each([
    ['https://search.example.com', '', 'secure.example:2'],
    ['http://search.example.com', '', 'plain.example:1'],
    ['https://search.example.com', '*', undefined],
    ['https://search.example.com', 'other.com, example.com', undefined],
    ['https://search.example.com', '.example.com', undefined],
    ['https://search.example.com', '*.example.com', undefined],
    ['https://search.example.com', 'ample.com', 'secure.example:2'],
    ['https://search.example.com', 'SEARCH.example.com:443', undefined],
    ['https://search.example.com:8443', 'search.example.com:443', 'secure.example:2'],
    ['https://10.1.2.3', '10.0.0.0/8', undefined],
    ['https://11.1.2.3', '10.0.0.0/8', 'secure.example:2'],
    ['https://172.31.255.255', '10.0.0.0/8,172.16.0.0/12', undefined],
    ['https://172.32.0.0', '172.16.0.0/12', 'secure.example:2'],
    ['https://10.1.2.3:8443', '10.0.0.0/8:443', 'secure.example:2'],
    ['https://10.1.2.3', '10.1.2.3', undefined],
    ['https://10.1.2.30', '10.1.2.3', 'secure.example:2'],
    ['https://[fd00::1]', 'fd00::/8', undefined],
    ['https://[fd00::1]', '[fd00::]/8', undefined],
    ['https://[2001:db8::1]', 'fd00::/8', 'secure.example:2'],
    ['https://[::1]:8443', '[::1]:8443', undefined],
    ['https://[0:0::1]', '::1', undefined],
    ['https://search.example.com', '0.0.0.0/0', 'secure.example:2'],
    ['https://search.example.com', '10.0.0.0/99', 'secure.example:2'],
  ])('of %s with NO_PROXY "%s" is %s', (address, noProxy, expected) => {
    expect(proxyFor(new URL(address), { ...proxy, noProxy })?.host).toBe(expected);
  });
});

describe('the doctor', () => {
  test('turns a check that fails, and one that does not end, into a line each, and goes on', async () => {
    const crashed: unknown[] = [];
    const findings = await runChecks(
      [
        { name: 'disk', run: async () => Promise.reject(new TypeError('with a secret')) },
        { name: 'proxy', run: () => new Promise(() => undefined) },
        { name: 'events', run: async (say) => [say('pass', 'eventArrived', {})] },
      ],
      { deadlineMs: 50, onCrash: (_, error) => crashed.push(error) },
    );
    expect(findings.map(({ check, status, code }) => `${check} ${status} ${code}`)).toEqual([
      'disk fail checkCrashed',
      'proxy fail checkLate',
      'events pass eventArrived',
    ]);
    expect(doctorText(findings)).not.toContain('secret');
    expect(crashed).toHaveLength(1);
  });

  test.runIf(hasRedisServer())('reads a real Redis', async () => {
    const folder = await createTempDir();
    onTestFinished(() => folder.remove());
    const redis = await startRedisServer(['--appendonly', 'yes', '--dir', folder.path]);
    onTestFinished(() => redis.stop());
    const findings = await examinePatient(await withRedis(redis.url));
    expect(findings.slice(-4).map(({ status, code }) => `${status} ${code}`)).toEqual([
      'pass redisReached',
      'pass evictionOff',
      'pass persistenceEverySecond',
      'pass latencyLow',
    ]);
  });
});
