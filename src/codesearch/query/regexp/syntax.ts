import { type CharacterSet, classOf, complement, DOT, namedClass, posixClass, union } from './character-set.ts';

/** A regular expression that is wrong (`invalid`) or uses a form outside RE2 syntax (`unsupported`). */
export class RegexpError extends Error {
  override readonly name = 'RegexpError';
  readonly kind: 'invalid' | 'unsupported' | 'tooLarge';

  constructor(kind: RegexpError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'word' | 'notWord';

export type RegexpNode =
  | { kind: 'set'; set: CharacterSet; ignoreCase: boolean }
  | { kind: 'assertion'; assertion: Assertion }
  | { kind: 'sequence' | 'choice'; parts: readonly RegexpNode[] }
  | { kind: 'repeat'; part: RegexpNode; min: number; max: number; greedy: boolean };

interface Flags {
  ignoreCase: boolean;
  dotAll: boolean;
}

const LONGEST_REPEAT = 1000;
const DEEPEST_GROUP = 100;
const CONTROLS: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13, a: 7 };
const ASSERTIONS: Record<string, Assertion> = { A: 'textStart', z: 'textEnd', b: 'word', B: 'notWord' };

/**
 * Parses a regular expression in RE2 syntax: everything that can be matched in linear time. `^` and `$` match at lines.
 * Throws {@link RegexpError}; lookaround and back references are `unsupported`.
 */
export function parseRegexp(source: string, ignoreCase: boolean): RegexpNode {
  const characters = [...source];
  let at = 0;
  let depth = 0;

  const peek = (): string | undefined => characters[at];
  const fail = (message: string): never => {
    throw new RegexpError('invalid', `${message} at character ${at + 1}`);
  };
  const refuse = (what: string): never => {
    throw new RegexpError('unsupported', `${what} is not part of RE2 syntax`);
  };

  function looksAt(text: string): boolean {
    return characters.slice(at, at + text.length).join('') === text;
  }

  function choice(flags: Flags): RegexpNode {
    const parts = [sequence(flags)];
    while (peek() === '|') {
      at += 1;
      parts.push(sequence(flags));
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'choice', parts };
  }

  /** Flags set by `(?i)` hold until the end of the group, also in later alternatives: `flags` is shared and changed. */
  function sequence(flags: Flags): RegexpNode {
    const parts: RegexpNode[] = [];
    for (let next = peek(); next !== undefined && next !== '|' && next !== ')'; next = peek()) {
      const part = atom(flags);
      if (part !== undefined) parts.push(repeated(part));
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'sequence', parts };
  }

  function repeated(part: RegexpNode): RegexpNode {
    const bounds = quantifier();
    if (bounds === undefined) return part;
    let greedy = true;
    if (peek() === '?') {
      at += 1;
      greedy = false;
    } else if (peek() === '+') refuse('A possessive repetition');
    if (quantifier() !== undefined) fail('A repetition of a repetition needs parentheses');
    return { kind: 'repeat', part, ...bounds, greedy };
  }

  function quantifier(): { min: number; max: number } | undefined {
    const simple = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] }[peek() ?? ''];
    if (simple !== undefined) {
      at += 1;
      return { min: simple[0] ?? 0, max: simple[1] ?? 0 };
    }
    if (peek() !== '{') return undefined;
    const close = characters.indexOf('}', at);
    const [, low, comma, high] = /^\{(\d{1,6})(,?)(\d{0,6})\}$/.exec(characters.slice(at, close + 1).join('')) ?? [];
    if (low === undefined || (comma === '' && high !== '')) return undefined;
    const min = Number(low);
    const max = comma === '' ? min : high === '' ? Infinity : Number(high);
    if (min > LONGEST_REPEAT || (max !== Infinity && max > LONGEST_REPEAT) || max < min) {
      fail(`A repetition is from 0 to ${LONGEST_REPEAT} in growing order; it is wrong`);
    }
    at = close + 1;
    return { min, max };
  }

  function atom(flags: Flags): RegexpNode | undefined {
    const next = peek() ?? '';
    switch (next) {
      case '(':
        return group(flags);
      case '[':
        return { kind: 'set', set: bracket(), ignoreCase: flags.ignoreCase };
      case '.':
        at += 1;
        return { kind: 'set', set: flags.dotAll ? complement([]) : DOT, ignoreCase: false };
      case '^':
        at += 1;
        return { kind: 'assertion', assertion: 'lineStart' };
      case '$':
        at += 1;
        return { kind: 'assertion', assertion: 'lineEnd' };
      case '*':
      case '+':
      case '?':
        return fail('A repetition has nothing to repeat');
      case '\\':
        return escapeSequence(flags);
    }
    at += 1;
    return literal(next.codePointAt(0) ?? 0, flags);
  }

  function literal(code: number, flags: Flags): RegexpNode {
    return { kind: 'set', set: { ranges: [[code, code]], classes: [] }, ignoreCase: flags.ignoreCase };
  }

  function group(outer: Flags): RegexpNode | undefined {
    at += 1;
    depth += 1;
    if (depth > DEEPEST_GROUP) throw new RegexpError('tooLarge', `Groups are nested deeper than ${DEEPEST_GROUP}`);
    const flags = { ...outer };
    if (peek() === '?') {
      at += 1;
      if (looksAt('=') || looksAt('!') || looksAt('<=') || looksAt('<!')) refuse('Looking ahead or behind');
      if (looksAt('>')) refuse('An atomic group');
      if (looksAt('P=') || looksAt('P>')) refuse('A reference to a group');
      if (looksAt('P<') || looksAt('<')) {
        const close = characters.indexOf('>', at);
        if (close < 0 || !/^P?<\w+$/.test(characters.slice(at, close).join(''))) fail('The name of a group is wrong');
        at = close + 1;
      } else if (setFlags(flags) === 'rest') {
        depth -= 1;
        Object.assign(outer, flags);
        return undefined;
      }
    }
    const inner = choice(flags);
    if (peek() !== ')') fail('A group is not closed: ")" is missing');
    at += 1;
    depth -= 1;
    return inner;
  }

  /** Reads `i`, `s`, `m` and their negations up to `:` or `)`; `rest` means that they hold for the rest of the group. */
  function setFlags(flags: Flags): 'group' | 'rest' {
    let on = true;
    for (;;) {
      const next = peek();
      at += 1;
      if (next === 'i') flags.ignoreCase = on;
      else if (next === 's') flags.dotAll = on;
      else if (next === 'm') continue;
      else if (next === '-' && on) on = false;
      else if (next === ':') return 'group';
      else if (next === ')') return 'rest';
      else if (next === 'U' || next === '#' || next === 'R' || next === '|' || next === '(' || next === '&')
        refuse(`A group that begins with "(?${next}"`);
      else fail('The flags of a group are wrong');
    }
  }

  function escapeSequence(flags: Flags): RegexpNode {
    const next = characters[at + 1];
    if (next === undefined) return fail('There is nothing after the last backslash');
    const assertion = ASSERTIONS[next];
    if (assertion !== undefined) {
      at += 2;
      return { kind: 'assertion', assertion };
    }
    if (next === 'Q') return quoted(flags);
    if (/[1-9gk]/.test(next)) refuse('A back reference');
    return { kind: 'set', set: escapedSet(), ignoreCase: flags.ignoreCase };
  }

  function quoted(flags: Flags): RegexpNode {
    at += 2;
    const parts: RegexpNode[] = [];
    while (peek() !== undefined && !looksAt('\\E')) {
      parts.push(literal(peek()?.codePointAt(0) ?? 0, flags));
      at += 1;
    }
    at = Math.min(at + 2, characters.length);
    // A repetition behind the quoted text is for its last character.
    const last = parts.pop();
    return { kind: 'sequence', parts: last === undefined ? [] : [...parts, repeated(last)] };
  }

  /** An escape that stands for characters, in and outside of brackets; `at` is at the backslash. */
  function escapedSet(): CharacterSet {
    const next = characters[at + 1] ?? '';
    const shorthand = classOf(next);
    if (shorthand !== undefined) {
      at += 2;
      return shorthand;
    }
    if (next === 'p' || next === 'P') return propertySet(next === 'P');
    const code = escapedCode(next);
    return { ranges: [[code, code]], classes: [] };
  }

  function propertySet(negated: boolean): CharacterSet {
    const [, braced, single] = /^\\[pP](?:\{(\^?\w+)\}|(\w))/.exec(characters.slice(at, at + 60).join('')) ?? [];
    const name = braced ?? single ?? '';
    const set = namedClass(name.replace('^', ''), negated !== name.startsWith('^'));
    if (set === undefined) return fail('A character class has an unknown name');
    at += 2 + (braced === undefined ? 1 : braced.length + 2);
    return set;
  }

  function escapedCode(next: string): number {
    const control = CONTROLS[next];
    if (control !== undefined) {
      at += 2;
      return control;
    }
    const rest = characters.slice(at + 1, at + 13).join('');
    const [hex, braced, plain] = /^x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/.exec(rest) ?? [];
    const octal = /^0[0-7]{0,2}/.exec(rest)?.[0];
    if (hex !== undefined || octal !== undefined) {
      const code = octal === undefined ? Number.parseInt(braced ?? plain ?? '', 16) : Number.parseInt(octal, 8);
      if (code > 0x10ffff) fail('A character number is too large');
      at += 1 + (hex ?? octal ?? '').length;
      return code;
    }
    if (/[\p{L}\p{N}]/u.test(next) || next === '') fail(`The escape "\\${next}" is unknown`);
    at += 2;
    return next.codePointAt(0) ?? 0;
  }

  function bracket(): CharacterSet {
    at += 1;
    const negated = peek() === '^';
    if (negated) at += 1;
    let set: CharacterSet = { ranges: [], classes: [] };
    for (let first = true; ; first = false) {
      const next = peek();
      if (next === undefined) return fail('A bracket is not closed: "]" is missing');
      if (next === ']' && !first) break;
      set = union(set, looksAt('[:') ? posix() : bracketRange());
    }
    at += 1;
    return negated ? complement([set]) : set;
  }

  function posix(): CharacterSet {
    const [all = '', not, name = ''] = /^\[:(\^?)(\w+):\]/.exec(characters.slice(at, at + 20).join('')) ?? [];
    const set = posixClass(name);
    if (set === undefined) return bracketRange();
    at += all.length;
    return not === '^' ? complement([set]) : set;
  }

  function bracketRange(): CharacterSet {
    const low = bracketItem();
    if (peek() !== '-' || characters[at + 1] === ']' || characters[at + 1] === undefined) return low;
    at += 1;
    const high = bracketItem();
    const [from, to] = [low.ranges[0]?.[0], high.ranges[0]?.[0]];
    const isSingle = (set: CharacterSet) =>
      set.classes.length === 0 && set.ranges.length === 1 && set.ranges[0]?.[0] === set.ranges[0]?.[1];
    if (from === undefined || to === undefined || !isSingle(low) || !isSingle(high) || to < from) {
      return fail('A range of characters is wrong');
    }
    return { ranges: [[from, to]], classes: [] };
  }

  function bracketItem(): CharacterSet {
    const next = peek() ?? '';
    if (next === '\\') {
      if (characters[at + 1] === undefined) fail('There is nothing after the last backslash');
      return escapedSet();
    }
    at += 1;
    const code = next.codePointAt(0) ?? 0;
    return { ranges: [[code, code]], classes: [] };
  }

  const node = choice({ ignoreCase, dotAll: false });
  if (at < characters.length) fail('A group is closed that is not open: "(" is missing');
  return node;
}
