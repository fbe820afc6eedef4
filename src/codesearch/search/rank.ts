import { FUSION, KIND_PRIOR, LOG_PRIOR, PRIOR, RERANK, VERBATIM } from './constants.ts';
import type { IndexedFile, IndexedUnit, UnitMatch } from './file-index.ts';
import type { Investigation } from './investigation.ts';
import type { QueryWord } from './query-terms.ts';
import type { Intent } from './questions/intent.ts';
import type { CodeSymbol } from './symbols.ts';
import { MOST_QUERY_TERMS } from './text-index.ts';
import { type Literal, rankVerbatim, type VerbatimHit } from './verbatim.ts';
import { textTerms } from './words.ts';

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

type Prior = (unit: IndexedUnit) => number;

/**
 * Ranks units: rankings by words and by verbatim hits are fused, then the best are read and judged line by line. Passages of
 * one file do not overlap.
 */
export async function rankPassages(
  words: readonly QueryWord[],
  literals: readonly Literal[],
  intent: Intent,
  investigation: Investigation,
): Promise<Passage[]> {
  const prior = priorOf(intent);
  const verbatim = rankVerbatim(literals, prior);
  const byText = [...verbatim.keys()].slice(0, FUSION.candidates);
  const { rankings, relevance } = rankByWords(words, investigation.find, prior);
  const fused = fuse([...rankings, byText]);
  const candidates = [...new Set([...byText, ...[...fused].sort((a, b) => b[1] - a[1]).map(([unit]) => unit)])];
  const read = candidates.slice(0, FUSION.candidates + byText.length);
  await investigation.preload(read.map(({ file }) => file));
  const hitsOf = hitsByFile(literals);
  const passages: Passage[] = [];
  for (const unit of read) {
    const judged = judge(unit, await investigation.lines(unit.file), words);
    const score =
      judged.worth * prior(unit) + RERANK.score * relevance(unit) + VERBATIM.lead * (verbatim.get(unit) ?? 0);
    const hits = (hitsOf.get(unit.file) ?? []).filter(({ line }) => isWithin(line, unit));
    const keyLines = [...new Set([...hits.map(({ line }) => line), ...judged.keyLines])].slice(0, RERANK.keyLines);
    passages.push({ ...placeOf(unit), score, covered: judged.covered, keyLines });
  }
  passages.sort((a, b) => b.score - a.score || comparePlaces(a, b));
  return passages.slice(0, FUSION.kept);
}

function hitsByFile(literals: readonly Literal[]): Map<IndexedFile, VerbatimHit[]> {
  const byFile = new Map<IndexedFile, VerbatimHit[]>();
  for (const { hits } of literals) {
    for (const hit of hits) {
      const own = byFile.get(hit.file);
      if (own === undefined) byFile.set(hit.file, [hit]);
      else own.push(hit);
    }
  }
  return byFile;
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
 * Three rankings: BM25F of the unit, BM25F of all of its file, and the weight of the different words in the unit; and BM25F of a
 * unit as a share of the best.
 */
function rankByWords(words: readonly QueryWord[], find: Investigation['find'], prior: Prior) {
  const terms = words
    .flatMap(({ terms: own, weight }, word) =>
      [...own].map(([term, share]) => ({ term, word, weight: share * weight })),
    )
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_QUERY_TERMS);
  const matches = find(
    terms.map(({ term }) => term),
    terms.map(({ weight }) => weight),
  );
  const ofFile = new Map<IndexedFile, number>();
  const scored = matches.map((match) => {
    const { document: unit, score } = match;
    ofFile.set(unit.file, Math.hypot(ofFile.get(unit.file) ?? 0, score * prior(unit)));
    return { unit, score: score * prior(unit), covered: weightOf(match, terms) * prior(unit) };
  });
  const scores = new Map(scored.map(({ unit, score }) => [unit, score]));
  const most = scored.reduce((highest, { score }) => Math.max(highest, score), 0);
  const rankings = [
    best(scored, ({ score }) => score),
    best(scored, ({ covered }) => covered),
    best(scored, ({ unit, score }) => (ofFile.get(unit.file) ?? 0) + score),
  ];
  return { rankings, relevance: (unit: IndexedUnit): number => (scores.get(unit) ?? 0) / (most || 1) };
}

/** The weight of the words of which a unit has any term. */
function weightOf({ found }: UnitMatch, terms: readonly { word: number; weight: number }[]): number {
  const weights = new Map<number, number>();
  for (const [bit, { word, weight }] of terms.entries()) {
    if ((found & (1 << bit)) !== 0) weights.set(word, Math.max(weights.get(word) ?? 0, weight));
  }
  return [...weights.values()].reduce((sum, weight) => sum + weight, 0);
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
  const isLog = /(^|\/)(change-?logs?|changes|news|history|releases?)[^/]*$/i;
  return ({ file, symbol }) => (isLog.test(file.path) ? LOG_PRIOR : priors[file.role] * kindPrior(file, symbol));
}

/** In source code, functions say how something is done; types, and text between definitions, mostly what there is. */
function kindPrior({ role }: IndexedFile, symbol: CodeSymbol | undefined): number {
  if (role !== 'source') return 1;
  if (symbol === undefined) return KIND_PRIOR.none;
  return /class|interface|type|module/.test(symbol.kind) ? KIND_PRIOR.type : 1;
}

/** Reads a unit: the weight of the words in it, and in its name. */
function judge(
  { start, end, symbol }: IndexedUnit,
  lines: readonly string[],
  words: readonly QueryWord[],
): { worth: number; covered: number; keyLines: number[] } {
  const gains: { line: number; gain: number }[] = [];
  const all = new Map<number, number>();
  for (let line = start; line <= end; line += 1) {
    const found = wordsIn((lines[line - 1] ?? '').slice(0, RERANK.lineCharacters), words);
    if (found.size > 0) gains.push({ line, gain: share(found, words) });
    for (const [word, part] of found) if ((all.get(word) ?? 0) < part) all.set(word, part);
  }
  return {
    covered: confidence(all, words),
    worth: share(all, words) + RERANK.name * coverage(symbol?.name ?? '', words),
    keyLines: gains.sort((a, b) => b.gain - a.gain || a.line - b.line).map(({ line }) => line),
  };
}

/** The share of a question's weight that a text covers. */
export function coverage(text: string, words: readonly QueryWord[]): number {
  return share(wordsIn(text, words), words);
}

function wordsIn(text: string, words: readonly QueryWord[]): Map<number, number> {
  const terms = new Set(textTerms(text));
  const found = new Map<number, number>();
  for (const [at, { terms: own }] of words.entries()) {
    let most = 0;
    for (const [term, part] of own) if (part > most && terms.has(term)) most = part;
    if (most > 0) found.set(at, most);
  }
  return found;
}

/**
 * How much of what the question is about a unit has. Square roots keep one rare word from deciding alone. A related word counts less
 * for a noun only.
 */
export function confidence(found: ReadonlyMap<number, number>, words: readonly QueryWord[]): number {
  let total = 0;
  let sum = 0;
  for (const [at, { isNeeded, isNoun, weight }] of words.entries()) {
    if (!isNeeded) continue;
    total += Math.sqrt(weight);
    const part = found.get(at) ?? 0;
    sum += Math.sqrt(weight) * (isNoun ? part : Math.ceil(part));
  }
  return total === 0 ? share(found, words) : sum / total;
}

function share(found: ReadonlyMap<number, number>, words: readonly QueryWord[]): number {
  const total = words.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  for (const [at, part] of found) sum += part * (words[at]?.weight ?? 0);
  return total === 0 ? 0 : sum / total;
}
