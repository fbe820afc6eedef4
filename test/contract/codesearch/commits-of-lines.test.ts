import { afterEach, describe, expect, test } from 'vitest';
import { createReadTools } from '../../../src/codesearch/agent/read-tools.ts';
import { createReadable } from '../../../src/codesearch/agent/readable.ts';
import { openCorpus } from '../../../src/codesearch/search/corpus.ts';
import { createInvestigate } from '../../../src/codesearch/search/investigate.ts';
import { createTestRepository, type TestRepository } from '../../support/codesearch/repository.ts';

const functionNamed = (name: string): string =>
  `/** Says ${name}. */\nexport function ${name}(crane: string) {\n  const x = crane + '${name}';\n  return x;\n}\n`;

let source: TestRepository;
afterEach(() => source.remove());

async function withCorpus<T>(path: string, use: (corpus: Awaited<ReturnType<typeof openCorpus>>) => Promise<T>) {
  const corpus = await openCorpus([path]);
  try {
    await corpus.read(60_000, undefined);
    return await use(corpus);
  } finally {
    await corpus.close();
  }
}

const ask = (question: string, path = source.path): Promise<string> =>
  withCorpus(path, async (corpus) => {
    const finding = await createInvestigate(corpus)(
      question,
      [],
      async () => {},
      () => true,
    );
    return finding.answer;
  });

const blame = (path = source.path): Promise<string> =>
  withCorpus(path, (corpus) => createReadTools(createReadable(corpus, () => true)).blame({ path: 'src/a.ts' }));

describe('of a file with staged changes', () => {
  /** The staged lines move those of Alice to where HEAD has those of Olga. */
  function stage(): void {
    source = createTestRepository({ 'src/a.ts': functionNamed('alpha') });
    source.commit('Write alpha', { author: 'Alice' });
    source.write('src/a.ts', functionNamed('alpha') + functionNamed('omega'));
    source.commit('Write omega', { author: 'Olga', date: '2024-04-01T10:00:00Z' });
    source.write('src/a.ts', functionNamed('fresh') + functionNamed('alpha') + functionNamed('omega'));
    source.git('add', '-A');
  }

  test.each(['Who wrote `alpha`?', 'Why was `alpha` last changed?'])(
    '%s gets the commit that brought the name, and no author of its lines',
    async (question) => {
      stage();
      const answer = await ask(question);
      expect(answer).toContain('staged changes');
      expect(answer).toContain('The name first came into that file on 2024-03-01');
      expect(answer).not.toContain('Olga');
    },
  );

  test('an answer about a definition has no last change', async () => {
    stage();
    const answer = await ask('Where is `alpha` defined?');
    expect(answer).toContain('src/a.ts:7-10');
    expect(answer).not.toContain('Last change');
  });

  test('the model is refused', async () => {
    stage();
    await expect(blame()).rejects.toThrow('This file has staged changes');
  });
});
