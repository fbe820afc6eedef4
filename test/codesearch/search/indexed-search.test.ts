import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { createSearch } from '../../../src/codesearch/query/search.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

let source: TestRepository;
let corpus: OpenedCorpus;

beforeEach(async () => {
  source = createTestRepository({
    'src/crane.ts': 'export const liftCrate = 1;\n',
    'src/ship.ts': 'export const sailAway = 2; // liftcrate\n',
  });
  source.commit('Begin');
  corpus = await openCorpus([source.path]);
});
afterEach(async () => {
  await corpus.close();
  source.remove();
});

async function pathsOf(query: string): Promise<string[]> {
  const search = createSearch(corpus);
  const { results } = await search({ query, viewer: { username: 'ada', canRead: () => true } });
  return results.flatMap((result) => (result.kind === 'file' ? [result.path] : []));
}

test('a search finds the same before and after the files are read', async () => {
  for (const read of [async () => {}, () => corpus.read(60_000)]) {
    await read();
    expect(await pathsOf('liftCrate')).toEqual(['src/crane.ts', 'src/ship.ts']);
    expect(await pathsOf('liftCrate case:yes')).toEqual(['src/crane.ts']);
    expect(await pathsOf('/sail\\w+ =/')).toEqual(['src/ship.ts']);
    expect(await pathsOf('type:file liftCrate NOT sailAway')).toEqual(['src/crane.ts']);
    expect(await pathsOf('zeppelin')).toEqual([]);
  }
});

test('a search does not read a file that the index knows to lack the text', async () => {
  await corpus.read(60_000);
  const [repository] = corpus.repositories;
  const ship = corpus.index.get(repository?.name ?? '', 'src/ship.ts');
  if (ship !== undefined) ship.trigrams = new Uint8Array(1);
  expect(await pathsOf('liftCrate')).toEqual(['src/crane.ts']);
});

test('a search reads a file that changed since it was indexed, and files of other revisions', async () => {
  await corpus.read(60_000);
  source.write('src/ship.ts', 'export const zeppelin = 3;\n');
  source.commit('Change');
  expect(await pathsOf('zeppelin')).toEqual(['src/ship.ts']);
  await corpus.refresh();
  expect(await pathsOf('sailAway')).toEqual([]);
  expect(await pathsOf('sailAway rev:HEAD~1')).toEqual(['src/ship.ts']);
});

test('a search goes on in the other files when the first ones do not give enough', async () => {
  for (let at = 0; at < 250; at += 1) source.write(`many/${String(at).padStart(3, '0')}.ts`, `const crate${at} = 1;\n`);
  source.commit('Add many');
  await corpus.refresh();
  await corpus.untilRead();
  expect(await pathsOf('const crate count:all')).toHaveLength(250);
  expect(await pathsOf('crate count:20')).toHaveLength(20);
});

test('a search finds all files in the order of their paths, in however many parts it looks into them', async () => {
  for (let at = 0; at < 700; at += 1)
    source.write(`many/${String(at).padStart(3, '0')}.md`, at % 2 === 0 ? 'ox\n' : 'ax\n');
  source.commit('Add many');
  await corpus.refresh();
  const even = Array.from({ length: 350 }, (_, at) => `many/${String(at * 2).padStart(3, '0')}.md`);
  expect(await pathsOf('file:many ox count:all')).toEqual(even);
  expect(await pathsOf('file:many ox count:150')).toEqual(even.slice(0, 150));
  await corpus.untilRead();
  expect(await pathsOf('file:many ox count:all')).toEqual(even);
});

test('a search needs no git process once the texts are in memory', async () => {
  await corpus.read(60_000);
  const queries = ['liftCrate', '/sail\\w+ =/', 'type:file liftCrate NOT sailAway'];
  const before: string[][] = [];
  for (const query of queries) before.push(await pathsOf(query));
  rmSync(join(source.path, '.git/objects'), { recursive: true });
  for (const [at, query] of queries.entries()) expect(await pathsOf(query)).toEqual(before[at]);
});
