import type { Vote } from './votes.ts';

const COLUMNS: readonly [name: string, value: (vote: Vote) => string | number | undefined][] = [
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
    .map((vote) => COLUMNS.map(([, value]) => cell(value(vote))));
  return [COLUMNS.map(([name]) => name), ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

function cell(value: string | number | undefined): string {
  const text = inert(String(value ?? ''));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula, because people write the comments
 * (owasp.org/www-community/attacks/CSV_Injection). Some spreadsheets skip leading spaces and accept full-width signs.
 */
function inert(text: string): string {
  return /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
