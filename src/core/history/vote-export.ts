import { type Cell, toCsv } from './csv.ts';
import type { Vote } from './votes.ts';

const COLUMNS: readonly [name: string, value: (vote: Vote) => Cell][] = [
  ['time', ({ atMs }) => new Date(atMs).toISOString()],
  ['team', ({ teamId }) => teamId],
  ['question', ({ questionId }) => questionId],
  ['conversation', ({ conversationId }) => conversationId],
  ['upstream_question', ({ upstreamQuestionId }) => upstreamQuestionId],
  ['verdict', ({ verdict }) => verdict],
  ['reasons', ({ reasons }) => reasons.join(' ')],
  ['comment', ({ comment }) => comment],
  ['user', ({ userId }) => userId],
];

/** Votes since a time as CSV (RFC 4180) with a header, newest last. Safe to open in a spreadsheet. */
export function votesAsCsv(votes: readonly Vote[], sinceMs: number): string {
  const rows = votes
    .filter(({ atMs }) => atMs >= sinceMs)
    .toSorted((one, other) => one.atMs - other.atMs || compare(one.questionId, other.questionId))
    .map((vote) => COLUMNS.map(([, value]) => value(vote)));
  return toCsv([COLUMNS.map(([name]) => name), ...rows]);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
