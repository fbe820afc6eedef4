import { groups } from '../groups.ts';
import type { Log, QuestionStore, Scheduler } from '../ports.ts';

export interface SweepPorts {
  questions: Pick<QuestionStore, 'openIds'>;
  scheduler: Pick<Scheduler, 'unscheduled' | 'schedule'>;
  log: Log;
}

/**
 * Creates the sweep: it finds open questions without a planned run and plans one. This should never happen, so each is
 * logged as `question_swept`. A question counts only if two sweeps in a row find it, because a question is stored just
 * before its first run is planned. Throws if storage fails.
 */
export function createSweep({ questions, scheduler, log }: SweepPorts): () => Promise<void> {
  let suspects = new Set<string>();

  return async function sweep() {
    const unplanned: string[] = [];
    for (const ids of groups(await questions.openIds())) unplanned.push(...(await scheduler.unscheduled(ids)));
    const forgotten = unplanned.filter((id) => suspects.has(id));
    suspects = new Set(unplanned);
    for (const questionId of forgotten) {
      log.warn({ event: 'question_swept', outcome: 'found', questionId });
      await scheduler.schedule(questionId, 0);
    }
  };
}
