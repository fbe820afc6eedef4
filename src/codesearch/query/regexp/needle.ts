import { LIMITS } from '../../limits.ts';
import { singleOf, variants } from './character-set.ts';
import type { RegexpNode } from './syntax.ts';

/**
 * Characters that git and the patterns compare in different ways: bytes that are no text, and letters outside of ASCII that are a
 * letter of ASCII in another case.
 */
const ODD = /[\ufffd\u0130\u0131\u017f\u212a]/;

/** Whether needles find in this text what git and the patterns find. */
export function isPlain(text: string): boolean {
  return !ODD.test(text);
}

/** A character that a match has, and whether in any capitals. */
export interface NeedleCharacter {
  code: number;
  ignoreCase: boolean;
}

/** Shorter texts are in most lines. */
const SHORTEST = 3;

/**
 * What a match has of characters that the expression names one by one, with undefined where something else may stand between.
 */
export function requiredCharacters(node: RegexpNode): (NeedleCharacter | undefined)[] {
  switch (node.kind) {
    case 'set': {
      const code = singleOf(node.set);
      return [code === undefined ? undefined : { code, ignoreCase: node.ignoreCase }];
    }
    case 'assertion':
      return [];
    case 'sequence':
      return node.parts.flatMap(requiredCharacters);
    case 'choice':
      return [undefined];
    case 'repeat':
      return node.min === 0 ? [undefined] : [undefined, ...requiredCharacters(node.part), undefined];
  }
}

/** The longest run of characters without a gap; undefined when it is too short to leave out lines. */
export function longestRun(characters: readonly (NeedleCharacter | undefined)[]): NeedleCharacter[] | undefined {
  let best: NeedleCharacter[] = [];
  let run: NeedleCharacter[] = [];
  for (const one of [...characters, undefined]) {
    if (one !== undefined) run.push(one);
    else {
      if (run.length > best.length) best = run;
      run = [];
    }
  }
  return best.length < SHORTEST ? undefined : best.slice(0, LIMITS.needleCharacters);
}

/**
 * An expression that finds these characters one after the other. It has no repetition, so that its time is at most the product of
 * its length and that of the text. It compares as the translation for git does.
 */
export function toNeedle(characters: readonly NeedleCharacter[]): RegExp {
  const isAscii = characters.every(({ code }) => code < 128);
  const sources = characters.map(({ code, ignoreCase }) => {
    const forms = (ignoreCase ? [code, ...variants(code)] : [code]).map((form) => write(form, isAscii));
    return forms.length === 1 ? forms[0] : `[${forms.join('')}]`;
  });
  return new RegExp(sources.join(''), isAscii ? 'g' : 'gu');
}

function write(code: number, isAscii: boolean): string {
  const character = String.fromCodePoint(code);
  if (/[A-Za-z0-9_]/.test(character)) return character;
  return isAscii ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
