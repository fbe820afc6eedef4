import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SETTINGS } from '../../src/config.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const exists = (path: string): boolean => existsSync(new URL(path, root));

const packageJson = z
  .object({
    name: z.string(),
    version: z.string(),
    description: z.string(),
    license: z.string(),
    engines: z.object({ node: z.string() }),
    scripts: z.record(z.string(), z.string()),
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
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
const argumentsIn = (lines: string[], name: string): string[] =>
  lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
const argumentsOf = (name: string): string[] => argumentsIn(instructions, name);
/** The instructions of one stage; the last one has no name. */
const stage = (name: string): string[] => {
  const first = instructions.findIndex(
    (line) => line.startsWith('FROM ') && (/ AS (\w+)$/.exec(line)?.[1] ?? '') === name,
  );
  const after = instructions.findIndex((line, index) => index > first && line.startsWith('FROM '));
  return instructions.slice(first, after === -1 ? undefined : after);
};

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
    expect([...new Set(sources)].filter((path) => !path.startsWith('src/')).toSorted()).toEqual(
      ignored
        .filter((line) => line.startsWith('!'))
        .map((line) => line.slice(1))
        .toSorted(),
    );
    for (const path of sources) expect([path, exists(path)]).toEqual([path, true]);
  });

  it('uses every stage that it has, or names it to be built', () => {
    const names = stages.flatMap((from) => / AS (\w+)$/.exec(from)?.[1] ?? []);
    const copied = argumentsOf('COPY').flatMap((copy) => /^--from=(\w+)/.exec(copy)?.[1] ?? []);
    const continued = stages.map((from) => from.split(' ')[0] ?? '').filter((from) => !from.startsWith('$'));
    expect([...new Set([...copied, ...continued, 'codesearch'])].toSorted()).toEqual(names.toSorted());
  });

  it('runs scripts that exist, and starts what npm start starts, without a file `.env`, which the image never has', () => {
    for (const run of argumentsOf('RUN')) {
      for (const name of scriptsIn(run)) expect(packageJson.scripts).toHaveProperty([name]);
    }
    const commandOf = (name: string): string[] =>
      argumentsIn(stage(name), 'CMD').map((command) => z.array(z.string()).parse(JSON.parse(command)).join(' '));
    expect(commandOf('')).toEqual([packageJson.scripts.start?.replace(' --env-file-if-exists=.env ', ' ')]);
    expect(commandOf('codesearch')).toEqual(['node dist/codesearch/main.js --help']);
    for (const program of ['dist/main.js', 'dist/codesearch/main.js']) expect(exists(sourceOf(program))).toBe(true);
  });

  it.each(['', 'codesearch'])('runs as a user with a number other than that of root, in the stage "%s"', (name) => {
    const last = stage(name);
    const user = last.indexOf('USER 1000:1000');
    expect(argumentsIn(last, 'USER')).toEqual(['1000:1000']);
    expect(argumentsIn(last, 'FROM')[0]).toMatch(/^programs\b/);
    expect(last.slice(user).filter((line) => /^(?:RUN|COPY|ADD|USER) /.test(line))).toEqual(['USER 1000:1000']);
  });

  it('gives the data directory to its user and to any user with the group 0, before the volume freezes it', () => {
    const shared = stage('programs');
    const given = shared.findIndex((line) => line.includes('chown 1000:0 /data && chmod 770 /data'));
    expect(given).toBeGreaterThan(0);
    expect(shared.indexOf('VOLUME /data')).toBeGreaterThan(given);
  });

  it('runs on an even release of Node', () => {
    const [, major] = /node:(\d+)-/.exec(argumentsOf('ARG')[0] ?? '') ?? [];
    expect(Number(major) % 2).toBe(0);
    expect(Number(major)).toBeGreaterThanOrEqual(Number(/\d+/.exec(packageJson.engines.node)?.[0]));
  });

  it('has labels of the Open Container Initiative, with the version and the license of package.json', () => {
    const labels = argumentsIn(stage('programs'), 'LABEL').join(' ');
    const names = [...labels.matchAll(/(org\.opencontainers\.image\.\w+)=/g)].map(([, name]) => name);
    expect(names.map((name) => name?.split('.').at(-1))).toEqual([
      'title',
      'description',
      'licenses',
      'version',
      'revision',
    ]);
    expect(labels).toContain(`licenses="${packageJson.license}"`);
    expect(labels).toContain(`description="${packageJson.description}"`);
    expect(argumentsIn(stage('programs'), 'ARG')).toContain(`VERSION=${packageJson.version}`);
  });

  it('installs what is needed to run and nothing of the other program, and lists it in the image', () => {
    const app = stage('packages').join(' ');
    const service = stage('servicepackages').join(' ');
    expect(app).toContain('npm ci --omit=dev --workspaces=false ');
    expect(app).toMatch(/npm pkg delete devDependencies workspaces && npm run sbom --silent > sbom\.spdx\.json$/);
    expect(service).toContain('npm ci --omit=dev --workspace=src/codesearch --include-workspace-root=false ');
    expect(service).toMatch(/npm sbom .*> sbom\.spdx\.json$/);
    for (const [name, packages] of [
      ['', 'packages'],
      ['codesearch', 'servicepackages'],
    ] as const) {
      const copies = argumentsIn(stage(name), 'COPY');
      expect(copies).toContain(`--from=${packages} /app/node_modules ./node_modules`);
      expect(copies).toContain(`--from=${packages} /app/package.json /app/sbom.spdx.json ./`);
    }
    expect(argumentsIn(stage('build'), 'RUN').join(' ')).toContain('mv dist/codesearch service/');
    // The lock file would no longer mark such a package as needed for development only, and the app's image would get it.
    const ofService = z
      .object({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read('src/codesearch/package.json'))).dependencies;
    expect(Object.keys(ofService).filter((name) => Object.hasOwn(packageJson.devDependencies, name))).toEqual([]);
  });

  it('keeps its data in a volume, and asks the app whether it is alive', () => {
    expect(argumentsOf('VOLUME')).toEqual(['/data']);
    expect(argumentsOf('ENV').join(' ')).toContain('DATA_DIR=/data');
    expect(argumentsIn(stage(''), 'HEALTHCHECK')[0]).toContain('/livez');
    expect(argumentsIn(stage(''), 'EXPOSE')).toEqual([SETTINGS.PORT.fallback]);
    expect(argumentsIn(stage('codesearch'), 'HEALTHCHECK')[0]).toContain('7080/healthz');
    expect(argumentsIn(stage('codesearch'), 'EXPOSE')).toEqual(['7080']);
  });

  it('sets only settings that exist', () => {
    const names = argumentsOf('ENV').flatMap((line) => [...line.matchAll(/(\w+)=/g)].map(([, name]) => name));
    expect(names.filter((name) => name !== 'NODE_ENV' && !Object.hasOwn(SETTINGS, name ?? ''))).toEqual([]);
  });
});

describe('npm run sbom', () => {
  it('lists all packages with their licenses, and marks those for development', async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', 'sbom', '--silent'], {
      cwd: fileURLToPath(root),
      // Without NODE_ENV: npm leaves packages out for production, and the tests run with the packages of production.
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      maxBuffer: 16_000_000,
    });
    const sbom = z
      .object({
        spdxVersion: z.string(),
        name: z.string(),
        packages: z.array(z.object({ SPDXID: z.string(), name: z.string(), licenseDeclared: z.string() })),
        relationships: z.array(z.object({ spdxElementId: z.string(), relationshipType: z.string() })),
      })
      .parse(JSON.parse(stdout));
    expect([sbom.spdxVersion, sbom.name]).toEqual(['SPDX-2.3', `${packageJson.name}@${packageJson.version}`]);
    const listed = sbom.packages.map(({ name }) => name);
    expect(Object.keys(packageJson.dependencies).filter((name) => !listed.includes(name))).toEqual([]);
    const marked = sbom.relationships.filter(({ relationshipType }) => relationshipType === 'DEV_DEPENDENCY_OF');
    const ids = marked.map(({ spdxElementId }) => spdxElementId);
    const forDevelopment = sbom.packages.filter(({ SPDXID }) => ids.includes(SPDXID)).map(({ name }) => name);
    expect(forDevelopment).toEqual(expect.arrayContaining(Object.keys(packageJson.devDependencies)));
  });
});

describe('.ci/run', () => {
  it('calls only scripts and paths that exist', () => {
    const script = read('.ci/run');
    for (const name of scriptsIn(script)) expect(packageJson.scripts).toHaveProperty([name]);
    for (const path of pathsIn(script)) expect([path, exists(sourceOf(path))]).toEqual([path, true]);
  });
});
