import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isCommand, runCommand } from './account-commands.ts';
import { parseRepoAccess, RepoAccessError, type RepoAccessRules } from './accounts/repo-access.ts';
import { AccountError } from './accounts/store.ts';
import { parseArguments, USAGE } from './arguments.ts';
import { createCodeSearchService, RepositoryError } from './service.ts';

const BAD_USAGE = 2;

/**
 * Runs the service until a signal arrives; prints one line of JSON on standard output once it is ready. With a command,
 * changes the accounts of a data directory instead.
 */
async function main(): Promise<void> {
  const line = process.argv.slice(2);
  if (isCommand(line)) {
    const result = await runCommand(line);
    if ('problems' in result) return fail(result.problems);
    process.stdout.write(result.output);
    return;
  }
  const parsed = parseArguments(line, process.env);
  if (parsed.kind === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  if (parsed.kind === 'bad') return fail(parsed.problems);
  // git must use the given folders, not those that an outer git command (a hook) sets by environment variables.
  for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];
  const { tokens: given, repoAccessFile, ...options } = parsed.arguments;
  const madeUp = given.length > 0 ? undefined : { username: 'user', token: randomBytes(20).toString('hex') };
  let repoAccess: RepoAccessRules | undefined;
  try {
    repoAccess = repoAccessFile === undefined ? undefined : parseRepoAccess(readFileSync(repoAccessFile, 'utf8'));
  } catch (error) {
    return fail([error instanceof RepoAccessError ? error.message : `--repo-access: ${repoAccessFile} can't be read`]);
  }
  const service = createCodeSearchService({
    ...options,
    tokens: madeUp === undefined ? given : [madeUp],
    repoAccess,
    onProblem: reportProblem,
    onNotice: (detail) => report({ event: 'notice', detail }),
    onModelReport: (details) => report({ event: 'model_answer', ...details }),
  });
  let ending: Promise<void> | undefined;
  const end = (): void => {
    ending ??= service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        reportProblem(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  try {
    const { url, repositories, files, unread } = await service.start();
    if (ending !== undefined) return;
    // A token that the operator gave is never printed.
    const ready = { event: 'ready', url, token: madeUp?.token, repositories, files, unread };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
  } catch (error) {
    const isConfiguration =
      error instanceof RepositoryError || error instanceof RepoAccessError || error instanceof AccountError;
    if (isConfiguration) return fail([error.message]);
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') return fail([`Port ${parsed.arguments.port ?? 0} is taken by another program.`]);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return fail(['--host is no address of this machine.']);
    if (code === 'EEXIST' || code === 'ENOTDIR') return fail(['--data-dir is not a folder.']);
    if (code === 'EPERM') return fail(['The data directory belongs to another user.']);
    if (code === 'EACCES') return fail(['The port or the data directory may not be used by this user.']);
    throw error;
  }
}

function fail(problems: readonly string[]): void {
  process.stderr.write(`${problems.map((problem) => `codesearch: ${problem}`).join('\n')}\nTry --help.\n`);
  process.exitCode = BAD_USAGE;
}

function reportProblem(error: unknown): void {
  report({ event: 'problem', detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

/** One line of the operator's log, on standard error. */
function report(entry: { event: string; [detail: string]: unknown }): void {
  process.stderr.write(`${JSON.stringify(entry)}\n`);
}

main().catch((error: unknown) => {
  reportProblem(error);
  process.exitCode = 1;
});
