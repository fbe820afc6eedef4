import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { blame } from '../../src/codesearch/git/blame.ts';
import { log, readCommit } from '../../src/codesearch/git/commits.ts';
import { commitChanges, compareChanges } from '../../src/codesearch/git/compare.ts';
import { readFileAt } from '../../src/codesearch/git/file-content.ts';
import { languagesAt } from '../../src/codesearch/git/languages.ts';
import { defaultBranch, listRefs } from '../../src/codesearch/git/refs.ts';
import { openRepository } from '../../src/codesearch/git/repository.ts';
import { readTree } from '../../src/codesearch/git/tree.ts';
import { createHostileRepository } from '../codesearch/support/hostile-repository.ts';
import { createTestRepository } from '../codesearch/support/repository.ts';
import { signIn, startTestService, TOKEN } from '../codesearch/support/service.ts';
import { eventually } from '../support/eventually.ts';

afterEach(() => vi.unstubAllEnvs());

describe('a repository whose configuration names programs', () => {
  test('runs them for plain git, so that the other tests prove something', async () => {
    const repository = createHostileRepository({ partial: true });
    const seen = new Set<string>();
    try {
      // git may end a program before it leaves its trace.
      await eventually(() => {
        for (const command of [
          ['status'],
          ['log', '-p', '--max-count=2'],
          ['-c', 'diff.external=', 'show', 'HEAD'],
          ['cat-file', '--filters', 'HEAD:src/code.ts'],
          ['cat-file', 'blob', 'HEAD:missing.txt'],
        ])
          spawnSync('git', ['-C', repository.path, ...command], { stdio: 'ignore' });
        for (const name of repository.traces()) seen.add(name);
        const expected = ['included-fsmonitor', 'gpg', 'textconv', 'filter-process', 'upload-pack'];
        expect([...seen]).toEqual(expect.arrayContaining(expected));
      });
    } finally {
      repository.remove();
    }
  });

  test.each([false, true])(
    'runs none of them for any question, page or search (partial clone: %s)',
    async (partial) => {
      const repository = createHostileRepository({ partial });
      const service = await startTestService({ repos: [repository.path] });
      try {
        const [name = ''] = service.repositories;
        const head = repository.git('-c', 'core.fsmonitor=false', 'rev-parse', 'HEAD').trim();
        repository.traces();
        const Cookie = await signIn(service.url);
        for (const [address, status = 200] of [
          [''],
          [name],
          [`${name}/-/tree/src`],
          [`${name}@main/-/tree/src`],
          [`${name}/-/blob/src/code.ts`],
          [`${name}/-/blob/src/code.ts?blame=1`],
          [`${name}@${head}/-/blob/src/code.ts?blame=1&L2-3`],
          [`r/${name}@${head}/-/blob/src/code.ts?L2-3`],
          [`${name}/-/raw/src/code.ts`],
          [`${name}/-/commits`],
          [`${name}/-/commits/src/code.ts`],
          [`${name}/-/commit/${head}`],
          ['search?q=greetPeople'],
          ['.api/search/stream?q=greetPeople'],
          [`${name}@--output=x/-/tree/src`, 404],
          [`${name}/-/blob/..%2F..%2Fetc%2Fpasswd`, 404],
          [`${name}/-/raw/-h`, 404],
        ] as const) {
          const headers: Record<string, string> = address.startsWith('.api')
            ? { Authorization: `token ${TOKEN}` }
            : { Cookie };
          const response = await fetch(`${service.url}/${address}`, { headers });
          await response.text();
          if (!partial) expect([address, response.status]).toEqual([address, status]);
        }
        for (const search of ['greetPeople', '/greet\\w+/', 'type:commit greet', 'repo:. file:code', 'lang:ts greet'])
          await service.call('POST', '/.api/graphql', {
            query: 'query($q: String!) { search(query: $q) { results { matchCount } } }',
            variables: { q: search },
          });
        const all = `query($r: String!) { repository(name: $r) { defaultBranch { name } branches { nodes { name } } commit(rev: "HEAD") {
        oid message ancestors(first: 5) { nodes { oid } } tree(path: "", recursive: true) { entries { path } }
        blob(path: "src/code.ts") { content byteSize binary blame(startLine: 1, endLine: 3) { startLine author { date } } } } } }`;
        const data = await service.call('POST', '/.api/graphql', { query: all, variables: { r: name } });
        if (!partial) expect(await data.json()).not.toHaveProperty('errors');
        for (const question of [
          'Where is greetPeople defined?',
          'When was greetPeople added and who wrote it?',
          'What changed recently?',
          'What is this repository about?',
          'Why does src/code.ts exist?',
        ])
          await service.answer(question);
        repository.write('src/more.ts', 'export const more = 1;\n');
        repository.git(
          '-c',
          'core.fsmonitor=false',
          '-c',
          'filter.hostile.process=',
          '-c',
          'filter.hostile.clean=',
          'add',
          'src/more.ts',
        );
        repository.traces();
        await service.answer('Where is more defined?');
        expect(repository.traces()).toEqual([]);
      } finally {
        await service.stop();
        repository.remove();
      }
    },
  );

  test('runs none of them for any reader of git data, and reads the same as without that configuration', async () => {
    const source = createHostileRepository();
    try {
      source.traces();
      const repository = await openRepository(source.path);
      const commits = await log(repository, { path: 'src/code.ts' });
      expect(commits?.commits.map(({ subject }) => subject)).toEqual(['Greet people twice', 'Greet people']);
      expect(await log(repository, { changing: 'greetPeople', author: 'Ada', message: ['greet'] })).toMatchObject({
        commits: [{ subject: 'Greet people' }],
      });
      expect(await log(repository, { path: 'src/code.ts', lines: { start: 3, end: 3 } })).toMatchObject({
        commits: [{}, {}],
      });
      expect(await readCommit(repository, 'HEAD')).toMatchObject({ subject: 'Greet people twice' });
      expect(await blame(repository, 'HEAD', 'src/code.ts')).toHaveLength(3);
      const changes = await commitChanges(repository, 'HEAD');
      expect(changes?.patch).toContain('--- a/src/code.ts\n+++ b/src/code.ts');
      expect(changes?.patch).toContain('+  return 2;');
      expect((await commitChanges(repository, 'HEAD~1'))?.files).toMatchObject([{ path: 'inner', change: 'added' }]);
      expect((await compareChanges(repository, 'HEAD~2', 'HEAD'))?.files).toHaveLength(2);
      expect((await readFileAt(repository, 'HEAD', 'src/code.ts'))?.bytes?.toString()).toContain('return 2');
      expect((await readTree(repository, 'HEAD'))?.map(({ kind }) => kind)).toContain('submodule');
      expect(await languagesAt(repository, 'HEAD')).toEqual(['TypeScript']);
      expect(await defaultBranch(repository)).toBe('main');
      expect((await listRefs(repository, 'branch')).refs).toHaveLength(1);
      expect((await repository.files()).map(({ path }) => path)).toContain('src/code.ts');
      expect(source.traces()).toEqual([]);
    } finally {
      source.remove();
    }
  });
});

test('the environment and the configuration of the operator reach no git command', async () => {
  const source = createTestRepository({ 'a.ts': 'export const one = 1;\n' });
  const home = mkdtempSync(join(tmpdir(), 'codesearch-home-'));
  try {
    source.commit('One');
    const trace = join(home, 'traces');
    mkdirSync(trace);
    writeFileSync(
      join(home, '.gitconfig'),
      `[core]\n\tfsmonitor = touch ${trace}/global\n\tattributesFile = ${home}/attributes\n[diff "x"]\n\ttextconv = touch ${trace}/textconv\n`,
    );
    writeFileSync(join(home, 'attributes'), '* diff=x\n');
    vi.stubEnv('HOME', home);
    vi.stubEnv('GIT_DIR', '/nonexistent');
    vi.stubEnv('GIT_WORK_TREE', '/');
    vi.stubEnv('GIT_INDEX_FILE', '/nonexistent');
    vi.stubEnv('GIT_OBJECT_DIRECTORY', '/nonexistent');
    vi.stubEnv('GIT_EXTERNAL_DIFF', `touch ${trace}/external`);
    vi.stubEnv('GIT_PAGER', `touch ${trace}/pager`);
    vi.stubEnv('GIT_TRACE', join(trace, 'trace'));
    vi.stubEnv('GIT_CONFIG_COUNT', '1');
    vi.stubEnv('GIT_CONFIG_KEY_0', 'core.fsmonitor');
    vi.stubEnv('GIT_CONFIG_VALUE_0', `touch ${trace}/count`);
    const repository = await openRepository(source.path);
    expect(await repository.files()).toMatchObject([{ path: 'a.ts' }]);
    expect((await commitChanges(repository, 'HEAD'))?.files).toMatchObject([{ path: 'a.ts' }]);
    expect(readdirSync(trace)).toEqual([]);
  } finally {
    source.remove();
    rmSync(home, { recursive: true });
  }
});

test('a repository that names another folder as its work tree is read as usual', async () => {
  const source = createTestRepository({ 'src/a.ts': 'export const one = 1;\n' });
  try {
    source.commit('One');
    source.git('config', 'core.worktree', '/');
    const repository = await openRepository(join(source.path, 'src'));
    expect((await repository.files()).map(({ path }) => path)).toEqual(['src/a.ts']);
    expect(await blame(repository, 'HEAD', 'src/a.ts')).toHaveLength(1);
    expect((await repository.git(['grep', '-c', '--cached', '-e', 'one'])).toString()).toBe('src/a.ts:1\n');
  } finally {
    source.remove();
  }
});

test.runIf(process.getuid?.() === 0)(
  'a repository of another user is refused until the operator trusts it',
  async () => {
    const source = createTestRepository({ 'a.ts': 'export const one = 1;\n' });
    const home = mkdtempSync(join(tmpdir(), 'codesearch-home-'));
    try {
      source.commit('One');
      for (const path of [source.path, join(source.path, '.git')]) chownSync(path, 12_345, 12_345);
      vi.stubEnv('HOME', home);
      vi.stubEnv('XDG_CONFIG_HOME', home);
      await expect(openRepository(source.path)).rejects.toThrow(/belongs to another user .* safe\.directory/);
      writeFileSync(join(home, '.gitconfig'), `[safe]\n\tdirectory = ${source.path}\n`);
      expect(await (await openRepository(source.path)).files()).toHaveLength(1);
    } finally {
      source.remove();
      rmSync(home, { recursive: true });
    }
  },
);
