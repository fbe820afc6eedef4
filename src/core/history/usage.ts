import { shownLine } from '../shown-line.ts';
import type { AuditEntry } from './audit.ts';
import { type Cell, toCsv } from './csv.ts';

/** What the numbers are added up by. Weeks begin on Monday (UTC) and are named by that day. */
export const groupings = ['channel', 'person', 'repository', 'week'] as const;
export type Grouping = (typeof groupings)[number];

/** What happened in a time. `failures`: questions that ended without an answer and were not cancelled or refused. */
export interface UsageNumbers {
  questions: number;
  answers: number;
  failures: number;
  /** Times of the answers in milliseconds. Undefined without an answer. */
  medianMs?: number;
  p95Ms?: number;
  /** Undefined if no answer had any: the second generation of the API reports none. */
  credits?: number;
  votesUp: number;
  votesDown: number;
}

export interface UsageRow extends UsageNumbers {
  name: string;
}

interface Tally {
  questions: number;
  answers: number;
  failures: number;
  credits: number | undefined;
  durationsMs: number[];
}

/** The last vote of one person on one answer. */
interface CastVote {
  atMs: number;
  isUp: boolean;
  /** The names of the rows, by grouping. */
  names: Record<Grouping, string[]>;
}

/** Adds up entries of the audit log. Each entry counts at its own time. The order of the entries does not matter. */
export interface UsageCount {
  add(entry: AuditEntry): void;
  /** Adds what another count has. The entries of both must be different ones. */
  merge(other: UsageCount): void;
  total(): UsageNumbers;
  /** The busiest first, weeks in order of time. The rows of repositories overlap: an answer may use several. */
  rows(by: Grouping): UsageRow[];
  /** For {@link merge} only. */
  readonly parts: UsageParts;
}

interface UsageParts {
  total: Tally;
  groups: Map<Grouping, Map<string, Tally>>;
  votes: Map<string, CastVote>;
}

/** `by`: the groupings to count. Fewer need less memory. */
export function createUsageCount(by: readonly Grouping[] = groupings): UsageCount {
  const parts: UsageParts = {
    total: newTally(),
    groups: new Map(by.map((each) => [each, new Map<string, Tally>()])),
    votes: new Map(),
  };
  return { add, merge, total, rows, parts };

  function add(entry: AuditEntry): void {
    const names = namesOf(entry);
    if (entry.action === 'voted') {
      vote(`${entry.questionId}:${entry.userId}`, { atMs: entry.atMs, isUp: entry.detail === 'up', names });
      return;
    }
    if (entry.action !== 'asked' && entry.action !== 'ended') return;
    count(parts.total, entry);
    for (const [grouping, tallies] of parts.groups) {
      for (const name of names[grouping]) count(tallyOf(tallies, name), entry);
    }
  }

  function merge(other: UsageCount): void {
    join(parts.total, other.parts.total);
    for (const [grouping, tallies] of parts.groups) {
      for (const [name, tally] of other.parts.groups.get(grouping) ?? []) join(tallyOf(tallies, name), tally);
    }
    for (const [key, cast] of other.parts.votes) vote(key, cast);
  }

  function vote(key: string, cast: CastVote): void {
    const before = parts.votes.get(key);
    if (before === undefined || before.atMs <= cast.atMs) parts.votes.set(key, cast);
  }

  function total(): UsageNumbers {
    return numbersOf(parts.total, [...parts.votes.values()]);
  }

  function rows(grouping: Grouping): UsageRow[] {
    const votes = new Map<string, CastVote[]>();
    for (const cast of parts.votes.values()) {
      for (const name of cast.names[grouping]) {
        const ofName = votes.get(name);
        if (ofName === undefined) votes.set(name, [cast]);
        else ofName.push(cast);
      }
    }
    const tallies = parts.groups.get(grouping) ?? new Map<string, Tally>();
    const names = [...new Set([...tallies.keys(), ...votes.keys()])];
    const found = names.map((name) => ({ name, ...numbersOf(tallies.get(name) ?? newTally(), votes.get(name) ?? []) }));
    return found.toSorted((one, other) =>
      grouping === 'week' ? compare(one.name, other.name) : busiest(one, other) || compare(one.name, other.name),
    );
  }
}

/** Usage as CSV with a header, one line per row. Times are in seconds. */
export function usageAsCsv(count: UsageCount, by: readonly Grouping[]): string {
  const header = ['by', 'name', ...columns.map(([name]) => name)];
  const lines = by.flatMap((grouping) =>
    count.rows(grouping).map((row): Cell[] => [grouping, row.name, ...columns.map(([, value]) => value(row))]),
  );
  return toCsv([header, ...lines]);
}

/** Usage as tables of plain text: all of it, then one table for each grouping with at most `mostRows` rows. */
export function usageAsTable(count: UsageCount, by: readonly Grouping[], mostRows: number): string {
  const all = table('', [{ name: 'all', ...count.total() }]);
  const tables = by.map((grouping) => {
    const rows = count.rows(grouping);
    // The newest weeks matter most.
    const shown = grouping === 'week' ? rows.slice(-mostRows) : rows.slice(0, mostRows);
    const left = rows.length - shown.length;
    return `${table(grouping, shown)}${left > 0 ? `${left} more; --csv has all of them\n` : ''}`;
  });
  return [all, ...tables].join('\n');
}

const columns: readonly [name: string, value: (row: UsageNumbers) => Cell][] = [
  ['questions', ({ questions }) => questions],
  ['answers', ({ answers }) => answers],
  ['failures', ({ failures }) => failures],
  ['median_seconds', ({ medianMs }) => secondsOf(medianMs)],
  ['p95_seconds', ({ p95Ms }) => secondsOf(p95Ms)],
  ['credits', ({ credits }) => (credits === undefined ? undefined : Math.round(credits * 100) / 100)],
  ['votes_up', ({ votesUp }) => votesUp],
  ['votes_down', ({ votesDown }) => votesDown],
];

function table(first: string, rows: readonly UsageRow[]): string {
  const lines = [
    [first, ...columns.map(([name]) => name)],
    ...rows.map((row) => [shownLine(row.name), ...columns.map(([, value]) => String(value(row) ?? ''))]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function namesOf({ channelId, userId, usage, atMs }: AuditEntry): Record<Grouping, string[]> {
  return {
    channel: channelId === undefined ? [] : [channelId],
    person: userId === undefined ? [] : [userId],
    repository: usage?.repositories ?? [],
    week: [weekOf(atMs)],
  };
}

const dayMs = 24 * 60 * 60 * 1_000;

/** The Monday of a week, as `2026-11-16`. The epoch began on a Thursday. */
function weekOf(atMs: number): string {
  const day = Math.floor(atMs / dayMs);
  return new Date((day - ((day + 3) % 7)) * dayMs).toISOString().slice(0, 10);
}

function newTally(): Tally {
  return { questions: 0, answers: 0, failures: 0, credits: undefined, durationsMs: [] };
}

function tallyOf(tallies: Map<string, Tally>, name: string): Tally {
  const tally = tallies.get(name) ?? newTally();
  tallies.set(name, tally);
  return tally;
}

function count(tally: Tally, { action, detail = '', usage }: AuditEntry): void {
  if (action === 'asked') tally.questions += 1;
  else if (detail === 'answered') {
    tally.answers += 1;
    if (usage?.durationMs !== undefined) tally.durationsMs.push(usage.durationMs);
    tally.credits = sum(tally.credits, usage?.credits);
  } else if (isFailure(detail)) tally.failures += 1;
}

function isFailure(detail: string): boolean {
  return detail === 'gaveUp' || detail === 'undeliverable' || detail.startsWith('failed:');
}

function join(tally: Tally, other: Tally): void {
  tally.questions += other.questions;
  tally.answers += other.answers;
  tally.failures += other.failures;
  tally.credits = sum(tally.credits, other.credits);
  for (const durationMs of other.durationsMs) tally.durationsMs.push(durationMs);
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0);
}

function numbersOf({ durationsMs, credits, ...counted }: Tally, votes: readonly CastVote[]): UsageNumbers {
  // Sorts many numbers much faster than a comparison function does.
  const sorted = Float64Array.from(durationsMs).sort();
  const medianMs = sorted[Math.ceil(0.5 * sorted.length) - 1];
  const p95Ms = sorted[Math.ceil(0.95 * sorted.length) - 1];
  const votesUp = votes.filter(({ isUp }) => isUp).length;
  return {
    ...counted,
    ...(medianMs === undefined ? {} : { medianMs }),
    ...(p95Ms === undefined ? {} : { p95Ms }),
    ...(credits === undefined ? {} : { credits }),
    votesUp,
    votesDown: votes.length - votesUp,
  };
}

function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms / 100) / 10;
}

function busiest(one: UsageNumbers, other: UsageNumbers): number {
  return other.questions - one.questions || other.answers - one.answers;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
