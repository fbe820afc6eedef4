import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { askCorpus } from '../../support/codesearch/ask.ts';
import { createTestRepository } from '../../support/codesearch/repository.ts';

const statements = Array.from({ length: 8 }, (_, at) => `  load(crates[${at}]);`).join('\n');
const source = createTestRepository({
  'src/ship.ts': `/** Loads a ship before it leaves. */
export function loadShip(crates: Crate[]): void {
  if (crates.length > 8) {
    // A ship with more crates would sink in the harbour.
    throw new Error('the ship has too many crates');
  }
${statements}
}
`,
  'src/pier.ts': `/** Moors a boat at a pier. */
export function moorBoat(boat: Boat): void {
  // No boat that is moored may leave the harbour by night.
  lockGate(boat);
${statements}
  if (boat.isLeaking) throw new Error('the boat is moored but leaking');
}
`,
});
source.commit('Begin');
let corpus: OpenedCorpus;

beforeAll(async () => {
  corpus = await openCorpus([source.path]);
  await corpus.read(60_000);
});
afterAll(async () => {
  await corpus.close();
  source.remove();
});

const ask = async (question: string): Promise<string> => (await askCorpus(corpus, question)).answer;

describe('what is said of a quoted text', () => {
  test('is the comment beside its line', async () => {
    const answer = await ask('Why do I get "the ship has too many crates" in the harbour?');
    expect(answer).toContain('A comment there says: A ship with more crates would sink in the harbour.');
  });

  test('is the comment on its function when the other comments belong to other lines', async () => {
    const answer = await ask('Why do I get "the boat is moored but leaking" in the harbour?');
    expect(answer).toContain('The comment on `moorBoat` says: Moors a boat at a pier.');
    expect(answer.split('\n')[0]).not.toContain('by night');
  });
});
