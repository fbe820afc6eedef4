import { setImmediate as breathe } from 'node:timers/promises';
import type { FileIndex, IndexedFile, IndexedUnit } from '../index/file-index.ts';
import { stem } from '../index/stem.ts';
import { splitIdentifier } from '../index/words.ts';
import { VERBATIM } from './constants.ts';

/** A place that has a text of the question as it is written there. */
export interface VerbatimHit {
  file: IndexedFile;
  line: number;
  /** How many of the text's words stand there one after the other. */
  run: number;
  /** Whether it is the whole text, in the same capitals. */
  isExact: boolean;
  /** Whether the line imports it. */
  isImport: boolean;
}

/** A text of the question that is looked up as it is written. */
export interface Literal {
  text: string;
  /** Its words, in lower case; names are split. */
  words: readonly string[];
  hits: VerbatimHit[];
}

/** Reads files; many in one go after `preload`. */
interface Reader {
  preload(files: readonly IndexedFile[]): Promise<void>;
  lines(file: IndexedFile): Promise<readonly string[]>;
}

/**
 * Looks a text up as it is written, in whatever way its words are joined there: `idle timeout` finds `idleTimeout` and
 * `IDLE_TIMEOUT`. A number also stands for an expression that is printed: `found 6` finds `found %d` and `found ${list.length}`. So do a
 * few words between others or at the end and, where the message is not there with them, a path, an address and a hash. Where no file
 * has all of it, the longest part of it is found.
 */
export async function lookUp(text: string, index: FileIndex, reader: Reader): Promise<Literal> {
  const literal = await lookUpWords(text, wordsIn(text), index, reader);
  const [first = '', ...others] = /\s/.test(text) ? text.split(VALUE) : [text];
  if (others.length === 0 || isFoundWhole(literal)) return literal;
  const words = [...wordsIn(first), ...others.flatMap((part) => [PRINTED, ...wordsIn(part)])];
  const withoutValues = await lookUpWords(text, words, index, reader);
  return isFoundWhole(withoutValues) || literal.hits.length === 0 ? withoutValues : literal;
}

/** What a program puts into its messages: addresses, paths and hashes. */
const VALUE =
  /[a-z][a-z+.-]{0,20}:\/\/\S+|(?<!\S)["'`(]?(?:[A-Za-z]:|~|\.{1,2})?[\w.@-]*[/\\][^\s"'`]*|\b(?:0x)?[0-9a-f]{7,}\b/;

async function lookUpWords(
  text: string,
  allWords: readonly string[],
  index: FileIndex,
  reader: Reader,
): Promise<Literal> {
  const words = allWords.slice(0, VERBATIM.mostWords);
  const ranked = byRarity(words, index);
  const rarest = ranked[0];
  if (rarest === undefined) return { text, words, hits: [] };
  const hits: VerbatimHit[] = [];
  const files = candidates(ranked.map(stem), index);
  await reader.preload(files);
  let longest = 0;
  for (const file of files) {
    for (const hit of runsIn(file, await reader.lines(file), { text, words, rarest })) {
      hits.push(hit);
      longest = Math.max(longest, hit.run);
    }
    await breathe();
  }
  const enough = longest === words.length || longest >= VERBATIM.fewestWords;
  return { text, words, hits: enough ? hits.filter(({ run }) => run === longest) : [] };
}

/** The words of a text that the index has, rarest first. */
function byRarity(words: readonly string[], index: FileIndex): string[] {
  const fixed = words.filter((word) => !NUMBERS.test(word));
  return [...new Set(fixed.length === 0 ? words : fixed)]
    .filter((word) => word.length > 1 && index.hasTerm(stem(word)))
    .map((word) => ({ word, rarity: index.rarity([stem(word)]) }))
    .sort((a, b) => b.rarity - a.rarity)
    .map(({ word }) => word);
}

/** Files that have all of these terms; where there are none, those that have the most of the first ones. */
function candidates(terms: readonly string[], index: FileIndex): IndexedFile[] {
  for (let count = terms.length; count > 0; count -= 1) {
    const files = index.filesWith(terms.slice(0, count));
    if (files.length > 0) return files.slice(0, VERBATIM.mostFiles);
  }
  return [];
}

/** The longest runs of the words in a file that have its rarest word, each at the line where it begins. */
function runsIn(file: IndexedFile, lines: readonly string[], { text, words, rarest }: Wanted): Iterable<VerbatimHit> {
  const hits = new Map<number, VerbatimHit>();
  const rare = words.flatMap((word, place) => (word === rarest ? [place] : []));
  let longest = 1;
  for (const [at, line] of lines.entries()) {
    if (!line.toLowerCase().includes(rarest)) continue;
    if (longest === words.length && hits.size >= VERBATIM.mostHits) break;
    const from = Math.max(0, at - VERBATIM.linesOfText + 1);
    const stream = lines
      .slice(from, at + VERBATIM.linesOfText)
      .flatMap((each, offset) => tokensIn(each).map((token) => ({ ...token, line: from + offset + 1 })));
    for (const [start, { line: first }] of stream.entries()) {
      for (const place of words.keys()) {
        // A run that begins before has this one in it.
        if (place > 0 && stream[start - 1]?.word === words[place - 1]) continue;
        const run = runFrom(stream, start, words, place);
        if (run === 0 || run < longest || !rare.some((each) => each >= place && each < place + run)) continue;
        if (run > longest) hits.clear();
        longest = run;
        if (hits.has(first) || hits.size >= VERBATIM.mostHits) continue;
        const isExact = run === words.length && (lines[first - 1] ?? '').includes(text);
        hits.set(first, { file, line: first, run, isExact, isImport: file.importLines.has(first) });
      }
    }
  }
  return hits.values();
}

interface Wanted {
  text: string;
  words: readonly string[];
  rarest: string;
}

/** A word of a line, or the mark before `words` words of an expression that is printed there. */
interface Token {
  word: string;
  words: number;
}

/** How many of the words from `place` on follow each other in the stream from `start` on. */
function runFrom(stream: readonly Token[], start: number, words: readonly string[], place: number): number {
  let run = 0;
  for (let at = start; place + run < words.length; run += 1) {
    const wanted = words[place + run];
    const token = stream[at];
    if (token?.word === PRINTED && (wanted === PRINTED || NUMBERS.test(wanted ?? ''))) {
      at += 1 + token.words;
      continue;
    }
    // A value at the end may be added elsewhere.
    if (wanted === PRINTED) continue;
    if (token?.word === PRINTED && run > 0) {
      const after = stream[at + 1 + token.words]?.word;
      const printed = stream[at + 1]?.word === wanted ? 0 : wordsBefore(words, place + run, after);
      if (printed > 0) {
        at += 1 + token.words;
        run += printed - 1;
        continue;
      }
      at += 1;
    }
    if (stream[at]?.word !== wanted) break;
    at += 1;
  }
  return run;
}

/** How many words an expression may have printed: those before the next word of the code, or else the last ones of the text. */
function wordsBefore(words: readonly string[], from: number, next: string | undefined): number {
  const following = words.slice(from, from + VERBATIM.mostPrinted + 1);
  const found = following.indexOf(next ?? '', 1);
  if (found > 0) return found;
  return following.length <= VERBATIM.mostPrinted ? following.length : 0;
}

/** Neither a word nor a number, so that no text has it. */
const PRINTED = '%';
/** `%d`, `${count}`, `{}`, `" + count + "`. */
const EXPRESSION = /(%[-+#0-9.]{0,8}[a-z]|\$?\{[^{}]{0,80}\}|["'`]\s?[+.,]\s?[^"'`]{1,80}[+.,]\s?["'`])/i;

/** The words of a line, with a mark before each expression that may be printed. */
function tokensIn(line: string): Token[] {
  return line.split(EXPRESSION).flatMap((part, place) => {
    const isExpression = place % 2 === 1;
    // The letter of `%d` is no word.
    const words = isExpression && part.startsWith('%') ? [] : wordsIn(part);
    const mark = isExpression ? [{ word: PRINTED, words: words.length }] : [];
    return [...mark, ...words.map((word) => ({ word, words: 0 }))];
  });
}

const NUMBERS = /^\d[\d ]*$/;

/** The words of a text in lower case; numbers that follow each other, as in `127.0.0.1`, are one. */
function wordsIn(text: string): string[] {
  const words: string[] = [];
  for (const word of splitIdentifier(text.replace(/[^\p{L}\p{N}]+/gu, ' '))) {
    const before = words.at(-1);
    if (before !== undefined && NUMBERS.test(before) && NUMBERS.test(word))
      words[words.length - 1] = `${before} ${word}`;
    else words.push(word);
  }
  return words;
}

/** Units that have the texts of a question, best first: the longest and most exact text, definitions before uses. */
export function rankVerbatim(
  literals: readonly Literal[],
  prior: (unit: IndexedUnit) => number,
): Map<IndexedUnit, number> {
  const scores = new Map<IndexedUnit, number>();
  for (const literal of literals) {
    const { words, hits } = literal;
    let unit: IndexedUnit | undefined;
    const rarity = Math.min(1, VERBATIM.common / hits.length);
    for (const { file, line, run, isExact, isImport } of hits) {
      const has = ({ start, end }: IndexedUnit): boolean => start <= line && line <= end;
      // Hits follow each other, mostly in the same unit.
      if (unit?.file !== file || !has(unit)) unit = file.units.find(has);
      if (unit === undefined) continue;
      // What stands before the first definition is mostly imports.
      const isHead = isImport || (unit.symbol === undefined && unit.start === 1 && file.role !== 'docs');
      const worth =
        (isTelling(literal) ? 1 : VERBATIM.short) *
        (run / words.length) *
        (isExact ? 1 : VERBATIM.inexact) *
        (isHead ? VERBATIM.head : 1) *
        rarity *
        prior(unit);
      scores.set(unit, Math.max(scores.get(unit) ?? 0, worth) + worth * 0.05);
    }
  }
  return new Map([...scores].sort((a, b) => b[1] - a[1] || a[0].id - b[0].id));
}

/** Whether a text is a message that stands somewhere, at least for the most part. */
export function isMessage({ text, words, hits: [hit] }: Literal): boolean {
  return /\s/.test(text) && hit !== undefined && hit.run > Math.max(VERBATIM.fewestWords - 1, words.length / 2);
}

/** Whether all of a text stands somewhere. */
export function isFoundWhole({ words, hits }: Literal): boolean {
  return hits.some(({ run }) => run === words.length);
}

/** A message or a name of several words says much, a single word or `node.js` little. */
export function isTelling({ text, words }: Pick<Literal, 'text' | 'words'>): boolean {
  return words.length > 2 || /^-|\p{Ll}\p{Lu}|_/u.test(text);
}

/** Whether a text stands in these lines of a file. */
export function hasHit({ file, start, end }: Pick<IndexedUnit, 'file' | 'start' | 'end'>, { hits }: Literal): boolean {
  return hits.some((hit) => hit.file === file && hit.line >= start && hit.line <= end);
}
