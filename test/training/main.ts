import { writeFileSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { readCommentPairs } from './comment-pairs.ts';
import { readCommitPairs } from './commit-pairs.ts';
import { Definitions } from './definitions.ts';
import { readDocumentPairs } from './document-pairs.ts';
import { evaluate, type Ranks } from './evaluate.ts';
import { openSnapshot } from './git-directory.ts';
import { createPairTable, type PairTable, samplePairs, toWords } from './pair-table.ts';
import type { Pair } from './pairs.ts';
import { createRandom } from './random.ts';
import { readTestPairs } from './test-pairs.ts';
import { train } from './train.ts';
import { encodeVectorFile } from './vector-file.ts';
import { TermCounts } from './vocabulary.ts';

// `npm run train:vectors -- [options] <repository> …`: trains the word vectors of the embedded code search service on the
// comments, commits, tests and documents of git repositories. README.md says how.

const SEED = 1;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: 'src/codesearch/search/word-vectors.bin' },
    steps: { type: 'string', default: '8000' },
    /** A multiple of 4. */
    dimensions: { type: 'string', default: '64' },
    /** Most words of the vocabulary. */
    words: { type: 'string', default: '30000' },
    /** Names of repositories that are only used to measure: a folder of their path. */
    'held-out': { type: 'string', multiple: true, default: [] },
  },
});

const steps = wholeNumber('steps', 1);
const dimensions = wholeNumber('dimensions', 4);
if (dimensions % 4 !== 0) throw new Error('--dimensions must be a multiple of 4');
const wordsMax = wholeNumber('words', 1);
if (positionals.length === 0) throw new Error('name the folders of one or more git repositories');

const isHeldOut = (folder: string): boolean => values['held-out'].some((name) => folder.split(sep).includes(name));
const folders = positionals.map((folder) => resolve(folder)).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
const unknown = values['held-out'].filter((name) => !folders.some((folder) => folder.split(sep).includes(name)));
if (unknown.length > 0) throw new Error(`no folder belongs to --held-out ${unknown.join(', ')}`);
if (folders.every(isHeldOut)) throw new Error('all repositories are held out');

const startMs = Date.now();
const counts = new TermCounts();
const read: { folder: string; table: PairTable }[] = [];
for (const folder of folders) read.push({ folder, table: await readRepository(folder) });
const { vocabulary, wordOf } = counts.choose(wordsMax);
const [training, heldOut]: [PairTable[], PairTable[]] = [[], []];
// Each table of terms is freed as soon as it is replaced.
for (let next = read.shift(); next !== undefined; next = read.shift()) {
  (isHeldOut(next.folder) ? heldOut : training).push(toWords(next.table, wordOf));
}
const usable = training.filter(({ kinds }) => kinds.length >= 4);
if (usable.length === 0) throw new Error('the repositories have too few words in common');
const pairs = usable.reduce((sum, { kinds }) => sum + kinds.length, 0);
write(`${pairs} pairs, ${vocabulary.words.length} words, ${seconds()} s`);

const model = train(vocabulary, usable, {
  steps,
  dimensions,
  random: createRandom(SEED),
  report: ({ step, loss, model }) =>
    write(`step ${step}: ${progressText(loss, evaluate(model, heldOut))}${seconds()} s`),
});
writeFileSync(values.out, encodeVectorFile(vocabulary, model.questions, model.codes));

async function readRepository(folder: string): Promise<PairTable> {
  const snapshot = openSnapshot(folder);
  const found: Pair[] = [];
  const definitions = new Definitions();
  for await (const pair of readCommentPairs(snapshot, definitions)) found.push(pair);
  for await (const pair of readCommitPairs(snapshot)) found.push(pair);
  for await (const pair of readTestPairs(snapshot, definitions)) found.push(pair);
  for await (const pair of readDocumentPairs(snapshot, definitions)) found.push(pair);
  const sample = samplePairs(found, createRandom(SEED));
  if (!isHeldOut(folder)) counts.add(sample);
  write(`${nameOf(folder)}: ${sample.length} of ${found.length} pairs, ${seconds()} s`);
  return createPairTable(sample, (term) => counts.idOf(term));
}

/** The same wherever the repositories lie. */
function nameOf(folder: string): string {
  return `${basename(dirname(folder))}/${basename(folder)}`;
}

/** The loss and the mean reciprocal ranks by kind of pair. */
function progressText(loss: number | undefined, ranks: Ranks): string {
  const measures = Object.entries({ ...(loss !== undefined && { loss }), ...ranks });
  return measures.map(([name, value]) => `${name} ${value.toFixed(3)}, `).join('');
}

function wholeNumber(name: 'steps' | 'dimensions' | 'words', least: number): number {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < least)
    throw new Error(`--${name} ${values[name]}: not a whole number from ${least}`);
  return value;
}

function seconds(): number {
  return Math.round((Date.now() - startMs) / 1_000);
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
