import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Vote } from '../../../src/core/history/votes.ts';
import { votesAsCsv } from '../../../src/core/history/votes.ts';

function vote(more: Partial<Vote> = {}): Vote {
  return {
    version: 1,
    teamId: 'T1',
    userId: 'U1',
    questionId: 'q1',
    verdict: 'down',
    reasons: ['wrong'],
    atMs: Date.UTC(2026, 10, 20),
    ...more,
  };
}

/** Reads CSV strictly by the rules of RFC 4180. */
function read(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, bare, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

describe('votes as CSV', () => {
  it('are only a header where there are no votes', () => {
    expect(votesAsCsv([], 0)).toBe(
      'time,team,question,conversation,upstream_question,verdict,reasons,comment,user\r\n',
    );
  });

  it('begin at the requested time, the newest last', () => {
    const votes = [3_000, 1_000, 2_000].map((atMs) => vote({ atMs, comment: String(atMs) }));
    expect(read(votesAsCsv(votes, 2_000)).map((row) => row[7])).toEqual(['comment', '2000', '3000']);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '  =1', '\r=1', '＝1', '－1', '\n-x'])(
    'are shown as text by a spreadsheet where they begin like %j',
    (comment) => {
      const [, row = []] = read(votesAsCsv([vote({ comment })], 0));
      expect(row[7]).toBe(`'${comment}`);
    },
  );

  it('show every field in a separate cell, and nothing where there is none', () => {
    const whole = vote({ conversationId: 7, upstreamQuestionId: 8, reasons: ['wrong', 'old'], comment: 'no' });
    expect(read(votesAsCsv([whole, vote({ questionId: 'q2', reasons: [] })], 0)).slice(1)).toEqual([
      ['2026-11-20T00:00:00.000Z', 'T1', 'q1', '7', '8', 'down', 'wrong old', 'no', 'U1'],
      ['2026-11-20T00:00:00.000Z', 'T1', 'q2', '', '', 'down', '', '', 'U1'],
    ]);
  });

  it('of the same moment come in the order of their questions', () => {
    const votes = ['q2', 'q3', 'q1'].map((questionId) => vote({ questionId }));
    for (const some of [votes, votes.toReversed()]) {
      expect(read(votesAsCsv(some, 0)).map((row) => row[2])).toEqual(['question', 'q1', 'q2', 'q3']);
    }
  });

  it.each([
    ['no', 'no'],
    ['no, "never"', '"no, ""never"""'],
    ['a\nb', '"a\nb"'],
    ['a\r', '"a\r"'],
    ['one=1\tand-2', 'one=1\tand-2'],
  ])('write %j as %j', (comment, cell) => {
    expect(votesAsCsv([vote({ comment })], 0)).toContain(`,wrong,${cell},U1\r\n`);
  });

  it('keep any comment whole, and every row at nine cells', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (comments) => {
        const rows = read(
          votesAsCsv(
            comments.map((comment) => vote({ comment })),
            0,
          ),
        ).slice(1);
        expect(rows.map((row) => row.length)).toEqual(comments.map(() => 9));
        for (const [index, comment] of comments.entries()) {
          const shown = rows[index]?.[7] ?? '';
          expect([comment, `'${comment}`]).toContain(shown);
          expect(shown).not.toMatch(/^\s*[=+\-@]/);
        }
      }),
    );
  });
});
