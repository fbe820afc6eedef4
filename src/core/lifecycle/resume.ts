import { groups } from '../pacing.ts';
import type { Log, QuestionStore, Scheduler } from '../ports.ts';
import type { Question } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { fewestRunRarely, listedRunMs, resumeSpreadMs } from '../settings.ts';
import type { Watching } from '../watching/watching.ts';

interface ResumePorts {
  questions: Pick<QuestionStore, 'openIds' | 'get'>;
  scheduler: Pick<Scheduler, 'unscheduled' | 'schedule'>;
  watching: Pick<Watching, 'goesOn'>;
  /** Called once the watching knows the questions under way, before their runs are planned. */
  startWatching: () => void;
  /** Uniform in [0, 1). */
  random: () => number;
}

/**
 * Continues the open questions after a start. Returns how many there are. Many questions under way at the service are
 * watched at once, so that the first lists show which of them changed, also while runs are still being planned. Their runs
 * stay as another process planned them, or come later. All others run soon. Throws if storage fails.
 */
export async function resume({ questions, scheduler, watching, startWatching, random }: ResumePorts): Promise<number> {
  const open = await questions.openIds();
  const underWay = open.length < fewestRunRarely ? [] : await readUnderWay(questions, open);
  const watched = underWay.length < fewestRunRarely ? [] : underWay;
  for (const question of watched) watching.goesOn(question, 0);
  startWatching();
  const isWatched = new Set(watched.map(({ id }) => id));
  for (const ids of groups(open)) {
    const soon = ids.filter((id) => !isWatched.has(id));
    const later = await scheduler.unscheduled(ids.filter((id) => isWatched.has(id)));
    await Promise.all([
      ...soon.map((id) => scheduler.schedule(id, random() * resumeSpreadMs)),
      ...later.map((id) => scheduler.schedule(id, random() * listedRunMs)),
    ]);
  }
  return open.length;
}

async function readUnderWay(questions: ResumePorts['questions'], ids: string[]): Promise<Question[]> {
  const underWay: Question[] = [];
  for (const group of groups(ids)) {
    const read = await Promise.all(group.map((id) => getReadable(questions, id)));
    for (const question of read) if (question !== undefined && isUnderWay(question)) underWay.push(question);
  }
  return underWay;
}

/** Only waits for the service: nothing failed, and nothing else is due. */
function isUnderWay({ phase, upstream, cancel, trouble, endsQuietlyMs, recheckMs }: Question): boolean {
  const isDue = [cancel, trouble, endsQuietlyMs, recheckMs].some((reason) => reason !== undefined);
  return phase === 'running' && upstream.askedMs !== undefined && !isDue;
}

interface SweepPorts {
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

/**
 * An open question from a backup of `fromMs` that was restored at `toMs`: before each call it searches for the effect that
 * the call may have had after the backup. A closed one makes no calls, so it stays as it is.
 */
export function asRestored(question: Question, restored: { fromMs: number; toMs: number }): Question {
  return question.phase === 'closed' ? question : { ...question, restored };
}
