import { LIMITS } from '../../limits.ts';
import { type CharacterSet, containsFolded, singleOf, variants } from './character-set.ts';
import type { Assertion, RegexpNode } from './syntax.ts';

const NON_ASCII = '[^\\x00-\\x7f]';
const ASSERTIONS: Record<Assertion, string> = {
  textStart: '^',
  textEnd: '$',
  lineStart: '^',
  lineEnd: '$',
  word: '\\b',
  notWord: '\\B',
};

/**
 * Translates an expression for `git grep -P`, which finds the lines that can match. git reads text as bytes or as
 * characters, depending on the locale, so the translation means the same in both; where it can't, it accepts more. On a
 * line that needs more than `LIMITS.patternSteps`, git fails with "match limit exceeded", which is not "no match".
 */
export function toPcre(node: RegexpNode): string {
  return `(*LIMIT_MATCH=${LIMITS.patternSteps})${render(node, false)}`;
}

/** The same for a text without special characters, for texts that `git grep -F -i` can't compare. */
export function literalToPcre(text: string, ignoreCase: boolean): string {
  return `(*LIMIT_MATCH=${LIMITS.patternSteps})${[...text].map((one) => character(one.codePointAt(0) ?? 0, ignoreCase)).join('')}`;
}

function render(node: RegexpNode, isRepeated: boolean): string {
  switch (node.kind) {
    case 'set':
      return renderSet(node.set, node.ignoreCase, isRepeated);
    case 'assertion':
      return ASSERTIONS[node.assertion];
    case 'sequence':
      return `(?:${node.parts.map((part) => render(part, false)).join('')})`;
    case 'choice':
      return `(?:${node.parts.map((part) => render(part, isRepeated)).join('|')})`;
    case 'repeat': {
      const { min, max, greedy } = node;
      const bounds = max === Infinity ? (min === 0 ? '*' : min === 1 ? '+' : `{${min},}`) : `{${min},${max}}`;
      const part = render(node.part, max === Infinity);
      // PCRE repeats a single class much faster than a group.
      const isClass = /^\[[^\]]*\]$/.test(part);
      return `${isClass ? part : `(?:${part})`}${bounds}${greedy ? '' : '?'}`;
    }
  }
}

/** A character outside of ASCII is up to four bytes; an endless repetition takes them one by one. */
function renderSet(set: CharacterSet, ignoreCase: boolean, isRepeated: boolean): string {
  const single = singleOf(set);
  if (single !== undefined) return character(single, ignoreCase);
  const ascii = asciiClass(set, ignoreCase);
  if (!takesNonAscii(set)) return ascii ?? '(?!)';
  if (isRepeated) return asciiClass(set, ignoreCase, false);
  return ascii === undefined ? `${NON_ASCII}{1,4}` : `(?:${ascii}|${NON_ASCII}{1,4})`;
}

function takesNonAscii(set: CharacterSet): boolean {
  return set.classes.length > 0 || set.ranges.some(([, high]) => high > 0x7f);
}

/** A class of the ASCII characters in a set, or of all characters but the ASCII characters that are not in it. */
function asciiClass(set: CharacterSet, ignoreCase: boolean): string | undefined;
function asciiClass(set: CharacterSet, ignoreCase: boolean, listed: false): string;
function asciiClass(set: CharacterSet, ignoreCase: boolean, listed = true): string | undefined {
  const ranges: string[] = [];
  const isListed = (code: number): boolean => containsFolded(set, code, ignoreCase) === listed;
  for (let code = 0; code < 128; code += 1) {
    if (!isListed(code)) continue;
    const low = code;
    while (code + 1 < 128 && isListed(code + 1)) code += 1;
    ranges.push(low === code ? hex(low) : `${hex(low)}-${hex(code)}`);
  }
  if (!listed) return ranges.length === 0 ? '[\\s\\S]' : `[^${ranges.join('')}]`;
  return ranges.length === 0 ? undefined : `[${ranges.join('')}]`;
}

function character(code: number, ignoreCase: boolean): string {
  const forms = ignoreCase ? [code, ...variants(code)] : [code];
  if (forms.length > 1 && forms.every((form) => form < 128)) return `[${forms.map(plain).join('')}]`;
  const written = forms.map((form) => (form < 128 ? plain(form) : String.fromCodePoint(form)));
  return written.length === 1 ? (written[0] ?? '') : `(?:${written.join('|')})`;
}

function plain(code: number): string {
  const text = String.fromCharCode(code);
  return /[A-Za-z0-9_]/.test(text) ? text : hex(code);
}

function hex(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`;
}

/** Whether an expression names a line end, which a search by lines never finds. */
export function spansLines(node: RegexpNode): boolean {
  switch (node.kind) {
    case 'set':
      return singleOf(node.set) === 10;
    case 'assertion':
      return false;
    case 'repeat':
      return spansLines(node.part);
    default:
      return node.parts.some(spansLines);
  }
}
