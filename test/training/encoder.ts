import type { Bags } from './pair-table.ts';
import type { Random } from './random.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The vectors and weights of all words on one side, with the gradients of the current step. */
export interface Encoder {
  dimensions: number;
  /** One row per word. */
  vectors: Float32Array;
  weights: Float32Array;
  vectorGradients: Float32Array;
  weightGradients: Float32Array;
  /** 1 for a word whose gradients may differ from 0. */
  used: Uint8Array;
}

/** The first bags of a batch as vectors of length 1, row by row, with the lengths that they had. */
export interface Encoded {
  vectors: Float64Array;
  lengths: Float64Array;
}

/** The same number is the first weight of a word with this inverse document frequency. */
const FIRST_WEIGHT_IDF = 6;
/** A bag whose words all have weight 0 keeps the vector 0. */
const SHORTEST_LENGTH = 1e-12;

/** Two encoders that begin alike, so that a question is already near to code with the same words. */
export function createEncoders({ words, idf }: Vocabulary, dimensions: number, random: Random): [Encoder, Encoder] {
  const deviation = 1 / Math.sqrt(dimensions);
  const vectors = Float32Array.from({ length: words.length * dimensions }, () => random.normal() * deviation);
  const create = (): Encoder => ({
    dimensions,
    vectors: vectors.slice(),
    weights: idf.map((each) => each / FIRST_WEIGHT_IDF),
    vectorGradients: new Float32Array(vectors.length),
    weightGradients: new Float32Array(words.length),
    used: new Uint8Array(words.length),
  });
  return [create(), create()];
}

export function createEncoded(bags: number, dimensions: number): Encoded {
  return { vectors: new Float64Array(bags * dimensions), lengths: new Float64Array(bags) };
}

/** Encodes the first `count` bags: the weighted sum of their words' vectors, brought to length 1. */
export function encode(encoder: Encoder, bags: Bags, count: number, { vectors: out, lengths }: Encoded): void {
  const { dimensions, vectors, weights } = encoder;
  const { starts, words, weights: bagWeights } = bags;
  for (let bag = 0; bag < count; bag += 1) {
    const row = bag * dimensions;
    out.fill(0, row, row + dimensions);
    const end = starts[bag + 1] as number;
    for (let i = starts[bag] as number; i < end; i += 1) {
      const word = words[i] as number;
      const factor = (bagWeights[i] as number) * (weights[word] as number);
      const from = word * dimensions;
      for (let k = 0; k < dimensions; k += 1) {
        out[row + k] = (out[row + k] as number) + factor * (vectors[from + k] as number);
      }
    }
    let square = 0;
    for (let k = 0; k < dimensions; k += 1) square += (out[row + k] as number) ** 2;
    const length = Math.max(Math.sqrt(square), SHORTEST_LENGTH);
    lengths[bag] = length;
    for (let k = 0; k < dimensions; k += 1) out[row + k] = (out[row + k] as number) / length;
  }
}

/** Adds to the encoder's gradients what follows from `gradients`, those of the encoded vectors, which it overwrites. */
export function backpropagate(
  encoder: Encoder,
  bags: Bags,
  count: number,
  { vectors: encoded, lengths }: Encoded,
  gradients: Float64Array,
): void {
  const { dimensions, vectors, weights, vectorGradients, weightGradients, used } = encoder;
  const { starts, words, weights: bagWeights } = bags;
  for (let bag = 0; bag < count; bag += 1) {
    const row = bag * dimensions;
    // Only a change across the vector's direction changes a vector of length 1.
    let along = 0;
    for (let k = 0; k < dimensions; k += 1) along += (gradients[row + k] as number) * (encoded[row + k] as number);
    const length = lengths[bag] as number;
    for (let k = 0; k < dimensions; k += 1) {
      gradients[row + k] = ((gradients[row + k] as number) - along * (encoded[row + k] as number)) / length;
    }
    const end = starts[bag + 1] as number;
    for (let i = starts[bag] as number; i < end; i += 1) {
      const word = words[i] as number;
      const bagWeight = bagWeights[i] as number;
      const factor = bagWeight * (weights[word] as number);
      const to = word * dimensions;
      let product = 0;
      for (let k = 0; k < dimensions; k += 1) {
        const gradient = gradients[row + k] as number;
        product += gradient * (vectors[to + k] as number);
        vectorGradients[to + k] = (vectorGradients[to + k] as number) + factor * gradient;
      }
      weightGradients[word] = (weightGradients[word] as number) + bagWeight * product;
      used[word] = 1;
    }
  }
}
