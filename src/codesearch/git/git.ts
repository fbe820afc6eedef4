import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { LIMITS } from '../limits.ts';
import { currentBudget } from './budget.ts';
import { BusyError, createSlots } from './slots.ts';

/** A git command failed, timed out or wrote too much; the message is the first line of git's error. */
export class GitError extends Error {
  override readonly name = 'GitError';
  readonly kind: GitFailure;
  /** Undefined when git did not end by itself. */
  readonly exitCode: number | undefined;

  constructor(message: string, options: { kind?: GitFailure; exitCode?: number | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = options.kind ?? 'failed';
    this.exitCode = options.exitCode;
  }
}

/**
 * `failed`: git refused, or ran out of memory; `timeout`: it took too long; `tooMuch`: it wrote too much; `stopped`: the
 * request ended; `busy`: too many requests wait for git.
 */
export type GitFailure = 'failed' | 'timeout' | 'tooMuch' | 'stopped' | 'busy';

export interface GitOptions {
  /** Written to standard input. */
  input?: string;
  /** Counts from the start of the process; default `LIMITS.gitTimeoutMs`. */
  timeoutMs?: number;
  /** Ends git after this much output and returns it, instead of the failure `tooMuch`. */
  firstBytes?: number;
  /** Ends git, beside the signal of the request's budget. */
  signal?: AbortSignal;
}

/**
 * Runs git in one repository: without a shell that reads the parameters, without prompts, without programs that the
 * repository's configuration names, with limits of time, memory and output, and within the budget of the request.
 */
export type Git = (parameters: readonly string[], options?: GitOptions) => Promise<Buffer>;

/** Where git works. Without `gitDirectory`, git looks for the repository of the folder. */
export interface GitPlace {
  folder: string;
  gitDirectory?: string;
  bare?: boolean;
  /** Folders of other users where git may work. */
  trusted?: readonly string[];
}

/** The configuration of a repository is foreign: each key here could run a program, open a file or change the output. */
const CONFIG = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.attributesFile=/dev/null',
  'core.pager=cat',
  'core.sshCommand=false',
  'core.askPass=false',
  'core.alternateRefsCommand=false',
  'core.quotepath=off',
  'core.bigFileThreshold=20m',
  'credential.helper=',
  'gpg.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  'protocol.allow=never',
  'submodule.recurse=false',
  'format.pretty=medium',
  'log.date=default',
  'log.showSignature=false',
  'log.mailmap=false',
  'log.follow=false',
  'mailmap.file=/dev/null',
  'mailmap.blob=',
  'blame.ignoreRevsFile=',
  'diff.orderFile=/dev/null',
  'diff.submodule=short',
  'diff.relative=false',
  'diff.noprefix=false',
  'diff.srcPrefix=a/',
  'diff.dstPrefix=b/',
  'diff.suppressBlankEmpty=false',
  'diff.mnemonicPrefix=false',
  'grep.patternType=default',
  'grep.fallbackToNoIndex=false',
  'grep.fullName=true',
  'grep.column=false',
  'grep.lineNumber=false',
  'grep.threads=2',
  'index.threads=2',
  'color.ui=false',
  'color.diff=false',
  'color.grep=false',
  'column.ui=never',
  'i18n.logOutputEncoding=UTF-8',
];

const GLOBAL = [
  '--no-pager',
  '--no-optional-locks',
  '--no-replace-objects',
  '--literal-pathspecs',
  ...CONFIG.flatMap((setting) => ['-c', setting]),
];

/**
 * The whole environment of git: nothing else of the service's own reaches it, above all no `GIT_DIR` of an outer git command.
 * No protocol is allowed, so that a partial clone never runs the upload program its remote names.
 */
const environment = (): NodeJS.ProcessEnv => ({
  ...own(['PATH', 'SUDO_UID', 'SystemRoot']),
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
});
/** With it, git reads the operator's own configuration, and nothing of a repository. */
const operatorEnvironment = (): NodeJS.ProcessEnv =>
  own(['PATH', 'SystemRoot', 'HOME', 'USERPROFILE', 'XDG_CONFIG_HOME']);

/** Variables of the service itself; those that are not set are left out. */
function own(names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/**
 * Sets the limits of the process and replaces itself by git, with the same process id. `ulimit -d` limits memory that is not
 * a mapped file; Linux enforces it since 4.7, macOS accepts and ignores it. A limit below the present one stays.
 */
const LIMITED = [
  'ulimit -c 0 2>/dev/null || :',
  `ulimit -t ${LIMITS.gitCpuSeconds} 2>/dev/null || :`,
  `ulimit -d ${Math.trunc(LIMITS.gitMemoryBytes / 1024)} 2>/dev/null || :`,
  'exec git "$@"',
].join('; ');

/** Windows has neither this shell nor such limits. There, only the time and the output of git are limited. */
const SHELL = '/bin/sh';
const hasShell = existsSync(SHELL);

const slots = createSlots({
  running: LIMITS.gitProcesses,
  runningPerUser: LIMITS.gitProcessesPerUser,
  waiting: LIMITS.gitWaiting,
  waitingPerUser: LIMITS.gitWaitingPerUser,
  waitMs: LIMITS.gitWaitMs,
});

/** Git in one place. All git processes of the program share one limit. */
export function createGit({ folder, gitDirectory, bare = false, trusted = [] }: GitPlace): Git {
  const place =
    gitDirectory === undefined
      ? trusted.flatMap((own) => ['-c', `safe.directory=${own}`])
      : [`--git-dir=${gitDirectory}`, ...(bare ? [] : [`--work-tree=${folder}`])];
  return (parameters, options = {}) =>
    runInSlot(environment(), folder, [...GLOBAL, ...place, ...parameters], parameters[0] ?? '', options);
}

/** The folders of other users that the operator trusts: `safe.directory` of the machine's and the operator's configuration. */
export async function operatorSafeDirectories(): Promise<string[]> {
  const read = (level: string): Promise<string> =>
    runInSlot(
      operatorEnvironment(),
      '/',
      ['config', level, '--includes', '--null', '--get-all', 'safe.directory'],
      'config',
      {},
    )
      .then((output) => output.toString('utf8'))
      .catch(() => '');
  return `${await read('--system')}${await read('--global')}`.split('\0').filter((folder) => folder !== '');
}

async function runInSlot(
  env: NodeJS.ProcessEnv,
  folder: string,
  parameters: readonly string[],
  name: string,
  options: GitOptions,
): Promise<Buffer> {
  if (parameters.some((parameter) => parameter.includes('\0')))
    throw new GitError(`git ${name}: a text contains a NUL`);
  const { user, signal } = currentBudget();
  const signals = [signal, options.signal].filter((own) => own !== undefined);
  const either = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  try {
    return await slots.run(user, () => run(env, folder, parameters, name, options, either), either);
  } catch (error) {
    if (error instanceof GitError) throw error;
    if (error instanceof BusyError) throw new GitError(error.message, { kind: 'busy', cause: error });
    if (either?.aborted === true)
      throw new GitError(`git ${name}: the request ended`, { kind: 'stopped', cause: error });
    throw error;
  }
}

function run(
  env: NodeJS.ProcessEnv,
  folder: string,
  parameters: readonly string[],
  name: string,
  { input = '', timeoutMs = LIMITS.gitTimeoutMs, firstBytes }: GitOptions,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const most = firstBytes ?? LIMITS.gitOutputBytes;
    const chunks: Buffer[] = [];
    let bytes = 0;
    let complaint = '';
    let killedFor: GitFailure | 'enough' | undefined;
    // Windows looks for a program in the working folder first: a repository there could have a git.exe of its own.
    const child = hasShell
      ? spawn(SHELL, ['-c', LIMITED, 'git', ...parameters], { cwd: folder, env })
      : spawn('git', ['-C', folder, ...parameters], { env, windowsHide: true });
    const kill = (reason: GitFailure | 'enough'): void => {
      killedFor ??= reason;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => kill('timeout'), timeoutMs);
    const onAbort = (): void => kill('stopped');
    signal?.addEventListener('abort', onAbort);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    child.on('error', (cause: Error & { code?: string }) => {
      const kind = NO_ROOM.has(cause.code ?? '') ? 'busy' : 'failed';
      const message = kind === 'busy' ? REASONS.busy : cause.message;
      finish(() => reject(new GitError(`git ${name}: ${message}`, { kind, cause })));
    });
    // A process that did not start may have no pipes; its error event follows.
    if (child.pid === undefined) return;
    child.stdout.on('data', (chunk: Buffer) => {
      if (bytes > most) return;
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > most) kill(firstBytes === undefined ? 'tooMuch' : 'enough');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < LIMITS.gitComplaintCharacters) complaint += chunk.toString('utf8');
    });
    child.on('close', (exitCode, killedBy) =>
      finish(() => {
        if (exitCode === 0 || killedFor === 'enough') return resolve(Buffer.concat(chunks).subarray(0, most));
        // The kernel ends a process with SIGXCPU or SIGKILL when its processor time is used up.
        const kind = killedFor ?? (killedBy === null ? 'failed' : 'timeout');
        const message = complaint.trim().split('\n')[0] || REASONS[kind];
        reject(new GitError(`git ${name}: ${message}`, { kind, exitCode: exitCode ?? undefined }));
      }),
    );
    // git may exit before it has read all input; its exit code shows whether it failed.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** The machine has no file descriptor, process or memory left for another process. */
const NO_ROOM: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);

const REASONS: Record<GitFailure, string> = {
  failed: 'it failed',
  timeout: 'it took too long',
  tooMuch: 'its output is too large',
  stopped: 'the request ended',
  busy: 'too many requests wait',
};

/** Like {@link Git}, but returns text, which is empty when git refuses. Throws when git could not start or finish. */
export async function gitText(git: Git, parameters: readonly string[], options?: GitOptions): Promise<string> {
  try {
    return (await git(parameters, options)).toString('utf8');
  } catch (error) {
    if (error instanceof GitError && error.kind === 'failed' && error.exitCode !== undefined) return '';
    throw error;
  }
}
