import { readCommandLine } from '../command-line.ts';
import { createUsageCount, type Grouping, groupings, usageAsCsv, usageAsTable } from '../core/history/usage.ts';
import { questionType } from '../core/question/question.ts';
import { readStoredQuestions } from '../storage/open-storage.ts';
import {
  type AdminCommand,
  quietLog,
  readSince,
  sinceProblem,
  storageLocation,
  UsageError,
  writeOutput,
} from './program.ts';

/** Most rows of one table. The CSV has all of them. */
const mostRows = 50;

const help = `Shows how the app is used: questions, answers, failures, median and p95 time in seconds, credits and votes.

  npm run admin -- usage --since 30d [--by channel] [--csv] [--out usage.csv]
  node dist/cli/admin.js usage --since 30d [--by channel] [--csv] [--out usage.csv]

  --since  how far back: a number of hours, days or weeks (12h, 30d, 8w), or a day (2026-11-01). Left out: 30d
  --by     channel, person, repository or week. Left out: all four. Weeks begin on Monday (UTC)
  --csv    all rows as CSV, instead of tables with at most ${mostRows} rows each
  --out    a file to write, in place of what it holds; left out: the standard output
  --help   this text

Adds up the stored questions and the votes on them. Questions are stored for 90
days after their last change (or RETENTION_DAYS, if that is shorter), so older
ones don't count, and neither do those of people who were forgotten. Changes
nothing; the app may run meanwhile.
Exit codes: 0 written, 1 the storage or the file can't be used, 2 wrong arguments or settings.
`;

interface Order {
  sinceMs: number;
  by: readonly Grouping[];
  csv: boolean;
  out: string | undefined;
}

export const usageCommand: AdminCommand = {
  help,
  async run(args, environment) {
    const nowMs = Date.now();
    const { sinceMs, by, csv, out } = readOrder(args, nowMs);
    const count = createUsageCount(by);
    let left = 0;
    const options = { clock: Date.now, log: quietLog };
    for await (const { found, unreadable } of readStoredQuestions(storageLocation(environment), sinceMs, options)) {
      found.forEach(count.add);
      left += unreadable;
    }
    if (left > 0) process.stderr.write(`left out because they can't be read: ${left}\n`);
    if (sinceMs < nowMs - questionType.ttlMs) {
      process.stderr.write(
        'questions are stored for 90 days at most after their last change: older ones are not counted\n',
      );
    }
    writeOutput(csv ? usageAsCsv(count, by) : usageAsTable(count, by, mostRows), out);
    return 0;
  },
};

/** Throws `UsageError` with all problems at once. */
function readOrder(args: string[], nowMs: number): Order {
  const { values, problems } = readCommandLine(args, {
    since: { takes: 'text' },
    by: { takes: 'text' },
    csv: { takes: 'nothing' },
    out: { takes: 'text' },
  });
  const sinceMs = readSince(values.since ?? '30d', nowMs);
  if (sinceMs === undefined) problems.push(sinceProblem);
  const by = values.by === undefined ? groupings : groupings.filter((grouping) => grouping === values.by);
  if (by.length === 0) problems.push(`--by must be one of ${groupings.join(', ')}`);
  if (sinceMs === undefined || problems.length > 0) throw new UsageError(problems.join('\n'));
  return { sinceMs, by, csv: values.csv === true, out: values.out };
}
