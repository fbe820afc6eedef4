import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import type { EarlierQuestion, Finding } from '../../../src/codesearch/search/finding.ts';
import { askCorpus } from '../../support/codesearch/ask.ts';
import { createTestRepository } from '../../support/codesearch/repository.ts';

const harbour = createTestRepository({
  'src/cranes.ts': `/** Most crates that a crane lifts at once. */
export const MOST_CRATES = 8;

export type CraneTimer = { started: number };

/** Lifts crates from a ship. */
export function lift(crates: Crate[], timer: CraneTimer): void {
  if (crates.length > MOST_CRATES) throw new Error(\`CraneTimer: \${name} was called to lift more crates than one crane can hold.\`);
}

/** The default of every crane. */
export function fallback(): Crane {
  return new Crane({ hold_at_night: true });
}

/** A crane that is called to lift more, and can hold what one crane can. */
export function called(): void {
  hold(more(crates));
}
`,
  'src/pier.ts': `export class Pier {
  /** Moors a boat. */
  moor(boat: Boat): void {
    tie(boat);
  }

  arrive(boat: Boat): void {
    this.moor(boat);
  }
}
`,
  'src/base.ts': `export class Base {
  moor(boat: Boat): void {
    throw new Error('no place for a boat');
  }

  begin(boat: Boat): void {
    this.moor(boat);
  }
}
`,
  'src/kinds.rs': `/// What a crane can be told.
pub enum CraneOptions {
    /// It may lift by night.
    Nightly,
    Slowly(u32),
}
`,
  'src/test/java/FerryTest.java': `public class FerryTest {
  @Test
  public void suspendsAndResumesFerry() {
    ferry.suspend();
    ferry.resume();
    assertTrue(ferry.isLoaded());
  }
}
`,
  'src/settings.ts': `/** What the tide tables are read with. */
export class TideTables {
  start = 0;
  readonly bypass = read('harbour.tide.bypassMs');
  stop = 1;
}

export const tables = new TideTables();
`,
  'docs/lights.md': `# Lights

> [!NOTE]
> The lights of the lighthouse burn all night, also when no ship is expected.
> \`\`\`sh
> light --all
> \`\`\`
`,
});
harbour.commit('Begin');
const island = createTestRepository({
  'src/ferry.ts': '/** Moors a boat, the ferry. */\nexport function moorFerry(boat: Boat) {\n  tie(boat);\n}\n',
});
island.commit('Begin');
let corpus: OpenedCorpus;
let both: OpenedCorpus;

beforeAll(async () => {
  corpus = await openCorpus([harbour.path]);
  both = await openCorpus([harbour.path, island.path]);
  await corpus.read(60_000);
  await both.read(60_000);
});
afterAll(async () => {
  await corpus.close();
  await both.close();
  harbour.remove();
  island.remove();
});

async function ask(question: string, earlier: EarlierQuestion[] = [], of = corpus): Promise<Finding> {
  const finding = await askCorpus(of, question, earlier);
  return { ...finding, answer: finding.answer.replace(/\]\([^)]*\)/g, ']') };
}

test('a message leads before a type that it names, and stands without places that only share its words', async () => {
  const { answer } = await ask(
    'My run prints "CraneTimer: lift was called to lift more crates than one crane can hold." - what triggers this?',
  );
  expect(answer).toMatch(/^`CraneTimer: lift was called .*` is in `lift` at \[src\/cranes\.ts:8\]/);
  expect(answer).toContain('It gets there when `crates.length > MOST_CRATES`.');
});

test('beside a name that can only be code, a plain word is no name', async () => {
  const { answer } = await ask('What does hold_at_night do and is it on by fallback?');
  expect(answer).toMatch(/^`hold_at_night` is in `fallback` at/);
});

test('a constant is used, not called', async () => {
  const { answer } = await ask('What is MOST_CRATES for?');
  expect(answer).toContain('**Used in**');
  expect(answer).not.toContain('**Called from**');
});

test('of several definitions with a name, a follow-up is about the one that was shown', async () => {
  const first = 'How does a pier moor a boat?';
  const { answer, focus, sources } = await ask(first);
  expect(answer).toMatch(/^(?:This is in|The closest match is) `moor`, a method of `Pier`/);
  const { answer: uses } = await ask('Who uses that?', [{ text: first, answer, sources, focus }]);
  expect(uses).toMatch(/^`moor`, method in \[src\/pier\.ts:3\]/);
});

test('tests are named by their functions, where nothing else names them', async () => {
  const { answer } = await ask('Which tests cover suspending and resuming the ferry?');
  expect(answer).toMatch(/^1 test file has to do with `ferry`, `[a-z]+` and `[a-z]+`; /);
  expect(answer).toContain('- [src/test/java/FerryTest.java:3]: `suspendsAndResumesFerry`');
});

test('a name within a class is shown without what uses the class', async () => {
  const { answer } = await ask('What does harbour.tide.bypassMs do?');
  expect(answer).toMatch(/^`harbour\.tide\.bypassMs` is in `TideTables` at/);
  expect(answer).not.toContain('**Used in**');
});

test('a question when something came in is answered with a commit, also by the closest match', async () => {
  const { answer } = await ask('When was it added that a crane lifts crates for the boss and the rules?');
  expect(answer).toMatch(/^The closest match is a line in `lift`, \[src\/cranes\.ts:\d+\]\. It came in on 2024-/);
});

test('the variants of an enumeration are listed', async () => {
  const { answer } = await ask('What options are there in CraneOptions?');
  expect(answer).toContain('has 2 members');
  expect(answer).toContain('- `Nightly`: It may lift by night.');
  expect(answer).toContain('- `Slowly` `(u32)`');
});

test('where the code reads no environment variable by name, the answer says so', async () => {
  const { answer } = await ask('Which environment variables are read?');
  expect(answer).toMatch(/^No place was found where the code reads an environment variable by name in a usual way\./);
});

test('a block quote of a document is quoted without its marks', async () => {
  const { answer } = await ask('Do the lights of the lighthouse burn all night when no ship is expected?');
  expect(answer.split('\n')[0]).toMatch(
    /: The lights of the lighthouse burn all night, also when no ship is expected\.$/,
  );
});

test('sources say of which repository they are, where there are several', async () => {
  const names = both.repositories.map(({ name }) => name);
  const { sources } = await ask('How is a boat moored?', [], both);
  const files = sources.filter(({ type }) => type === 'File').map(({ label }) => label);
  expect(new Set(files.map((label) => label.split(': ')[0]))).toEqual(new Set(names));
  const { sources: single } = await ask('What is MOST_CRATES for?', [], both);
  expect(single.map(({ label }) => label)[0]).toBe('src/cranes.ts:2');
});

test('a refusal offers an overview, of all repositories where there are several, and names no word twice', async () => {
  const one = await ask('How do zeppelins of aluZeppelin land?');
  expect(one.followUps).toContain('What is this repository about?');
  expect(one.answer).not.toContain('`zeppelin`');
  const many = await ask('How do zeppelins land?', [], both);
  expect(many.followUps).toContain('What is this codebase about?');
  expect((await ask('What is this codebase about?', [], both)).answer).toMatch(/has 7 files[\s\S]*has 1 file/);
});
