/** Adam (Kingma and Ba 2015). The second decay is shorter than usual, because most words are in few batches. */
const DECAY = { first: 0.9, second: 0.98 };
const EPSILON = 1e-8;
/** After so many steps without a gradient the first moment of a row is 0 in all that matters, and the row rests. */
const REST_AFTER = 150;

/** Moves the parameters against their gradients by at most about `rate`, and sets the gradients to 0. */
export type Optimizer = (rate: number) => void;

/**
 * Gives almost the same result as computing all rows in each step, but leaves out those that would not move. `used` has 1 for each row
 * whose gradients may differ from 0 in the coming step.
 */
export function createAdam(parameters: Float32Array, gradients: Float32Array, used: Uint8Array): Optimizer {
  const width = parameters.length / used.length;
  const first = new Float32Array(parameters.length);
  const second = new Float32Array(parameters.length);
  const usedAt = new Int32Array(used.length).fill(-REST_AFTER);
  let step = 0;
  return (rate) => {
    step += 1;
    const size = rate / (1 - DECAY.first ** step);
    const correction = 1 / (1 - DECAY.second ** step);
    for (let row = 0; row < used.length; row += 1) {
      const from = row * width;
      const rested = step - (usedAt[row] as number) - REST_AFTER;
      if (used[row] === 1) {
        if (rested > 1) wake(first, second, from, width, rested - 1);
        usedAt[row] = step;
      } else if (rested > 0) continue;
      for (let i = from; i < from + width; i += 1) {
        const gradient = gradients[i] as number;
        const mean = DECAY.first * (first[i] as number) + (1 - DECAY.first) * gradient;
        const square = DECAY.second * (second[i] as number) + (1 - DECAY.second) * gradient * gradient;
        first[i] = mean;
        second[i] = square;
        parameters[i] = (parameters[i] as number) - (size * mean) / (Math.sqrt(square * correction) + EPSILON);
        gradients[i] = 0;
      }
    }
  };
}

/** Makes up for the steps in which a row rested. */
function wake(first: Float32Array, second: Float32Array, from: number, width: number, steps: number): void {
  const factor = DECAY.second ** steps;
  for (let i = from; i < from + width; i += 1) {
    first[i] = 0;
    second[i] = (second[i] as number) * factor;
  }
}
