import { RE2JS, RE2JSSyntaxException } from 're2js';
import { escapeRegExp } from '../escape.ts';
import { mayHave, type TrigramFilter, trigramsOf } from '../index/trigrams.ts';
import { LIMITS } from '../limits.ts';
import { type PatternNode, QueryProblem } from './ast.ts';
import type { MatchRange } from './results.ts';

/** A compiled pattern. RE2 matches in time of at most the length of the text times the size of its program. */
export interface Pattern {
  /** Whether there is a match, even an empty one. */
  test(text: string): boolean;
  /** Matches that do not overlap, from left to right; empty ones are left out. */
  matches(text: string): Generator<MatchRange>;
  /** Of a longer text only so much is read, because nothing interrupts a match. */
  mostCharacters: number;
  /** Whether a text with this filter may have a match. */
  mayBeIn(filter: TrigramFilter): boolean;
  /** Finds a text that each match has; undefined where none is known. It is stateful: set `lastIndex`. */
  needle: RegExp | undefined;
}

/** Compiles a pattern that is searched in lines; throws {@link QueryProblem}. */
export function compilePattern({ syntax, text }: PatternNode, isCaseSensitive: boolean): Pattern {
  if (text === '') throw new QueryProblem('invalid-pattern', 'A pattern is empty', 'Write the text to search for.');
  const isLiteral = syntax === 'literal';
  const { needed, ...pattern } = compile(
    isLiteral ? RE2JS.quote(text) : text,
    isCaseSensitive,
    isLiteral ? text : undefined,
  );
  if (needed !== undefined && needsLineEnd(needed)) {
    throw new QueryProblem(
      'unsupported-pattern',
      'A pattern over several lines is not offered',
      'This service searches line by line, so that a pattern with a line end would never match.',
    );
  }
  return pattern;
}

/** Compiles the expression of a filter, for a name or a message; throws {@link QueryProblem}. */
export function compileFilter(field: string, source: string, isCaseSensitive: boolean): Pattern {
  try {
    return compile(source, isCaseSensitive);
  } catch (error) {
    if (!(error instanceof QueryProblem)) throw error;
    throw new QueryProblem('invalid-filter', `${error.message} in the filter ${field}:`, error.description);
  }
}

/** `literal` is the text that the source stands for, if it is no expression. */
function compile(source: string, isCaseSensitive: boolean, literal?: string): Pattern & { needed: Needed | undefined } {
  // RE2 knows what a match needs only where capitals decide.
  const exact = compileRe2(`(?m)${source}`);
  const regexp = isCaseSensitive ? exact : compileRe2(`(?im)${source}`);
  const needed = (exact.re2().prefilter ?? undefined) as Needed | undefined;
  const alternatives = needed === undefined ? undefined : shortAlternatives(needed);
  const mostCharacters = Math.floor(LIMITS.regexpStepsPerText / regexp.programSize());
  const needle = alternatives && new RegExp(alternatives.map(escapeRegExp).join('|'), isCaseSensitive ? 'g' : 'giu');
  const isNeedle = literal !== undefined && alternatives?.[0] === literal;
  return {
    test(given) {
      const text = given.slice(0, mostCharacters);
      if (needle === undefined) return regexp.test(text);
      // Much faster, and most names and lines don't have it.
      needle.lastIndex = 0;
      return needle.test(text) && (isNeedle || regexp.test(text));
    },
    *matches(text) {
      const matcher = regexp.matcher(text.slice(0, mostCharacters));
      while (matcher.find()) {
        const start = matcher.start();
        const length = matcher.end() - start;
        if (length > 0) yield { start, length };
      }
    },
    mostCharacters,
    mayBeIn: needed === undefined ? () => true : filterTestOf(needed),
    needle,
    needed,
  };
}

function compileRe2(source: string): RE2JS {
  // Before RE2 writes the repetitions out, which takes time and memory.
  const counts = [...source.matchAll(/(\)?)\{(\d+)(?:,(\d*))?\}/g)].map(([, group, least, most]) => ({
    group,
    count: Math.max(1, Number(least), Number(most ?? 0)),
  }));
  const inSum = counts.reduce((sum, { count }) => sum + count, source.length);
  const ofGroups = counts.reduce((product, { group, count }) => (group === ')' ? product * count : product), 1);
  try {
    const regexp = inSum * ofGroups > LIMITS.regexpWrittenOut ? undefined : RE2JS.compile(source);
    if (regexp !== undefined && regexp.programSize() <= LIMITS.regexpInstructions) return regexp;
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    const where = error.getPattern()?.replace(/^\(\?i?m\)/, '') ?? '';
    throw new QueryProblem(
      'invalid-pattern',
      'A regular expression is not valid',
      `It has ${error.getDescription()}${where === '' ? '' : ` at ${where}`}. Expressions are in RE2 syntax, which does not look ahead or behind and has no back references.`,
    );
  }
  throw new QueryProblem(
    'invalid-pattern',
    'A regular expression is too large',
    'Its text is long, or its repetitions multiply.',
  );
}

/** What RE2 knows of the texts that each match has: one text, all of several, or one of several. */
interface Needed {
  type: number;
  str: string;
  subs: readonly Needed[];
}
const EXACT = 1;
const ALL = 2;

function needsLineEnd({ type, str, subs }: Needed): boolean {
  if (type === EXACT) return str.includes('\n');
  return type === ALL ? subs.some(needsLineEnd) : subs.every(needsLineEnd);
}

function filterTestOf({ type, str, subs }: Needed): (filter: TrigramFilter) => boolean {
  if (type === EXACT) {
    const trigrams = trigramsOf(str);
    return (filter) => mayHave(filter, trigrams);
  }
  const tests = subs.map(filterTestOf);
  if (type === ALL) return (filter) => tests.every((test) => test(filter));
  return (filter) => tests.some((test) => test(filter));
}

/** Shorter texts are in most lines; comparing longer ones takes their length times that of a file. */
const SHORTEST = 3;
const LONGEST = 100;

/** Texts of ASCII of which each match has one. Other letters have capitals that RE2 and JavaScript compare in different ways. */
function shortAlternatives({ type, str, subs }: Needed): string[] | undefined {
  const best = (lists: readonly (readonly string[])[]): string[] | undefined => {
    const shortest = (list: readonly string[]): number => Math.min(...list.map(({ length }) => length));
    const [first] = lists.toSorted((a, b) => shortest(b) - shortest(a));
    return first && shortest(first) >= SHORTEST ? [...first] : undefined;
  };
  if (type === EXACT) return best((str.match(/[\t -~]+/g) ?? []).map((part) => [part.slice(0, LONGEST)]));
  const lists = subs.map(shortAlternatives);
  const known = lists.filter((list) => list !== undefined);
  if (type === ALL) return best(known);
  return known.length === lists.length ? known.flat() : undefined;
}
