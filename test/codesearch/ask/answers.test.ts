import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EarlierQuestion, Finding } from '../../../src/codesearch/ask/finding.ts';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { askCorpus } from '../support/ask.ts';
import { createHarbourRepository, createTestRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

const harbour = createHarbourRepository();
const LONG = 'shouldRejectTheRequestWhenTheAccountOfTheCustomerHasBeenClosedForMoreThanOneYear';
const pier = createTestRepository({
  'package.json':
    '{\n  "name": "pier",\n  "description": "Moors boats.",\n  "license": "MIT",\n  "engines": { "node": ">=20.19" },\n  "scripts": {\n    "build": "tsc",\n    "test": "vitest run",\n    "lint": "biome check"\n  }\n}\n',
  'CONTRIBUTING.md': '# Contributing\n\n## Tests\n\nBefore you send a change:\n\n```sh\nnpm ci\nnpm test\n```\n',
  'src/cranes.ts': `/** Most crates that a crane lifts at once. */
export const MOST_CRATES = 8;

/** Lifts crates from a ship. */
export function lift(crates: Crate[], boat: Boat): void {
  // A ship with more crates would sink.
  if (crates.length > MOST_CRATES) throw new Error(\`CraneTimer: \${boat.name} was called to lift more crates than one crane can hold.\`);
}

/** A crane that is called to lift more, and can hold what one crane can. */
export function called(): void {
  hold(more(crates));
}
`,
  'src/pier.ts': `export class Pier {
  /** Moors a boat. */
  moor(boat: Boat): void {
    if (boat.isLeaking) throw new TypeError('the boat is leaking at the pier');
    tie(boat);
  }

  arrive(boat: Boat): void {
    this.moor(boat);
    log('moor(boat) was called');
  }
}
`,
  'src/base.ts':
    'export class Base {\n  moor(boat: Boat): void {\n    wait(boat);\n  }\n\n  begin(boat: Boat): void {\n    this.moor(boat);\n  }\n}\n',
  'src/ropes.py':
    'def sha256_of_rope(rope):\n    return rope\n\n\ndef check(rope):\n    # sha256_of_rope(rope)\n    return sha256_of_rope(rope)\n',
  'src/kinds.rs':
    '/// What a crane can be told.\npub enum CraneOptions {\n    /// It may lift by night.\n    Nightly,\n    Slowly(u32),\n}\n',
  'src/store.ts': `/** All users. */\nexport const users$ = new Subject();\n\nexport function ${LONG}(a: number) {\n  return a + 1;\n}\n`,
  'src/view.ts': `import { users$, ${LONG} } from './store.ts';\n\nexport function show() {\n  users$.subscribe((u) => u);\n  return ${LONG}(3);\n}\n`,
  'src/settings.ts':
    '/** How long a tide is waited for. */\nexport const defaults = {\n  tideTimeoutMs: 4_500,\n  retries: 3,\n};\n',
  'test/pier.test.ts':
    "import { Pier } from '../src/pier.ts';\n\ntest('moors a boat', () => {\n  new Pier().moor(boat);\n});\n",
  'docs/lights.md':
    '# Lights\n\n> [!NOTE]\n> The lights of the lighthouse burn all night, also when no ship is expected.\n> ```sh\n> light --all\n> ```\n\n## Storms\n\nIn a storm the :class:`Lamp` of the lighthouse turns faster.\n',
});
pier.commit('Begin the pier');
let corpora: Record<'harbour' | 'pier' | 'both', OpenedCorpus>;

beforeAll(async () => {
  const [first, second, both] = [
    await openCorpus([harbour.path]),
    await openCorpus([pier.path]),
    await openCorpus([harbour.path, pier.path]),
  ];
  corpora = { harbour: first, pier: second, both };
  for (const corpus of Object.values(corpora)) await corpus.read(60_000);
});
afterAll(async () => {
  for (const corpus of Object.values(corpora)) await corpus.close();
  harbour.remove();
  pier.remove();
});

/** An answer without addresses, as people read it. */
async function ask(
  question: string,
  of: keyof typeof corpora = 'pier',
  earlier: EarlierQuestion[] = [],
): Promise<Finding> {
  const finding = await askCorpus(corpora[of], question, earlier);
  return { ...finding, answer: finding.answer.replace(/\]\([^)]*\)/g, ']').replace(/\[[0-9a-f]{8}\]/g, '[id]') };
}

test('an answer is a sentence, a passage and pointers', async () => {
  expect((await ask('Where is `retryDelay` defined?', 'harbour')).answer).toMatchInlineSnapshot(`
    "\`retryDelay\`, [src/retry.ts:4-7]: Milliseconds to wait before the given attempt; doubles each time, up to the cap.

    \`\`\`ts
    export function retryDelay(attempt: number): number {
      const base = settings.retryBaseMs * 2 ** (attempt - 1);
      return Math.min(base, settings.retryCapMs);
    }
    \`\`\`"
  `);
});

describe('the first sentence of an answer', () => {
  test.each<[string, keyof typeof corpora, string | RegExp]>([
    // How to do something: the command itself.
    ['how do i run the tests?', 'pier', 'Run `npm test`, as in [package.json:8].'],
    ['what is the command to lint', 'pier', 'Run `npm run lint`, as in [package.json:9].'],
    ['how to build it', 'pier', 'Run `npm run build`, as in [package.json:7].'],
    // Pasted messages: the line that raises it, and its condition.
    [
      'TypeError: the boat is leaking at the pier',
      'pier',
      'This text is at [src/pier.ts:4] in `moor`, reached when `boat.isLeaking`.',
    ],
    [
      'My run prints "CraneTimer: Ada was called to lift more crates than one crane can hold." - why this error?',
      'pier',
      /^This text is at \[src\/cranes\.ts:7\] in `lift`, reached when `crates\.length > MOST_CRATES`\./,
    ],
    [
      'CraneTimer: Ada was called to lift more crates than one crane can hold',
      'pier',
      /^This text is at \[src\/cranes\.ts:7\]/,
    ],
    [
      "terminate called after throwing an instance of 'Leak'\n  what():  the boat is leaking at the pier",
      'pier',
      /^This text is at \[src\/pier\.ts:4\]/,
    ],
    [
      'org.pier.BoatException: Class com.acme.users.Boat was called to lift more crates for a com.acme.Crate#weight',
      'pier',
      /^I'm not sure\. The closest is a text that shares \d+ of its \d+ words, at \[src\/cranes\.ts:7\]/,
    ],
    // A name that several things have, and a place for a question of another kind.
    ['where is moor', 'pier', /^I'm not sure\. The closest is `moor`, \[src\//],
    // Callers: lines, and no claim about a name that several things have.
    ['What calls withRetries?', 'harbour', '`withRetries` is used in 1 line.'],
    ['Where is `users$` used?', 'pier', '`users$` is used in 1 line.'],
    [`Where is \`${LONG}\` used?`, 'pier', `\`${LONG}\` is used in 1 line.`],
    ['who calls moor?', 'pier', 'Something named `moor` stands in 3 lines, 1 of them in tests.'],
    [
      'who uses `called`?',
      'pier',
      'I found no line that uses `called` ([src/cranes.ts:11]), apart from its definition.',
    ],
    ['callers of sha256_of_rope', 'pier', '`sha256_of_rope` is used in 1 line.'],
    // Who, when, why.
    [
      'Who wrote src/retry.ts?',
      'harbour',
      'Most commits to [src/retry.ts] are by Ada Byron (1) and Grace Hopper (1) of 2 commits.',
    ],
    ['who are the main contributors', 'harbour', /^Most commits to \[[^\]]*harbour\] are by Ada Byron \(\d\)/],
    [
      'Why was the retry delay capped?',
      'harbour',
      /^The closest commit came on 2024-05-02 with \[id\] by Grace Hopper: Cap the retry delay\. Without a cap a crane waited/,
    ],
    ['What changed recently?', 'harbour', /Queue jobs in the order of arrival\.$/],
    [
      'when was `JobQueue` added?',
      'harbour',
      /^`JobQueue` \(\[src\/queue\.ts:11\]\) first came in on 2024-\d\d-\d\d with \[id\]/,
    ],
    // Options, defaults, versions: the value in the sentence.
    ['what is the default tide timeout', 'pier', '[src/settings.ts:3] says `tideTimeoutMs: 4_500,`.'],
    ['which node version do i need', 'pier', '[package.json:5] says `"node": ">=20.19"`.'],
    // Tests, lists, places.
    ['Which tests cover retryDelay?', 'harbour', '1 test file names `retryDelay`, first of all [test/retry.test.ts].'],
    ['What is in src?', 'harbour', '[src/] has 3 files.'],
    ['What is in src/queue.ts?', 'harbour', /^\[src\/queue\.ts\] has 24 lines and defines `QueueOptions`, `JobQueue`/],
    ['What is this repository about?', 'pier', /: Moors boats\. It has 12 files, mostly TypeScript/],
    // Explanations.
    [
      'How is the environment variable RETRY_CAP_MS read, in seconds versus in milliseconds, or both?',
      'harbour',
      /\[src\/config\.ts:1-5\]/,
    ],
    [
      'Do the lights of the lighthouse burn all night when no ship is expected?',
      'pier',
      /: The lights of the lighthouse burn all night, also when no ship is expected\.$/,
    ],
    [
      'what does the lamp of the lighthouse do in a storm',
      'pier',
      /In a storm the `Lamp` of the lighthouse turns faster\.$/,
    ],
    // What is no question about the code, or says too little.
    ['thanks a lot!', 'pier', /^You are welcome\./],
    ['Wo werden die Boote festgemacht und wie?', 'pier', /^I search in English/],
    ['Wo ist `lift` definiert und wie wird es benutzt?', 'pier', /^`lift`, \[src\/cranes\.ts:/],
    ['the boat', 'pier', /^I'm not sure what about `boat` you want to know/],
  ])('%s', async (question, of, wanted) => {
    const [first] = (await ask(question, of)).answer.split('\n');
    if (typeof wanted === 'string') expect(first).toBe(wanted);
    else expect(first).toMatch(wanted);
  });
});

test('an answer has at most 15 quoted lines and few pointers', async () => {
  for (const question of [
    'How does a job get retried?',
    'where is moor defined',
    'Which files have to do with cranes?',
  ]) {
    const { answer } = await ask(question, 'both');
    const quoted = /```\w*\n([\s\S]*?)\n```/.exec(answer)?.[1]?.split('\n') ?? [];
    expect(quoted.length).toBeLessThanOrEqual(15);
    expect(answer.match(/^- /gm)?.length ?? 0).toBeLessThanOrEqual(8);
    expect(answer).not.toMatch(/\*\*|Last change/);
  }
});

test('a name within quotes is no use of it', async () => {
  expect((await ask('who calls moor?')).answer).not.toContain('was called');
});

describe('a question about a missing thing', () => {
  // Joined here, so that no file of a repository contains these words.
  const nonsense = [
    ['xy', 'zzy'],
    ['plu', 'gh'],
    ['frobni', 'cate'],
  ]
    .map((parts) => parts.join(''))
    .join(' ');

  test.each([
    nonsense,
    `How does the ${nonsense} work?`,
    'What is the capital of Mongolia?',
    'Where is unloadZeppelin defined?',
    'why?',
    '???',
  ])('finds nothing and says so: %s', async (question) => {
    const { answer, title, sources } = await ask(question, 'harbour');
    expect(answer).toMatch(/^I found nothing/);
    expect(title).toBe('Nothing found');
    expect(sources).toEqual([]);
  });

  test('names no word twice, and no repository', async () => {
    const { answer, followUps } = await ask('How do zeppelins of aluZeppelin land?', 'both');
    expect(answer).toContain('`aluZeppelin`');
    expect(answer).not.toContain('`zeppelin`');
    expect(answer).not.toContain('harbour');
    expect(followUps).toContain('What is this repository about?');
  });
});

test('of several definitions with a name, a follow-up is about the one that was shown', async () => {
  const first = 'How does a pier moor a boat?';
  const { answer, focus, sources } = await ask(first);
  expect(answer).toMatch(/`moor`, \[src\/pier\.ts/);
  const { answer: next } = await ask('How does that work?', 'pier', [{ text: first, answer, sources, focus }]);
  expect(next).toMatch(/^`moor`, \[src\/pier\.ts:3-6\]/);
});

test('sources say of which repository they are, where there are several', async () => {
  const names = corpora.both.repositories.map(({ name }) => name);
  const { sources } = await ask('Which files are about a crane, a job or a queue?', 'both');
  const labels = sources.filter(({ type }) => type === 'File').map(({ label }) => label);
  expect(new Set(labels.map((label) => label.split(': ')[0]))).toEqual(new Set(names));
  const { sources: single } = await ask('What is MOST_CRATES for?', 'both');
  expect(single[0]?.label).toBe('src/cranes.ts:2');
});

describe('over HTTP', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({ repos: [harbour.path] });
  });
  afterAll(() => service.stop());

  test('a thread of questions keeps its subject', async () => {
    const { id } = await service.create('Where is JobQueue defined?');
    for (const question of [
      'How does it work?',
      'Which tests cover it?',
      'And who wrote it?',
      'What about retryDelay?',
    ]) {
      await service.finished(id);
      await service.call('POST', `/${id}/questions`, { question });
    }
    const [, how, tests, who, other] = (await service.finished(id)).questions;
    expect(how?.answer).toContain('`JobQueue`');
    expect(tests?.answer).toBeDefined();
    expect(who?.answer).toMatch(/Ada Byron/);
    expect(other?.answer).toContain('`retryDelay`');
  });

  test.each(['Where is withRetries defined?', 'Why was the retry delay capped?', 'Who wrote src/retry.ts?'])(
    'each suggested follow-up of "%s" has an answer',
    async (asked) => {
      for (const question of (await service.answer(asked)).suggested_followups ?? []) {
        expect((await service.answer(question)).title).not.toBe('Nothing found');
      }
    },
  );
});
