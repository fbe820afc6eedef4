import { randomBytes } from 'node:crypto';
import { parseArguments, USAGE } from './arguments.ts';
import { createCodeSearchService, RepositoryError } from './service.ts';

const BAD_USAGE = 2;

/** Runs the service until a signal arrives; prints one line of JSON on standard output once it is ready. */
async function main(): Promise<void> {
  const parsed = parseArguments(process.argv.slice(2), process.env.CODESEARCH_TOKEN);
  if (parsed.kind === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  if (parsed.kind === 'bad') return fail(parsed.problems);
  // git must use the given folders, not those that an outer git command (a hook) sets by environment variables.
  for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];
  const tokens =
    parsed.arguments.tokens.length > 0
      ? parsed.arguments.tokens
      : [{ username: 'user', token: randomBytes(20).toString('hex') }];
  const service = createCodeSearchService({ ...parsed.arguments, tokens, onProblem: reportProblem });
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
    const { url, repositories, files } = await service.start();
    if (ending !== undefined) return;
    const ready = { event: 'ready', url, token: tokens[0]?.token, repositories, files };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
  } catch (error) {
    if (error instanceof RepositoryError) return fail([error.message]);
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') return fail([`Port ${parsed.arguments.port ?? 0} is taken by another program.`]);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return fail(['--host is no address of this machine.']);
    if (code === 'EEXIST' || code === 'ENOTDIR') return fail(['--data-dir is not a folder.']);
    if (code === 'EACCES') return fail(['The port or the data directory may not be used by this user.']);
    throw error;
  }
}

function fail(problems: readonly string[]): void {
  process.stderr.write(`${problems.map((problem) => `codesearch: ${problem}`).join('\n')}\nTry --help.\n`);
  process.exitCode = BAD_USAGE;
}

function reportProblem(error: unknown): void {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${JSON.stringify({ event: 'problem', detail })}\n`);
}

main().catch((error: unknown) => {
  reportProblem(error);
  process.exitCode = 1;
});
