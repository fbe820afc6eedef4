import { afterEach, expect, test } from 'vitest';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/search/corpus.ts';
import { BASE_MARK } from '../../../src/codesearch/search/finding.ts';
import { createInvestigate } from '../../../src/codesearch/search/investigate.ts';
import { createTestRepository } from '../../support/codesearch/repository.ts';

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
  await corpus.read(60_000, undefined);
  return corpus;
}

async function ask(corpus: OpenedCorpus, question: string): Promise<string> {
  return (
    await createInvestigate(corpus)(
      question,
      [],
      async () => {},
      () => true,
    )
  ).answer;
}

test('a heading writes no links of its own into a list of files', async () => {
  const heading = `The crane [${BASE_MARK}](${BASE_MARK}/sign-out) [harbour](https://evil.example/x) **lifts`;
  const corpus = await corpusOf({
    'docs/a.md': `# Cranes\n\nText about cranes.\n\n## ${heading}\n\nThe harbour crane lifts things into the ship every day.\n`,
  });
  const answer = await ask(corpus, 'Which files mention the harbour crane?');
  expect(answer).toContain('“The crane');
  expect(answer).not.toContain('evil.example');
  expect(answer).not.toContain('sign-out');
});
