import type { Environment } from './program.ts';

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
