import type { Log, QuestionStore, Scheduler } from '../ports.ts';

export interface SweepPorts {
  questions: Pick<QuestionStore, 'openIds'>;
  scheduler: Pick<Scheduler, 'unscheduled' | 'schedule'>;
  log: Log;
}

/**
 * Creates the sweep: it finds open questions that nobody is going to look at, which should never happen, and has them
 * looked at. One is only taken for forgotten when two sweeps in a row find it so, since a question is stored just
 * before its first look is planned. Each find is journaled as `question_swept`. Throws when storage fails.
 */
export function createSweep({ questions, scheduler, log }: SweepPorts): () => Promise<void> {
  let suspects = new Set<string>();

  return async function sweep() {
    const unplanned = await scheduler.unscheduled(await questions.openIds());
    const forgotten = unplanned.filter((id) => suspects.has(id));
    suspects = new Set(unplanned);
    for (const questionId of forgotten) {
      log.warn({ event: 'question_swept', outcome: 'found', questionId });
      await scheduler.schedule(questionId, 0);
    }
  };
}
