import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { SETTINGS } from '../../src/config.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const exists = (path: string): boolean => existsSync(new URL(path, root));

const packageJson = z
  .object({
    name: z.string(),
    license: z.string(),
    engines: z.object({ node: z.string() }),
    scripts: z.record(z.string(), z.string()),
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
    optionalDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(read('package.json')));

const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        optionalDependencies: z.record(z.string(), z.string()).optional(),
        engines: z.union([z.record(z.string(), z.string()), z.array(z.string())]).optional(),
      }),
    ),
  })
  .parse(JSON.parse(read('package-lock.json')));

/** The instructions of the Dockerfile, one string each. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line.trim() !== '');
const argumentsOf = (name: string): string[] =>
  instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

/** Every npm script that a text calls. */
function scriptsIn(text: string): string[] {
  const named = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
  return /\bnpm (?:test|t)\b/.test(text) ? [...named, 'test'] : named;
}

/** Paths of this project that a shell command names. */
function pathsIn(text: string): string[] {
  return [
    ...text.matchAll(/(?:^|[\s"'=])((?:\.\/)?(?:src|test|docs|dist)\/[\w./-]+|[\w-]+\.(?:json|ts|yml|yaml))/g),
  ].map(([, path = '']) => path.replace(/^\.\//, ''));
}

/** A path that the build makes exists when its source does. */
function sourceOf(path: string): string {
  return path.replace(/^dist\//, 'src/').replace(/(?<=^src\/.*)\.js$/, '.ts');
}

describe('package.json', () => {
  it.each(Object.entries(packageJson.scripts))('has a script %s that names only what exists', (_, command) => {
    for (const name of scriptsIn(command)) expect(packageJson.scripts).toHaveProperty([name]);
    for (const path of pathsIn(command)) expect([path, exists(sourceOf(path))]).toEqual([path, true]);
  });

  it('has the scripts that the documentation promises', () => {
    expect(Object.keys(packageJson.scripts)).toEqual(
      expect.arrayContaining(['start', 'build', 'dev', 'demo', 'codesearch', 'test', 'check', 'docs']),
    );
  });

  it('names the license of LICENSE', () => {
    expect(packageJson.license).toBe('MIT');
    expect(read('LICENSE')).toMatch(/^MIT License\n\nCopyright \(c\) 2026 The Deep Search for Slack authors\n/);
  });
});

describe('package-lock.json', () => {
  it('lists the binaries of the storage for both processors of the image', () => {
    expect(Object.keys(lock.packages)).toEqual(
      expect.arrayContaining(['node_modules/@lmdb/lmdb-linux-x64', 'node_modules/@lmdb/lmdb-linux-arm64']),
    );
  });

  it('lists the optional packages of every platform, which npm 11 needs for an install', () => {
    const missing = Object.values(lock.packages)
      .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
      .filter((name) => !Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`)));
    expect(missing).toEqual([]);
  });
});

describe('Dockerfile', () => {
  const stages = argumentsOf('FROM');

  it('copies only what exists and what .dockerignore lets through', () => {
    const ignored = read('.dockerignore').split('\n');
    const sources = argumentsOf('COPY')
      .filter((copy) => !copy.startsWith('--from='))
      .flatMap((copy) => copy.split(' ').slice(0, -1));
    expect(ignored.filter((line) => /^[^#!]/.test(line))).toEqual(['*']);
    expect([...new Set(sources)].toSorted()).toEqual(
      ignored
        .filter((line) => line.startsWith('!'))
        .map((line) => line.slice(1))
        .toSorted(),
    );
    for (const path of sources) expect([path, exists(path)]).toEqual([path, true]);
  });

  it('copies from stages that it has', () => {
    const names = stages.flatMap((stage) => / AS (\w+)$/.exec(stage)?.[1] ?? []);
    const froms = argumentsOf('COPY').flatMap((copy) => /^--from=(\w+)/.exec(copy)?.[1] ?? []);
    expect(froms.toSorted()).toEqual(names.toSorted());
  });

  it('runs scripts that exist, and starts what npm start starts, without a file `.env`, which the image never has', () => {
    for (const run of argumentsOf('RUN')) {
      for (const name of scriptsIn(run)) expect(packageJson.scripts).toHaveProperty([name]);
    }
    expect(argumentsOf('CMD').map((command) => z.array(z.string()).parse(JSON.parse(command)).join(' '))).toEqual([
      packageJson.scripts.start?.replace(' --env-file-if-exists=.env ', ' '),
    ]);
    expect(exists(sourceOf('dist/main.js'))).toBe(true);
  });

  it('runs as a user with a number other than that of root, on an even release of Node', () => {
    const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
    expect(argumentsOf('USER')).toEqual(['1000:1000']);
    const user = last.indexOf('USER 1000:1000');
    expect(user).toBeGreaterThan(last.findIndex((line) => line.includes('chown 1000:1000 /data')));
    // The directory is made, and given away, before the volume freezes it.
    expect(last.indexOf('VOLUME /data')).toBeGreaterThan(
      last.findIndex((line) => line.includes('chown 1000:1000 /data')),
    );
    expect(last.slice(user).filter((line) => /^(?:RUN|COPY|ADD|USER) /.test(line))).toEqual(['USER 1000:1000']);
    const [, major] = /node:(\d+)-/.exec(argumentsOf('ARG')[0] ?? '') ?? [];
    expect(Number(major) % 2).toBe(0);
    expect(Number(major)).toBeGreaterThanOrEqual(Number(/\d+/.exec(packageJson.engines.node)?.[0]));
  });

  it('contains production dependencies only, without the local Slack', () => {
    const installs = argumentsOf('RUN').filter((run) => run.includes('npm ci'));
    expect(installs).toHaveLength(2);
    const production = installs.find((run) => run.includes('--omit=dev')) ?? '';
    expect(production).not.toContain('--omit=optional');
    const [, removed = ''] = /rm -rf node_modules\/(\S+)/.exec(production) ?? [];
    const pattern = new RegExp(`^${removed.replace('*', '.*')}$`);
    expect(Object.keys(packageJson.optionalDependencies).every((name) => pattern.test(name))).toBe(true);
    expect(Object.keys(packageJson.dependencies).some((name) => pattern.test(name))).toBe(false);
  });

  it('keeps its data in a volume, and asks the app whether it is alive', () => {
    expect(argumentsOf('VOLUME')).toEqual(['/data']);
    expect(argumentsOf('ENV').join(' ')).toContain('DATA_DIR=/data');
    expect(argumentsOf('HEALTHCHECK')[0]).toContain('/livez');
    expect(argumentsOf('EXPOSE')).toEqual([SETTINGS.PORT.fallback]);
  });

  it('sets only settings that exist', () => {
    const names = argumentsOf('ENV').flatMap((line) => [...line.matchAll(/(\w+)=/g)].map(([, name]) => name));
    expect(names.filter((name) => name !== 'NODE_ENV' && !Object.hasOwn(SETTINGS, name ?? ''))).toEqual([]);
  });
});

describe('compose.yaml', () => {
  const service = z.object({
    build: z.string().optional(),
    image: z.string().optional(),
    env_file: z.string().optional(),
    environment: z.record(z.string(), z.string()).optional(),
    ports: z.array(z.string()).optional(),
    command: z.array(z.string()).optional(),
    depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
    healthcheck: z.object({ test: z.array(z.string()) }).optional(),
    volumes: z.array(z.string()).optional(),
    user: z.string().optional(),
    privileged: z.boolean().optional(),
    read_only: z.boolean().optional(),
    tmpfs: z.array(z.string()).optional(),
    cap_add: z.array(z.string()).optional(),
    cap_drop: z.array(z.string()).optional(),
    security_opt: z.array(z.string()).optional(),
  });
  const compose = z
    .object({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.unknown()) })
    .parse(parse(read('compose.yaml')));
  const { app, redis } = compose.services;

  it('builds the app of this Dockerfile and sets only settings that exist', () => {
    expect(exists(`${app?.build ?? ''}/Dockerfile`)).toBe(true);
    for (const name of Object.keys(app?.environment ?? {})) expect(SETTINGS).toHaveProperty([name]);
  });

  it.each(Object.entries(compose.services))('gives %s no rights that it does not need', (_, each) => {
    expect(each).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(each.tmpfs).toEqual(['/tmp']);
    expect([each.cap_add, each.privileged]).toEqual([undefined, undefined]);
    // Otherwise the image of Redis starts as root, and needs capabilities to change its user.
    expect(each.image === undefined || /^\d+:\d+$/.test(each.user ?? '')).toBe(true);
  });

  it('publishes no port, since Socket Mode needs none', () => {
    for (const each of Object.values(compose.services)) expect(each.ports).toBeUndefined();
  });

  it('can be changed as docs/operations.md says: HTTP mode publishes the port of the app, and metrics only get an address', () => {
    const overrides = [...read('docs/operations.md').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) =>
      z.object({ services: z.object({ app: service.strict() }) }).parse(parse(text)),
    );
    expect(overrides.map(({ services }) => services.app)).toEqual([
      { ports: [`${app?.environment?.PORT}:${app?.environment?.PORT}`] },
      { environment: { METRICS_HOST: '0.0.0.0' } },
    ]);
    expect(app?.environment?.PORT).toBe(SETTINGS.PORT.fallback);
    expect(SETTINGS).toHaveProperty(['METRICS_HOST']);
  });

  it('reads secrets from a file that is in neither the repository nor the image', () => {
    expect(app?.env_file).toBe('.env');
    expect(read('.gitignore').split('\n')).toContain('.env');
  });

  it('waits for a Redis that keeps all data', () => {
    expect(app?.depends_on).toEqual({ redis: { condition: 'service_healthy' } });
    expect(app?.environment?.REDIS_URL).toBe('redis://redis:6379');
    expect(redis?.healthcheck?.test).toEqual(['CMD', 'redis-cli', 'ping']);
    expect(redis?.command?.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
    expect(redis?.volumes).toEqual(Object.keys(compose.volumes).map((name) => `${name}:/data`));
  });
});

describe('.ci/run', () => {
  it('calls only scripts and paths that exist', () => {
    const script = read('.ci/run');
    for (const name of scriptsIn(script)) expect(packageJson.scripts).toHaveProperty([name]);
    for (const path of pathsIn(script)) expect([path, exists(sourceOf(path))]).toEqual([path, true]);
  });
});
