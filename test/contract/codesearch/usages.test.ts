import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { askCorpus } from '../../support/codesearch/ask.ts';
import { createTestRepository, type TestRepository } from '../../support/codesearch/repository.ts';

const LONG = 'shouldRejectTheRequestWhenTheAccountOfTheCustomerHasBeenClosedForMoreThanOneYear';

let source: TestRepository;
let corpus: Awaited<ReturnType<typeof openCorpus>>;
beforeAll(async () => {
  source = createTestRepository({
    'src/store.ts': `/** All users. */\nexport const users$ = new Subject();\n\nexport function ${LONG}(a: number) {\n  return a + 1;\n}\n`,
    'src/view.ts': `import { users$, ${LONG} } from './store.ts';\n\nexport function show() {\n  users$.subscribe((u) => u);\n  return ${LONG}(3);\n}\n`,
    'app/helpers.py':
      'def load(path):\n    return open(path).read()\n\n\ndef parse(text):\n    return text.strip()\n\n\ndef moor(boat):\n    return boat\n',
    'app/configure.py':
      '# Runs harbor configure.\ndef run_configure():\n    who = "harbor configure"\n    raise ValueError("Who raises harbor configure? Run harbor configure.")\n\n\ndef check(done):\n    if not done:\n        raise ValueError("You must run `harbor configure` first!")\n',
    'app/harbor.py': 'def land():\n    raise ValueError("cannot moor here")\n',
    'src/zorkmid.ts':
      'export interface ZorkmidOptions {\n  /** Most at once. */\n  most: number;\n}\n\nexport class Zorkmid_box {\n  total = 0;\n  // A zorkmid goes here.\n  add(n: number) {\n    this.total += n;\n  }\n}\n',
    'src/backoff.rs':
      'pub struct Backoff<R> {\n    rng: R,\n}\n\nimpl<R> Backoff<R> {\n    fn default() -> Self {\n        let rng = make();\n        Backoff { rng }\n    }\n\n' +
      '    fn grow(times: u32) -> u32 {\n        let doubled = times * 2;\n        doubled\n    }\n\n' +
      '    fn pause(&self) -> Duration {\n        let times = Self::grow(1);\n        time::Duration::default() * times\n    }\n}\n',
    'app/main.py':
      'import helpers\nfrom helpers import parse\n\n\ndef run(items):\n    text = helpers.load("a")\n    return list(map(parse, items)), text\n',
  });
  source.commit('Begin');
  corpus = await openCorpus([source.path]);
  await corpus.read(60_000);
});
afterAll(async () => {
  await corpus.close();
  source.remove();
});

const ask = async (question: string): Promise<string> => (await askCorpus(corpus, question)).answer;

test.each([
  ['a name with a sign', 'users$', 'src/view.ts:4'],
  ['a long name', LONG, 'src/view.ts:5'],
  ['a function that is called on a module', 'load', 'app/main.py:6'],
  ['a function that is handed on', 'parse', 'app/main.py:7'],
])('the uses of %s are found', async (_, name, place) => {
  expect(await ask(`Where is \`${name}\` used?`)).toContain(place);
});

test('a function rests on what its own type has, and not on a function of another type with the same name', async () => {
  const answer = await ask('How does `pause` work?');
  expect(answer).toMatch(/\*\*It rests on\*\*\n\n- `grow` /);
  expect(answer).not.toContain('`default` (');
});

test('a quoted message with a name in it is found itself, and no other use of the name', async () => {
  const answer = await ask('Who raises "You must run `harbor configure` first!"?');
  expect(answer).toMatch(/^`` You must run `harbor configure` first! `` is in `check`/);
});

test('a name that only this repository has is answered about', async () => {
  expect(await ask('Where does the zorkmid go?')).toMatch(/^`add`|^The closest match is `add`|^This is in `add`/);
});

test.each(['What options does ZorkmidOptions have?', 'What options are there for zorkmid_box?'])(
  '%s',
  async (question) => {
    expect(await ask(question)).toContain('`ZorkmidOptions` in');
  },
);

test('a word in a text is no use of a function with that name', async () => {
  expect(await ask('Where is `moor` used?')).not.toContain('app/harbor.py');
});

test('a name that is used nowhere is said to be in no line that was read', async () => {
  expect(await ask('Where is `moor` used?')).toContain('No line that was read uses `moor`');
});
