import { expect, it } from 'vitest';
import type { AllWorkspaces } from '../../../src/core/context.ts';
import { AppError } from '../../../src/core/errors.ts';
import { carryOutWorkspaceEnds, noteWorkspaceEnd } from '../../../src/core/intake/workspace-end.ts';
import type { WorkspaceEnd } from '../../../src/core/ports.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { Secret } from '../../../src/core/secret.ts';
import { quietEndMs } from '../../../src/core/settings.ts';
import type { Installation } from '../../../src/core/workspaces/installations.ts';
import { createClaims, createQuestionStore } from '../../../src/storage/repositories.ts';
import { place, sampleQuestion } from '../../contract/storage/sample-records.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { memoryStore } from '../../support/storage/memory-store.ts';

const endMs = 1_800_000_000_000;
const storage = () => new AppError('storage', 'planned');

function installed(installedMs: number): Installation {
  return { workspaceId: 'T1', token: new Secret('xoxb'), botUserId: 'UBOT', scopes: [], installedMs };
}

function setUp() {
  const kv = memoryStore();
  const [questions, claims] = [createQuestionStore(kv), createClaims(kv)];
  let ends: WorkspaceEnd[] = [];
  const installations = new Map<string, Installation>();
  /** What was done, in order. */
  const done: string[] = [];
  const failing = new Set<string>();
  let nowMs = endMs;
  const failOnce = (what: string): void => {
    if (failing.delete(what)) throw storage();
  };
  const w = only<AllWorkspaces>({
    workspaceEnds: {
      all: async () => [...ends],
      add: async (end: WorkspaceEnd) => {
        ends = [...ends.filter(({ eventId }) => eventId !== end.eventId), end];
      },
      remove: async (end: WorkspaceEnd) => {
        failOnce('remove');
        ends = ends.filter(({ eventId }) => eventId !== end.eventId);
      },
    },
    claims: {
      ...claims,
      claim: async (key: string, owner: string) => {
        failOnce('claim');
        return claims.claim(key, owner);
      },
    },
    questions,
    scheduler: only({ schedule: async (id) => void done.push(`run ${id}`) }),
    accounts: only({
      removeAll: async (teamId) => {
        done.push(`accounts of ${teamId}`);
        return 1;
      },
    }),
    installations: only({
      update: async (teamId, change) => {
        const next = change(installations.get(teamId));
        if (next === undefined) installations.delete(teamId);
        else installations.set(teamId, next);
        return next;
      },
    }),
    isStillInstalled: async (teamId: string) => {
      failOnce(`ask ${teamId}`);
      return false;
    },
    audit: { note: ({ id }: { id: string }) => void done.push(id) },
    log: createRecordingLog().log,
    now: () => nowMs,
  });
  return {
    ...{ questions, installations, done, failing },
    note: (end: { teamId: string; eventId: string }) => noteWorkspaceEnd(w, end),
    carryOut: () => carryOutWorkspaceEnds(w),
    left: () => ends.map(({ teamId }) => teamId),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const open = (id: string, more: Partial<Question> = {}) => sampleQuestion({ id, acceptedMs: endMs, ...more });

it.each([
  ['before the end', endMs - 1, false],
  ['at the same moment', endMs, false],
  ['after it', endMs + 1, true],
])('a token that was issued %s is left: %s', async (_, installedMs, isLeft) => {
  const { installations, note, carryOut, left } = setUp();
  installations.set('T1', installed(installedMs));
  await note({ teamId: 'T1', eventId: 'E1' });
  await carryOut();
  expect([installations.has('T1'), left()]).toEqual([isLeft, []]);
});

it('ends the questions up to the end of the workspace, and none that came later or of another one', async () => {
  const { questions, note, carryOut, done } = setUp();
  await questions.create(open('q1'));
  await questions.create(open('q2', { acceptedMs: endMs + 1 }));
  await questions.create(open('q3', { place: { ...place, teamId: 'T2' } }));
  await note({ teamId: 'T1', eventId: 'E1' });
  await carryOut();
  expect(done).toEqual(['run q1', 'accounts of T1', 'workspaceEnded:E1']);
  const quiet = await Promise.all(['q1', 'q2', 'q3'].map(async (id) => (await questions.get(id))?.endsQuietlyMs));
  expect(quiet).toEqual([endMs, undefined, undefined]);
});

it('leaves the accounts until questions with own access were stopped, and no longer', async () => {
  const { questions, note, carryOut, done, pass, left } = setUp();
  await questions.create(open('q1', { access: 'own' }));
  await note({ teamId: 'T1', eventId: 'E1' });
  await carryOut();
  pass(quietEndMs - 1);
  await carryOut();
  expect([done.filter((each) => each !== 'run q1'), left()]).toEqual([[], ['T1']]);
  pass(1);
  await carryOut();
  expect([done.slice(-2), left()]).toEqual([['accounts of T1', 'workspaceEnded:E1'], []]);
});

it.each(['ask T1', 'claim', 'remove'])(
  'carries the end out at the next call if it fails at "%s", and another one now',
  async (what) => {
    const { installations, note, carryOut, done, failing, left } = setUp();
    installations.set('T1', installed(endMs));
    await note({ teamId: 'T1', eventId: 'E1' });
    await note({ teamId: 'T2', eventId: 'E2' });
    failing.add(what);
    await carryOut();
    expect([left(), done.includes('accounts of T2')]).toEqual([['T1'], true]);
    await carryOut();
    expect([left(), installations.size]).toEqual([[], 0]);
    expect(done.filter((each) => each === 'workspaceEnded:E2')).toHaveLength(1);
  },
);

it('notes no event again that was carried out, and so leaves what was installed since', async () => {
  const { installations, note, carryOut, left, pass } = setUp();
  await note({ teamId: 'T1', eventId: 'E1' });
  await note({ teamId: 'T1', eventId: 'E1' });
  expect(left()).toEqual(['T1']);
  await carryOut();
  pass(1_000);
  installations.set('T1', installed(endMs + 500));
  await note({ teamId: 'T1', eventId: 'E1' });
  await carryOut();
  expect([left(), installations.has('T1')]).toEqual([[], true]);
});
