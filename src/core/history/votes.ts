import { z } from 'zod';
import { conversationId, upstreamId } from '../question/question.ts';
import { dayMs, defineRecord, type RecordOf } from '../record.ts';

/** One person's opinion of an answer, kept for the export. */
export const voteType = defineRecord({
  key: (name) => `ds:vote:${name}`,
  ttlMs: 400 * dayMs,
  schema: z.looseObject({
    version: z.literal(1),
    teamId: z.string(),
    userId: z.string(),
    questionId: z.string(),
    /** The service's ids. Absent if the service was never asked. */
    conversationId: conversationId.exactOptional(),
    upstreamQuestionId: upstreamId.exactOptional(),
    verdict: z.enum(['up', 'down']),
    /** Names of the chosen reasons. Only for `down`, like `comment`. */
    reasons: z.array(z.string()),
    comment: z.string().exactOptional(),
    atMs: z.number(),
  }),
});
export type Vote = RecordOf<typeof voteType>;
export type Verdict = Vote['verdict'];

/**
 * Stored votes, one per question and person: a later vote replaces the earlier. Throws the same errors as the other
 * stores.
 */
export interface VoteStore {
  put(vote: Vote): Promise<void>;
  get(questionId: string, userId: string): Promise<Vote | undefined>;
}

export type Cell = string | number | undefined;

/** Rows as CSV (RFC 4180). Safe to open in a spreadsheet. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: Cell): string {
  const text = typeof value === 'number' ? String(value) : inert(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula, because people write the comments
 * (owasp.org/www-community/attacks/CSV_Injection). Some spreadsheets skip leading spaces and accept full-width signs.
 */
function inert(text: string): string {
  return /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}

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
