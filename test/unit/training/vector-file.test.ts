import { describe, expect, it } from 'vitest';
import type { Encoder } from '../../training/encoder.ts';
import { createModel } from '../../training/model.ts';
import { createRandom } from '../../training/random.ts';
import { encodeVectorFile } from '../../training/vector-file.ts';

const words = ['naïve', 'retry', 'x_y'];
const { questions, codes } = createModel({ words, idf: Float32Array.of(3, 4, 5) }, 8, createRandom(1));
codes.vectors.reverse();

/** Reads a file as README.md describes it. */
function decode(file: Buffer) {
  const bytes = new Uint8Array(file).buffer;
  const [count = 0, dimensions = 0, length = 0] = new Uint32Array(bytes, 0, 3);
  const text = new TextDecoder().decode(new Uint8Array(bytes, 12, length)).trimEnd();
  const scales = new Float32Array(bytes, 12 + length, 2 * count);
  const vectors = new Int8Array(bytes, 12 + length + 8 * count);
  const values = Array.from(vectors, (value, i) => value * (scales[Math.floor(i / dimensions)] ?? Number.NaN));
  const half = count * dimensions;
  return { words: text.split('\n'), dimensions, questions: values.slice(0, half), codes: values.slice(half) };
}

function expectNear(values: readonly number[], { vectors, weights, dimensions }: Encoder): void {
  expect(values.length).toBe(vectors.length);
  for (const [i, value] of values.entries()) {
    expect(value).toBeCloseTo((vectors[i] ?? 0) * (weights[Math.floor(i / dimensions)] ?? 0), 2);
  }
}

describe('the file of word vectors', () => {
  it('has the words and both vectors of each', () => {
    const file = decode(encodeVectorFile(words, questions, codes));
    expect(file.words).toEqual(words);
    expect(file.dimensions).toBe(8);
    expectNear(file.questions, questions);
    expectNear(file.codes, codes);
  });

  it('keeps a vector of zeros', () => {
    const silent = { ...questions, weights: new Float32Array(3) };
    expect(new Set(decode(encodeVectorFile(words, silent, codes)).questions.map(Math.abs))).toEqual(new Set([0]));
  });
});
