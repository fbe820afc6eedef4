import { blockEnd, commentStart } from './blocks.ts';
import type { ChunkHit, IndexedFile } from './file-index.ts';
import type { Investigation } from './investigation.ts';
import { languageShares } from './language-shares.ts';
import type { Intent } from './questions/intent.ts';
import { STOP_WORDS } from './questions/vocabulary.ts';
import { languageOf } from './roles.ts';
import { stem } from './stem.ts';
import type { CodeSymbol } from './symbols.ts';
import type { Targets } from './targets.ts';
import { coverage, type Weighed, type WeighedSubject } from './weighing.ts';
import { splitIdentifier, textTerms } from './words.ts';

/** Consecutive lines of a file that match the question. */
export interface Passage {
  file: IndexedFile;
  start: number;
  end: number;
  /** The definition, when the passage is one. */
  symbol: CodeSymbol | undefined;
  score: number;
  /** Share of the question that the passage covers, 0 to 1. */
  covered: number;
  /** Lines that match the question best, best first. */
  keyLines: number[];
}

const CANDIDATES = 36;
const PER_FILE = 4;
const KEPT = 12;
const LONGEST_BLOCK = 160;

const PREFERENCE: Partial<Record<Intent, Partial<Record<IndexedFile['role'], number>>>> = {
  tests: { test: 1.6, source: 0.4, docs: 0.4 },
  why: { docs: 1.1 },
  what: { docs: 0.85 },
  options: { docs: 0.9, config: 0.9 },
};
const ROLE_FACTOR: Record<IndexedFile['role'], number> = {
  source: 1,
  docs: 0.7,
  config: 0.6,
  test: 0.5,
  example: 0.55,
  vendored: 0.2,
  generated: 0.1,
};

/** Reads the best candidates and ranks their definitions and chunks by how well they match the question. */
export async function findPassages(
  weighed: Weighed,
  targets: Targets,
  intent: Intent,
  investigation: Investigation,
): Promise<Passage[]> {
  const candidates = chooseCandidates(weighed);
  for (const { definitions } of targets.names) {
    for (const { file, symbol } of definitions.slice(0, 4)) {
      candidates.push({ file, chunk: { start: symbol.line, end: symbol.line }, score: 0, terms: [] });
    }
  }
  const passages: Passage[] = [];
  await investigation.preload(candidates.map(({ file }) => file));
  const shares = languageShares(investigation);
  for (const hit of candidates) {
    const lines = await investigation.lines(hit.file);
    for (const block of blocksOf(hit, lines)) {
      const passage = judge(block, lines, weighed, intent, targets);
      if (passage === undefined) continue;
      const share = shares.get(languageOf(hit.file.path)) ?? 0;
      passages.push({ ...passage, score: passage.score * (1 + 0.35 * share) });
    }
  }
  passages.sort((a, b) => b.score - a.score || comparePlace(a, b));
  return withoutOverlaps(passages);
}

function chooseCandidates({ hits, subjects, total }: Weighed): ChunkHit[] {
  const perFile = new Map<IndexedFile, number>();
  return hits
    .slice(0, 600)
    .map((hit) => ({ hit, worth: hit.score * (0.25 + coverage(subjects, new Set(hit.terms)) / (total || 1)) }))
    .sort((a, b) => b.worth - a.worth || comparePlace(placeOf(a.hit), placeOf(b.hit)))
    .filter(({ hit }) => {
      const count = perFile.get(hit.file) ?? 0;
      perFile.set(hit.file, count + 1);
      return count < PER_FILE;
    })
    .slice(0, CANDIDATES)
    .map(({ hit }) => hit);
}

interface Block {
  file: IndexedFile;
  start: number;
  end: number;
  symbol: CodeSymbol | undefined;
}

/** The chunk, and definitions of reasonable length that overlap it. */
function blocksOf({ file, chunk }: ChunkHit, lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (const symbol of file.symbols) {
    if (symbol.line > chunk.end) break;
    if (chunk.start - symbol.line > LONGEST_BLOCK) continue;
    const end = blockEnd(lines, symbol);
    if (end < chunk.start || end - symbol.line > LONGEST_BLOCK) continue;
    blocks.push({ file, start: symbol.line, end, symbol });
  }
  if (chunk.end > chunk.start || blocks.length === 0)
    blocks.push({ file, start: chunk.start, end: chunk.end, symbol: undefined });
  return blocks;
}

function judge(
  block: Block,
  lines: readonly string[],
  weighed: Weighed,
  intent: Intent,
  targets: Targets,
): Passage | undefined {
  const { subjects, total } = weighed;
  const from =
    block.symbol === undefined || block.symbol.kind === 'heading' ? block.start : commentStart(lines, block.start);
  const found = new Map<string, number>();
  const lineGains: [number, number][] = [];
  for (let line = from; line <= block.end; line += 1) {
    const terms = new Set(textTerms(lines[line - 1] ?? ''));
    const gain = coverage(subjects, terms);
    if (gain > 0) lineGains.push([line, gain]);
    for (const term of terms) found.set(term, (found.get(term) ?? 0) + 1);
  }
  const pathTerms = new Set(textTerms(block.file.path));
  const bodyGain = coverage(subjects, new Set(found.keys()));
  const nameTerms = new Set(block.symbol === undefined ? [] : textTerms(block.symbol.name));
  const nameGain = coverage(subjects, nameTerms);
  const pathGain = coverage(subjects, pathTerms);
  const target = targets.names.find(({ definitions }) =>
    definitions.some(({ file, symbol }) => file === block.file && symbol === block.symbol),
  );
  const inTargetFile =
    targets.files.includes(block.file) || targets.directories.some(({ files }) => files.includes(block.file));
  if (bodyGain === 0 && target === undefined && !inTargetFile) return undefined;
  const size = block.end - from + 1;
  const repeats = subjects.reduce(
    (sum, { stem, gain }) => sum + gain * Math.min(3, Math.max(0, (found.get(stem) ?? 0) - 1)),
    0,
  );
  const whole = total || 1;
  // A word found only in the path counts half: `src/slack/errors.ts` is about Slack even without the word in its text.
  const bodyAndPathGain = bodyGain + 0.5 * (coverage(subjects, new Set([...found.keys(), ...pathTerms])) - bodyGain);
  const nameFit =
    nameTerms.size === 0 ? 0 : (nameGain / whole) * (0.4 + 0.6 * partsMatched(subjects, block.symbol?.name ?? ''));
  const isLog =
    /(^|\/)(change-?logs?|history|releases?)[^/]*(\/|\.|$)/i.test(block.file.path) && block.file.role === 'docs';
  const role = { ...ROLE_FACTOR, ...PREFERENCE[intent] }[block.file.role] * (isLog ? 0.3 : 1);
  const score =
    ((bodyAndPathGain + 0.12 * repeats) / whole) ** 1.6 *
    (1 +
      1.3 * nameFit +
      0.3 * (pathGain / whole) +
      (target === undefined ? 0 : target.certain ? 1.5 : 0.5) +
      (inTargetFile ? 1 : 0)) *
    closeness(lineGains, bodyGain) *
    (1 / (1 + 0.25 * Math.log(1 + size / 20))) *
    (block.end - block.start < 3 && block.symbol?.kind !== 'heading'
      ? intent === 'how' || intent === 'why'
        ? 0.35
        : 0.7
      : 1) *
    kindFactor(block.symbol, intent) *
    (block.file.role === 'source' && isWordList(lines.slice(block.start - 1, block.end)) ? 0.3 : 1) *
    role;
  lineGains.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return {
    ...block,
    score,
    covered: coveredShare(subjects, new Set([...found.keys(), ...pathTerms])),
    keyLines: lineGains.slice(0, 8).map(([line]) => line),
  };
}

/** Share of the question's strong words that were found; weak words like "work" and "handle" do not count. */
function coveredShare(subjects: readonly WeighedSubject[], terms: ReadonlySet<string>): number {
  const strong = subjects.filter(({ weight }) => weight >= 0.5);
  const counted = strong.length > 0 ? strong : subjects;
  const total = counted.reduce((sum, { gain }) => sum + gain, 0);
  return coverage(counted, terms) / (total || 1);
}

/** Whether lines are only plain words, like a dictionary in a source file: they match everything and explain nothing. */
function isWordList(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== '');
  const bare = filled.filter((line) => /^[\p{L}\p{N}\s'-]+$/u.test(line));
  return filled.length > 10 && bare.length * 2 > filled.length;
}

/** The share of a name that appears in the question; a related word counts less than the word itself. */
function partsMatched(subjects: readonly WeighedSubject[], name: string): number {
  const parts = splitIdentifier(name.replace(/[^\p{L}\p{N}_]+/gu, ' '))
    .filter((part) => !STOP_WORDS.has(part))
    .map(stem);
  if (parts.length === 0) return 0;
  const own = new Set(subjects.map(({ stem }) => stem));
  const related = new Set(subjects.flatMap((subject) => subject.related));
  const partScores = parts.map((part) => (own.has(part) ? 1 : related.has(part) ? 0.35 : 0));
  return partScores.reduce<number>((sum, part) => sum + part, 0) / parts.length;
}

/** Weight by kind: "how" questions prefer functions, "what" questions prefer types. */
function kindFactor(symbol: CodeSymbol | undefined, intent: Intent): number {
  if (symbol === undefined) return 0.75;
  const acts = symbol.kind === 'function' || symbol.kind === 'method';
  if (intent === 'how' || intent === 'why' || intent === 'general')
    return acts
      ? 1.15
      : /(?:Error|Exception)$/.test(symbol.name)
        ? 0.55
        : symbol.kind === 'class'
          ? 0.95
          : symbol.kind === 'heading'
            ? 1
            : 0.75;
  return 1;
}

/** A factor of up to 1.5 when a few neighboring lines contain all matches. */
function closeness(lineGains: readonly [number, number][], bodyGain: number): number {
  if (bodyGain === 0) return 1;
  let best = 0;
  for (const [line] of lineGains) {
    const near = lineGains.filter(([other]) => other >= line && other < line + 6).map(([, gain]) => gain);
    best = Math.max(best, Math.min(1, near.reduce((sum, gain) => sum + gain, 0) / (bodyGain * 1.5)));
  }
  return 1 + 0.5 * best;
}

function withoutOverlaps(sorted: readonly Passage[]): Passage[] {
  const kept: Passage[] = [];
  const best = sorted[0]?.score ?? 0;
  for (const passage of sorted) {
    if (kept.length >= KEPT || passage.score < best * 0.12) break;
    const sameFile = kept.filter((other) => other.file === passage.file);
    if (sameFile.length >= 3) continue;
    if (sameFile.some((other) => passage.start <= other.end && passage.end >= other.start)) continue;
    kept.push(passage);
  }
  return kept;
}

function placeOf({ file, chunk }: ChunkHit): { file: IndexedFile; start: number } {
  return { file, start: chunk.start };
}

/** A fixed order for equal scores, so that the same question gets the same answer. */
function comparePlace(a: { file: IndexedFile; start: number }, b: { file: IndexedFile; start: number }): number {
  const left = `${a.file.repository}/${a.file.path}`;
  const right = `${b.file.repository}/${b.file.path}`;
  return left < right ? -1 : left > right ? 1 : a.start - b.start;
}
