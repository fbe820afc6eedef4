import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeCommit } from './write-commit.ts';

/** A git repository in a temporary folder, created by a test. */
export interface TestRepository {
  path: string;
  git: (...parameters: string[]) => string;
  write: (path: string, content: string | Buffer) => void;
  link: (target: string, path: string) => void;
  /** Adds the remote after which the service names the repository. */
  origin: (address: string) => void;
  /** Stages and commits all changes; by default as `Ada` on a fixed date. */
  commit: (message: string, options?: { author?: string; date?: string }) => string;
  remove: () => void;
}

export function createTestRepository(files: Record<string, string | Buffer> = {}): TestRepository {
  const repository = repositoryIn(mkdtempSync(join(tmpdir(), 'codesearch-repository-')));
  begin(repository, files);
  return repository;
}

/** The git directory of a repository without commits. */
let empty: string | undefined;

/** Makes an empty folder a repository without commits, with these files. */
function begin({ path, write }: TestRepository, files: Record<string, string | Buffer>): void {
  const { RUN_FOLDER: runFolder } = process.env;
  if (runFolder === undefined) initialize(path);
  else {
    // Hundreds of tests begin a repository. A copy needs no git process.
    empty ??= initialize(mkdtempSync(join(runFolder, 'empty-repository-')));
    cpSync(empty, join(path, '.git'), { recursive: true });
  }
  for (const [name, content] of Object.entries(files)) write(name, content);
}

/** Returns the git directory. */
function initialize(path: string): string {
  const { git } = repositoryIn(path);
  git('init', '-q', '-b', 'main');
  git('config', 'core.hooksPath', '/dev/null');
  // Each commit would start a process that looks whether there is something to tidy up.
  git('config', 'gc.auto', '0');
  git('config', 'maintenance.auto', 'false');
  return join(path, '.git');
}

function repositoryIn(path: string): TestRepository {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const git = (...parameters: string[]): string => gitWith({}, ...parameters);
  function gitWith(extra: Record<string, string>, ...parameters: string[]): string {
    return execFileSync('git', ['-C', path, ...parameters], {
      env: { ...clean, ...extra },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  }
  return {
    path,
    git,
    write(name, content) {
      const target = join(path, name);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
    },
    link: (target, name) => symlinkSync(target, join(path, name)),
    origin: (address) => appendFileSync(join(path, '.git/config'), `[remote "origin"]\n\turl = ${address}\n`),
    commit(message, { author = 'Ada Byron', date = '2024-03-01T10:00:00Z' } = {}) {
      const email = 'a@example.org';
      const written = writeCommit(path, { message, author, email, date });
      if (written !== undefined) return written;
      git('add', '-A');
      const name = { GIT_AUTHOR_NAME: author, GIT_COMMITTER_NAME: author };
      const mail = { GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email };
      gitWith(
        { ...name, ...mail, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
        'commit',
        '-q',
        '--no-gpg-sign',
        '-m',
        message,
      );
      return git('rev-parse', 'HEAD').trim();
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

const RETRY = `import { settings } from '../config.ts';

/** Milliseconds to wait before the given attempt; doubles each time, up to the cap. */
export function retryDelay(attempt: number): number {
  const base = settings.retryBaseMs * 2 ** (attempt - 1);
  return Math.min(base, settings.retryCapMs);
}

/** Runs a task until it succeeds or the attempts are used up. */
export async function withRetries<T>(task: () => Promise<T>, attempts = 3): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await task();
    } catch (error) {
      if (attempt >= attempts) throw error;
      await sleep(retryDelay(attempt));
    }
  }
}

function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
`;

const QUEUE = `import { withRetries } from '../retry.ts';

export interface QueueOptions {
  /** How many jobs run at once. */
  concurrency: number;
  /** Drops a job that waited longer than this, in milliseconds. */
  maxWaitMs?: number;
}

/** Runs jobs in the order in which they came. */
export class JobQueue {
  private waiting: (() => Promise<void>)[] = [];

  enqueue(job: () => Promise<void>): void {
    this.waiting.push(job);
    this.drain();
  }

  private async drain(): Promise<void> {
    const job = this.waiting.shift();
    if (job) await withRetries(job);
  }
}
`;

const CONFIG = `/** Settings of the whole program, read once. */
export const settings = {
  retryBaseMs: Number(process.env.RETRY_BASE_MS ?? 100),
  retryCapMs: Number(process.env.RETRY_CAP_MS ?? 30_000),
};
`;

const RETRY_TEST = `import { test } from 'vitest';
import { retryDelay } from '../../src/retry.ts';

test('the delay doubles and stops at the cap', () => {
  retryDelay(1);
});
`;

let example: TestRepository | undefined;

/** A small example project: retries, a queue, settings, tests, a document and a history. */
export function createHarbourRepository(): TestRepository {
  const path = mkdtempSync(join(tmpdir(), 'codesearch-repository-'));
  const { RUN_FOLDER: runFolder } = process.env;
  if (runFolder === undefined) return fillExample(repositoryIn(path));
  // Twenty files of tests use this project. A copy needs no git process.
  example ??= fillExample(repositoryIn(mkdtempSync(join(runFolder, 'harbour-'))));
  cpSync(example.path, path, { recursive: true, preserveTimestamps: true });
  return repositoryIn(path);
}

function fillExample(repository: TestRepository): TestRepository {
  begin(repository, {
    'README.md': '# Harbour\n\nHarbour moves containers between ships and trains, and retries what fails.\n',
    'package.json': '{ "name": "harbour", "description": "Moves containers between ships and trains" }\n',
    'src/config.ts': CONFIG,
    'src/retry.ts': RETRY.replace('up to the cap', 'without end'),
  });
  repository.origin('git@github.com:harbour-org/harbour.git');
  repository.commit('Retry failed tasks with growing delays');
  repository.write('src/retry.ts', RETRY);
  repository.commit('Cap the retry delay\n\nWithout a cap a crane waited for two days after an outage.', {
    author: 'Grace Hopper',
    date: '2024-05-02T10:00:00Z',
  });
  repository.write('src/queue.ts', QUEUE);
  repository.write('test/retry.test.ts', RETRY_TEST);
  repository.write('docs/retries.md', '# Retries\n\nA failed job is tried again after a delay that doubles.\n');
  repository.commit('Queue jobs in the order of arrival', { date: '2024-06-03T10:00:00Z' });
  return repository;
}
