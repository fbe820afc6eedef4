import { backpropagate, createEncoded, createEncoders, type Encoded, type Encoder, encode } from './encoder.ts';
import { multiplyByTransposed, transpose } from './matrix.ts';
import type { Bags } from './pair-table.ts';
import type { Random } from './random.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Two encoders whose cosine says how well code answers a question (a dual encoder over bags of words). */
export interface Model {
  questions: Encoder;
  codes: Encoder;
  /** The logarithm of the factor by which cosines are multiplied before the softmax; an array, so that it is learned as others are. */
  logScale: Float32Array;
  logScaleGradient: Float32Array;
}

/** Pair by pair; the first `count` bags of each side are in use. The count must be a multiple of 4. */
export interface Batch {
  count: number;
  questions: Bags;
  codes: Bags;
}

const FIRST_LOG_SCALE = 2.5;
const SCALE_MAX = 40;

export function createModel(vocabulary: Vocabulary, dimensions: number, random: Random): Model {
  const [questions, codes] = createEncoders(vocabulary, dimensions, random);
  return { questions, codes, logScale: Float32Array.of(FIRST_LOG_SCALE), logScaleGradient: new Float32Array(1) };
}

/** What a step computes, kept between steps because allocating it takes longer than filling it. */
interface Buffers {
  questions: Encoded;
  codes: Encoded;
  /** One row per question, one column per code: cosines, then their gradients. */
  similarities: Float64Array;
  transposed: Float64Array;
  exponentials: Float64Array;
  sums: { rows: Float64Array; columns: Float64Array };
  encodedTransposed: Float64Array;
  gradients: Float64Array;
}

/**
 * Computes the loss of a batch and adds its gradients to the model's: the mean cross-entropy of finding each question's code
 * among all codes of the batch, and each code's question among all questions. Both sides count half.
 */
export function createLoss(model: Model, countMax: number): (batch: Batch) => number {
  const { dimensions } = model.questions;
  const buffers: Buffers = {
    questions: createEncoded(countMax, dimensions),
    codes: createEncoded(countMax, dimensions),
    similarities: new Float64Array(countMax ** 2),
    transposed: new Float64Array(countMax ** 2),
    exponentials: new Float64Array(countMax ** 2),
    sums: { rows: new Float64Array(countMax), columns: new Float64Array(countMax) },
    encodedTransposed: new Float64Array(countMax * dimensions),
    gradients: new Float64Array(countMax * dimensions),
  };
  return (batch) => {
    const { count } = batch;
    const { questions, codes, similarities, transposed, encodedTransposed, gradients } = buffers;
    encode(model.questions, batch.questions, count, questions);
    encode(model.codes, batch.codes, count, codes);
    multiplyByTransposed(questions.vectors, codes.vectors, similarities, {
      rows: count,
      columns: count,
      depth: dimensions,
    });
    const loss = contrast(model, buffers, count);
    const size = { rows: count, columns: dimensions, depth: count };
    transpose(codes.vectors, encodedTransposed, count, dimensions);
    multiplyByTransposed(similarities, encodedTransposed, gradients, size);
    backpropagate(model.questions, batch.questions, count, questions, gradients);
    transpose(similarities, transposed, count, count);
    transpose(questions.vectors, encodedTransposed, count, dimensions);
    multiplyByTransposed(transposed, encodedTransposed, gradients, size);
    backpropagate(model.codes, batch.codes, count, codes, gradients);
    return loss;
  };
}

/** Returns the loss, and replaces the cosines by their gradients. */
function contrast({ logScale, logScaleGradient }: Model, buffers: Buffers, count: number): number {
  const { similarities, exponentials, sums } = buffers;
  const unlimited = Math.exp(logScale[0] as number);
  const scale = Math.min(unlimited, SCALE_MAX);
  sums.columns.fill(0);
  for (let row = 0; row < count; row += 1) {
    let sum = 0;
    for (let column = 0; column < count; column += 1) {
      const cell = row * count + column;
      // No cosine is above 1, so that no exponential is too large; and none is too small at the largest scale.
      const exponential = Math.exp(scale * ((similarities[cell] as number) - 1));
      exponentials[cell] = exponential;
      sum += exponential;
      sums.columns[column] = (sums.columns[column] as number) + exponential;
    }
    sums.rows[row] = sum;
  }
  let loss = 0;
  let scaleGradient = 0;
  for (let row = 0; row < count; row += 1) {
    const rowFactor = 1 / (sums.rows[row] as number);
    for (let column = 0; column < count; column += 1) {
      const cell = row * count + column;
      const share = (exponentials[cell] as number) * (rowFactor + 1 / (sums.columns[column] as number));
      const gradient = (share / 2 - (row === column ? 1 : 0)) / count;
      scaleGradient += gradient * (similarities[cell] as number);
      if (row === column) {
        const logSums = Math.log(sums.rows[row] as number) + Math.log(sums.columns[row] as number);
        loss += logSums / 2 - scale * ((similarities[cell] as number) - 1);
      }
      similarities[cell] = gradient * scale;
    }
  }
  if (unlimited < SCALE_MAX) logScaleGradient[0] = (logScaleGradient[0] as number) + scaleGradient * scale;
  return loss / count;
}
