import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseArguments } from '../../src/codesearch/arguments.ts';
import { parseConfig, SETTINGS } from '../../src/config.ts';
import { run } from '../support/processes/run.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const service = z.strictObject({
  profiles: z.array(z.string()).optional(),
  build: z.union([z.string(), z.strictObject({ context: z.string(), target: z.string() })]).optional(),
  image: z.string().optional(),
  env_file: z.string().optional(),
  environment: z.record(z.string(), z.string()).optional(),
  ports: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  healthcheck: z
    .strictObject({ test: z.array(z.string()), interval: z.string(), timeout: z.string(), retries: z.number() })
    .optional(),
  volumes: z.array(z.string()).optional(),
  user: z.string().optional(),
  read_only: z.boolean().optional(),
  restart: z.string().optional(),
  stop_grace_period: z.string().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
});
const compose = z
  .looseObject({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.null()) })
  .parse(parse(read('compose.yaml'), { merge: true }));
const { redis, codesearch } = compose.services;
const serviceNames = Object.keys(compose.services);
const profiles = [...new Set(Object.values(compose.services).flatMap((each) => each.profiles ?? []))];

/** What an operator puts into `.env`. */
const dotEnv = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1', SRC_ACCESS_TOKEN: 'my-token' };

/** The services that start with a profile. */
function startedWith(profile: string): [name: string, each: z.infer<typeof service>][] {
  return Object.entries(compose.services).filter(([, each]) => each.profiles?.includes(profile) ?? true);
}

describe('compose.yaml', () => {
  it('has one app in each profile, with the storage and the service that it needs', () => {
    expect(profiles.map((profile) => startedWith(profile).map(([name]) => name))).toEqual([
      ['app-alone'],
      ['app', 'redis'],
      ['app-with-codesearch', 'codesearch', 'redis'],
    ]);
    for (const profile of profiles) {
      const names = startedWith(profile).map(([name]) => name);
      const needed = startedWith(profile).flatMap(([, each]) => Object.keys(each.depends_on ?? {}));
      expect(needed.filter((name) => !names.includes(name))).toEqual([]);
    }
  });

  it.each(profiles)('gives the app settings that it accepts, with the profile %s', (profile) => {
    const [, app] = startedWith(profile).find(([, each]) => each.env_file !== undefined) ?? [];
    expect(Object.keys(app?.environment ?? {}).filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual([]);
    const config = parseConfig({ SRC_ENDPOINT: 'https://code.example.com', ...dotEnv, ...app?.environment });
    expect(String(config.PORT)).toBe(SETTINGS.PORT.fallback);
    expect(app?.volumes ?? []).toEqual(config.REDIS_URL === undefined ? [`app-data:${config.DATA_DIR}`] : []);
    expect(config.REDIS_URL?.reveal()).toBe(profile === 'alone' ? undefined : 'redis://redis:6379');
    expect(config.SRC_ENDPOINT).toBe(profile === 'codesearch' ? 'http://codesearch:7080' : 'https://code.example.com');
    expect(Number.parseInt(app?.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(config.SHUTDOWN_SECONDS + 20);
  });

  it('builds images of the Dockerfile, and uses no other but that of Redis', () => {
    expect(existsSync(new URL('Dockerfile', root))).toBe(true);
    const builds = Object.entries(compose.services).map(([name, { build, image }]) => [name, build ?? image]);
    expect(Object.fromEntries(builds)).toEqual({
      'app-alone': '.',
      app: '.',
      'app-with-codesearch': '.',
      codesearch: { context: '.', target: 'codesearch' },
      redis: 'redis:8-alpine',
    });
    expect(read('Dockerfile')).toContain(' AS codesearch\n');
  });

  it.each(Object.entries(compose.services))('gives %s no rights that it does not need', (_, each) => {
    expect(each).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(each.tmpfs).toEqual(['/tmp']);
    // Otherwise the image of Redis starts as root, and needs capabilities to change its user.
    expect(each.image === undefined || /^\d+:\d+$/.test(each.user ?? '')).toBe(true);
  });

  it('publishes no port, but that of the code search service for this machine', () => {
    const published = Object.values(compose.services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(['127.0.0.1:7080:7080']);
  });

  it('can be changed as docs/operations.md says: HTTP mode publishes the port of the app, and metrics only get an address', () => {
    const overrides = [...read('docs/operations.md').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) =>
      z.object({ services: z.record(z.string(), service) }).parse(parse(text)),
    );
    expect(overrides.map(({ services }) => services)).toEqual([
      { app: { ports: ['3000:3000'] } },
      { app: { environment: { METRICS_HOST: '0.0.0.0' } } },
    ]);
    expect(SETTINGS.PORT.fallback).toBe('3000');
    expect(SETTINGS).toHaveProperty(['METRICS_HOST']);
  });

  it('reads secrets from a file that is in neither the repository nor the image', () => {
    const files = Object.values(compose.services).flatMap(({ env_file: file = [] }) => file);
    expect(files).toEqual(['.env', '.env', '.env']);
    expect(read('.gitignore').split('\n')).toContain('.env');
  });

  it('waits for a Redis that keeps all data', () => {
    const waiting = Object.values(compose.services).flatMap((each) => Object.entries(each.depends_on ?? {}));
    expect(waiting.map(([name, { condition }]) => `${name} ${condition}`)).toEqual([
      'redis service_healthy',
      'redis service_healthy',
      'codesearch service_healthy',
    ]);
    expect(redis?.healthcheck?.test).toEqual(['CMD', 'redis-cli', 'ping']);
    expect(redis?.command?.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
  });

  it('gives each service a volume, and each volume a service', () => {
    const named = Object.values(compose.services).flatMap(({ volumes = [] }) =>
      volumes.map((each) => each.split(':')[0]),
    );
    expect(named.filter((name) => Object.hasOwn(compose.volumes, name ?? '')).toSorted()).toEqual(
      Object.keys(compose.volumes).toSorted(),
    );
  });

  it('starts the code search service on each folder of the mounted one, with the token of the app', async () => {
    const [shell = '', flag = '', script = ''] = codesearch?.command ?? [];
    expect(codesearch?.volumes).toContain(`\${REPOSITORIES:-./repositories}:/repositories:ro`);
    expect(codesearch?.environment?.CODESEARCH_SERVICE_TOKEN).toBe(`\${SRC_ACCESS_TOKEN:-}`);
    // The same script over other folders: `$$` is a dollar sign for docker compose.
    const folder = mkdtempSync(join(tmpdir(), 'repositories-'));
    for (const name of ['one', 'two']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'notes.txt'), 'not a repository');
    const here = script
      .replaceAll('$$', '$')
      .replace('/repositories/', `${folder}/`)
      .replace('exec node dist/codesearch/main.js', 'printf "%s\\n"');
    const { output, ended } = run(shell, [flag, here], { CODESEARCH_URL: 'http://localhost:7080' });
    expect(await ended).toBe(0);
    const parsed = parseArguments(output().trim().split('\n'), { CODESEARCH_SERVICE_TOKEN: 'my-token' });
    expect(parsed).toMatchObject({
      kind: 'run',
      arguments: {
        host: '0.0.0.0',
        port: 7080,
        dataDir: '/data/codesearch',
        baseUrl: 'http://localhost:7080',
        repos: [`${folder}/one/`, `${folder}/two/`],
        tokens: [{ username: 'service', token: 'my-token', kind: 'serviceAccount' }],
      },
    });
    rmSync(folder, { recursive: true });
  });
});

describe('the documents', () => {
  it.each(['README.md', 'docs/operations.md'])('%s starts compose.yaml with profiles that it has', (path) => {
    const commands = [...read(path).matchAll(/docker compose ([^\n`]*\bup\b)/g)].map(([, command = '']) => command);
    expect(commands.length).toBeGreaterThan(0);
    const named = commands.map((command) => /--profile (\S+)/.exec(command)?.[1]);
    expect(named.filter((name) => name === undefined || !profiles.includes(name))).toEqual([]);
  });

  it.each(['README.md', 'docs/operations.md', 'docs/accounts.md', 'docs/codesearch.md'])(
    '%s runs commands in services that there are',
    (path) => {
      const services = [...read(path).matchAll(/docker compose exec (?:-\S+ )*([\w-]+)/g)].map(([, name = '']) => name);
      expect(services.filter((name) => !serviceNames.includes(name))).toEqual([]);
    },
  );
});
