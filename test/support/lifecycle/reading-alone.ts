import type { Core } from '../../../src/core/context.ts';
import { createWatching } from '../../../src/core/watching/watching.ts';

/** Watches every question by reads of its own: nothing ticks. */
export function readingAlone(
  ports: Pick<Core, 'deepSearch' | 'scheduler' | 'now' | 'random' | 'log'>,
): Core['watching'] {
  return createWatching(ports);
}
