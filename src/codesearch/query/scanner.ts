import { FILTER_FIELDS, type FilterField, type PatternType } from './ast.ts';

export type Token =
  | { kind: 'open' | 'close' | 'and' | 'or' | 'not' }
  /** `bare` words may be joined with their neighbors. */
  | { kind: 'pattern'; form: 'bare' | 'quoted' | 'regexp'; text: string; negated: boolean }
  | { kind: 'content'; form: 'bare' | 'quoted' | 'regexp'; text: string; negated: boolean }
  | { kind: 'filter'; field: FilterField | 'patterntype'; value: string; negated: boolean }
  | { kind: 'unsupported'; name: string }
  | { kind: 'end' };

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
  // Places that were looked up before: without them, many open parentheses would take quadratic time or worse.
  const parentheses = new Map<number, number | undefined>();
  const delimited = new Map<number, number>();

  const isSpace = (index: number): boolean => /\s/.test(text[index] ?? '');
  const isBoundary = (index: number, depth: number): boolean =>
    index >= text.length || isSpace(index) || (depth > 0 && text[index] === ')');

  /** `depth` is the number of open groups: outside of groups a parenthesis is text. */
  function next(depth: number): Token {
    while (isSpace(at)) at += 1;
    if (at >= text.length) return { kind: 'end' };
    if (depth > 0 && text[at] === ')') {
      at += 1;
      return { kind: 'close' };
    }
    if (text[at] === '(' && opensGroup(depth)) {
      at += 1;
      return { kind: 'open' };
    }
    return operator(depth) ?? filter(depth) ?? pattern(depth);
  }

  function operator(depth: number): Token | undefined {
    const word = /(?:AND|and|OR|or|NOT|not)/y;
    word.lastIndex = at;
    const found = word.exec(text)?.[0];
    if (found === undefined) return undefined;
    if (!isBoundary(at + found.length, depth)) return undefined;
    at += found.length;
    return { kind: found.toLowerCase() as 'and' | 'or' | 'not' };
  }

  function filter(depth: number): Token | undefined {
    const head = /(-?)([A-Za-z]+):/y;
    head.lastIndex = at;
    const [all, minus, word = ''] = head.exec(text) ?? [];
    if (all === undefined) return undefined;
    const name = word.toLowerCase();
    const field = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
    if (field === undefined && !UNSUPPORTED.has(name)) return undefined;
    at += all.length;
    const negated = minus === '-';
    const { form, text: value } = field === 'content' ? term(depth) : filterValue(depth);
    if (field === undefined) return { kind: 'unsupported', name };
    return field === 'content'
      ? { kind: 'content', form, text: value, negated }
      : { kind: 'filter', field, value, negated };
  }

  function filterValue(depth: number): { form: 'bare' | 'quoted'; text: string } {
    const quoted = quotedText(depth);
    if (quoted !== undefined) return { form: 'quoted', text: quoted };
    // A predicate such as `repo:has.file(path:a content:b)` keeps its spaces, so that it can be named.
    const predicate = /[a-z]+(?:\.[a-z]+)*\(/y;
    predicate.lastIndex = at;
    const close = predicate.test(text) ? matchingParenthesis(predicate.lastIndex - 1) : undefined;
    if (close !== undefined && isBoundary(close + 1, depth)) {
      const value = text.slice(at, close + 1);
      at = close + 1;
      return { form: 'bare', text: value };
    }
    return { form: 'bare', text: bareText(depth) };
  }

  function pattern(depth: number): Token {
    const negated = patternType !== 'literal' && text[at] === '-' && /[\w"'/]/.test(text[at + 1] ?? '');
    if (negated) at += 1;
    return { kind: 'pattern', ...term(depth), negated };
  }

  function term(depth: number): { form: 'bare' | 'quoted' | 'regexp'; text: string } {
    const quoted = quotedText(depth);
    if (quoted !== undefined) return { form: 'quoted', text: quoted };
    const regexp = patternType === 'literal' ? undefined : delimitedRegexp(depth);
    return regexp === undefined ? { form: 'bare', text: bareText(depth) } : { form: 'regexp', text: regexp };
  }

  /** Text in quotes that end at the end of a word; otherwise the quote is an ordinary character. */
  function quotedText(depth: number): string | undefined {
    const quote = text[at];
    if (quote !== '"' && quote !== "'") return undefined;
    let value = '';
    for (let index = at + 1; index < text.length; index += 1) {
      const sign = text[index] ?? '';
      if (sign === '\\' && index + 1 < text.length) {
        index += 1;
        const escaped = text[index] ?? '';
        value += ESCAPES[escaped] ?? `\\${escaped}`;
      } else if (sign === quote) {
        if (!isBoundary(index + 1, depth)) return undefined;
        at = index + 1;
        return value;
      } else value += sign;
    }
    return undefined;
  }

  /** `/…/` that ends at the end of a word, with `\/` for a slash; otherwise the slash is an ordinary character. */
  function delimitedRegexp(depth: number): string | undefined {
    if (text[at] !== '/') return undefined;
    for (let index = at + 1; index < text.length; index += 1) {
      if (text[index] === '\\') index += 1;
      else if (text[index] === '/') {
        if (index === at + 1 || !isBoundary(index + 1, depth)) return undefined;
        const source = text.slice(at + 1, index);
        at = index + 1;
        return plainSlashes(source);
      }
    }
    return undefined;
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

  /** A parenthesis opens a group when its counterpart ends a word and there is something between them. */
  function opensGroup(depth: number): boolean {
    const close = matchingParenthesis(at);
    return close !== undefined && text.slice(at + 1, close).trim() !== '' && isBoundary(close + 1, depth);
  }

  function matchingParenthesis(from: number): number | undefined {
    if (parentheses.has(from)) return parentheses.get(from);
    const found = findParenthesis(from);
    parentheses.set(from, found);
    return found;
  }

  function findParenthesis(from: number): number | undefined {
    let open = 0;
    for (let index = from; index < text.length; index += 1) {
      const sign = text[index];
      if (sign === '\\') index += 1;
      else if (sign === '(') open += 1;
      else if (sign === ')') open -= 1;
      else if ((sign === '"' || sign === "'" || sign === '/') && startsWord(index)) index = endOfDelimited(index);
      if (open === 0) return index;
    }
    return undefined;
  }

  const startsWord = (index: number): boolean => isSpace(index - 1) || '(:-'.includes(text[index - 1] ?? '(');

  /** The end of a quoted text or regexp that begins here within a group; the same place when none does. */
  function endOfDelimited(from: number): number {
    const known = delimited.get(from);
    if (known !== undefined) return known;
    const before = at;
    at = from;
    const isDelimited = (quotedText(1) ?? (patternType === 'literal' ? undefined : delimitedRegexp(1))) !== undefined;
    const end = isDelimited ? at - 1 : from;
    at = before;
    delimited.set(from, end);
    return end;
  }

  return { next };
}

/** Takes the backslash from `\/`: a slash is no special character of an expression. */
export function plainSlashes(source: string): string {
  return source.replace(/\\(.)/gs, (pair, sign: string) => (sign === '/' ? '/' : pair));
}
