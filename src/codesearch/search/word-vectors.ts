import { readFileSync } from 'node:fs';
import { STEPS, type WeightedTerms } from '../index/text-index.ts';

/** Vectors of index terms: of those in questions, and of those in code. Vectors of a question and of code that answers it are near each other. */
export interface WordVectors {
  /** The sum over the terms, of length 1; zeros when no term is known. */
  ofQuestion(terms: Iterable<string>): Float32Array;
  /** The same; a term counts more the more often it is there, up to once its weight. */
  ofCode(terms: WeightedTerms): Float32Array;
  /**
   * How surely code has this term where a text about the code has it, from 0 to 1; undefined for a term that is not known. Counted in
   * the pairs that the vectors were trained on.
   */
  repetitionOf(term: string): number | undefined;
}

/** So many occurrences, weighted as in `BM25F`, give a term half of its greatest weight. The vectors were trained with both. */
export const SATURATION = 1.5;

let vectors: WordVectors | undefined;

/** The vectors that `npm run train:vectors` wrote; read once. */
export function wordVectors(): WordVectors {
  vectors ??= readWordVectors(readFileSync(new URL('word-vectors.bin', import.meta.url)));
  return vectors;
}

/**
 * Reads a file of vectors, little endian: the numbers of words V, of dimensions K and of bytes of the words as uint32; the words, one a
 * line; V float32 scales for questions, V for code; V × K int8 for questions, V × K for code; V uint8, 255 times the repetition.
 */
export function readWordVectors(file: Uint8Array): WordVectors {
  // A copy of its own begins at a multiple of 4.
  const { buffer } = Uint8Array.from(file);
  const [count = 0, dimensions = 0, textBytes = 0] = new Uint32Array(buffer, 0, 3);
  let at = 12;
  const text = new TextDecoder().decode(new Uint8Array(buffer, at, textBytes));
  at += textBytes;
  const scalesAt = at;
  at += 8 * count;
  const size = count * dimensions;
  const question = { scales: new Float32Array(buffer, scalesAt, count), values: new Int8Array(buffer, at, size) };
  const code = {
    scales: new Float32Array(buffer, scalesAt + 4 * count, count),
    values: new Int8Array(buffer, at + size, size),
  };
  const repetition = new Uint8Array(buffer, at + 2 * size, count);
  const places = new Map(
    text
      .trimEnd()
      .split('\n')
      .map((word, place) => [word, place]),
  );

  function sum({ scales, values }: typeof code, weighted: Iterable<[term: string, weight: number]>): Float32Array {
    const total = new Float32Array(dimensions);
    for (const [term, weight] of weighted) {
      const place = places.get(term);
      if (place === undefined) continue;
      const factor = weight * (scales[place] ?? 0);
      const start = place * dimensions;
      for (let each = 0; each < dimensions; each += 1)
        total[each] = (total[each] ?? 0) + factor * (values[start + each] ?? 0);
    }
    const length = Math.hypot(...total) || 1;
    return total.map((value) => value / length);
  }

  return {
    repetitionOf(term) {
      const place = places.get(term);
      return place === undefined ? undefined : (repetition[place] ?? 0) / 255;
    },
    ofQuestion: (terms) =>
      sum(
        question,
        Array.from(new Set(terms), (term) => [term, 1]),
      ),
    ofCode: ({ terms, frequencies }) =>
      sum(
        code,
        terms.map((term, place) => [term, saturate(frequencies[place] ?? 0)]),
      ),
  };
}

function saturate(frequency: number): number {
  return frequency / (frequency + SATURATION * STEPS);
}

/** Of two vectors of length 1. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let each = 0; each < a.length; each += 1) sum += (a[each] ?? 0) * (b[each] ?? 0);
  return sum;
}
