import { describe, expect, it } from 'vitest';
import { createLoss, createModel } from '../../training/model.ts';
import { createBags } from '../../training/pair-table.ts';
import { createRandom } from '../../training/random.ts';

const vocabulary = {
  repetition: new Float32Array(5),
  words: ['read', 'write', 'open', 'close', 'lock', 'rare'],
  idf: Float32Array.of(2, 3, 4, 5, 6, 7),
};

const bag = (...words: number[]): Map<number, number> => new Map(words.map((word, i) => [word, 1 / (1 + i)]));
const batch = {
  count: 4,
  questions: createBags([bag(0, 1), bag(2), bag(3, 0), bag(4, 2, 1)]),
  codes: createBags([bag(0, 1, 4), bag(2, 3), bag(3, 1), bag(4)]),
};

function createTinyModel() {
  const model = createModel(vocabulary, 4, createRandom(7));
  // The encoders begin alike, which hides gradients of one that are taken for the other's.
  model.codes.vectors.reverse();
  return { model, lossOf: createLoss(model, 4) };
}

describe('the model', () => {
  it.each(['questions', 'codes'] as const)('computes the gradients of %s that small changes show', (side) => {
    const { model, lossOf } = createTinyModel();
    lossOf(batch);
    const { vectors, vectorGradients, weights, weightGradients } = model[side];
    expect(vectorGradients.some((gradient) => Math.abs(gradient) > 0.01)).toBe(true);
    const vectorExpected = vectorGradients.slice();
    const weightExpected = weightGradients.slice();
    for (const i of vectors.keys()) expectSlope(lossOf, vectors, i, vectorExpected);
    for (const i of weights.keys()) expectSlope(lossOf, weights, i, weightExpected);
  });

  it('computes the gradient of the scale', () => {
    const { model, lossOf } = createTinyModel();
    lossOf(batch);
    expectSlope(lossOf, model.logScale, 0, model.logScaleGradient.slice());
  });

  it('limits the scale', () => {
    const { model, lossOf } = createTinyModel();
    model.logScale[0] = 10;
    expect(lossOf(batch)).toBeLessThan(100);
    expect(model.logScaleGradient[0]).toBe(0);
  });

  it('marks the words that a batch has', () => {
    const { model, lossOf } = createTinyModel();
    lossOf(batch);
    expect([...model.questions.used]).toEqual([1, 1, 1, 1, 1, 0]);
  });

  /** Compares a gradient with the loss on both sides of a parameter. */
  function expectSlope(
    lossOf: (same: typeof batch) => number,
    parameters: Float32Array,
    i: number,
    gradients: Float32Array,
  ): void {
    const value = parameters[i] ?? 0;
    const lossAt = (moved: number): { at: number; loss: number } => {
      parameters[i] = moved;
      return { at: parameters[i] ?? 0, loss: lossOf(batch) };
    };
    const [low, high] = [lossAt(value - 1e-3), lossAt(value + 1e-3)];
    parameters[i] = value;
    expect(gradients[i]).toBeCloseTo((high.loss - low.loss) / (high.at - low.at), 3);
  }
});
