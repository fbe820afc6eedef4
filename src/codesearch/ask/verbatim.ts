import { setImmediate as breathe } from 'node:timers/promises';
import type { IndexedFile, IndexView } from '../index/file-index.ts';
import { stem } from '../index/stem.ts';
import { splitIdentifier } from '../index/words.ts';

const VERBATIM = {
  /** More words of a text are not looked up. */
  mostWords: 40,
  /** So many of a message's words must stand together when it is not there as a whole. */
  fewestWords: 3,
  mostFiles: 200,
  /** Only places with one of this many rarest words are looked at. One would be too few: it may be a value that a program filled in. */
  anchors: 6,
  /** In one file. */
  mostHits: 1_000,
  /** An expression may print so many words. */
  mostPrinted: 3,
  /** A text may be broken over so many lines. */
  linesOfText: 3,
} as const;

/** A place that has a text of the question as it is written there. */
export interface VerbatimHit {
  file: IndexedFile;
  line: number;
  /** How many of the text's words stand there one after the other, with those that an expression prints. */
  run: number;
  /** How many of them are in the code itself. */
  matched: number;
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
 * `IDLE_TIMEOUT`. A number, and up to three words, can stand for an expression that is printed: `found 6` finds `found %d` and
 * `found ${list.length}`. When a message is not found with its paths, addresses and hashes, these are taken for expressions, too. Where
 * no file has all of a text, the longest part of it is found.
 */
export async function lookUp(text: string, index: IndexView, reader: Reader): Promise<Literal> {
  const literal = await lookUpWords(text, wordsIn(text), index, reader);
  if (!/\s/.test(text) || isFoundWhole(literal)) return literal;
  // Code that prints a number with its unit has the unit alone.
  const parts = text.split(VALUE).map((part) => wordsIn(part.replace(/\b(\d+)(?=\p{L})/gu, '$1 ')));
  const words = parts.flatMap((part, place) => (place === 0 ? part : [PRINTED, ...part]));
  if (words.join(' ') === literal.words.join(' ')) return literal;
  const withoutValues = await lookUpWords(text, words, index, reader);
  return mostMatched(withoutValues) > mostMatched(literal) || isFoundWhole(withoutValues) ? withoutValues : literal;
}

function mostMatched({ hits }: Literal): number {
  return hits.reduce((most, { matched }) => Math.max(most, matched), 0);
}

/** What a program puts into its messages: quoted values, addresses, paths and hashes. `read/write` is neither. */
const VALUE =
  /(?<![\p{L}\p{N}])["'`][^"'`\n]{1,80}["'`](?![\p{L}\p{N}])|[a-z][a-z+.-]{0,20}:\/\/\S+|(?<!\S)["'`(]?(?:[A-Za-z]:|~|\.{1,2})?[/\\][^\s"'`]+|(?<!\S)[\w.@-]+[/\\][\w.@-]+[/\\][^\s"'`]*|\b(?:0x)?[0-9a-f]{7,}\b|\b[a-z]\w*(?:\.\w+)+\.[A-Z]\w*(?:#\w+)?|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/u;

async function lookUpWords(
  text: string,
  allWords: readonly string[],
  index: IndexView,
  reader: Reader,
): Promise<Literal> {
  const words = allWords.slice(0, VERBATIM.mostWords);
  const anchors = byRarity(words, index).slice(0, VERBATIM.anchors);
  if (anchors.length === 0) return { text, words, hits: [] };
  const hits: VerbatimHit[] = [];
  const files = candidates(anchors.map(stem), index);
  await reader.preload(files);
  let longest = 0;
  for (const file of files) {
    for (const hit of runsIn(file, await reader.lines(file), { words, anchors })) {
      hits.push(hit);
      longest = Math.max(longest, hit.run);
    }
    await breathe();
  }
  const isWhole = longest === words.length;
  const isEnough = ({ run, matched }: VerbatimHit): boolean =>
    run === longest && (isWhole || matched >= VERBATIM.fewestWords);
  return { text, words, hits: hits.filter(isEnough) };
}

/** The words of a text that the index has, rarest first. */
function byRarity(words: readonly string[], index: IndexView): string[] {
  const fixed = words.filter((word) => !NUMBERS.test(word));
  return [...new Set(fixed.length === 0 ? words : fixed)]
    .filter((word) => word.length > 1 && index.hasTerm(stem(word)))
    .map((word) => ({ word, rarity: index.rarity([stem(word)]) }))
    .sort((a, b) => b.rarity - a.rarity)
    .map(({ word }) => word);
}

/** Files with the most of these terms first, without those that have less than half as many as the best. */
function candidates(terms: readonly string[], index: IndexView): IndexedFile[] {
  const counts = new Map<IndexedFile, number>();
  for (const term of terms) for (const file of index.filesWith([term])) counts.set(file, (counts.get(file) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  const least = (sorted[0]?.[1] ?? 0) / 2;
  return sorted
    .filter(([, count]) => count > least || count === terms.length)
    .slice(0, VERBATIM.mostFiles)
    .map(([file]) => file);
}

/** The longest runs of the words in a file that have one of the anchors, each at the line where it begins. */
function runsIn(file: IndexedFile, lines: readonly string[], wanted: Wanted): Iterable<VerbatimHit> {
  const { words, anchors } = wanted;
  const hits = new Map<number, VerbatimHit>();
  const read = new Map<number, Token[]>();
  const tokensOf = (line: number): Token[] => {
    const known = read.get(line) ?? tokensIn(lines[line - 1] ?? '');
    read.set(line, known);
    return known;
  };
  let longest = 1;
  let next = 1;
  for (const [at, line] of lines.entries()) {
    const lower = line.toLowerCase();
    if (!anchors.some((anchor) => lower.includes(anchor))) continue;
    if (longest === words.length && hits.size >= VERBATIM.mostHits) break;
    for (next = Math.max(next, at + 2 - VERBATIM.linesOfText); next <= at + 1; next += 1) {
      const own = tokensOf(next);
      const stream = Array.from({ length: VERBATIM.linesOfText }, (_, below) => tokensOf(next + below)).flat();
      for (const start of own.keys()) {
        const before = start > 0 ? own[start - 1] : tokensOf(next - 1).at(-1);
        const best = bestRun(stream, start, before, wanted);
        if (best === undefined || best.run < longest) continue;
        if (best.run > longest) hits.clear();
        longest = best.run;
        if (hits.has(next) || hits.size >= VERBATIM.mostHits) continue;
        hits.set(next, { file, line: next, ...best, isImport: file.importLines.has(next) });
      }
      read.delete(next - 2);
    }
  }
  return hits.values();
}

/** The longest run that begins here and has one of the anchors. */
function bestRun(stream: readonly Token[], start: number, before: Token | undefined, wanted: Wanted): Run | undefined {
  const { words, anchors } = wanted;
  let best: Run | undefined;
  for (const [place, word] of words.entries()) {
    if (word !== stream[start]?.word && !(stream[start]?.word === PRINTED && NUMBERS.test(word))) continue;
    // A run that begins before has this one in it.
    if (place > 0 && before?.word === words[place - 1]) continue;
    const { run, matched, hasAnchor } = runFrom(stream, start, words.slice(place), anchors);
    if (hasAnchor && run > (best?.run ?? 0)) best = { run, matched };
  }
  return best;
}

type Run = Pick<VerbatimHit, 'run' | 'matched'>;

interface Wanted {
  words: readonly string[];
  /** Its rarest words. */
  anchors: readonly string[];
}

/** A word of a line, or the mark before `words` words of an expression that is printed there. */
interface Token {
  word: string;
  words: number;
}

/** How many of the first words follow each other in the stream from `start` on. */
function runFrom(
  stream: readonly Token[],
  start: number,
  words: readonly string[],
  anchors: readonly string[],
): Run & { hasAnchor: boolean } {
  let [run, matched, hasAnchor] = [0, 0, false];
  for (let at = start; run < words.length; ) {
    const wanted = words[run];
    const token = stream[at];
    if (token?.word === PRINTED && (wanted === PRINTED || NUMBERS.test(wanted ?? ''))) {
      at += 1 + token.words;
      run += 1;
      if (wanted !== PRINTED) matched += 1;
      continue;
    }
    // A value at the end may be added elsewhere.
    if (wanted === PRINTED && run === words.length - 1 && matched > 1) {
      run += 1;
      break;
    }
    if (token?.word === PRINTED && run > 0) {
      const after = stream[at + 1 + token.words]?.word;
      const printed = stream[at + 1]?.word === wanted || matched < 2 ? 0 : countPrinted(words.slice(run), after);
      at += 1;
      if (printed > 0) {
        at += token.words;
        run += printed;
        continue;
      }
    }
    if (stream[at]?.word !== wanted) break;
    hasAnchor ||= wanted !== undefined && anchors.includes(wanted);
    matched += 1;
    run += 1;
    at += 1;
  }
  return { run, matched, hasAnchor };
}

/** How many of the words an expression has printed: those before the next word of the code, or else all that are left. 0 for too many. */
function countPrinted(words: readonly string[], next: string | undefined): number {
  const found = words.slice(0, VERBATIM.mostPrinted + 1).indexOf(next ?? '', 1);
  if (found > 0) return found;
  return words.length <= VERBATIM.mostPrinted ? words.length : 0;
}

/** Neither a word nor a number, so that no text has it. */
const PRINTED = '%';
/** `%d`, `${count}`, `{}`, `" + count + "`. */
const EXPRESSION = /(%[-+#0-9.]{0,8}[a-z]|\$?\{[^{}]{0,80}\}|["'`]\s?[+.,]\s?[^"'`]{1,80}[+.,]\s?["'`])/i;

/** The words of a line, with a mark before each expression that may be printed. */
function tokensIn(line: string): Token[] {
  const parts = line.split(EXPRESSION);
  const quoted = parts.findIndex((part) => /["'`]/.test(part));
  return parts.flatMap((part, place) => {
    // Without a quotation mark before it, `{}` is a block and no part of a text.
    const isBlock = part.startsWith('{') && (quoted < 0 || quoted >= place);
    const isExpression = place % 2 === 1 && !isBlock;
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

/** Whether a text is a message that stands somewhere, at least for the most part. */
export function isMessage(literal: Literal): boolean {
  const { text, words } = literal;
  const least = Math.max(VERBATIM.fewestWords, words.length / 2);
  return /\s/.test(text) && (isFoundWhole(literal) || literal.hits.some(({ matched }) => matched >= least));
}

/** Whether all of a text stands somewhere. */
export function isFoundWhole({ words, hits }: Literal): boolean {
  return hits.some(({ run }) => run === words.length);
}

/** A message or a name of several words says much, a single word or `node.js` little. */
export function isTelling({ text, words }: Pick<Literal, 'text' | 'words'>): boolean {
  return words.length > 2 || /^-|\p{Ll}\p{Lu}|_/u.test(text);
}
