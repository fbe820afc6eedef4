import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { askCorpus } from '../support/ask.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

let sources: TestRepository[];
/** Folders have the names of the repositories. */
const names = ['north-dock', 'southDock7'];
let corpus: Awaited<ReturnType<typeof openCorpus>>;
beforeAll(async () => {
  sources = ['crane', 'ferry'].map((kind) => {
    const source = createTestRepository({
      [`src/${kind}.py`]: `import os\n\n\ndef retry_${kind}(job):\n    """Retries a job of the ${kind}.\n\n    \`\`\`\n    retry_${kind}(harbor)\n    \`\`\`\n    """\n    limit = os.environ.get("${kind.toUpperCase()}_LIMIT")\n    return job, limit\n`,
    });
    source.commit('Begin');
    return source;
  });
  const paths = sources.map(({ path, git }, place) => {
    const folder = join(path, names[place] ?? '');
    git('clone', '--quiet', path, folder);
    return folder;
  });
  corpus = await openCorpus(paths);
  await corpus.read(60_000);
});
afterAll(async () => {
  await corpus.close();
  for (const source of sources) source.remove();
});

const ask = async (question: string): Promise<string> => (await askCorpus(corpus, question)).answer;

test.each([
  [0, 'crane', 'ferry'],
  [1, 'ferry', 'crane'],
] as const)('a question that names repository %i is answered from it alone', async (place, own, other) => {
  const answer = await ask(`How does a job retry in ${names[place]}?`);
  expect(answer).toContain(`\`retry_${own}\``);
  expect(answer).not.toContain(other);
});

test('a question that names a repository without an answer is answered from the others', async () => {
  expect(await ask(`What does retry_ferry do for ${names[0]}?`)).toContain('`retry_ferry`');
  expect(await ask(`How is a ferry retried in ${names[0]}?`)).toContain('`retry_ferry`');
});

test('a description ends before an example', async () => {
  const answer = await ask('What does `retry_crane` do?');
  expect(answer).toContain('Retries a job of the crane.');
  expect(answer.split('```')[0]).not.toContain('harbor');
});
