import { writeFileSync } from 'node:fs';
import { readCommandLine } from '../command-line.ts';
import { ConfigError, parseStorageConfig } from '../config.ts';
import { isAppError } from '../core/errors.ts';
import { votesAsCsv } from '../core/history/vote-export.ts';
import type { Log } from '../core/ports.ts';
import { readAllVotes, type StorageLocation } from '../storage/open-storage.ts';

const usage = `Writes what people thought of answers as CSV, the newest last.

  npm run feedback -- --since 30d [--out votes.csv]
  node dist/feedback.js --since 30d [--out votes.csv]

  --since  how far back: a number of hours, days or weeks (12h, 30d, 8w), or a day (2026-11-01). Left out: everything kept
  --out    a file to write, in place of what it holds; left out: the standard output
  --help   this text

Reads the storage of the app, by REDIS_URL or DATA_DIR, and changes nothing; the app may run meanwhile.
Exit codes: 0 written, 1 the storage or the file can't be used, 2 wrong arguments or settings.
`;

const unitMs = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

class UsageError extends Error {}

interface Order {
  sinceMs: number;
  out: string | undefined;
}

/** Returns the exit code, as the usage text describes. */
async function main(): Promise<number> {
  try {
    const order = readOrder(process.argv.slice(2), Date.now());
    if (order === undefined) {
      process.stdout.write(usage);
      return 0;
    }
    const { votes, unreadable } = await readAllVotes(location(), { clock: Date.now, log: quiet });
    if (unreadable > 0) process.stderr.write(`left out because they can't be read: ${unreadable}\n`);
    write(votesAsCsv(votes, order.sinceMs), order.out);
    return 0;
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError) return fail(2, error.message);
    if (isAppError(error) || error instanceof FileError) return fail(1, error.message);
    throw error;
  }
}

function location(): StorageLocation {
  const { REDIS_URL: redisUrl, DATA_DIR: dataDir } = parseStorageConfig(process.env);
  return redisUrl === undefined ? { dataDir } : { redisUrl: redisUrl.reveal() };
}

/** Returns undefined for `--help`. Throws `UsageError` with all problems at once. */
function readOrder(args: string[], nowMs: number): Order | undefined {
  const { help, values, problems } = readCommandLine(args, { since: { takes: 'text' }, out: { takes: 'text' } });
  if (help) return undefined;
  const sinceMs = values.since === undefined ? 0 : readSince(values.since, nowMs);
  if (sinceMs === undefined) problems.push('--since must look like 12h, 30d, 8w or 2026-11-01');
  if (sinceMs === undefined || problems.length > 0) throw new UsageError(problems.join('\n'));
  return { sinceMs, out: values.out };
}

/**
 * The start of the export in ms: a span before `nowMs`, or the beginning of a day (UTC). Undefined for any other text.
 */
function readSince(since: string, nowMs: number): number | undefined {
  const span = /^(\d{1,6})([hdw])$/.exec(since);
  const unit = span?.[2];
  if (unit === 'h' || unit === 'd' || unit === 'w') return nowMs - Number(span?.[1]) * unitMs[unit];
  const dayMs = /^\d{4}-\d{2}-\d{2}$/.test(since) ? Date.parse(`${since}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(dayMs) ? undefined : dayMs;
}

class FileError extends Error {}

/** Only the owner may read the file, because comments may quote private code. */
function write(csv: string, out: string | undefined): void {
  if (out === undefined) {
    process.stdout.write(csv);
    return;
  }
  try {
    writeFileSync(out, csv, { mode: 0o600 });
  } catch (error) {
    throw new FileError(`${out} can't be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fail(code: number, message: string): number {
  process.stderr.write(`${message}\n`);
  return code;
}

/** Logs nothing: the error that ends the program says what went wrong. */
const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

process.exitCode = await main();
