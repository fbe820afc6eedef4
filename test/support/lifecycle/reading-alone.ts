import type { LifecyclePorts } from '../../../src/core/lifecycle/lifecycle-ports.ts';
import { createWatching } from '../../../src/core/watching/watching.ts';

/** Watches every question by reads of its own: nothing ticks. */
export function readingAlone(
  ports: Pick<LifecyclePorts, 'deepSearch' | 'scheduler' | 'now' | 'random' | 'log'>,
): LifecyclePorts['watching'] {
  return createWatching(ports);
}
