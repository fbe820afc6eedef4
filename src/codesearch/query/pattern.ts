import { trigramsOf } from '../index/trigrams.ts';
import { LIMITS } from '../limits.ts';
import type { PatternNode, QueryProblem } from './ast.ts';
import { singleOf } from './regexp/character-set.ts';
import { compileRegexp, type Regexp, type WorkBudget } from './regexp/matcher.ts';
import { isPlain, longestRun, requiredCharacters, toNeedle } from './regexp/needle.ts';
import { literalToPcre, spansLines, toPcre } from './regexp/pcre.ts';
import { RegexpError, type RegexpNode } from './regexp/syntax.ts';
import type { MatchRange } from './results.ts';

/** A compiled pattern. The methods throw `WorkBudgetError` when they need more work than is left. */
export interface Pattern {
  /** Matches that do not overlap, from left to right; empty ones are left out. */
  findAll(text: string, budget: WorkBudget): MatchRange[];
  /** Whether there is a match, even an empty one. */
  test(text: string, budget: WorkBudget): boolean;
  /** The text to find when the pattern is not a regular expression and its capitals decide. */
  fixed: string | undefined;
  /** The pattern for `git grep -P`, which finds at least the lines of this pattern. */
  pcre: string;
  /** Trigrams that each line with a match has. */
  trigrams: readonly number[];
  /** Finds a text that each line with a match has, as git compares it; undefined where only git can search. It is stateful: set `lastIndex`. */
  needle: RegExp | undefined;
  /** Whether each line with the needle has a match. */
  isNeedle: boolean;
}

type Matcher = Pick<Pattern, 'findAll' | 'test'>;

/** Compiles a pattern that is searched in lines. */
export function compilePattern(
  { syntax, text }: PatternNode,
  isCaseSensitive: boolean,
): { pattern: Pattern } | { problem: QueryProblem } {
  if (text === '') {
    return {
      problem: { kind: 'invalid-pattern', title: 'A pattern is empty', description: 'Write the text to search for.' },
    };
  }
  if (syntax === 'literal') {
    if (text.includes('\n')) return { problem: manyLines() };
    return { pattern: literalPattern(text, isCaseSensitive) };
  }
  const compiled = compile(text, !isCaseSensitive);
  if ('problem' in compiled) return compiled;
  if (spansLines(compiled.regexp.node)) return { problem: manyLines() };
  return { pattern: regexpPattern(compiled.regexp) };
}

/** Compiles the expression of a filter, for a name or a message. */
export function compileFilter(
  field: string,
  source: string,
  isCaseSensitive: boolean,
): { pattern: Pattern } | { problem: QueryProblem } {
  const compiled = compile(source, !isCaseSensitive);
  if ('problem' in compiled) {
    const { kind, title, description } = compiled.problem;
    return {
      problem: {
        kind: kind === 'invalid-pattern' ? 'invalid-filter' : kind,
        title: `${title} in the filter ${field}:`,
        description,
      },
    };
  }
  return { pattern: regexpPattern(compiled.regexp) };
}

function manyLines(): QueryProblem {
  return {
    kind: 'unsupported-pattern',
    title: 'A pattern over several lines is not offered',
    description: 'This service searches line by line, so that a pattern with a line end would never match.',
  };
}

function compile(source: string, ignoreCase: boolean): { regexp: Regexp } | { problem: QueryProblem } {
  try {
    return { regexp: compileRegexp(source, ignoreCase) };
  } catch (error) {
    if (!(error instanceof RegexpError)) throw error;
    const description = `${error.message}.`;
    if (error.kind === 'unsupported') {
      return { problem: { kind: 'unsupported-pattern', title: 'A regular expression is not supported', description } };
    }
    return { problem: { kind: 'invalid-pattern', title: 'A regular expression is not valid', description } };
  }
}

function literalPattern(text: string, isCaseSensitive: boolean): Pattern {
  const pcre = literalToPcre(text, !isCaseSensitive);
  const trigrams = trigramsOf(text);
  const needle = literalNeedle(text, !isCaseSensitive);
  if (isCaseSensitive) return { ...fixedPattern(text), fixed: text, pcre, trigrams, needle, isNeedle: true };
  const folded = fixedPattern(text.toLowerCase());
  const ascii = needle?.unicode === false ? needle : undefined;
  const escaped = text.replace(/[^\p{L}\p{N}_\s]/gu, '\\$&');
  let regexp: Pattern | undefined;
  // Some letters change their length in lower case, which would move all places behind them.
  const chosen = (line: string, lower: string): Matcher => {
    if (line.length === lower.length) return folded;
    regexp ??= regexpPattern(compileRegexp(escaped, true));
    return regexp;
  };
  return {
    findAll(line, budget) {
      const lower = line.toLowerCase();
      const pattern = chosen(line, lower);
      return pattern.findAll(pattern === folded ? lower : line, budget);
    },
    test(line, budget) {
      if (ascii !== undefined && isPlain(line)) {
        ascii.lastIndex = 0;
        return ascii.test(line);
      }
      const lower = line.toLowerCase();
      const pattern = chosen(line, lower);
      return pattern.test(pattern === folded ? lower : line, budget);
    },
    fixed: undefined,
    pcre,
    trigrams,
    needle,
    isNeedle: true,
  };
}

function literalNeedle(text: string, ignoreCase: boolean): RegExp | undefined {
  const characters = [...text].map((one) => ({ code: one.codePointAt(0) ?? 0, ignoreCase }));
  return characters.length <= LIMITS.needleCharacters && isWhole(characters) ? toNeedle(characters) : undefined;
}

/** False for half of a character, which git replaces. */
function isWhole(characters: readonly { code: number }[]): boolean {
  return characters.every(({ code }) => code < 0xd800 || code > 0xdfff);
}

function fixedPattern(text: string): Matcher {
  return {
    findAll(line) {
      const ranges: MatchRange[] = [];
      for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + text.length)) {
        ranges.push({ start: at, length: text.length });
      }
      return ranges;
    },
    test: (line) => line.includes(text),
  };
}

function regexpPattern(regexp: Regexp): Pattern {
  const plain = plainTextOf(regexp.node);
  const required = requiredCharacters(regexp.node);
  const run = longestRun(required);
  const needle = run === undefined || !isWhole(run) ? undefined : toNeedle(run);
  return {
    findAll(line, budget) {
      const share = takeShare(budget);
      const ranges: MatchRange[] = [];
      for (let at = 0; at <= line.length; ) {
        const found = regexp.exec(line, at, share);
        if (found === undefined) break;
        if (found.end > found.start) ranges.push({ start: found.start, length: found.end - found.start });
        at = found.end > found.start ? found.end : found.end + (isPair(line, found.end) ? 2 : 1);
      }
      share.giveBack();
      return ranges;
    },
    test(line, budget) {
      if (plain !== undefined && !line.includes('\n')) return plain(line);
      if (needle !== undefined && isPlain(line)) {
        needle.lastIndex = 0;
        if (!needle.test(line)) return false;
      }
      const share = takeShare(budget);
      const found = regexp.exec(line, 0, share);
      share.giveBack();
      return found !== undefined;
    },
    fixed: undefined,
    pcre: toPcre(regexp.node),
    trigrams: trigramsOf(required.map((one) => (one === undefined ? GAP : String.fromCodePoint(one.code))).join('')),
    needle,
    isNeedle: false,
  };
}

/** The work that one text may take of a budget. */
function takeShare(budget: WorkBudget): WorkBudget & { giveBack(): void } {
  const steps = Math.min(budget.steps, LIMITS.regexpStepsPerText);
  budget.steps -= steps;
  return {
    steps,
    giveBack() {
      budget.steps += this.steps;
    },
  };
}

/** A character that is in no trigram. */
const GAP = '\uffff';

/** A quick test for an expression of plain text with or without `^` and `$`: most filters are such. */
function plainTextOf(node: RegexpNode): ((line: string) => boolean) | undefined {
  const parts = [...(node.kind === 'sequence' ? node.parts : [node])];
  const isAssertion = (part: RegexpNode | undefined, assertion: 'lineStart' | 'lineEnd'): boolean =>
    part?.kind === 'assertion' && part.assertion === assertion;
  const fromStart = isAssertion(parts[0], 'lineStart');
  const toEnd = isAssertion(parts.at(-1), 'lineEnd') && parts.length > 1;
  let text = '';
  let ignoresCase: boolean | undefined;
  for (const part of parts.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined)) {
    const code = part.kind === 'set' ? singleOf(part.set) : undefined;
    // Only letters of ASCII have the same length in any case.
    if (part.kind !== 'set' || code === undefined || code > 0x7f || code === 10) return undefined;
    ignoresCase ??= part.ignoreCase;
    if (ignoresCase !== part.ignoreCase) return undefined;
    text += String.fromCodePoint(code);
  }
  const wanted = ignoresCase ? text.toLowerCase() : text;
  return (line) => {
    const own = ignoresCase ? line.toLowerCase() : line;
    if (fromStart && toEnd) return own === wanted;
    if (fromStart) return own.startsWith(wanted);
    return toEnd ? own.endsWith(wanted) : own.includes(wanted);
  };
}

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}
