import { describe, expect, it } from 'vitest';
import type { AllWorkspaces } from '../../../src/core/context.ts';
import { AppError } from '../../../src/core/errors.ts';
import { resume } from '../../../src/core/lifecycle/sweep.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { fewestRunRarely, listedRunMs, mostAtOnce, resumeSpreadMs } from '../../../src/core/settings.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';
import { only } from '../../support/only.ts';

const underWay = (id: string, more: Partial<Question> = {}) =>
  questionWith({ id, phase: 'running', upstream: { conversationId: 1, askedMs: 1, steps: 0 }, ...more });

const many = Array.from({ length: fewestRunRarely }, (_, index) => underWay(`q${index}`));

/** Resumes `stored`, of which a process has planned the runs of `planned`. */
async function resumed(stored: Question[], planned: string[] = [], corrupt: string[] = []) {
  const scheduled = new Map<string, number>();
  const watched: string[] = [];
  const steps: string[] = [];
  const w = only<AllWorkspaces>({
    questions: only({
      openIds: async () => [...stored.map(({ id }) => id), ...corrupt],
      async get(id) {
        if (corrupt.includes(id)) throw new AppError('corrupt', 'not a question');
        return stored.find((question) => question.id === id);
      },
    }),
    scheduler: only({
      unscheduled: async (ids) => ids.filter((id) => !planned.includes(id)),
      async schedule(id, delayMs) {
        scheduled.set(id, delayMs);
        if (steps.at(-1) !== 'planned') steps.push('planned');
      },
    }),
    watching: only({ goesOn: (question) => watched.push(question.id) }),
    random: () => 0.9,
  });
  const count = await resume(w, () => void steps.push(`watching ${watched.length}`));
  return { count, scheduled, watched, steps };
}

describe('open questions after a start', () => {
  it('all run within a second if they are few', async () => {
    const few = many.slice(1);
    const { count, scheduled, watched } = await resumed(few);
    expect(count).toBe(few.length);
    expect([...scheduled]).toEqual(few.map(({ id }) => [id, 0.9 * resumeSpreadMs]));
    expect(watched).toEqual([]);
  });

  it('are watched at once and run later if many are under way at the service', async () => {
    const { scheduled, watched } = await resumed(many);
    expect(watched).toEqual(many.map(({ id }) => id));
    expect([...scheduled]).toEqual(many.map(({ id }) => [id, 0.9 * listedRunMs]));
  });

  it('are all known to the watching before it starts, and it starts before runs are planned', async () => {
    const { steps } = await resumed(many);
    expect(steps).toEqual([`watching ${many.length}`, 'planned']);
    expect((await resumed(many.slice(1))).steps).toEqual(['watching 0', 'planned']);
  });

  it('run when another process planned it, if it did', async () => {
    const planned = many.slice(1).map(({ id }) => id);
    const { scheduled, watched } = await resumed(many, planned);
    expect(watched).toHaveLength(many.length);
    expect([...scheduled]).toEqual([['q0', 0.9 * listedRunMs]]);
  });

  it.each<[string, Question]>([
    ['wait for a slot', questionWith({ id: 'other', phase: 'waiting' })],
    ['are not known to be asked', underWay('other', { upstream: { steps: 0 } })],
    ['wait for a cancellation', underWay('other', { cancel: { byUserId: 'U1', atMs: 1 } })],
    ['have trouble', underWay('other', { trouble: { kind: 'unreachable', failures: 1, sinceMs: 1, notBeforeMs: 2 } })],
    ['end because they were replaced', underWay('other', { endsQuietlyMs: 1 })],
    ['have to be checked for copies', underWay('other', { recheckMs: 1 })],
    ['are answered', questionWith({ id: 'other', phase: 'delivering' })],
  ])('run within a second if they %s, also among many others', async (_, other) => {
    const { scheduled, watched } = await resumed([...many, other], ['other']);
    expect(scheduled.get('other')).toBe(0.9 * resumeSpreadMs);
    expect(watched).not.toContain('other');
  });

  it('are scheduled in groups, because Redis takes a bounded number of commands at once', async () => {
    let pending = 0;
    let most = 0;
    const waiting = Array.from({ length: 1_000 }, (_, index) => questionWith({ id: `w${index}`, phase: 'waiting' }));
    const w = only<AllWorkspaces>({
      questions: only({ openIds: async () => waiting.map(({ id }) => id), get: async () => waiting[0] }),
      scheduler: only({
        unscheduled: async (ids) => ids,
        async schedule() {
          pending += 1;
          most = Math.max(most, pending);
          await Promise.resolve();
          pending -= 1;
        },
      }),
      watching: only({ goesOn: () => 0 }),
      random: () => 0.5,
    });
    await resume(w, () => undefined);
    expect(most).toBeLessThanOrEqual(mostAtOnce);
  });

  it('run within a second if their record cannot be read', async () => {
    const { count, scheduled } = await resumed(many, [], ['broken']);
    expect(count).toBe(many.length + 1);
    expect(scheduled.get('broken')).toBe(0.9 * resumeSpreadMs);
  });
});
