import { expect, it } from 'vitest';
import { createAdam } from '../../training/adam.ts';

/** Moves one number with the same gradients in a row that may rest, and in one that is always computed. */
function moveBoth(gradients: readonly number[]): [resting: number, computed: number] {
  const [resting, computed] = [Float32Array.of(1), Float32Array.of(1)];
  const [restingGradient, computedGradient, used] = [new Float32Array(1), new Float32Array(1), new Uint8Array(1)];
  const optimizeResting = createAdam(resting, restingGradient, used);
  const optimizeComputed = createAdam(computed, computedGradient, Uint8Array.of(1));
  for (const gradient of gradients) {
    restingGradient[0] = gradient;
    computedGradient[0] = gradient;
    used[0] = gradient === 0 ? 0 : 1;
    optimizeResting(0.01);
    optimizeComputed(0.01);
  }
  return [resting[0] ?? Number.NaN, computed[0] ?? Number.NaN];
}

it('moves against the gradient by about the rate', () => {
  expect(moveBoth([3])[0]).toBeCloseTo(0.99, 4);
  expect(moveBoth([-0.003])[0]).toBeCloseTo(1.01, 4);
});

it.each([0, 20, 149, 150, 151, 152, 400])(
  'leaves out rows without a gradient for %i steps without a difference',
  (steps) => {
    const quiet = new Array<number>(steps).fill(0);
    const [resting, computed] = moveBoth([...quiet, 1, 0.5, ...quiet, 0.2, -1, ...quiet]);
    expect(resting).toBeCloseTo(computed, 6);
  },
);
