import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createHarbourRepository } from '../codesearch/support/repository.ts';
import { createCaller } from '../codesearch/support/service.ts';
import { eventually } from '../support/eventually.ts';

const TSX = createRequire(import.meta.url).resolve('tsx/cli');
const MAIN = new URL('../../src/codesearch/main.ts', import.meta.url).pathname;
const running: ChildProcess[] = [];

interface Ready {
  event: string;
  url: string;
  token: string;
  repositories: string[];
  files: number;
}

/** Runs the program as people do; `--import tsx` keeps it one process, so that a kill reaches it. */
function run(parameters: string[], environment: Record<string, string> = {}, limits = ':') {
  const command = [process.execPath, '--import', TSX.replace(/cli\.mjs$/, 'loader.mjs'), MAIN, ...parameters];
  const child = spawn('/bin/sh', ['-c', `${limits}; exec "$@"`, 'codesearch', ...command], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  let errors = '';
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (errors += String(data)));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    ended,
    output: () => output,
    errors: () => errors,
    ready: () => eventually(() => JSON.parse(output.split('\n')[0] || 'not yet') as Ready),
  };
}

const idle: Socket[] = [];

afterEach(() => {
  for (const socket of idle.splice(0)) socket.destroy();
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

test('the program prints one line when ready, serves, and ends cleanly on a signal', async () => {
  const repository = createHarbourRepository();
  try {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const program = run(['--repo', repository.path], { CODESEARCH_TOKEN: '' });
      const ready = await program.ready();
      expect(ready).toEqual({
        event: 'ready',
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        token: expect.stringMatching(/^[0-9a-f]{40}$/),
        repositories: ['github.com/harbour-org/harbour'],
        files: 7,
        unread: expect.any(Number),
      });
      expect((await createCaller(ready.url, ready.token).answer('Where is retryDelay?')).answer).toContain(
        'src/retry.ts',
      );
      program.child.kill(signal);
      expect(await program.ended).toBe(0);
      expect(program.output().trim().split('\n')).toHaveLength(1);
    }
  } finally {
    repository.remove();
  }
});

test('the program reports every bad argument at once and exits with 2', async () => {
  const program = run(['--port', 'x', '--frob', '--quota', '-1']);
  expect(await program.ended).toBe(2);
  expect(program.output()).toBe('');
  for (const part of ['--frob', '--port', '--quota', '--repo']) expect(program.errors()).toContain(part);
});

test('the program never prints a token that it was given', async () => {
  const repository = createHarbourRepository();
  try {
    const secret = 'a-secret-of-the-operator';
    for (const [line, environment] of [
      [['--token', `alice:${secret}`], {}],
      [[], { CODESEARCH_TOKEN: secret }],
    ] as const) {
      const program = run(['--repo', repository.path, ...line], environment);
      const ready = await program.ready();
      expect(ready).not.toHaveProperty('token');
      expect((await createCaller(ready.url, secret).call('GET', '')).status).toBe(200);
      program.child.kill('SIGTERM');
      await program.ended;
      expect(program.output() + program.errors()).not.toContain(secret);
    }
  } finally {
    repository.remove();
  }
});

test('the program refuses a file of access rules that it can’t use', async () => {
  const repository = createHarbourRepository();
  const rules = join(mkdtempSync(join(tmpdir(), 'codesearch-rules-')), 'rules.json');
  try {
    writeFileSync(rules, '{"github.com/harbour-org/harbor": ["alice"]}');
    for (const file of [rules, repository.path]) {
      const program = run(['--repo', repository.path, '--repo-access', file]);
      expect(await program.ended).toBe(2);
      expect(program.errors()).toContain('--repo-access');
    }
  } finally {
    rmSync(dirname(rules), { recursive: true, force: true });
    repository.remove();
  }
});

test('the program refuses a folder without git', async () => {
  const program = run(['--repo', tmpdir()]);
  expect(await program.ended).toBe(2);
  expect(program.errors()).toContain('is not a git repository');
});

test('the program explains its options with --help', async () => {
  const program = run(['--help']);
  expect(await program.ended).toBe(0);
  expect(program.output()).toContain('--step-delay');
});

test('questions in progress when the process is killed are answered once after the restart', async () => {
  const repository = createHarbourRepository();
  const dataDir = mkdtempSync(join(tmpdir(), 'codesearch-data-'));
  try {
    const parameters = ['--repo', repository.path, '--data-dir', dataDir, '--token', 'alice:secret'];
    const first = run([...parameters, '--step-delay', '20000']);
    const before = await first.ready();
    const alice = createCaller(before.url, 'secret');
    const ids: number[] = [];
    for (const name of ['retryDelay', 'withRetries', 'JobQueue', 'settings', 'QueueOptions'])
      ids.push((await alice.create(`Where is ${name} defined?`)).id);
    await eventually(async () => expect((await alice.get(ids[0] ?? 0)).questions[0]?.turns.length).toBeGreaterThan(1));
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await run(parameters).ready();
    const again = createCaller(second.url, 'secret');
    for (const id of ids) {
      const { questions } = await again.finished(id);
      expect(questions).toHaveLength(1);
      expect(questions[0]?.answer).toContain('src/');
      expect(questions[0]?.stats.credits).toBe(1);
    }
    expect((await again.list()).conversations).toHaveLength(ids.length);
    expect((await again.create('retry')).id).toBeGreaterThan(Math.max(...ids));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
    repository.remove();
  }
});

test('the program reads the cost limits of GraphQL from the site configuration, and reports its mistakes', async () => {
  const repository = createHarbourRepository();
  const file = join(repository.path, 'site.json');
  try {
    writeFileSync(file, '{ "rateLimits": { "graphQLMaxDepth": 1 } } // strict');
    const program = run(['--repo', repository.path, '--site-config', file]);
    const { url, token } = await program.ready();
    const ask = (query: string) => createCaller(url, token).call('POST', '/.api/graphql', { query });
    expect((await ask('{ __typename }')).status).toBe(200);
    expect((await ask('{ currentUser { username } }')).status).toBe(400);
    writeFileSync(file, '{ "rateLimits": { "graphQLMaxDepth": 0, "graphQLMaxAlias": 3 } }');
    const wrong = run(['--repo', repository.path, '--port', 'x', '--site-config', file]);
    expect(await wrong.ended).toBe(2);
    for (const part of ['--port', 'graphQLMaxDepth', 'graphQLMaxAlias']) expect(wrong.errors()).toContain(part);
    const missing = run(['--repo', repository.path, '--site-config', join(repository.path, 'nowhere.json')]);
    expect(await missing.ended).toBe(2);
    expect(missing.errors()).toContain('nowhere.json');
  } finally {
    repository.remove();
  }
});

test('the program refuses requests while connections hold all file descriptors, and goes on after that', async () => {
  const repository = createHarbourRepository();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const program = run(['--repo', repository.path, '--token', 'a:b'], {}, 'ulimit -n 200');
    const { url } = await program.ready();
    const status = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        get(`${url}${path}`, { agent }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode));
        }).once('error', reject);
      });
    expect(await status('/healthz')).toBe(200);
    for (let count = 0; count < 260; count += 1) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => {});
      idle.push(socket);
      await once(socket, 'connect').catch(() => {});
      // The server closes a connection that is idle for five seconds, and no new one can be made now.
      if (count % 10 === 0) expect(await status('/healthz')).toBe(200);
    }
    const commits = '/github.com/harbour-org/harbour/-/commits';
    expect(await status(commits)).toBe(503);
    for (const socket of idle) socket.destroy();
    await eventually(async () => expect(await status(commits)).toBe(200));
    expect(program.errors()).toBe('');
  } finally {
    agent.destroy();
    repository.remove();
  }
});
