import { readCommandLine } from '../command-line.ts';
import { votesAsCsv } from '../core/history/votes.ts';
import { readAllVotes } from '../storage/open-storage.ts';
import { exitCodeOf, quietLog, readSince, sinceProblem, storageLocation, UsageError, writeOutput } from './program.ts';

const usage = `Writes what people thought of answers as CSV, the newest last.

  npm run feedback -- --since 30d [--out votes.csv]
  node dist/cli/feedback.js --since 30d [--out votes.csv]

  --since  how far back: a number of hours, days or weeks (12h, 30d, 8w), or a day (2026-11-01). Left out: everything kept
  --out    a file to write, in place of what it holds; left out: the standard output
  --help   this text

Reads the storage of the app, by REDIS_URL or DATA_DIR, and changes nothing; the app may run meanwhile.
Exit codes: 0 written, 1 the storage or the file can't be used, 2 wrong arguments or settings.
`;

interface Order {
  sinceMs: number;
  out: string | undefined;
}

/** Returns the exit code, as the usage text describes. */
async function main(): Promise<number> {
  const order = readOrder(process.argv.slice(2), Date.now());
  if (order === undefined) {
    process.stdout.write(usage);
    return 0;
  }
  const { votes, unreadable } = await readAllVotes(storageLocation(process.env), { clock: Date.now, log: quietLog });
  if (unreadable > 0) process.stderr.write(`left out because they can't be read: ${unreadable}\n`);
  // Comments may quote private code, so only the owner may read the file.
  writeOutput(votesAsCsv(votes, order.sinceMs), order.out);
  return 0;
}

/** Returns undefined for `--help`. Throws `UsageError` with all problems at once. */
function readOrder(args: string[], nowMs: number): Order | undefined {
  const { help, values, problems } = readCommandLine(args, { since: { takes: 'text' }, out: { takes: 'text' } });
  if (help) return undefined;
  const sinceMs = values.since === undefined ? 0 : readSince(values.since, nowMs);
  if (sinceMs === undefined) problems.push(sinceProblem);
  if (sinceMs === undefined || problems.length > 0) throw new UsageError(problems.join('\n'));
  return { sinceMs, out: values.out };
}

process.exitCode = await exitCodeOf(main);
