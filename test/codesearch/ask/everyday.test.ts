import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInvestigate } from '../../../src/codesearch/ask/investigate.ts';
import { openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { askCorpus } from '../support/ask.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

// Everyday questions over two clones, whose repositories have the long names of their remotes.

let quay: TestRepository;
let shed: TestRepository;
let corpora: Record<'quay' | 'both', Awaited<ReturnType<typeof openCorpus>>>;
beforeAll(async () => {
  quay = createTestRepository({
    '.github/workflows/ci.yml':
      'jobs:\n  test:\n    steps:\n      - run: mix deps.get --check-locked\n      - run: mix test \u0024{{ matrix.more }}\n',
    'README.md':
      "# Quay\n\n## Deep boats\n\nA boat can't hold boats without end, because the whole pier would sink under the weight of all of them in a single storm at night. To prevent this the nesting limit is BOAT_NESTING_LIMIT which is 1000 by default but can be changed.\n",
    'CMakeLists.txt': 'option(BUILD_SHARED_BOATS "Build shared boats" ON)\n',
    'include/boat.h': 'extern int boat_close(int id);\n',
    'src/boat.c':
      '#include "boat.h"\n\nstatic int boat_fill(int id);\n\nint boat_close(int id) {\n  return boat_fill(id);\n}\n\nstatic int boat_fill(int id) {\n  return id;\n}\n',
    'src/pier.c': '#include "boat.h"\n\nvoid leave(void) {\n  boat_close(3);\n}\n',
  });
  quay.origin('https://github.com/acme/quay.git');
  quay.commit('Begin the quay');
  shed = createTestRepository({
    'package.json': '{\n  "scripts": {\n    "test": "vitest"\n  }\n}\n',
    Makefile: 'test:\n\techo\n',
  });
  shed.origin('https://github.com/acme/shed.git');
  shed.commit('Begin the shed');
  corpora = { quay: await openCorpus([quay.path]), both: await openCorpus([quay.path, shed.path]) };
  for (const corpus of Object.values(corpora)) await corpus.read(60_000);
});
afterAll(async () => {
  for (const corpus of Object.values(corpora)) await corpus.close();
  for (const repository of [quay, shed]) repository.remove();
});

test('a question that may search nothing says so', async () => {
  const { answer, isNoAnswer } = await createInvestigate(corpora.both)(
    'What does boat_close do?',
    [],
    async () => {},
    () => false,
  );
  expect([answer, isNoAnswer]).toEqual(['There is no repository here that this question may search.', true]);
});

test.each<[string, keyof typeof corpora, RegExp]>([
  // An option is not what a command does, and a value that the check fills in is left out.
  ['how do I run the tests?', 'quay', /^Run `mix test`, as in \[\.github\/workflows\/ci\.yml:5\]\./],
  ['how do I run the tests in quay?', 'both', /^Run `mix test`, as in/],
  ['How do I test acme/shed', 'both', /^Run `npm test`, as in/],
  ['how do I run the tests?', 'both', /^Run `(?:npm|make) test` in github\.com\/acme\/shed, as in/],
  ['how do I build it?', 'both', /^(?!.*make test)/],
  ['Who wrote quay?', 'both', /^Most commits to \[github\.com\/acme\/quay\]/],
  ['who maintains this?', 'both', /^I search 2 repositories\. Which one do you mean\?/],
  // The value stands in the sentence, however long the line is.
  ['What is the default nesting limit?', 'quay', /^\[README\.md:5\] says “To prevent this .* 1000 by default/],
  ['Does it have a nesting limit?', 'quay', /^I'm not sure/],
  // Declarations are no uses.
  ['who calls boat_close', 'quay', /^(?:`boat_close` is used|Something named `boat_close` stands) in 1 line\./],
  ['who calls boat_fill', 'quay', /^(?:`boat_fill` is used|Something named `boat_fill` stands) in 1 line\./],
  ['how do I build shared boats', 'quay', /^I'm not sure\. The closest is (?!.*: option\()/],
  ['it does not work', 'quay', /^(?!.*TODO)/],
])('%s (%s)', async (question, of, sentence) => {
  const { answer } = await askCorpus(corpora[of], question);
  expect(answer.replace(/\]\([^)]*\)/g, ']')).toMatch(sentence);
});
