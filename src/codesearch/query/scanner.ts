import { FILTER_FIELDS, type FilterField, type PatternType } from './ast.ts';

/** A piece of text; `bare` words may be joined with their neighbors. */
export interface Term {
  form: 'bare' | 'quoted' | 'regexp';
  text: string;
}

export type Token =
  | { kind: 'open' | 'close' | 'and' | 'or' | 'not' | 'end' }
  | ({ kind: 'pattern' | 'content'; negated: boolean } & Term)
  | { kind: 'filter'; field: FilterField | 'patterntype'; value: string; negated: boolean }
  | { kind: 'unsupported'; name: string };

const ALIASES: Record<string, FilterField | 'patterntype' | 'content'> = {
  r: 'repo',
  f: 'file',
  path: 'file',
  l: 'lang',
  language: 'lang',
  revision: 'rev',
  since: 'after',
  until: 'before',
  m: 'message',
  msg: 'message',
  patterntype: 'patterntype',
  content: 'content',
  ...Object.fromEntries(FILTER_FIELDS.map((field) => [field, field])),
};

/** Filters of the public service that this service does not offer; a query with one of them is refused by name. */
const UNSUPPORTED = new Set(['repohasfile', 'repohascommitafter', 'repogroup', 'g', 'combyrule', 'rule', 'stable']);

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '\\': '\\' };

/** Reads a query token by token; only the parser knows how deep it is in groups. Never throws. */
export function createScanner(text: string, patternType: PatternType) {
  let at = 0;
  const isSpace = (index: number): boolean => /\s/.test(text[index] ?? '');
  const isBoundary = (index: number, depth: number): boolean =>
    index >= text.length || isSpace(index) || (depth > 0 && text[index] === ')');
  /** What matches here; the scanner then stands behind it. */
  function take(sticky: RegExp, mayEndAt: (index: number) => boolean = () => true): RegExpExecArray | undefined {
    sticky.lastIndex = at;
    const found = sticky.exec(text) ?? undefined;
    if (found === undefined || !mayEndAt(sticky.lastIndex)) return undefined;
    at = sticky.lastIndex;
    return found;
  }

  const closes = closingParentheses();

  /** `depth` is the number of open groups: outside of groups a parenthesis is text. */
  function next(depth: number): Token {
    take(/\s*/y);
    if (at >= text.length) return { kind: 'end' };
    if (depth > 0 && take(/\)/y) !== undefined) return { kind: 'close' };
    if (text[at] === '(' && opensGroup(depth)) {
      at += 1;
      return { kind: 'open' };
    }
    const word = take(/AND|and|OR|or|NOT|not/y, (end) => isBoundary(end, depth))?.[0];
    if (word !== undefined) return { kind: word.toLowerCase() as 'and' | 'or' | 'not' };
    return filter(depth) ?? pattern(depth);
  }

  /** A parenthesis opens a group when its counterpart ends a word and there is something between them. */
  function opensGroup(depth: number): boolean {
    const close = closes.get(at);
    return close !== undefined && text.slice(at + 1, close).trim() !== '' && isBoundary(close + 1, depth);
  }

  function filter(depth: number): Token | undefined {
    const before = at;
    const [, minus, word = ''] = take(/(-?)([A-Za-z]+):/y) ?? [];
    const name = word.toLowerCase();
    const field = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
    if (field === undefined && !UNSUPPORTED.has(name)) {
      at = before;
      return undefined;
    }
    const negated = minus === '-';
    if (field === 'content') return { kind: 'content', ...term(depth), negated };
    const value = filterValue(depth);
    return field === undefined ? { kind: 'unsupported', name } : { kind: 'filter', field, value, negated };
  }

  function filterValue(depth: number): string {
    const start = at;
    // A predicate such as `repo:has.file(path:a content:b)` keeps its spaces, so that it can be named.
    const predicate = /[a-z]+(?:\.[a-z]+)*\(/y;
    predicate.lastIndex = at;
    const close = predicate.test(text) ? closes.get(predicate.lastIndex - 1) : undefined;
    if (close === undefined || !isBoundary(close + 1, depth)) return quotedText(depth) ?? bareText(depth);
    at = close + 1;
    return text.slice(start, at);
  }

  function pattern(depth: number): Token {
    const negated = patternType !== 'literal' && take(/-(?=[\w"'/])/y) !== undefined;
    return { kind: 'pattern', ...term(depth), negated };
  }

  function term(depth: number): Term {
    const quoted = quotedText(depth);
    if (quoted !== undefined) return { form: 'quoted', text: quoted };
    const regexp = delimitedRegexp(depth);
    return regexp === undefined ? { form: 'bare', text: bareText(depth) } : { form: 'regexp', text: regexp };
  }

  /** Text in quotes that end at the end of a word; otherwise the quote is an ordinary character. */
  function quotedText(depth: number): string | undefined {
    const found = take(/(["'])((?:\\.|(?!\1)[^\\])*)\1/sy, (end) => isBoundary(end, depth));
    return found?.[2]?.replace(/\\(.)/gs, (pair, sign: string) => ESCAPES[sign] ?? pair);
  }

  /** `/…/` that ends at the end of a word, with `\/` for a slash; otherwise the slash is an ordinary character. */
  function delimitedRegexp(depth: number): string | undefined {
    if (patternType === 'literal') return undefined;
    const found = take(/\/((?:\\.|[^\\/])+)\//sy, (end) => isBoundary(end, depth));
    return found?.[1] === undefined ? undefined : plainSlashes(found[1]);
  }

  /** Up to white space, or to a `)` that closes a group; in a regexp `\ ` is a space. */
  function bareText(depth: number): string {
    const start = at;
    let open = 0;
    for (; at < text.length && !isSpace(at); at += 1) {
      const sign = text[at];
      if (sign === '\\' && patternType === 'regexp' && at + 1 < text.length) at += 1;
      else if (sign === '(') open += 1;
      else if (sign === ')') {
        if (open === 0 && depth > 0) break;
        open = Math.max(0, open - 1);
      }
    }
    return text.slice(start, at);
  }

  /** By place of each parenthesis that is closed, where that is; those in quotes and expressions don't count. */
  function closingParentheses(): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    const open: number[] = [];
    for (at = 0; at < text.length; at += 1) {
      const sign = text[at];
      if (sign === '\\') at += 1;
      else if (sign === '(') open.push(at);
      else if (sign === ')') {
        const start = open.pop();
        if (start !== undefined) found.set(start, at);
      } else if (/["'/]/.test(sign ?? '') && (at === 0 || /[\s(:-]/.test(text[at - 1] ?? ''))) {
        if ((quotedText(1) ?? delimitedRegexp(1)) !== undefined) at -= 1;
      }
    }
    at = 0;
    return found;
  }

  return { next };
}

/** Takes the backslash from `\/`: a slash is no special character of an expression. */
export function plainSlashes(source: string): string {
  return source.replace(/\\(.)/gs, (pair, sign: string) => (sign === '/' ? '/' : pair));
}
