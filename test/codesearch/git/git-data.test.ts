import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blame } from '../../../src/codesearch/git/blame.ts';
import { log, readCommit } from '../../../src/codesearch/git/commits.ts';
import { commitChanges, compareChanges } from '../../../src/codesearch/git/compare.ts';
import { readFileAt } from '../../../src/codesearch/git/file-content.ts';
import { findLanguage, languageOfFile, languagesAt } from '../../../src/codesearch/git/languages.ts';
import { defaultBranch, isSafePath, listRefs, resolveRevision } from '../../../src/codesearch/git/refs.ts';
import { openRepository, type Repository } from '../../../src/codesearch/git/repository.ts';
import { readEntry, readTree } from '../../../src/codesearch/git/tree.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

describe('git data of a repository', () => {
  let source: TestRepository;
  let repository: Repository;
  const ids: string[] = [];

  beforeAll(async () => {
    source = createTestRepository({ 'README.md': '# Harbour\n', 'src/one.ts': 'one();\ntwo();\nthree();\nfour();\n' });
    ids.push(
      source.commit('Start\n\nThe body\nhas two lines.', { author: 'Ada Byron', date: '2024-01-01T10:00:00+02:00' }),
    );
    source.git('tag', 'v1');
    source.write('src/one.ts', 'one();\n2();\nthree();\nfour();\n');
    source.write('picture.bin', Buffer.from([1, 0, 2]));
    source.link('../../etc/passwd', 'link');
    ids.push(source.commit('Change the second line', { author: 'Grace Hopper', date: '2024-02-01T10:00:00Z' }));
    source.git('branch', 'side', ids[0] ?? '');
    source.git('mv', 'src/one.ts', 'src/first "file"\nof two.ts');
    ids.push(source.commit('Rename\x1f it\x1e', { date: '2024-03-01T10:00:00Z' }));
    source.git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'tag', '-a', '-m', 'Two', 'v2');
    repository = await openRepository(source.path);
  });
  afterAll(() => source.remove());

  test('a commit has its people, dates, parents and the whole message', async () => {
    expect(await readCommit(repository, 'v1')).toEqual({
      oid: ids[0],
      abbreviatedOID: ids[0]?.slice(0, 7),
      subject: 'Start',
      body: 'The body\nhas two lines.',
      message: 'Start\n\nThe body\nhas two lines.',
      author: { name: 'Ada Byron', email: 'a@example.org', date: '2024-01-01T10:00:00+02:00' },
      committer: { name: 'Ada Byron', email: 'a@example.org', date: '2024-01-01T10:00:00+02:00' },
      parents: [],
    });
    expect(await readCommit(repository, 'HEAD')).toMatchObject({ subject: 'Rename\x1f it\x1e', parents: [ids[1]] });
    expect(await readCommit(repository, 'nowhere')).toBeUndefined();
  });

  test('the log has pages that continue where they began, also after new commits', async () => {
    const first = await log(repository, { first: 2 });
    expect(first?.commits.map(({ oid }) => oid)).toEqual([ids[2], ids[1]]);
    source.git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '--allow-empty', '-m', 'Later');
    const second = await log(repository, { first: 2, after: first?.endCursor });
    expect(second).toMatchObject({ commits: [{ oid: ids[0] }], hasNextPage: false });
    source.git('reset', '-q', '--hard', ids[2] ?? '');
    await expect(log(repository, { after: '--all' })).rejects.toThrow(/cursor/);
  });

  test('the log can be limited by author, message, date, path and revision', async () => {
    const subjects = async (options: Parameters<typeof log>[1]) =>
      (await log(repository, options))?.commits.map(({ oid }) => ids.indexOf(oid));
    expect(await subjects({ author: 'grace' })).toEqual([1]);
    expect(await subjects({ author: 'gr.ce' })).toEqual([]);
    expect(await subjects({ message: ['second', 'CHANGE'] })).toEqual([1]);
    expect(await subjects({ message: ['second', 'start'] })).toEqual([]);
    expect(await subjects({ committedAfter: '2024-01-15', committedBefore: '2024-02-15' })).toEqual([1]);
    expect(await subjects({ path: 'src/one.ts' })).toEqual([2, 1, 0]);
    expect(await subjects({ path: 'README.md' })).toEqual([0]);
    expect(await subjects({ revision: 'v2', since: 'v1' })).toEqual([2, 1]);
    expect(await subjects({ revision: 'none' })).toBeUndefined();
  });

  test('branches and tags name the commits they stand for', async () => {
    expect(await defaultBranch(repository)).toBe('main');
    const branches = await listRefs(repository, 'branch');
    expect(branches.hasNextPage).toBe(false);
    expect(branches.refs.map(({ displayName, target }) => [displayName, target])).toEqual([
      ['main', ids[2]],
      ['side', ids[0]],
    ]);
    expect((await listRefs(repository, 'tag', 'V')).refs).toMatchObject([
      { name: 'refs/tags/v2', target: ids[2] },
      { displayName: 'v1', target: ids[0] },
    ]);
    expect((await listRefs(repository, 'tag', '2')).refs).toHaveLength(1);
  });

  test.each(['HEAD', 'main', 'v2', 'refs/tags/v2', 'HEAD~0'])(
    'the revision %s resolves to the newest commit',
    async (name) => {
      expect(await resolveRevision(repository, name)).toBe(ids[2]);
    },
  );

  test.each([
    '-h',
    '--all',
    '--git-dir=/',
    'v1..v2',
    'v1...v2',
    'HEAD:README.md',
    ':/Start',
    'HEAD^{/Start}',
    'main@{1}',
    '@{-1}',
    '^HEAD',
    'HEAD^!',
    'HEAD^@',
    'HEAD^-1',
    'main\0',
    'main\nHEAD',
    'a b',
    '*',
    '',
    'x'.repeat(300),
  ])('the revision %j is refused', async (name) => {
    expect(await resolveRevision(repository, name)).toBeUndefined();
  });

  test('a tree has files, folders, links and submodules with their sizes', async () => {
    const tree = await readTree(repository, 'v1');
    expect(tree?.map(({ path, kind, size }) => [path, kind, size])).toEqual([
      ['src', 'tree', undefined],
      ['README.md', 'blob', 10],
    ]);
    const all = await readTree(repository, 'HEAD', '', true);
    expect(all?.slice(0, 2)).toMatchObject([{ path: 'README.md' }, { path: 'link', kind: 'symlink' }]);
    expect(await readTree(repository, 'HEAD', 'src')).toMatchObject([
      { path: 'src/first "file"\nof two.ts', name: 'first "file"\nof two.ts' },
    ]);
    expect(await readTree(repository, 'HEAD', 'README.md')).toBeUndefined();
    expect(await readTree(repository, 'HEAD', 'none')).toBeUndefined();
    expect(await readTree(repository, 'none')).toBeUndefined();
    expect(await readEntry(repository, 'HEAD', 'src')).toMatchObject({ kind: 'tree', name: 'src' });
  });

  test.each(['../x', 'a/../b', './a', '/etc/passwd', 'a//b', 'a/', 'a\0b'])('the path %j is refused', async (path) => {
    expect(isSafePath(path)).toBe(false);
    expect(await readTree(repository, 'HEAD', path)).toBeUndefined();
    expect(await readFileAt(repository, 'HEAD', path)).toBeUndefined();
    expect(await blame(repository, 'HEAD', path)).toBeUndefined();
    await expect(log(repository, { path })).rejects.toThrow(/path/);
  });

  test('a file is read as it was, and a link is never followed', async () => {
    const old = await readFileAt(repository, 'v1', 'src/one.ts');
    expect(old).toMatchObject({ kind: 'blob', byteSize: 31, isBinary: false });
    expect(old?.bytes?.toString()).toContain('two();');
    expect(await readFileAt(repository, 'HEAD', 'picture.bin')).toMatchObject({ byteSize: 3, isBinary: true });
    const link = await readFileAt(repository, 'HEAD', 'link');
    expect(link).toMatchObject({ kind: 'symlink' });
    expect(link?.bytes?.toString()).toBe('../../etc/passwd');
    expect(await readFileAt(repository, 'HEAD', 'src')).toBeUndefined();
    expect(await readFileAt(repository, 'HEAD', '-h')).toBeUndefined();
  });

  test('blame names the commit, author and former place of every line', async () => {
    const path = 'src/first "file"\nof two.ts';
    const ranges = await blame(repository, 'HEAD', path);
    expect(
      ranges?.map(({ start, end, commit, author, subject }) => [start, end, commit, author.name, subject]),
    ).toEqual([
      [1, 1, ids[0], 'Ada Byron', 'Start'],
      [2, 2, ids[1], 'Grace Hopper', 'Change the second line'],
      [3, 4, ids[0], 'Ada Byron', 'Start'],
    ]);
    expect(ranges?.[1]).toMatchObject({ path: 'src/one.ts' });
    expect(ranges?.[0]).toMatchObject({ author: { date: '2024-01-01T10:00:00+02:00' } });
    expect(await blame(repository, 'HEAD', path, { start: 2, end: 2 })).toHaveLength(1);
    expect(await blame(repository, 'HEAD', path, { start: 9, end: 12 })).toBeUndefined();
    expect(await blame(repository, 'HEAD', 'none')).toBeUndefined();
  });

  test('a comparison has the changes since the merge base', async () => {
    const compared = await compareChanges(repository, 'v1', 'HEAD');
    const files = new Map(compared?.files.map((file) => [file.path, file]));
    expect(files.get('src/first "file"\nof two.ts')).toMatchObject({
      change: 'renamed',
      previousPath: 'src/one.ts',
      additions: 1,
      deletions: 1,
    });
    expect(files.get('picture.bin')).toMatchObject({ change: 'added', additions: undefined });
    expect(files.get('link')).toMatchObject({ change: 'added', additions: 1, deletions: 0 });
    expect(compared).toMatchObject({ isPatchCut: false, patch: expect.stringContaining('+2();') });
    expect(await compareChanges(repository, 'none', 'HEAD')).toBeUndefined();
  });

  test('a commit has its changes, also the first one', async () => {
    const first = await commitChanges(repository, 'v1');
    expect(first?.files.map(({ path, change, additions }) => [path, change, additions])).toEqual([
      ['README.md', 'added', 1],
      ['src/one.ts', 'added', 4],
    ]);
    expect((await commitChanges(repository, ids[1] ?? '', 'src'))?.files).toMatchObject([{ path: 'src/one.ts' }]);
    expect(await commitChanges(repository, 'none')).toBeUndefined();
  });

  test('languages are known by file name and ordered by their bytes', async () => {
    expect(await languagesAt(repository, 'v1')).toEqual(['TypeScript', 'Markdown']);
    expect(await languagesAt(repository, 'none')).toBeUndefined();
    expect(languageOfFile('a/Dockerfile.prod')?.name).toBe('Dockerfile');
    expect(languageOfFile('a/b.constructor')).toBeUndefined();
    expect(languageOfFile('a/rs')).toBeUndefined();
    expect(['c++', 'golang', 'TypeScript', 'rb'].map((word) => findLanguage(word)?.id)).toEqual([
      'cpp',
      'go',
      'ts',
      'ruby',
    ]);
  });
});

describe('a commit that git has pruned since it was known', () => {
  let source: TestRepository;
  let repository: Repository;
  let [kept, gone] = ['', ''];

  beforeAll(async () => {
    source = createTestRepository({ 'one.ts': 'one();\n' });
    kept = source.commit('Start');
    source.write('one.ts', 'two();\n');
    gone = source.commit('Replaced later');
    source.git('reset', '-q', '--hard', kept);
    source.git('reflog', 'expire', '--expire=now', '--all');
    source.git('gc', '-q', '--prune=now');
    repository = await openRepository(source.path);
  });
  afterAll(() => source.remove());

  test.each<[string, () => Promise<unknown>]>([
    ['a commit', () => readCommit(repository, gone)],
    ['a log', () => log(repository, { revision: gone })],
    ['changes', () => commitChanges(repository, gone)],
    ['a log since it', () => log(repository, { since: gone })],
    ['a comparison from it', () => compareChanges(repository, gone, kept)],
    ['a comparison with it', () => compareChanges(repository, kept, gone)],
    ['a folder', () => readTree(repository, gone)],
    ['an entry', () => readEntry(repository, gone, 'one.ts')],
    ['an author', () => blame(repository, gone, 'one.ts')],
  ])('is absent as %s', async (_, read) => {
    repository.knownCommits.set(gone, true);
    expect(await read()).toBeUndefined();
  });
});
