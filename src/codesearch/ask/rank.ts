import { groupBy } from '../group-by.ts';
import type { Definition, IndexedFile, IndexedUnit } from '../index/file-index.ts';
import { isCode } from '../index/roles.ts';
import type { CodeSymbol } from '../index/symbols.ts';
import { MOST_QUERY_TERMS } from '../index/text-index.ts';
import type { Investigation } from './investigation.ts';
import { coverage, type QueryWord, share, wordsIn } from './query-words.ts';
import type { Kind } from './question/kind.ts';
import type { Literal } from './verbatim.ts';

/** What speaks for a passage, each from 0 to 1. */
export interface Signs {
  /** BM25F, as a share of the best. */
  text: number;
  /** The share of the question's weight that its lines have. */
  words: number;
  /** How likely a file of this kind answers a question of this kind. */
  role: number;
  /** The share of the question's weight in the names of the definition and the file. */
  name: number;
}

/** Consecutive lines of a file that match the question. */
export interface Passage {
  file: IndexedFile;
  start: number;
  end: number;
  /** The definition that the lines belong to. */
  symbol: CodeSymbol | undefined;
  score: number;
  signs: Signs;
  /** Lines that match best, best first. */
  keyLines: number[];
}

/** Weights of the signs: chosen with `npm run fit:answers` on the part `tune` of the judgments. */
export const WEIGHTS: Signs = { text: 0.4, words: 0.8, role: 0.8, name: 1.2 };

/** Units that are read and judged. */
const CANDIDATES = 80;
/** Text beyond this column is ignored: long lines are mostly data. */
const LINE_CHARACTERS = 300;
const KEY_LINES = 8;

/** All lines of a definition that the question names. */
export function passageOfDefinition({ file, symbol }: Definition): Passage {
  const signs = { text: 1, words: 1, role: 1, name: 1 };
  return { file, symbol, start: symbol.line, end: symbol.end, score: 1, signs, keyLines: [symbol.line] };
}

/** The passages that match best, best first. Passages of one file do not overlap. */
export async function rankPassages(
  words: readonly QueryWord[],
  literals: readonly Literal[],
  kind: Kind,
  investigation: Investigation,
): Promise<Passage[]> {
  const role = (unit: IndexedUnit): number => roleFor(kind, unit);
  const best = bestByWords(words, investigation);
  const most = best[0]?.score ?? 1;
  const scores = new Map(best.map(({ unit, score }) => [unit, score / most]));
  const candidates = [...new Set([...unitsWith(literals).slice(0, CANDIDATES), ...scores.keys()])];
  await investigation.preload(candidates.map(({ file }) => file));
  const hitsOf = groupBy(
    literals.flatMap(({ hits }) => hits),
    ({ file }) => file,
  );
  const passages: Passage[] = [];
  for (const unit of candidates) {
    const { file, start, end, symbol } = unit;
    const lines = await investigation.lines(file);
    const { found, keyLines } = judge(unit, lines, words);
    const around = wordsIn(`${file.path} ${symbol?.owner ?? ''}`, words);
    const signs: Signs = {
      text: scores.get(unit) ?? 0,
      words: share(new Map([...around, ...found]), words),
      role: role(unit),
      name: coverage(`${symbol?.name ?? ''} ${symbol?.owner ?? ''} ${file.path.split('/').at(-1) ?? ''}`, words),
    };
    const hits = (hitsOf.get(file) ?? []).filter(({ line }) => start <= line && line <= end);
    passages.push({
      ...{ file, start, end: symbol === undefined || symbol.end < start ? end : Math.min(end, symbol.end), symbol },
      score: scoreOf(signs),
      signs,
      keyLines: [...new Set([...hits.map(({ line }) => line), ...keyLines])].slice(0, KEY_LINES),
    });
  }
  passages.sort((a, b) => b.score - a.score || comparePlaces(a, b));
  return passages;
}

/** The worth of a passage: the weighted sum of its signs. */
export function scoreOf(signs: Signs, weights = WEIGHTS): number {
  return Object.entries(weights).reduce((sum, [sign, weight]) => sum + weight * signs[sign as keyof Signs], 0);
}

function bestByWords(words: readonly QueryWord[], { find }: Investigation): { unit: IndexedUnit; score: number }[] {
  const terms = words
    .flatMap(({ terms: own, weight }) => [...own].map(([term, part]) => ({ term, weight: part * weight })))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_QUERY_TERMS);
  return find(
    terms.map(({ term }) => term),
    terms.map(({ weight }) => weight),
  )
    .map(({ document, score }) => ({ unit: document, score: score * (document.file.role === 'vendored' ? 0.3 : 1) }))
    .sort((a, b) => b.score - a.score || comparePlaces(a.unit, b.unit))
    .slice(0, CANDIDATES);
}

/** Units that have a text of the question as it is written. */
function unitsWith(literals: readonly Literal[]): IndexedUnit[] {
  const hits = literals.flatMap((literal) => literal.hits);
  return hits.flatMap(({ file, line }) => file.units.find(({ start, end }) => start <= line && line <= end) ?? []);
}

/** A fixed order for equal scores, so that the same question gets the same answer. */
function comparePlaces(a: { file: IndexedFile; start: number }, b: { file: IndexedFile; start: number }): number {
  const left = `${a.file.repository}/${a.file.path}`;
  const right = `${b.file.repository}/${b.file.path}`;
  return left < right ? -1 : left > right ? 1 : a.start - b.start;
}

const ABOUT_CODE: Record<IndexedFile['role'], number> = {
  source: 1,
  docs: 0.75,
  config: 0.5,
  test: 0.35,
  example: 0.4,
  generated: 0.1,
  vendored: 0,
};
const ABOUT_USE: Record<IndexedFile['role'], number> = {
  ...ABOUT_CODE,
  docs: 1,
  config: 0.8,
  source: 0.7,
  example: 0.7,
};
const ROLES: Partial<Record<Kind, Record<IndexedFile['role'], number>>> = {
  tests: { ...ABOUT_CODE, test: 1, source: 0.4 },
  howTo: ABOUT_USE,
  option: ABOUT_USE,
  about: ABOUT_USE,
};
/** Lists of changes, documents about licenses and contributors, and translations of a readme. */
const ASIDE =
  /(^|\/)(?:readme[._-][a-z]{2}(?:[_-][a-z]{2,4})?(?=\.[a-z]+$)[^/]*|(?:change-?logs?|changes|news|history|releases?|upgrad\w*)[^/]*|(?:licen[sc]es?|copying|notice|authors|contributors|maintainers|code[-_]of[-_]conduct|governance|security|support)(?:\.[^/.]+)?)$/i;

function roleFor(kind: Kind, { file, symbol }: IndexedUnit): number {
  if (!isCode(file.path) && ASIDE.test(file.path)) return 0.1;
  const roles = ROLES[kind] ?? ABOUT_CODE;
  if (file.role !== 'source') return roles[file.role];
  // Functions say how something is done; types, and text between definitions, mostly what there is.
  const isType = symbol !== undefined && /class|interface|type|module/.test(symbol.kind);
  return roles.source * (symbol === undefined ? 0.7 : isType ? 0.85 : 1);
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
    const found = wordsIn((lines[line - 1] ?? '').slice(0, LINE_CHARACTERS), words);
    if (found.size > 0) gains.push({ line, gain: share(found, words) });
    for (const [word, part] of found) if ((all.get(word) ?? 0) < part) all.set(word, part);
  }
  return {
    found: all,
    keyLines: gains.sort((a, b) => b.gain - a.gain || a.line - b.line).map(({ line }) => line),
  };
}
