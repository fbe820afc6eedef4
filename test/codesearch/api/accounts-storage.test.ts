import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../../src/codesearch/account-commands.ts';
import type { CodeSearchOptions } from '../../../src/codesearch/service.ts';
import { builtProgram } from '../../support/processes/built-programs.ts';
import { createPerson, createPkce, hiddenField } from '../support/people.ts';
import { createCaller, startTestService } from '../support/service.ts';

const ADMIN = 'an-admin-token-from-the-command-line';
let dataDir: string;
let running: { stop: () => Promise<void> }[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'codesearch-data-'));
});

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(options: Partial<CodeSearchOptions> = {}) {
  const service = await startTestService({
    repos: [],
    dataDir,
    tokens: [{ username: 'alice', token: ADMIN }],
    ...options,
  });
  running = [...running, service];
  return service;
}

async function stop(service: { stop: () => Promise<void> }): Promise<void> {
  await service.stop();
  running = running.filter((other) => other !== service);
}

/** Runs a command on the data directory; the objects it prints. While a service runs, in a process of its own. */
async function command(...line: string[]): Promise<Record<string, unknown>[]> {
  const all = [...line, '--data-dir', dataDir];
  const output = running.length > 0 ? await runProgram(all) : await runHere(all);
  return output
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as Record<string, unknown>);
}

async function runHere(line: string[]): Promise<string> {
  const result = await runCommand(line);
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.output;
}

async function runProgram(line: string[]): Promise<string> {
  const file = await builtProgram('src/codesearch/main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...line], { timeout: 30_000 });
  return stdout;
}

async function tokenOf(...line: string[]): Promise<string> {
  const [result] = await command('token', 'create', ...line);
  return String(result?.token);
}

/** The status of a GraphQL request, and the user it acted for. */
async function whoAmI(url: string, authorization: string): Promise<[number, string | undefined]> {
  const asked = { query: '{ currentUser { username } }' };
  const response = await createCaller(url).call('POST', '/.api/graphql', asked, { Authorization: authorization });
  return [response.status, /"username":"([^"]+)"/.exec(await response.text())?.[1]];
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('a data directory', () => {
  test('and its files are readable by their owner alone', async () => {
    const folder = join(dataDir, 'new', 'deep');
    await start({ dataDir: folder });
    expect(modeOf(folder)).toBe(0o700);
    expect(readdirSync(folder).length).toBeGreaterThan(0);
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const mode = modeOf(join(entry.parentPath, entry.name));
      expect([entry.name, mode]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600]);
    }
  });

  test('that others could read is repaired, and the operator is told', async () => {
    await stop(await start());
    for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), 0o644);
    chmodSync(dataDir, 0o755);
    mkdirSync(join(dataDir, 'inner'), { mode: 0o755 });
    const notices: string[] = [];
    await start({ onNotice: (text) => notices.push(text) });
    expect(notices).toEqual([expect.stringContaining(dataDir)]);
    expect(modeOf(dataDir)).toBe(0o700);
    expect(modeOf(join(dataDir, 'data.mdb'))).toBe(0o600);
  });

  test('holds tokens, sessions, grants and apps over a restart', async () => {
    const first = await start();
    const alice = createPerson(first.url);
    await alice.signIn(ADMIN);
    const token = await alice.createToken();
    await stop(first);
    const second = await start();
    const again = createPerson(second.url);
    for (const [name, value] of alice.cookies) again.cookies.set(name, value);
    expect((await again.open('/settings/tokens')).response.status).toBe(200);
    expect(await whoAmI(second.url, `token ${token}`)).toEqual([200, 'alice']);
  });

  test('makes the first user of the command line site admin, and no longer the one of an earlier start', async () => {
    await stop(await start());
    await stop(await start({ tokens: [{ username: 'bob', token: 'bob-token' }] }));
    const users = await command('user', 'list');
    expect(users.map(({ username, siteAdmin }) => [username, siteAdmin])).toEqual([
      ['alice', false],
      ['bob', true],
    ]);
  });
});

test('no secret stands in the files, the pages of others, or the reported problems', async () => {
  const service = await start();
  const alice = createPerson(service.url);
  await alice.signIn(ADMIN);
  const token = await alice.createToken({ note: 'seen' });
  await alice.open('/settings/tokens');
  const redirectUris = 'https://app.example/callback';
  const formToken = await alice.formToken();
  const registered = await alice.submit('/settings/oauth-apps', {
    formToken,
    name: 'App',
    redirectUris,
    confidential: 'yes',
  });
  const clientId = /id="client-id">([^<]+)</.exec(registered.text)?.[1] ?? '';
  const client_secret = /id="client-secret">([^<]+)</.exec(registered.text)?.[1] ?? '';
  const { verifier, challenge } = createPkce();
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUris,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  const { text } = await alice.open(`/.auth/idp/oauth/authorize?${new URLSearchParams(parameters)}`);
  const sent = { ...parameters, formToken: hiddenField(text, 'formToken'), decision: 'allow' };
  const { response } = await alice.submit('/.auth/idp/oauth/authorize', sent);
  const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: redirectUris, code_verifier: verifier };
  const body = new URLSearchParams({ ...exchange, client_id: clientId, client_secret });
  const reply = await fetch(`${service.url}/.auth/idp/oauth/token`, { method: 'POST', body });
  const { access_token, refresh_token } = (await reply.json()) as { access_token: string; refresh_token: string };
  const session = [...alice.cookies.values()];
  await service.call('GET', '/%00', undefined, { Authorization: `Bearer ${access_token}` });
  const settings = [
    (await alice.open('/settings/tokens')).text,
    (await alice.open('/settings/oauth-apps')).text,
    JSON.stringify(service.problems.map(String)),
  ];
  await stop(service);
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
  const secrets = { ADMIN, token, client_secret, code, access_token, refresh_token, session: session.join() };
  for (const [name, secret] of Object.entries(secrets)) {
    expect([name, secret.length > 30]).toEqual([name, true]);
    for (const place of [...files, ...settings]) expect([name, place.includes(secret)]).toEqual([name, false]);
  }
  expect(files.join('')).toContain('seen');
});

describe('the commands', () => {
  test('create, list and revoke tokens while the service runs', async () => {
    await command('user', 'create', '--name', 'bob');
    const early = await tokenOf('--user', 'bob', '--note', 'from the shell');
    const [listed] = await command('token', 'list', '--user', 'bob');
    expect(listed).toMatchObject({ user: 'bob', note: 'from the shell', scopes: ['user:all'] });
    expect(JSON.stringify(listed)).not.toContain(early);
    const service = await start();
    const token = await tokenOf('--user', 'bob', '--days', '2');
    expect(await whoAmI(service.url, `token ${token}`)).toEqual([200, 'bob']);
    expect(await whoAmI(service.url, `token ${early}`)).toEqual([200, 'bob']);
    await command('token', 'revoke', '--id', String(listed?.id));
    expect((await whoAmI(service.url, `token ${early}`))[0]).toBe(401);
  });

  test('create service accounts, which use the API but neither sign in nor use sudo', async () => {
    const [created] = await command('user', 'create', '--name', 'ci', '--service-account');
    expect(created).toMatchObject({ username: 'ci', kind: 'serviceAccount', siteAdmin: false });
    const token = await tokenOf('--user', 'ci');
    await expect(tokenOf('--user', 'ci', '--scope', 'site-admin:sudo')).rejects.toThrow('site admin');
    await expect(command('user', 'promote', '--name', 'ci')).rejects.toThrow('service account');
    await expect(command('user', 'create', '--name', 'x', '--service-account', '--site-admin')).rejects.toThrow();
    const service = await start();
    expect(await whoAmI(service.url, `token ${token}`)).toEqual([200, 'ci']);
    const person = createPerson(service.url);
    expect((await person.signIn(token)).response.status).toBe(403);
  });

  test('make a person site admin, whose sudo token ends to work when that ends', async () => {
    await command('user', 'create', '--name', 'bob', '--site-admin');
    const token = await tokenOf('--user', 'bob', '--scope', 'site-admin:sudo');
    const header = `token-sudo user="alice",token="${token}"`;
    const before = await start();
    expect(await whoAmI(before.url, header)).toEqual([200, 'alice']);
    await stop(before);
    await command('user', 'demote', '--name', 'bob');
    const after = await start();
    expect((await whoAmI(after.url, header))[0]).toBe(403);
  });

  test('register, list and remove OAuth apps', async () => {
    const address = 'https://app.example/';
    const line = ['oauth-app', 'create', '--name', 'App', '--redirect-uri', address];
    const [created] = await command(...line, '--confidential');
    expect(created).toMatchObject({ kind: 'confidential', clientSecret: expect.stringMatching(/^css_/) });
    expect(await command(...line)).toEqual([expect.not.objectContaining({ clientSecret: expect.anything() })]);
    expect(await command('oauth-app', 'list')).toHaveLength(2);
    await command('oauth-app', 'remove', '--client-id', String(created?.clientId));
    expect(await command('oauth-app', 'list')).toHaveLength(1);
  });

  test.each([
    [['token', 'create', '--user', 'dave'], 'no user dave'],
    [['token', 'create'], '--user'],
    [['token', 'revoke', '--id', '99'], 'no token 99'],
    [['token', 'frob'], 'no command'],
    [['user', 'create', '--name', 'a b'], 'user name'],
    [['user', 'create', '--name', 'a\0b'], 'user name'],
    [['oauth-app', 'create', '--name', 'x'], 'redirect'],
    [['oauth-app', 'create', '--name', 'x', '--redirect-uri', 'http://elsewhere.example/'], 'redirect'],
  ])('refuse %j with words', async (line, words) => {
    await expect(command(...line)).rejects.toThrow(words);
  });

  test('need an existing data directory', async () => {
    expect(await runCommand(['user', 'list'])).toEqual({ problems: ['--data-dir is needed'] });
    const missing = join(dataDir, 'missing');
    expect(await runCommand(['user', 'list', '--data-dir', missing])).toEqual({
      problems: [expect.stringContaining('no such folder')],
    });
  });
});
