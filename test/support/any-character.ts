import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/**
 * Any character of Unicode, as the unit of `fc.string`. The unit `binary` of fast-check has the same characters, but takes
 * a second of processor time in each process to index them.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10_ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (character) => {
    const code = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
    const isSurrogate = code >= FIRST_SURROGATE && code < FIRST_SURROGATE + SURROGATES;
    if (code < 0 || isSurrogate || String.fromCodePoint(code) !== character) throw new Error('not one character');
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);
