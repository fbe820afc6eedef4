import type { QuestionStore } from '../ports.ts';
import type { Tracer } from '../tracing.ts';

type Advance = (questionId: string) => Promise<number | undefined>;

/**
 * Wraps `advance`, so that each run of an open question is a span of the question's trace. A question without a trace,
 * because it was accepted when nothing was traced, begins one at its next run. Throws what `advance` throws.
 */
export function traceAdvance(
  advance: Advance,
  { questions, tracer }: { questions: Pick<QuestionStore, 'get' | 'update'>; tracer: Tracer },
): Advance {
  // Without tracing there is no other read of the question.
  if (!tracer.isOn) return advance;
  return async function tracedAdvance(questionId) {
    const question = await questions.get(questionId);
    if (question === undefined || (question.phase === 'closed' && question.recheckMs === undefined)) {
      return advance(questionId);
    }
    const { phase, trace: parent } = question;
    return tracer.step({ name: 'advance', questionId, parent, fields: { phase } }, async (span) => {
      const { context } = span;
      if (parent === undefined && context !== undefined) {
        await questions.update(questionId, (stored) => (stored.trace ? stored : { ...stored, trace: context }));
      }
      const nextRunMs = await advance(questionId);
      span.note({ nextRunMs });
      return nextRunMs;
    });
  };
}
