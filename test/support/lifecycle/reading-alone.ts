import type { QuestionContext } from '../../../src/core/context.ts';
import { createWatching } from '../../../src/core/watching/watching.ts';

/** Watches every question by reads of its own: nothing ticks. */
export function readingAlone(
  ports: Pick<QuestionContext, 'deepSearch' | 'scheduler' | 'now' | 'random' | 'log'>,
): QuestionContext['watching'] {
  return createWatching(ports);
}
