import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ACCOUNT_QUESTIONS } from './accounts.ts';
import { type DemoOptions, parseArguments, USAGE } from './arguments.ts';
import { banner } from './banner.ts';
import { createDemo } from './demo.ts';
import { portProblems } from './ports.ts';
import { DemoProblem } from './problem.ts';
import { QUESTIONS } from './questions.ts';
import { repositoryProblems } from './repositories.ts';

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Environment variables the programs get. All others are dropped, so that settings of the app do not change the demo. */
const passedVariables = [
  ...['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NODE_EXTRA_CA_CERTS'],
  // Of Windows, which writes some names in mixed case.
  ...['SYSTEMROOT', 'USERPROFILE', 'TEMP', 'TMP'],
];

/** Exit codes: 0 after a stop signal, 1 when a program failed or could not start, 2 for wrong arguments. */
async function main(): Promise<number> {
  const startedMs = performance.now();
  const stopped = new Promise<'stopped'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve('stopped'));
  });
  // npm changes the working directory: resolve relative paths from the folder where the command was typed.
  const read = parseArguments(process.argv.slice(2), process.env.INIT_CWD ?? process.cwd());
  if (read.kind === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const problems = read.kind === 'wrong' ? read.problems : await optionProblems(read.options);
  if (read.kind === 'wrong' || problems.length > 0) {
    complain(`The demo cannot start:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\n\n${USAGE}`);
    return 2;
  }
  const { options } = read;
  const repositories = repositoriesOf(options);
  const folder = options.dataDir ?? mkdtempSync(join(tmpdir(), 'deepsearch-demo-'));
  const base = { folder, environment: handedOn(isPassed), modelEnvironment: handedOn(isOfModel) };
  const demo = createDemo(
    base,
    { ...options, repositories },
    repositories.length === 0 ? ACCOUNT_QUESTIONS : QUESTIONS,
  );
  try {
    const starting = demo.start();
    // A stop during the start rejects this promise, and nothing awaits it then.
    starting.catch(() => undefined);
    const started = await Promise.race([stopped, starting]);
    if (started === 'stopped') return 0;
    process.stdout.write(
      banner(started, {
        startedInMs: performance.now() - startedMs,
        ...(options.model === undefined ? {} : { model: options.model }),
      }),
    );
    const end = await Promise.race([stopped, demo.broken.then((what) => ({ what }))]);
    if (end === 'stopped') return 0;
    complain(`${end.what}\n\nThe demo stops.\n`);
    return 1;
  } finally {
    await demo.stop();
    if (options.dataDir === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function optionProblems(options: DemoOptions): Promise<string[]> {
  return [
    ...(await repositoryProblems(repositoriesOf(options))),
    ...(await portProblems(options)),
    ...folderProblems(options.dataDir),
  ];
}

/** With accounts, the demo has small repositories of its own, and adds those that were named. */
function repositoriesOf({ repositories, accounts }: DemoOptions): string[] {
  return repositories.length === 0 && !accounts ? [projectFolder] : repositories;
}

function folderProblems(dataDir: string | undefined): string[] {
  if (dataDir === undefined) return [];
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK);
    return [];
  } catch {
    return [`--data-dir ${dataDir}: cannot be written to`];
  }
}

function handedOn(isChosen: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value && isChosen(name) ? [[name, value]] : [])),
  );
}

function isPassed(name: string): boolean {
  return passedVariables.includes(name.toUpperCase());
}

/** The key and the limits. Address and model are options, so that a variable alone sends no code anywhere. */
function isOfModel(name: string): boolean {
  return name.startsWith('LLM_') && name !== 'LLM_BASE_URL' && name !== 'LLM_MODEL';
}

function complain(text: string): void {
  process.stderr.write(text);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof DemoProblem)) throw error;
  complain(`${error.message}\n`);
  process.exitCode = 1;
}
