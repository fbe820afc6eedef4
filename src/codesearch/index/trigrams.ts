/** Which trigrams a text may have: a Bloom filter with one hash function. */
export type TrigramFilter = Uint8Array;

/** Of three characters of ASCII, seven bits each. */
type Trigram = number;

/** Of four places for each trigram one is taken, so that a text of five trigrams passes by chance once in a thousand. */
const BITS_PER_TRIGRAM = 4;
const LARGEST_TRIGRAM = 1 << 21;
/** Knuth's multiplicative hashing. */
const FACTOR = 2_654_435_761;

let seen: Uint32Array | undefined;
let round = 0;

/** The filter of a text, in any capitals. */
export function trigramFilterOf(text: string): TrigramFilter {
  seen ??= new Uint32Array(LARGEST_TRIGRAM);
  round += 1;
  const trigrams: Trigram[] = [];
  for (const trigram of trigramsIn(text)) {
    if (seen[trigram] === round) continue;
    seen[trigram] = round;
    trigrams.push(trigram);
  }
  const filter = new Uint8Array(Math.max(1, Math.ceil((trigrams.length * BITS_PER_TRIGRAM) / 8)));
  for (const trigram of trigrams) {
    const bit = bitOf(trigram, filter);
    filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return filter;
}

/** The trigrams that each text has which contains this one in any capitals. */
export function trigramsOf(text: string): Trigram[] {
  return [...new Set(trigramsIn(text))];
}

/** Whether a text with this filter may have all of the trigrams. */
export function mayHave(filter: TrigramFilter, trigrams: readonly Trigram[]): boolean {
  for (const trigram of trigrams) {
    const bit = bitOf(trigram, filter);
    if (((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** Trigrams with other characters than those of ASCII are left out: their capitals are many. */
function* trigramsIn(text: string): Generator<Trigram> {
  let trigram = 0;
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = folded(text.charCodeAt(at));
    if (code > 0x7f) {
      length = 0;
      continue;
    }
    trigram = ((trigram << 7) | code) & (LARGEST_TRIGRAM - 1);
    length += 1;
    if (length >= 3) yield trigram;
  }
}

/** In lower case. Besides the capitals, two other characters have a letter of ASCII as lower case (Unicode, CaseFolding.txt). */
function folded(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  if (code === 0x212a) return 0x6b;
  return code === 0x17f ? 0x73 : code;
}

function bitOf(trigram: Trigram, filter: TrigramFilter): number {
  return (Math.imul(trigram, FACTOR) >>> 0) % (filter.length * 8);
}
