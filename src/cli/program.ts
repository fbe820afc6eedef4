import { closeSync, fchmodSync, fstatSync, openSync, writeFileSync } from 'node:fs';
import type { CommandLine } from '../command-line.ts';
import { ConfigError, parseStorageConfig } from '../config.ts';
import { shownLine } from '../core/doctor.ts';
import { isAppError } from '../core/errors.ts';
import { type AuditEntry, createAuditLog } from '../core/history/audit.ts';
import type { Log } from '../core/ports.ts';
import { createLog, createLogger } from '../observability/logger.ts';
import type { StorageLocation } from '../storage/open-storage.ts';

/** The environment variables of a program. */
export type Environment = Record<string, string | undefined>;

/** Wrong arguments of a program. The message names all of them. */
export class UsageError extends Error {}

/** A file that can't be written. */
class FileError extends Error {}

/**
 * Runs a program and returns its exit code: that of `work`, 1 when the storage or a file can't be used, 2 for wrong
 * arguments or settings. Prints the reason to the standard error.
 */
export async function exitCodeOf(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError) return fail(2, error.message);
    if (isAppError(error) || error instanceof FileError) return fail(1, error.message);
    throw error;
  }
}

function fail(code: number, message: string): number {
  process.stderr.write(`${message.split('\n').map(shownLine).join('\n')}\n`);
  return code;
}

/** Where the app stores its records. Throws `ConfigError`. */
export function storageLocation(environment: Environment): StorageLocation {
  const { REDIS_URL: redisUrl, DATA_DIR: dataDir } = parseStorageConfig(environment);
  return redisUrl === undefined ? { dataDir } : { redisUrl: redisUrl.reveal() };
}

/** The data directory of an app without Redis. Throws `ConfigError`, or `UsageError` for an app on Redis. */
export function embeddedDir(environment: Environment): string {
  const location = storageLocation(environment);
  if ('dataDir' in location) return location.dataDir;
  throw new UsageError(
    'REDIS_URL is set, and this command is for the embedded storage: back Redis up by its own means',
  );
}

/** The value of an option that is needed. Undefined if there is a problem, also an earlier one. */
export function requireText(option: string, value: string | undefined, problems: string[]): string | undefined {
  if (value === undefined || value === '') problems.push(`${option} is missing`);
  return problems.length > 0 ? undefined : value;
}

/** Prints numbers of records by kind. */
export function writeCounts(counts: Record<string, number>): void {
  const lines = Object.entries(counts)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([kind, count]) => `  ${kind}: ${count}\n`);
  writeOutput(lines.join(''), undefined);
}

/** Writes to a file that only its owner may read, or to the standard output. Throws an error for {@link exitCodeOf}. */
export function writeOutput(text: string, file: string | undefined): void {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    const opened = openSync(file, 'w', 0o600);
    try {
      // A file that was there before keeps its mode otherwise. Devices have none of ours.
      if (fstatSync(opened).isFile()) fchmodSync(opened, 0o600);
      writeFileSync(opened, text);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    throw new FileError(`${file} can't be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Writes the line of an entry to the standard error: the standard output is for what the program shows. */
export function noteInAudit(entry: AuditEntry): void {
  createAuditLog(createLog(createLogger('info', process.stderr), () => {})).note(entry);
}

const unitMs = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** What `--since` must look like, for the message about a wrong one. */
export const sinceProblem = '--since must look like 12h, 30d, 8w or 2026-11-01';

/** A span before `nowMs`, or the beginning of a day (UTC), in ms. Undefined for any other text. */
export function readSince(since: string, nowMs: number): number | undefined {
  const span = /^(\d{1,6})([hdw])$/.exec(since);
  const unit = span?.[2];
  if (unit === 'h' || unit === 'd' || unit === 'w') return nowMs - Number(span?.[1]) * unitMs[unit];
  const dayMs = /^\d{4}-\d{2}-\d{2}$/.test(since) ? Date.parse(`${since}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(dayMs) ? undefined : dayMs;
}

/** Logs nothing: the error that ends the program says what went wrong. */
export const quietLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** One command of `npm run admin`. */
export interface AdminCommand {
  /** What `--help` prints, with a line break at the end: usage, options, exit codes. */
  help: string;
  /**
   * Gets the arguments after the command's name, never `--help`. Returns the exit code. Prints results with
   * `writeOutput`. Throws `UsageError`, `ConfigError` or `AppError`, which become exit codes.
   */
  run(args: string[], environment: Environment): Promise<number>;
}

/** Slack's ids of people: `U…`, or `W…` in an organization. */
const userIds = /^[UW][A-Z0-9]{1,40}$/;
const teamIds = /^[TE][A-Z0-9]{1,40}$/;

/** The options that name a person. */
export const personOptions = { user: { takes: 'text' }, team: { takes: 'text' } } as const;

/** The person that the arguments name. Throws `UsageError` with all problems at once. */
export function readPerson({
  values: { user: userId, team: teamId },
  problems,
}: Pick<CommandLine<typeof personOptions>, 'values' | 'problems'>): { userId: string; teamId?: string } {
  if (userId === undefined || !userIds.test(userId)) problems.push('--user must be the id of a person in Slack: U…');
  if (teamId !== undefined && !teamIds.test(teamId))
    problems.push('--team must be the id of a workspace or organization in Slack: T… or E…');
  if (userId === undefined || problems.length > 0) throw new UsageError(problems.join('\n'));
  return { userId, teamId };
}
