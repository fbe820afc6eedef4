import type { Encoder } from './encoder.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Largest number of a signed byte, up to its sign. */
const LARGEST = 127;

/** The bytes of the file of word vectors; README.md describes them. */
export function encodeVectorFile(
  { words, repetition }: Pick<Vocabulary, 'words' | 'repetition'>,
  questions: Encoder,
  codes: Encoder,
): Buffer {
  const { dimensions } = questions;
  const text = Buffer.from(words.join('\n'));
  const padded = Buffer.alloc(Math.ceil(text.length / 4) * 4, ' ');
  text.copy(padded);
  const header = Buffer.alloc(12);
  for (const [i, value] of [words.length, dimensions, padded.length].entries()) header.writeUInt32LE(value, 4 * i);
  const [question, code] = [quantize(questions), quantize(codes)];
  return Buffer.concat([
    header,
    padded,
    question.scales,
    code.scales,
    question.vectors,
    code.vectors,
    Buffer.from(repetition.map((share) => Math.round(share * 255))),
  ]);
}

/** The vectors with the learned weights of their words, as bytes to multiply by the scale of their row. */
function quantize({ dimensions, vectors, weights }: Encoder): { scales: Buffer; vectors: Buffer } {
  const scales = Buffer.alloc(4 * weights.length);
  const bytes = Buffer.alloc(vectors.length);
  for (const [row, weight] of weights.entries()) {
    const values = vectors.subarray(row * dimensions, (row + 1) * dimensions).map((value) => value * weight);
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const scale = largest === 0 ? 1 : Math.fround(largest / LARGEST);
    scales.writeFloatLE(scale, 4 * row);
    for (const [k, value] of values.entries()) bytes.writeInt8(Math.round(value / scale), row * dimensions + k);
  }
  return { scales, vectors: bytes };
}
