import { createAdam } from './adam.ts';
import { createBatches } from './batches.ts';
import type { Encoder } from './encoder.ts';
import { createLoss, createModel, type Model } from './model.ts';
import type { PairTable } from './pair-table.ts';
import type { Random } from './random.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface TrainingOptions {
  steps: number;
  dimensions: number;
  /** Pairs of a batch. */
  batch?: number;
  random: Random;
  /** Called before the first step, after every `REPORT_STEPS`, and after the last. The loss is a running mean, absent before. */
  report?: (progress: { step: number; loss?: number; model: Model }) => void;
}

const BATCH = 768;
const RATES = { words: 3e-3, scale: 1e-2 };
/** The rate falls along half a cosine to this share. */
const LAST_RATE = 0.03;
const REPORT_STEPS = 500;
/** What one step weighs in the running mean of the loss. */
const LOSS_SHARE = 0.02;

/** Trains a model on the pairs of all tables. */
export function train(vocabulary: Vocabulary, tables: readonly PairTable[], options: TrainingOptions): Model {
  const { steps, dimensions, batch: size = BATCH, random, report } = options;
  const model = createModel(vocabulary, dimensions, random);
  const draw = createBatches(tables, size, vocabulary.words.length, random);
  const lossOf = createLoss(model, size);
  const optimizers = [model.questions, model.codes].map(createOptimizers);
  const scaleOptimizer = createAdam(model.logScale, model.logScaleGradient, Uint8Array.of(1));
  let mean: number | undefined;
  report?.({ step: 0, model });
  for (let step = 1; step <= steps; step += 1) {
    const loss = lossOf(draw());
    mean = mean === undefined ? loss : mean + LOSS_SHARE * (loss - mean);
    const share = Math.max(LAST_RATE, (1 + Math.cos((Math.PI * (step - 1)) / steps)) / 2);
    for (const optimize of optimizers) optimize(RATES.words * share);
    scaleOptimizer(RATES.scale * share);
    if (step % REPORT_STEPS === 0 || step === steps) report?.({ step, loss: mean, model });
  }
  return model;
}

function createOptimizers({
  vectors,
  vectorGradients,
  weights,
  weightGradients,
  used,
}: Encoder): (rate: number) => void {
  const optimizers = [createAdam(vectors, vectorGradients, used), createAdam(weights, weightGradients, used)];
  return (rate) => {
    for (const optimize of optimizers) optimize(rate);
    used.fill(0);
  };
}
