import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createUsageCount,
  groupings,
  usageAsCsv,
  usageAsTable,
  type VotedQuestion,
} from '../../../src/core/history/usage.ts';
import type { Vote } from '../../../src/core/history/votes.ts';
import type { Outcome, Question } from '../../../src/core/question/question.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';

const mondayMs = Date.parse('2026-11-16T00:00:00Z');
const dayMs = 24 * 60 * 60 * 1_000;

type CountedVote = Pick<Vote, 'userId' | 'verdict'>;

/** A question that is closed with this outcome. */
function ended(outcome: Outcome, overrides: Partial<Question> = {}, votes: CountedVote[] = []): VotedQuestion {
  const question = questionWith({
    ...{ acceptedMs: mondayMs, admittedMs: mondayMs, askerId: 'U1', place: { teamId: 'T1', channelId: 'C1' } },
    ...{ phase: 'closed', outcome },
    ...overrides,
  });
  return { question, votes };
}

/** One whose asker the app has not admitted. */
function unchecked(outcome: Outcome): VotedQuestion {
  const { admittedMs: _, ...question } = ended(outcome).question;
  return { question, votes: [] };
}

function answer(durationMs: number, repositories = ['r'], credits: number | undefined = 1): Outcome {
  const sources = repositories.map((repository) => ({ label: 'a', url: 'https://a', repository }));
  const numbers = { durationMs, ...(credits === undefined ? {} : { credits }) };
  return { kind: 'answered', answer: { title: 't', markdown: '', sources, followUps: [], ...numbers } };
}

const failed: Outcome = { kind: 'failed', failure: { cause: 'tooLong' } };
const cancelled: Outcome = { kind: 'cancelled' };

function counted(questions: readonly VotedQuestion[]) {
  const count = createUsageCount();
  questions.forEach(count.add);
  return count;
}

describe('usage', () => {
  it.each<
    [what: string, question: VotedQuestion, numbers: Partial<Record<'answers' | 'failures' | 'questions', number>>]
  >([
    ['an answer', ended(answer(1)), { questions: 1, answers: 1 }],
    ['a failure', ended(failed), { questions: 1, failures: 1 }],
    ['one that was given up', ended({ kind: 'gaveUp' }), { questions: 1, failures: 1 }],
    ['one that Slack refused', ended({ kind: 'undeliverable', canInvite: true }), { questions: 1, failures: 1 }],
    ['a failure before its asker was admitted', unchecked(failed), { questions: 1, failures: 1 }],
    ['a cancelled one', ended(cancelled), { questions: 1 }],
    ['one that was cancelled before it was checked', unchecked(cancelled), { questions: 1 }],
    ['a refused one', unchecked({ kind: 'notAllowed', reason: 'guest' }), {}],
    ['one that was refused later', ended({ kind: 'notAllowed', reason: 'guest' }), { questions: 1 }],
    ['an answer that is not delivered yet', ended(answer(1), { phase: 'delivering' }), { questions: 1 }],
    ['an open one', { question: questionWith(), votes: [] }, { questions: 1 }],
    ['an answer that was shown again', ended(answer(1), { origin: 'shared' }), {}],
  ])('counts %s', (_what, question, numbers) => {
    const { questions, answers, failures } = counted([question]).total();
    expect({ questions, answers, failures }).toEqual({ questions: 0, answers: 0, failures: 0, ...numbers });
  });

  it('says the median and the 95th percentile of the answers, and not the time of failures', () => {
    const answers = Array.from({ length: 100 }, (_, index) => ended(answer((index + 1) * 1_000)));
    expect(counted([...answers, ended(failed, { endedMs: mondayMs + 9_000_000 })]).total()).toMatchObject({
      ...{ medianMs: 50_000, p95Ms: 95_000, credits: 100 },
    });
  });

  it('counts an answer for each of its repositories, and everything for its channel, its person and its week', () => {
    const place = { teamId: 'T1', channelId: 'C2' };
    const count = counted([ended(failed), ended(answer(1, ['a', 'b']), { place, acceptedMs: mondayMs + 7 * dayMs })]);
    const numbers = (by: (typeof groupings)[number]) =>
      count.rows(by).map(({ name, questions, answers }) => [name, questions, answers]);
    expect(numbers('repository')).toEqual([
      ['a', 1, 1],
      ['b', 1, 1],
    ]);
    expect(numbers('channel')).toEqual([
      ['C2', 1, 1],
      ['C1', 1, 0],
    ]);
    expect(numbers('person')).toEqual([['U1', 2, 1]]);
    expect(numbers('week')).toEqual([
      ['2026-11-16', 1, 0],
      ['2026-11-23', 1, 1],
    ]);
  });

  it.each([
    ['2026-11-15T23:59:59Z', '2026-11-09'],
    ['2026-11-16T00:00:00Z', '2026-11-16'],
    ['2026-11-22T23:59:59Z', '2026-11-16'],
  ])('puts %s into the week that began on %s', (time, monday) => {
    expect(counted([ended(failed, { acceptedMs: Date.parse(time) })]).rows('week')[0]?.name).toBe(monday);
  });

  it('counts a vote for the question, and for the person who voted', () => {
    const count = counted([
      ended(answer(1), {}, [
        { userId: 'U2', verdict: 'up' },
        { userId: 'U3', verdict: 'down' },
      ]),
    ]);
    expect(count.total()).toMatchObject({ votesUp: 1, votesDown: 1 });
    expect(count.rows('person').map(({ name, questions, votesUp }) => [name, questions, votesUp])).toEqual([
      ['U1', 1, 0],
      ['U2', 0, 1],
      ['U3', 0, 0],
    ]);
    expect(count.rows('repository')).toMatchObject([{ name: 'r', votesUp: 1, votesDown: 1 }]);
  });
});

const outcomes = fc.oneof(
  fc.constantFrom<Outcome>(failed, cancelled, { kind: 'gaveUp' }, { kind: 'notAllowed', reason: 'guest' }),
  fc
    .tuple(fc.nat(1_000_000), fc.uniqueArray(fc.constantFrom('r1', 'r2', 'r3')), fc.nat(50))
    .map((numbers) => answer(...numbers)),
);
const somePeople = fc.constantFrom('U1', 'U2', 'U3');
const anyQuestions = fc.array(
  fc
    .record({
      acceptedMs: fc.integer({ min: mondayMs - 30 * dayMs, max: mondayMs + 30 * dayMs }),
      askerId: somePeople,
      channelId: fc.constantFrom('C1', 'C2'),
      outcome: outcomes,
      votes: fc.array(fc.record({ userId: somePeople, verdict: fc.constantFrom('up' as const, 'down' as const) })),
    })
    .map(({ channelId, outcome, votes, ...rest }) =>
      ended(outcome, { ...rest, place: { teamId: 'T1', channelId } }, votes),
    ),
);

describe('for any questions', () => {
  it('channels, people and weeks each add up to the total, in whatever order the questions come', () => {
    fc.assert(
      fc.property(anyQuestions, (all) => {
        const count = counted(all);
        const total = count.total();
        expect(counted(all.toReversed()).total()).toEqual(total);
        for (const by of groupings) expect(counted(all.toReversed()).rows(by)).toEqual(count.rows(by));
        for (const by of ['channel', 'person', 'week'] as const) {
          for (const key of ['questions', 'answers', 'failures', 'votesUp', 'votesDown'] as const) {
            expect(count.rows(by).reduce((sum, row) => sum + row[key], 0)).toBe(total[key]);
          }
        }
      }),
    );
  });
});

describe('the report', () => {
  const count = counted([
    ended(answer(41_250, ['=cmd()', 'github.com/acme/one'], 2.5), {}, [{ userId: 'U1', verdict: 'up' }]),
  ]);

  it('is CSV with one line for each row, safe against formulas', () => {
    expect(usageAsCsv(count, ['channel', 'repository'])).toBe(
      [
        'by,name,questions,answers,failures,median_seconds,p95_seconds,credits,votes_up,votes_down',
        'channel,C1,1,1,0,41.3,41.3,2.5,1,0',
        "repository,'=cmd(),1,1,0,41.3,41.3,2.5,1,0",
        'repository,github.com/acme/one,1,1,0,41.3,41.3,2.5,1,0',
        '',
      ].join('\r\n'),
    );
  });

  it('is tables with aligned columns, and says how many rows it leaves out', () => {
    const lines = usageAsTable(count, ['repository'], 1).split('\n');
    expect(lines[1]).toMatch(/^all +1 +1 +0 +41\.3 +41\.3 +2\.5 +1 +0$/);
    expect(lines.find((line) => line.startsWith('repository'))?.length).toBe(
      lines.find((line) => line.startsWith('=cmd()'))?.length,
    );
    expect(lines).toContain('1 more; --csv has all of them');
  });

  it('is tables without control characters of the names of repositories, which are what the service says', () => {
    const question = ended(answer(1, ['a\u001b[2J\u202eb']));
    expect(usageAsTable(counted([question]), ['repository'], 9)).not.toMatch(/[^\n -~]/);
  });

  it('has empty cells where there is no answer', () => {
    expect(usageAsCsv(counted([ended(cancelled)]), ['person'])).toContain('person,U1,1,0,0,,,,0,0');
  });
});
