import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blame } from '../../../src/codesearch/git/blame.ts';
import { withinBudget } from '../../../src/codesearch/git/budget.ts';
import { resolveRevision } from '../../../src/codesearch/git/refs.ts';
import { openRepository, type Repository } from '../../../src/codesearch/git/repository.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

let source: TestRepository;
let repository: Repository;

beforeEach(async () => {
  source = createTestRepository({ 'a.ts': 'one\n', 'b/c.ts': 'two\n' });
  source.commit('Begin');
  repository = await openRepository(source.path);
});
afterEach(() => source.remove());

/** In a request that has ended, each git process fails. */
const withoutGit = <T>(read: () => Promise<T>): Promise<T> =>
  withinBudget({ user: 'ada', signal: AbortSignal.abort() }, read);

const blobOf = async (path: string): Promise<string | undefined> =>
  (await repository.files()).find((file) => file.path === path)?.blob;

describe('the list of files and HEAD', () => {
  test('are read by git once, and then kept', async () => {
    await expect(withoutGit(repository.files)).rejects.toMatchObject({ kind: 'stopped' });
    const files = await repository.files();
    expect(files.map(({ path }) => path)).toEqual(['a.ts', 'b/c.ts']);
    const head = await repository.head();
    expect(head).toBe(source.git('rev-parse', 'HEAD').trim());
    expect(await withoutGit(repository.files)).toBe(files);
    expect(await withoutGit(repository.head)).toBe(head);
  });

  test('make known what HEAD and the authors of lines name', async () => {
    const first = source.git('rev-parse', 'HEAD').trim();
    source.write('b/c.ts', 'three\n');
    const second = source.commit('Again', { date: '2024-04-01T10:00:00Z' });
    await repository.head();
    expect(await withoutGit(() => resolveRevision(repository, second))).toBe(second);
    await expect(withoutGit(() => resolveRevision(repository, first))).rejects.toMatchObject({ kind: 'stopped' });
    await blame(repository, second, 'a.ts');
    expect(await withoutGit(() => resolveRevision(repository, first))).toBe(first);
  });

  test('notice staged changes of the same length, one right after the other', async () => {
    for (const text of ['abc\n', 'abd\n', 'abe\n', 'abc\n']) {
      source.write('a.ts', text);
      source.git('add', 'a.ts');
      expect(await blobOf('a.ts')).toBe(source.git('rev-parse', ':a.ts').trim());
    }
  });

  test('notice staged changes where git writes no checksum into the index', async () => {
    for (const text of ['abc\n', 'abd\n', 'abe\n', 'abc\n']) {
      source.write('a.ts', text);
      source.git('add', 'a.ts');
      // As git writes it with index.skipHash.
      const index = join(source.path, '.git/index');
      const content = readFileSync(index);
      writeFileSync(index, content.fill(0, content.length - 20));
      expect(await blobOf('a.ts')).toBe(source.git('rev-parse', ':a.ts').trim());
    }
  });

  test.each([
    ['a commit', () => source.commit('Again', { date: '2024-04-01T10:00:00Z' })],
    ['a commit without changes', () => source.git('commit', '-q', '--allow-empty', '--amend', '-m', 'Other')],
    ['a branch that is moved', () => source.git('reset', '-q', '--soft', 'HEAD~1')],
    ['a checkout of a branch', () => source.git('checkout', '-q', '-b', 'side', 'HEAD~1')],
    ['a checkout of a commit', () => source.git('checkout', '-q', 'HEAD~1')],
  ])('notice %s', async (_, change) => {
    for (const [key, value] of [
      ['user.name', 'Ada'],
      ['user.email', 'a@example.org'],
    ] as const)
      source.git('config', key, value);
    source.write('a.ts', 'second\n');
    source.commit('Second', { date: '2024-03-02T10:00:00Z' });
    await repository.head();
    await repository.files();
    source.write('d.ts', 'three\n');
    change();
    expect(await repository.head()).toBe(source.git('rev-parse', 'HEAD').trim());
    expect((await repository.files()).map(({ blob }) => blob)).toEqual(
      source
        .git('ls-files', '-s')
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[1]),
    );
  });

  test('notice a commit after the branches were packed', async () => {
    source.git('pack-refs', '--all');
    await repository.head();
    source.write('d.ts', 'three\n');
    const head = source.commit('Third');
    expect(await repository.head()).toBe(head);
    source.git('pack-refs', '--all');
    expect(await repository.head()).toBe(head);
  });

  test('are those of the work tree that is served', async () => {
    const folder = await createTempDir();
    try {
      const path = join(folder.path, 'second');
      source.git('worktree', 'add', '-q', '-b', 'side', path);
      const second = await openRepository(path);
      const before = await second.head();
      source.write('d.ts', 'three\n');
      const head = source.commit('Third');
      expect(await second.head()).toBe(before);
      source.git('-C', path, 'merge', '-q', '--ff-only', head);
      expect(await second.head()).toBe(head);
      expect((await second.files()).map((file) => file.path)).toEqual(['a.ts', 'b/c.ts', 'd.ts']);
    } finally {
      await folder.remove();
    }
  });

  test('are those of HEAD in a bare repository', async () => {
    const folder = await createTempDir();
    try {
      const path = join(folder.path, 'bare.git');
      source.git('clone', '-q', '--bare', source.path, path);
      const bare = await openRepository(path);
      const files = await bare.files();
      expect(files.map((file) => file.path)).toEqual(['a.ts', 'b/c.ts']);
      source.write('d.ts', 'three\n');
      const head = source.commit('Third');
      source.git('push', '-q', path, 'main');
      expect(await bare.head()).toBe(head);
      expect((await bare.files()).map((file) => file.path)).toEqual(['a.ts', 'b/c.ts', 'd.ts']);
    } finally {
      await folder.remove();
    }
  });
});
