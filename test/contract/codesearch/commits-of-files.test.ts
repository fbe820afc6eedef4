import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { worthByCommits } from '../../../src/codesearch/search/commit-messages.ts';
import { COMMITS } from '../../../src/codesearch/search/constants.ts';
import { createInvestigation } from '../../../src/codesearch/search/investigation.ts';
import { queryWords } from '../../../src/codesearch/search/query-terms.ts';
import { parseQuestion } from '../../../src/codesearch/search/questions/question.ts';
import { createTestRepository, type TestRepository } from '../../support/codesearch/repository.ts';

let source: TestRepository;
const worths: Record<string, number>[] = [];

beforeAll(async () => {
  const crowd = Array.from({ length: COMMITS.mostFiles + 1 }, (_, at) => [
    `src/crowd${at}.ts`,
    `export const x${at} = 1;\n`,
  ]);
  source = createTestRepository({ 'src/window.ts': 'export const a = 1;\n', ...Object.fromEntries(crowd) });
  source.commit('Begin');
  source.write('src/window.ts', 'export const a = 2;\n');
  source.write('src/other.ts', 'export const o = 1;\n');
  source.commit('Give slow readers less at once');
  source.write('src/window.ts', 'export const a = 3;\n');
  source.write('src/gone.ts', 'export const g = 1;\n');
  source.commit('Keep slow readers from filling the memory');
  source.git('rm', '-q', 'src/gone.ts');
  for (const [path = ''] of crowd) source.write(path, 'export const y = 2;\n');
  source.commit('Say in each file that slow readers do not fill the memory');
  const corpus = await openCorpus([source.path]);
  try {
    await corpus.read(60_000);
    for (const question of ['How are slow readers kept from filling the memory?', 'Where is the anchor dropped?']) {
      const words = queryWords(parseQuestion(question), corpus.index);
      const worth = await worthByCommits(
        words,
        createInvestigation(corpus, async () => {}),
      );
      worths.push(Object.fromEntries([...worth].map(([{ path }, own]) => [path, own])));
    }
  } finally {
    await corpus.close();
  }
});
afterAll(() => source.remove());

test('files have worth by the commits whose messages have words of the question, also words that no file has', () => {
  const { 'src/window.ts': window = 0, 'src/other.ts': other = 0 } = worths[0] ?? {};
  expect(window).toBeGreaterThan(other);
  expect(other).toBeGreaterThan(0);
});

test('files that are gone, and those of a commit with very many files, have none', () => {
  expect(Object.keys(worths[0] ?? {}).toSorted()).toEqual(['src/other.ts', 'src/window.ts']);
});

test('no file has worth where no message has a word of the question', () => {
  expect(worths[1]).toEqual({});
});
