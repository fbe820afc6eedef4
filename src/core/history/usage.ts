import { shownLine } from '../doctor.ts';
import { isAppError } from '../errors.ts';
import { sharing } from '../pacing.ts';
import type { Clock, Log } from '../ports.ts';
import type { Outcome, Question } from '../question/question.ts';
import { recentUsageDays, usageFreshMs, usageShareOfTime } from '../settings.ts';
import { isAsked, repositoriesOf } from './audit.ts';
import { type Cell, toCsv, type Vote } from './votes.ts';

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
  up: number;
  down: number;
}

/** A question with the votes on its answer. */
export interface VotedQuestion {
  question: Question;
  votes: readonly Pick<Vote, 'userId' | 'verdict'>[];
}

/**
 * Adds up stored questions, each one once. Everything counts at the time when the question was accepted. The order of the
 * questions does not matter.
 */
export interface UsageCount {
  add(voted: VotedQuestion): void;
  total(): UsageNumbers;
  /** The busiest first, weeks in order of time. The rows of repositories overlap: an answer may use several. */
  rows(by: Grouping): UsageRow[];
}

/** `by`: the groupings to count. Fewer need less memory. */
export function createUsageCount(by: readonly Grouping[] = groupings): UsageCount {
  const total = newTally();
  const groups = new Map(by.map((each) => [each, new Map<string, Tally>()]));

  return {
    add({ question, votes }) {
      if (!isAsked(question)) return;
      const names = namesOf(question);
      count(total, question);
      for (const [grouping, tallies] of groups)
        for (const name of names[grouping]) count(tallyOf(tallies, name), question);
      for (const { userId, verdict } of votes) {
        total[verdict] += 1;
        const voted = { ...names, person: [userId] };
        for (const [grouping, tallies] of groups)
          for (const name of voted[grouping]) tallyOf(tallies, name)[verdict] += 1;
      }
    },
    total: () => numbersOf(total),
    rows(grouping) {
      const rows = [...(groups.get(grouping) ?? [])].map(([name, tally]) => ({ name, ...numbersOf(tally) }));
      return rows.toSorted((one, other) =>
        grouping === 'week' ? compare(one.name, other.name) : busiest(one, other) || compare(one.name, other.name),
      );
    },
  };
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

function namesOf(question: Question): Record<Grouping, string[]> {
  return {
    channel: [question.place.channelId],
    person: [question.askerId],
    repository: question.phase === 'closed' ? repositoriesOf(question) : [],
    week: [weekOf(question.acceptedMs)],
  };
}

const dayMs = 24 * 60 * 60 * 1_000;

/** The Monday of a week, as `2026-11-16`. The epoch began on a Thursday. */
function weekOf(atMs: number): string {
  const day = Math.floor(atMs / dayMs);
  return new Date((day - ((day + 3) % 7)) * dayMs).toISOString().slice(0, 10);
}

function newTally(): Tally {
  return { questions: 0, answers: 0, failures: 0, credits: undefined, durationsMs: [], up: 0, down: 0 };
}

function tallyOf(tallies: Map<string, Tally>, name: string): Tally {
  const tally = tallies.get(name) ?? newTally();
  tallies.set(name, tally);
  return tally;
}

function count(tally: Tally, { phase, outcome }: Question): void {
  tally.questions += 1;
  if (phase !== 'closed' || outcome === undefined) return;
  if (outcome.kind === 'answered') {
    const { durationMs, credits } = outcome.answer;
    tally.answers += 1;
    tally.durationsMs.push(durationMs);
    if (credits !== undefined) tally.credits = (tally.credits ?? 0) + credits;
  } else if (failureKinds.has(outcome.kind)) tally.failures += 1;
}

const failureKinds: ReadonlySet<string> = new Set(['failed', 'gaveUp', 'undeliverable'] satisfies Outcome['kind'][]);

function numbersOf({ questions, answers, failures, durationsMs, credits, up, down }: Tally): UsageNumbers {
  // Sorts many numbers much faster than a comparison function does.
  const sorted = Float64Array.from(durationsMs).sort();
  const medianMs = sorted[Math.ceil(0.5 * sorted.length) - 1];
  const p95Ms = sorted[Math.ceil(0.95 * sorted.length) - 1];
  return {
    ...{ questions, answers, failures, votesUp: up, votesDown: down },
    ...(medianMs === undefined ? {} : { medianMs }),
    ...(p95Ms === undefined ? {} : { p95Ms }),
    ...(credits === undefined ? {} : { credits }),
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

/** The use of the app in the last 30 days (UTC, today included). */
export interface RecentUsage {
  total: UsageNumbers;
  /** The busiest first. */
  channels: UsageRow[];
}

/**
 * Adds up the recent use in the background, when somebody looks and the numbers are old. Reads one page at a time and lets
 * other work run in between, so a big store makes a count slow and nothing else.
 */
export function createRecentUsage({
  askedSince,
  teamId,
  now,
  log,
}: {
  /** Pages of the stored questions that were accepted at or after this time. */
  askedSince: (fromMs: number) => AsyncIterable<{ found: VotedQuestion[] }>;
  /** Only the use in this workspace counts. */
  teamId: string;
  now: Clock;
  log: Pick<Log, 'warn'>;
}) {
  let latest: RecentUsage | undefined;
  let freshUntilMs = 0;
  const counting = sharing(recount);

  /**
   * The latest numbers, at once. Undefined before the first count. If they are old or missing, counts, and calls
   * `onCounted` when newer ones are there. Never throws.
   */
  return function read(onCounted: () => void): RecentUsage | undefined {
    if (latest !== undefined && now() < freshUntilMs) return latest;
    void counting().then((isNew) => isNew && onCounted());
    return latest;
  };

  async function recount(): Promise<boolean> {
    const fromMs = now();
    try {
      latest = await countSince(fromMs);
      // A count reads the whole store, so a big one is counted less often.
      freshUntilMs = now() + Math.max(usageFreshMs, (now() - fromMs) / usageShareOfTime);
      return true;
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.warn({ event: 'usage_not_counted', kind: error.kind }, error);
      return false;
    }
  }

  async function countSince(nowMs: number): Promise<RecentUsage> {
    const all = createUsageCount(['channel']);
    const firstDay = Math.floor(nowMs / dayMs) - recentUsageDays + 1;
    for await (const { found } of askedSince(firstDay * dayMs)) {
      found.filter(({ question }) => question.place.teamId === teamId).forEach(all.add);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return { total: all.total(), channels: all.rows('channel') };
  }
}
