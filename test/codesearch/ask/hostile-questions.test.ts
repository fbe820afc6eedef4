import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BASE_MARK } from '../../../src/codesearch/ask/finding.ts';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { askCorpus } from '../support/ask.ts';
import { createTestRepository } from '../support/repository.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A corpus of one repository with these files, all read. */
async function corpusOf(files: Record<string, string>): Promise<OpenedCorpus> {
  const repository = createTestRepository(files);
  undo.push(() => repository.remove());
  repository.commit('Begin');
  const corpus = await openCorpus([repository.path]);
  undo.push(() => corpus.close());
  await corpus.read(60_000);
  return corpus;
}

async function ask(corpus: OpenedCorpus, question: string): Promise<string> {
  return (await askCorpus(corpus, question)).answer;
}

test('a heading writes no links into the answer into a list of files', async () => {
  const heading = `The crane [${BASE_MARK}](${BASE_MARK}/sign-out) [harbour](https://evil.example/x) **lifts`;
  const corpus = await corpusOf({
    'docs/a.md': `# Cranes\n\nText about cranes.\n\n## ${heading}\n\nThe harbour crane lifts things into the ship every day.\n`,
  });
  const answer = await ask(corpus, 'Which files mention the harbour crane?');
  expect(answer).toContain('“The crane');
  // A code block shows the text as it is.
  const prose = answer.replace(/```[\s\S]*?```/g, '');
  expect(prose).not.toContain('evil.example');
  expect(prose).not.toContain('sign-out');
});

describe('a question about many files', () => {
  /** Counts how often the texts of files are read one by one, instead of in one go. */
  function countSingleReads(corpus: OpenedCorpus): () => number {
    const [repository] = corpus.repositories;
    if (repository === undefined) throw new Error('there is no repository');
    const { texts } = repository.blobs;
    const known = new Set<string>();
    let single = 0;
    repository.blobs.texts = (ids) => {
      if (ids.length === 1 && ids.some((id) => !known.has(id))) single += 1;
      for (const id of ids) known.add(id);
      return texts(ids);
    };
    return () => single;
  }

  test('reads them in one go', async () => {
    const files: Record<string, string> = { 'src/index.ts': 'export const one = 1;' };
    for (let at = 0; at < 200; at += 1) {
      files[`src/part${at}.ts`] =
        `import { x } from 'y';\n\nexport function part${at}(): unknown {\n  return process.env.PART_${at};\n}\n`;
    }
    const corpus = await corpusOf(files);
    const singleReads = countSingleReads(corpus);
    expect(await ask(corpus, 'Which parts are there?')).toContain('part1');
    expect(singleReads()).toBeLessThan(10);
  });

  test('reads those that are large in several groups', async () => {
    const corpus = await corpusOf({
      'src/one.ts': 'export function lift(): void {}\n',
      'src/two.ts': "import { lift } from './one.ts';\n\nexport const two = () => lift();\n",
    });
    for (const file of corpus.index.all()) file.textLength = 20_000_000;
    const groups: number[] = [];
    const { preload } = corpus;
    corpus.preload = (files) => {
      groups.push(files.length);
      return preload(files);
    };
    expect(await ask(corpus, 'Where is `lift` used?')).toContain('src/two.ts');
    expect(Math.max(...groups.slice(-2))).toBe(1);
  });
});

test('a grammar that could not be read is read again', async () => {
  const { readFile } = fs;
  const use = (read: unknown): void => {
    Object.assign(fs, { readFile: read });
    syncBuiltinESMExports();
  };
  undo.push(() => use(readFile));
  vi.resetModules();
  const { grammarOf } = await import('../../../src/codesearch/index/syntax/grammars.ts');
  use(() => Promise.reject(new Error('EMFILE: too many open files')));
  await expect(grammarOf('a.go')).rejects.toThrow('EMFILE');
  use(readFile);
  expect(await grammarOf('a.go')).toMatchObject({ name: 'go' });
});
