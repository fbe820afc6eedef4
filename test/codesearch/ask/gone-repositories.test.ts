import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRepository } from '../../../src/codesearch/git/repository.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

let source: TestRepository;
let folder: Awaited<ReturnType<typeof createTempDir>>;
beforeEach(async () => {
  source = createTestRepository({ 'src/a.ts': 'export function moorBoat() {\n  return 1;\n}\n' });
  source.commit('Begin');
  folder = await createTempDir();
});
afterEach(async () => {
  source.remove();
  await folder.remove();
});

function cloneBare(): string {
  const path = join(folder.path, 'bare.git');
  source.git('clone', '-q', '--bare', source.path, path);
  return path;
}

/** Moves a folder away, and returns what moves it back. */
function moveAway(path: string): () => void {
  renameSync(path, `${path}-away`);
  return () => renameSync(`${path}-away`, path);
}

describe('a repository whose folder is gone', () => {
  test.each(['with an index', 'bare'])('is not an empty one: %s', async (form) => {
    const path = form === 'bare' ? cloneBare() : source.path;
    const repository = await openRepository(path);
    const files = await repository.files();
    const head = await repository.head();
    const moveBack = moveAway(path);
    await expect(repository.head()).rejects.toMatchObject({ name: 'GitError', kind: 'failed' });
    await expect(repository.files()).rejects.toMatchObject({ name: 'GitError', kind: 'failed' });
    await expect(repository.fingerprint()).rejects.toMatchObject({ name: 'GitError', kind: 'failed' });
    moveBack();
    expect(await repository.head()).toBe(head);
    expect(await repository.files()).toEqual(files);
  });

  test('is told once, left out of answers and searches, has pages with 503, and comes back', async () => {
    const other = createTestRepository({ 'src/b.ts': 'export function moorShip() {\n  return 2;\n}\n' });
    other.commit('Begin');
    const service = await startTestService({ repos: [source.path, other.path] });
    try {
      const moveBack = moveAway(source.path);
      for (let time = 0; time < 2; time += 1) {
        const { answer } = await service.answer('Where is `moorBoat` defined?');
        expect(answer).not.toContain('src/a.ts');
        expect(answer).toContain(`git can't read ${service.repositories[0]} at the moment`);
      }
      expect((await service.answer('Where is `moorShip` defined?')).answer).toContain('src/b.ts');
      const only = `Search only in these repositories and in no others: ${service.repositories[1]}`;
      expect((await service.answer(`${only}\n\nWhere is moorShip?`)).answer).not.toContain("git can't read");
      expect(service.problems).toEqual([expect.objectContaining({ name: 'GitError' })]);
      for (const place of ['', '@HEAD']) {
        const page = await fetch(`${service.url}/${service.repositories[0]}${place}/-/blob/src/a.ts`);
        expect([page.status, await page.text()]).toEqual([
          503,
          expect.stringContaining('git can’t read this repository'),
        ]);
      }
      const query = '{ search(query: "moor") { results { matchCount alert { description } } } }';
      const { data } = (await service.read('POST', '/.api/graphql', { query })) as {
        data: { search: { results: { matchCount: number; alert: { description: string } } } };
      };
      expect(data.search.results.matchCount).toBeGreaterThan(0);
      expect(data.search.results.alert.description).toContain('git could not read');
      const health = async () => (await (await fetch(`${service.url}/healthz`)).json()) as { unreadable: number };
      expect((await health()).unreadable).toBe(1);
      moveBack();
      expect((await service.answer('Where is `moorBoat` defined?')).answer).toContain('src/a.ts');
      expect((await health()).unreadable).toBe(0);
    } finally {
      await service.stop();
      other.remove();
    }
  });
});

describe('a bare repository whose objects are gone for a while', () => {
  test('has its commit and files again when they are back', async () => {
    const path = cloneBare();
    const repository = await openRepository(path);
    const moveBack = moveAway(join(path, 'objects'));
    mkdirSync(join(path, 'objects'));
    await expect(repository.head()).rejects.toMatchObject({ name: 'GitError' });
    await expect(repository.files()).rejects.toMatchObject({ name: 'GitError' });
    renameSync(join(path, 'objects'), join(path, 'empty'));
    moveBack();
    expect(await repository.head()).toBe(source.git('rev-parse', 'HEAD').trim());
    expect((await repository.files()).map((file) => file.path)).toEqual(['src/a.ts']);
  });

  test('has its commit and no files in a partial clone without folders', async () => {
    const path = join(folder.path, 'partial.git');
    source.git('config', 'uploadpack.allowFilter', 'true');
    source.git('clone', '-q', '--bare', '--filter=tree:0', `file://${source.path}`, path);
    const repository = await openRepository(path);
    expect([await repository.head(), await repository.files()]).toEqual([source.git('rev-parse', 'HEAD').trim(), []]);
  });

  test('has neither commit nor files before the first commit', async () => {
    const path = join(folder.path, 'new.git');
    source.git('init', '-q', '--bare', path);
    const repository = await openRepository(path);
    expect([await repository.head(), await repository.files()]).toEqual([undefined, []]);
  });
});
