import type { AllWorkspaces } from '../context.ts';
import { groups } from '../pacing.ts';
import type { Question } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { fewestRunRarely, listedRunMs, resumeSpreadMs, sweepsPerLook } from '../settings.ts';

/**
 * Continues the open questions after a start. Returns how many there are. Many questions under way at the service are
 * watched at once, so that the first lists show which of them changed, also while runs are still being planned. Their runs
 * stay as another process planned them, or come later. All others run soon. `startWatching` is called once the watching knows
 * the questions under way, before their runs are planned. Throws if storage fails.
 */
export async function resume(w: AllWorkspaces, startWatching: () => void): Promise<number> {
  const open = await w.questions.openIds();
  const underWay = open.length < fewestRunRarely ? [] : await readUnderWay(w, open);
  const watched = underWay.length < fewestRunRarely ? [] : underWay;
  for (const question of watched) w.watching.goesOn(question, 0);
  startWatching();
  const isWatched = new Set(watched.map(({ id }) => id));
  for (const ids of groups(open)) {
    const soon = ids.filter((id) => !isWatched.has(id));
    const later = await w.scheduler.unscheduled(ids.filter((id) => isWatched.has(id)));
    await Promise.all([
      ...soon.map((id) => w.scheduler.schedule(id, w.random() * resumeSpreadMs)),
      ...later.map((id) => w.scheduler.schedule(id, w.random() * listedRunMs)),
    ]);
  }
  return open.length;
}

async function readUnderWay({ questions }: AllWorkspaces, ids: string[]): Promise<Question[]> {
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

/**
 * Creates the sweep, which plans the runs that no other part planned: of questions that a program beside the app wants to
 * be run, and at every {@link sweepsPerLook}th call of open questions without a planned run. No question should be without
 * one, so each is logged as `question_swept`. A question counts only if two looks in a row find it, because a question is
 * stored just before its first run is planned. Throws if storage fails.
 */
export function createSweep(w: AllWorkspaces): () => Promise<void> {
  let suspects = new Set<string>();
  let sweeps = 0;

  return async function sweep() {
    for (const id of await w.runRequests.ids()) {
      await w.scheduler.schedule(id, 0);
      await w.runRequests.remove(id);
    }
    sweeps += 1;
    if (sweeps % sweepsPerLook === 0) await look();
  };

  async function look(): Promise<void> {
    const unplanned: string[] = [];
    for (const ids of groups(await w.questions.openIds())) unplanned.push(...(await w.scheduler.unscheduled(ids)));
    const forgotten = unplanned.filter((id) => suspects.has(id));
    suspects = new Set(unplanned);
    for (const questionId of forgotten) {
      w.log.warn({ event: 'question_swept', outcome: 'found', questionId });
      await w.scheduler.schedule(questionId, 0);
    }
  }
}

/**
 * An open question from a backup of `fromMs` that was restored at `toMs`: before each call it searches for the effect that
 * the call may have had after the backup. A closed one makes no calls, so it stays as it is.
 */
export function asRestored(question: Question, restored: { fromMs: number; toMs: number }): Question {
  return question.phase === 'closed' ? question : { ...question, restored };
}
