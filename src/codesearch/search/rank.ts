import { groupBy } from '../group-by.ts';
import { UNITS } from '../index/constants.ts';
import type { Definition, IndexedFile, IndexedUnit } from '../index/file-index.ts';
import { isCode } from '../index/roles.ts';
import type { CodeSymbol } from '../index/symbols.ts';
import { MOST_QUERY_TERMS } from '../index/text-index.ts';
import { worthByCommits } from './commit-messages.ts';
import { ASIDE_PRIOR, COMMITS, CONFIDENCE, FUSION, KIND_PRIOR, PRIOR, RERANK, VERBATIM } from './constants.ts';
import { answerability, confidence, share, wordsIn } from './coverage.ts';
import type { Investigation } from './investigation.ts';
import type { QueryWord } from './query-terms.ts';
import type { Intent } from './questions/intent.ts';
import type { Question } from './questions/question.ts';
import { similarityTo } from './similarity.ts';
import { type Literal, rankVerbatim } from './verbatim.ts';

/** Consecutive lines of a file that match the question. */
export interface Passage {
  file: IndexedFile;
  start: number;
  end: number;
  /** The definition that the lines belong to. */
  symbol: CodeSymbol | undefined;
  score: number;
  /** How much of what the question is about it has, from 0 to 1. */
  covered: number;
  /** Lines that match best, best first. */
  keyLines: number[];
}

/** All lines of a definition that the question names. */
export function passageOfDefinition({ file, symbol }: Definition): Passage {
  return { file, symbol, start: symbol.line, end: symbol.end, score: 1, covered: 1, keyLines: [symbol.line] };
}

/** Passages, best first, and how surely the question has an answer. */
export interface Ranking {
  passages: Passage[];
  /** The highest sum of the answerability and the similarity of a unit; infinite for one that has all specific words. */
  certainty: number;
}

type Prior = (unit: IndexedUnit) => number;

/**
 * Ranks units: rankings by words and by verbatim hits are fused, then the best are read and judged line by line. Passages of
 * one file do not overlap.
 */
export async function rankPassages(
  words: readonly QueryWord[],
  literals: readonly Literal[],
  { text, intent }: Pick<Question, 'text' | 'intent'>,
  investigation: Investigation,
): Promise<Ranking> {
  const prior = priorOf(intent);
  const similar = similarityTo(text);
  const verbatim = rankVerbatim(literals, prior);
  const byText = [...verbatim.keys()].slice(0, FUSION.candidates);
  const byCommits = await worthByCommits(words, investigation);
  const { rankings, relevance } = rankByWords(words, investigation.find, prior, byCommits);
  const fused = fuse([...rankings, byText]);
  const candidates = [...new Set([...byText, ...[...fused].sort((a, b) => b[1] - a[1]).map(([unit]) => unit)])];
  const read = candidates.slice(0, FUSION.candidates + byText.length);
  await investigation.preload(read.map(({ file }) => file));
  const hitsOf = groupBy(
    literals.flatMap(({ hits }) => hits),
    ({ file }) => file,
  );
  const cutLines = new Map<IndexedFile, string[]>();
  const passages: Passage[] = [];
  let certainty = 0;
  for (const unit of read) {
    const lines =
      cutLines.get(unit.file) ??
      (await investigation.lines(unit.file)).map((line) => line.slice(0, RERANK.lineCharacters));
    cutLines.set(unit.file, lines);
    const judged = judge(unit, lines, words);
    const similarity = similar(unit, lines);
    const worth =
      share(judged.found, words) +
      RERANK.similarity * Math.max(0, similarity) +
      COMMITS.weight * (byCommits.get(unit.file) ?? 0);
    const score = worth * prior(unit) + RERANK.score * relevance(unit) + VERBATIM.lead * (verbatim.get(unit) ?? 0);
    const hits = (hitsOf.get(unit.file) ?? []).filter(({ line }) => isWithin(line, unit));
    const keyLines = [...new Set([...hits.map(({ line }) => line), ...judged.keyLines])].slice(0, RERANK.keyLines);
    const covered = confidence(judged.found, words);
    // Its path and the name of its class say what it is about, too.
    const around = wordsIn(`${unit.file.path} ${unit.symbol?.owner ?? ''}`, words);
    const answerable = answerability(new Map([...around, ...judged.found]), words);
    // Names that the vectors don't know are similar to nothing.
    certainty = Math.max(certainty, answerable >= CONFIDENCE.all ? Number.POSITIVE_INFINITY : answerable + similarity);
    passages.push({ ...placeOf(unit), score, covered, keyLines });
  }
  passages.sort((a, b) => b.score - a.score || comparePlaces(a, b));
  return { passages: spread(passages).slice(0, FUSION.kept), certainty };
}

/** Moves passages behind the others when {@link FUSION}.ofFile better ones are of the same file. */
function spread(passages: readonly Passage[]): Passage[] {
  const counts = new Map<IndexedFile, number>();
  const isEarly = passages.map(({ file }) => {
    const before = counts.get(file) ?? 0;
    counts.set(file, before + 1);
    return before < FUSION.ofFile;
  });
  return [...passages.filter((_, at) => isEarly[at]), ...passages.filter((_, at) => !isEarly[at])];
}

function isWithin(line: number, { start, end }: IndexedUnit): boolean {
  return start <= line && line <= end;
}

/** Without the blank lines and brackets after a definition. */
function placeOf({ file, start, end, symbol }: IndexedUnit): Pick<Passage, 'file' | 'start' | 'end' | 'symbol'> {
  return { file, start, end: symbol === undefined || symbol.end < start ? end : Math.min(end, symbol.end), symbol };
}

/** Fuses rankings: each document gets the sum of 1 / (k + its rank). */
export function fuse<Document>(rankings: readonly (readonly Document[])[]): Map<Document, number> {
  const scores = new Map<Document, number>();
  for (const ranking of rankings) {
    for (const [at, document] of ranking.entries()) {
      scores.set(document, (scores.get(document) ?? 0) + 1 / (FUSION.k + at + 1));
    }
  }
  return scores;
}

/**
 * Four rankings: BM25F of the unit, BM25F of all of its file, the weight of the different words in the unit, and BM25F of the unit with
 * the worth of its file by commits. Besides, BM25F of a unit as a share of the best.
 */
function rankByWords(
  words: readonly QueryWord[],
  find: Investigation['find'],
  prior: Prior,
  byCommits: ReadonlyMap<IndexedFile, number>,
) {
  const terms = words
    .flatMap(({ terms: own, weight }, word) =>
      [...own].map(([term, part]) => ({ term, word, share: part, weight: part * weight })),
    )
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_QUERY_TERMS);
  const matches = find(
    terms.map(({ term }) => term),
    terms.map(({ weight }) => weight),
  );
  const ofFile = new Map<IndexedFile, number>();
  const scored = matches.map(({ document: unit, score, found }) => {
    ofFile.set(unit.file, Math.hypot(ofFile.get(unit.file) ?? 0, score * prior(unit)));
    return { unit, score: score * prior(unit), covered: share(wordsWith(found, terms), words) * prior(unit) };
  });
  const scores = new Map(scored.map(({ unit, score }) => [unit, score]));
  const most = scored.reduce((highest, { score }) => Math.max(highest, score), 0);
  const rankings = [
    best(scored, ({ score }) => score),
    best(scored, ({ covered }) => covered),
    best(scored, ({ unit, score }) => (ofFile.get(unit.file) ?? 0) + score),
    best(
      scored.filter(({ unit }) => byCommits.has(unit.file)),
      ({ unit, score }) => (byCommits.get(unit.file) ?? 0) * score,
    ),
  ];
  return {
    rankings,
    relevance: (unit: IndexedUnit): number => (scores.get(unit) ?? 0) / (most || 1),
  };
}

/** The words of which terms were found, by their places, each with the share of the best term. */
function wordsWith(found: number, terms: readonly { word: number; share: number }[]): Map<number, number> {
  const shares = new Map<number, number>();
  for (const [bit, { word, share: own }] of terms.entries()) {
    if ((found & (1 << bit)) !== 0) shares.set(word, Math.max(shares.get(word) ?? 0, own));
  }
  return shares;
}

interface Scored {
  unit: IndexedUnit;
  score: number;
  covered: number;
}

function best(items: readonly Scored[], worthOf: (item: Scored) => number): IndexedUnit[] {
  return items
    .map((item) => ({ item, value: worthOf(item) }))
    .sort((a, b) => b.value - a.value || b.item.score - a.item.score || comparePlaces(a.item.unit, b.item.unit))
    .slice(0, FUSION.candidates)
    .map(({ item }) => item.unit);
}

/** A fixed order for equal scores, so that the same question gets the same answer. */
function comparePlaces(a: { file: IndexedFile; start: number }, b: { file: IndexedFile; start: number }): number {
  const left = `${a.file.repository}/${a.file.path}`;
  const right = `${b.file.repository}/${b.file.path}`;
  return left < right ? -1 : left > right ? 1 : a.start - b.start;
}

/** How likely a file answers a question of this kind. */
function priorOf(intent: Intent): Prior {
  const priors: Record<IndexedFile['role'], number> = {
    ...PRIOR,
    ...(intent === 'tests' ? { test: 1.5, source: 0.5 } : {}),
  };
  return ({ file, symbol }) => {
    if (!isCode(file.path) && ASIDE.test(file.path)) return ASIDE_PRIOR;
    if (file.role === 'source' && symbol !== undefined && isTest(file, symbol)) return priors.test;
    return priors[file.role] * kindPrior(file, symbol);
  };
}

/** Lists of changes, documents about licenses and contributors, and translations of a readme. */
const ASIDE =
  /(^|\/)(?:readme[._-][a-z]{2}(?:[_-][a-z]{2,4})?(?=\.[a-z]+$)[^/]*|(?:change-?logs?|changes|news|history|releases?)[^/]*|(?:licen[sc]es?|copying|notice|authors|contributors|maintainers|code[-_]of[-_]conduct|governance|contributing)(?:\.[^/.]+)?)$/i;

/** Whether a definition in a source file is one of its tests, which Rust has there. */
function isTest({ path }: IndexedFile, { name, owner = '' }: CodeSymbol): boolean {
  return path.endsWith('.rs') && (/^(?:test|bench)_|^tests?$/.test(name) || /^(?:tests?|bench(?:es)?)$/.test(owner));
}

/** In source code, functions say how something is done; types, and text between definitions, mostly what there is. */
function kindPrior({ role }: IndexedFile, symbol: CodeSymbol | undefined): number {
  if (role !== 'source') return 1;
  if (symbol === undefined) return KIND_PRIOR.none;
  if (symbol.kind === 'constant' && symbol.end - symbol.line >= UNITS.mostLines) return KIND_PRIOR.data;
  return /class|interface|type|module/.test(symbol.kind) ? KIND_PRIOR.type : 1;
}

/** Reads a unit: the words in it, and its lines with any, best first. */
function judge(
  { start, end }: IndexedUnit,
  lines: readonly string[],
  words: readonly QueryWord[],
): { found: ReadonlyMap<number, number>; keyLines: number[] } {
  const gains: { line: number; gain: number }[] = [];
  const all = new Map<number, number>();
  for (let line = start; line <= end; line += 1) {
    const found = wordsIn(lines[line - 1] ?? '', words);
    if (found.size > 0) gains.push({ line, gain: share(found, words) });
    for (const [word, part] of found) if ((all.get(word) ?? 0) < part) all.set(word, part);
  }
  return {
    found: all,
    keyLines: gains.sort((a, b) => b.gain - a.gain || a.line - b.line).map(({ line }) => line),
  };
}
