type Range = readonly [low: number, high: number];

/** Characters by code point: any of the ranges or of the classes. */
export interface CharacterSet {
  ranges: readonly Range[];
  classes: readonly CharacterClass[];
}

/** Characters that a test decides; a test looks at one character, so its cost is constant. */
type CharacterClass =
  | { kind: 'property'; name: string; pattern: RegExp; negated: boolean }
  | { kind: 'complement'; of: readonly CharacterSet[] };

const codes = (text: string): Range[] =>
  [...text.matchAll(/(.)(.)/gs)].map(([, low = '', high = '']) => [low.charCodeAt(0), high.charCodeAt(0)]);

const SHORTHANDS: Record<string, Range[]> = {
  d: codes('09'),
  w: codes('09AZ__az'),
  s: codes('\t\n\f\r  '),
};

const POSIX: Record<string, Range[]> = {
  alnum: codes('09AZaz'),
  alpha: codes('AZaz'),
  ascii: codes('\0\x7f'),
  blank: codes('\t\t  '),
  cntrl: codes('\0\x1f\x7f\x7f'),
  digit: codes('09'),
  graph: codes('!~'),
  lower: codes('az'),
  print: codes(' ~'),
  punct: codes('!/:@[`{~'),
  space: codes('\t\r  '),
  upper: codes('AZ'),
  word: codes('09AZ__az'),
  xdigit: codes('09AFaf'),
};

/** Every character but a line end. */
export const DOT: CharacterSet = complement([{ ranges: [[10, 10]], classes: [] }]);

export function complement(of: readonly CharacterSet[]): CharacterSet {
  return { ranges: [], classes: [{ kind: 'complement', of }] };
}

export function union(one: CharacterSet, other: CharacterSet): CharacterSet {
  return { ranges: [...one.ranges, ...other.ranges], classes: [...one.classes, ...other.classes] };
}

/** The set of `\d`, `\w` or `\s`, or of its upper-case complement. */
export function classOf(letter: string): CharacterSet | undefined {
  const ranges = SHORTHANDS[letter.toLowerCase()];
  if (ranges === undefined) return undefined;
  const set = { ranges, classes: [] };
  return letter === letter.toLowerCase() ? set : complement([set]);
}

/** The set of `[:name:]`. */
export function posixClass(name: string): CharacterSet | undefined {
  const ranges = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
  return ranges === undefined ? undefined : { ranges, classes: [] };
}

/** The set of `\p{name}`: a general category or a script; undefined when Unicode has neither. */
export function namedClass(name: string, negated: boolean): CharacterSet | undefined {
  for (const property of [`gc=${name}`, `sc=${name}`]) {
    try {
      const pattern = new RegExp(`^\\p{${property}}$`, 'u');
      return { ranges: [], classes: [{ kind: 'property', name, pattern, negated }] };
    } catch {
      // Not a name of this kind.
    }
  }
  return undefined;
}

export function contains(set: CharacterSet, code: number): boolean {
  return (
    set.ranges.some(([low, high]) => code >= low && code <= high) ||
    set.classes.some((one) =>
      one.kind === 'complement'
        ? !one.of.some((other) => contains(other, code))
        : one.pattern.test(String.fromCodePoint(code)) !== one.negated,
    )
  );
}

/** Whether a character is in the set, in any capitalization when case is ignored. */
export function containsFolded(set: CharacterSet, code: number, ignoreCase: boolean): boolean {
  return contains(set, code) || (ignoreCase && variants(code).some((variant) => contains(set, variant)));
}

/** The same letter in lower and upper case, where it is a single character. */
export function variants(code: number): number[] {
  const text = String.fromCodePoint(code);
  return [text.toLowerCase(), text.toUpperCase()].flatMap((other) => {
    const variant = other.codePointAt(0);
    return variant !== undefined && variant !== code && other.length === String.fromCodePoint(variant).length
      ? [variant]
      : [];
  });
}

/** The single character of a set, if it has just one. */
export function singleOf(set: CharacterSet): number | undefined {
  const [range] = set.ranges;
  return set.classes.length === 0 && set.ranges.length === 1 && range !== undefined && range[0] === range[1]
    ? range[0]
    : undefined;
}
