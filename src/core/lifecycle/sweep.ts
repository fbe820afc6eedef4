import type { Log, QuestionStore, Scheduler } from '../ports.ts';

export interface SweepPorts {
  questions: Pick<QuestionStore, 'openIds'>;
  scheduler: Pick<Scheduler, 'unscheduled' | 'schedule'>;
  log: Log;
}

/**
 * Creates the sweep: it finds open questions without a planned run, which should never happen, and plans a run for
 * them. Only a question that two sweeps in a row find counts as forgotten, since a question is stored just
 * before its first run is planned. Logs each one as `question_swept`. Throws if storage fails.
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
