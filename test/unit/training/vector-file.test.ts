import { describe, expect, it } from 'vitest';
import type { Encoder } from '../../training/encoder.ts';
import { createModel } from '../../training/model.ts';
import { createRandom } from '../../training/random.ts';
import { encodeVectorFile } from '../../training/vector-file.ts';

const words = ['naïve', 'retry', 'x_y'];
const repetition = Float32Array.of(0, 0.5, 1);
const { questions, codes } = createModel({ words, idf: Float32Array.of(3, 4, 5), repetition }, 8, createRandom(1));
codes.vectors.reverse();

/** Reads a file as README.md describes it. */
function decode(file: Buffer) {
  const bytes = new Uint8Array(file).buffer;
  const [count = 0, dimensions = 0, length = 0] = new Uint32Array(bytes, 0, 3);
  const text = new TextDecoder().decode(new Uint8Array(bytes, 12, length)).trimEnd();
  const scales = new Float32Array(bytes, 12 + length, 2 * count);
  const vectorsAt = 12 + length + 8 * count;
  const vectors = new Int8Array(bytes, vectorsAt, 2 * count * dimensions);
  const shares = new Uint8Array(bytes, vectorsAt + vectors.length);
  const values = Array.from(vectors, (value, i) => value * (scales[Math.floor(i / dimensions)] ?? Number.NaN));
  const half = count * dimensions;
  return {
    words: text.split('\n'),
    dimensions,
    questions: values.slice(0, half),
    codes: values.slice(half),
    repetition: Array.from(shares, (share) => share / 255),
  };
}

function expectNear(values: readonly number[], { vectors, weights, dimensions }: Encoder): void {
  expect(values.length).toBe(vectors.length);
  for (const [i, value] of values.entries()) {
    expect(value).toBeCloseTo((vectors[i] ?? 0) * (weights[Math.floor(i / dimensions)] ?? 0), 2);
  }
}

describe('the file of word vectors', () => {
  it('has the words, both vectors of each, and how surely code repeats it', () => {
    const file = decode(encodeVectorFile({ words, repetition }, questions, codes));
    expect(file.words).toEqual(words);
    expect(file.dimensions).toBe(8);
    expectNear(file.questions, questions);
    expectNear(file.codes, codes);
    expect(file.repetition).toEqual([0, expect.closeTo(0.5, 2), 1]);
  });

  it('keeps a vector of zeros', () => {
    const silent = { ...questions, weights: new Float32Array(3) };
    expect(new Set(decode(encodeVectorFile({ words, repetition }, silent, codes)).questions.map(Math.abs))).toEqual(
      new Set([0]),
    );
  });
});
