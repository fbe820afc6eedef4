import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { type FakeService, startFakeService } from '../support/fake-service/fake-service.ts';
import { nowhere } from '../support/nowhere.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';

const program = await builtProgram('src/cli/admin.ts');

const key = { id: 'k1', key: randomBytes(32).toString('base64') };
const token = 'sgp_of-the-workspace';
const { log } = createRecordingLog();

let folder: Awaited<ReturnType<typeof createTempDir>>;
let service: FakeService;
let tokenFile: string;

beforeEach(async () => {
  folder = await createTempDir();
  service = await startFakeService({ token, username: 'bot' });
  tokenFile = join(folder.path, 'token');
  await writeFile(tokenFile, `${token}\n`);
  // The app started once.
  await (await open()).close();
});

afterEach(async () => {
  await service.stop();
  await folder.remove();
});

function settings(): Record<string, string> {
  return {
    SLACK_CLIENT_ID: '1.2',
    SLACK_CLIENT_SECRET: 'secret',
    SLACK_WORKSPACES: 'T0ONE,T0TWO',
    SLACK_SIGNING_SECRET: 'signing',
    PUBLIC_URL: 'https://bot.example.com',
    ENCRYPTION_KEYS: `${key.id}:${key.key}`,
    SRC_ENDPOINT: 'https://app.example.com',
    SRC_ACCESS_TOKEN: 'sgp_of-the-app',
    DATA_DIR: join(folder.path, 'data'),
  };
}

async function admin(
  args: string[],
  { more = {}, input }: { more?: Record<string, string>; input?: string } = {},
): Promise<{ code: unknown; output: string }> {
  const run = runProgram(program, ['workspace', ...args], { ...settings(), ...more }, input);
  return { code: await run.ended, output: run.output() };
}

const set = (id: string, ...more: string[]) =>
  admin(['--id', id, '--endpoint', `${service.url}/`, '--token-file', tokenFile, ...more]);

function open(keys = [key]) {
  const encryptionKeys = keys.map(({ id, key: bytes }) => ({ id, key: new Secret(bytes) }));
  return openStorage({ dataDir: join(folder.path, 'data') }, { clock: Date.now, log, encryptionKeys });
}

describe('npm run admin -- workspace', () => {
  test('stores a service that takes the token, lists it without the token, and notes it in the audit log', async () => {
    const done = await set('T0TWO');
    expect(done).toEqual({
      code: 0,
      output: `T0TWO asks at ${service.url} as bot now\nit has not installed the app yet\n`,
    });
    const { output } = await admin([]);
    expect(output).toBe(`T0TWO  (not installed)  ${service.url} as bot\n`);
    const storage = await open();
    const { current } = (await storage.workspaceServices.get('T0TWO')) ?? {};
    expect(current).toMatchObject({ endpoint: service.url, username: 'bot', api: 'auto' });
    expect(current?.token.reveal()).toBe(token);
    const actions: string[] = [];
    for await (const page of storage.audit.pages({ fromMs: 0, toMs: Date.now() + 1 })) {
      actions.push(...page.map(({ action, teamId, detail }) => `${action} ${teamId} ${detail}`));
    }
    expect(actions).toEqual([`serviceChanged T0TWO ${new URL(service.url).host}`]);
    await storage.close();
  });

  test('takes the token from the standard input', async () => {
    const args = ['--id', 'T0TWO', '--endpoint', service.url, '--token-file', '-', '--api', '1'];
    expect(await admin(args, { input: `${token}\n` })).toMatchObject({ code: 0 });
    const storage = await open();
    expect((await storage.workspaceServices.get('T0TWO'))?.current?.api).toBe('1');
    await storage.close();
  });

  test('lists installed workspaces by name', async () => {
    const storage = await open();
    await storage.installations.replace({
      workspaceId: 'T0ONE',
      name: 'Acme',
      botUserId: 'U1',
      token: new Secret('xoxb-1'),
      scopes: [],
      installedMs: 1,
    });
    await storage.close();
    await set('T0TWO');
    const { output } = await admin([]);
    expect(output).toBe(`T0ONE  Acme  the app's own service\nT0TWO  (not installed)  ${service.url} as bot\n`);
  });

  test('clears a service, and keeps it for what runs there', async () => {
    await set('T0TWO');
    const cleared = await admin(['--id', 'T0TWO', '--clear']);
    expect(cleared.output).toContain(
      "T0TWO asks at the app's own service now\nwhat runs at the service before ends there",
    );
    const { output } = await admin([]);
    expect(output).toMatch(
      /^T0TWO {2}\(not installed\) {2}the app's own service\n {2}what was asked before .* ends at http/,
    );
    expect((await admin(['--id', 'T0TWO', '--clear'])).output).toContain('already');
  });

  test('stores nothing if the service refuses the token or is not there', async () => {
    await writeFile(tokenFile, 'sgp_wrong');
    const refused = await set('T0TWO');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('nothing is changed: the service refuses the token');
    expect(refused.output).not.toContain('sgp_wrong');
    const gone = await admin(['--id', 'T0TWO', '--endpoint', nowhere, '--token-file', tokenFile], {
      more: { SRC_TIMEOUT_MS: '500' },
    });
    expect(gone.code).toBe(1);
    expect(gone.output).toContain("nothing is changed: the service can't be reached");
    expect((await admin([])).output).toBe('no workspace installed the app\n');
  });

  test('checks the stored services', async () => {
    expect(await admin(['--check'])).toEqual({ code: 0, output: 'no workspace has its own service\n' });
    await set('T0TWO');
    expect(await admin(['--check'])).toEqual({ code: 0, output: `T0TWO  ${service.url} as bot: fine\n` });
    service.scriptFaults(() => ({ status: 401 }));
    const { code, output } = await admin(['--check']);
    expect(code).toBe(1);
    expect(output).toContain('refuses the token');
  });

  test('says that ACCOUNTS does not apply', async () => {
    const args = ['--id', 'T0TWO', '--endpoint', service.url, '--token-file', tokenFile];
    const { output } = await admin(args, { more: { ACCOUNTS: 'required' } });
    expect(output).toContain('ACCOUNTS=required does not apply to it');
  });

  test('is covered by rotate-keys, and replaces what no key decrypts', async () => {
    await set('T0TWO');
    const next = { id: 'k2', key: randomBytes(32).toString('base64') };
    const both = `${next.id}:${next.key},${key.id}:${key.key}`;
    const rotate = runProgram(program, ['rotate-keys'], { ...settings(), ENCRYPTION_KEYS: both });
    await rotate.ended;
    expect(rotate.output()).toContain('encrypted with the first key now: 1');
    const storage = await open([next]);
    expect((await storage.workspaceServices.get('T0TWO'))?.current?.token.reveal()).toBe(token);
    await storage.close();
    expect((await admin([])).output).toContain('a service that no key of ENCRYPTION_KEYS decrypts');
    expect((await set('T0TWO')).code).toBe(0);
    expect((await admin([])).output).toContain(`${service.url} as bot`);
  });

  test.each([
    [['--id', 'U0ONE', '--clear'], '--id must be a workspace'],
    [['--id', 'T0ONE'], '--endpoint is missing\n--token-file is missing'],
    [['--id', 'T0ONE', '--endpoint', 'ftp://x', '--token-file', '-'], 'must be an http or https address'],
    [['--id', 'T0ONE', '--endpoint', 'https://u:p@x', '--token-file', '-'], 'without user, password, query'],
    [['--id', 'T0ONE', '--clear', '--endpoint', 'https://x'], '--clear and --endpoint exclude each other'],
    [['--endpoint', 'https://x'], '--endpoint needs --id'],
    [['--id', 'T0ONE', '--check', '--clear'], '--check is without --id'],
    [['--id', 'T0ONE', '--endpoint', 'https://x', '--token-file', '/nowhere/token'], "--token-file can't be read"],
    [['--id', 'T0ONE', '--endpoint', 'https://x', '--token-file', '-', '--api', '3'], '--api must be auto, 1 or 2'],
    [['--id', 'T0ONE', '--endpoint', 'https://x', '--token', 'sgp_1'], 'there is no option --token'],
  ])('refuses %j', async (args, problem) => {
    const { code, output } = await admin(args);
    expect(code).toBe(2);
    expect(output).toContain(problem);
  });

  test('is not for an app with the token of one workspace', async () => {
    const { SLACK_CLIENT_ID: _id, SLACK_CLIENT_SECRET: _secret, SLACK_WORKSPACES: _ids, ...rest } = settings();
    const run = runProgram(program, ['workspace', '--id', 'T0ONE', '--clear'], { ...rest, SLACK_BOT_TOKEN: 'xoxb-1' });
    expect(await run.ended).toBe(2);
    expect(run.output()).toContain('set its service with SRC_ENDPOINT');
  });
});
