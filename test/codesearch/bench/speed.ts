import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { percentile, round } from '../../../tools/bench/statistics.ts';
import { eventually } from '../../support/eventually.ts';
import { buildPrograms } from '../../support/processes/built-programs.ts';
import { type Run, runProgram } from '../../support/processes/run.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createLargeRepository } from '../support/large-repository.ts';
import { createCaller, TOKEN } from '../support/service.ts';

// `npm run bench:codesearch [-- --files <n>] [--out <file>]`: measures the embedded code search service on a large repository:
// start, search, answers and changes, beside `git grep` on the same repository. 30,000 files take some ten minutes.

const { values } = parseArgs({ options: { files: { type: 'string', default: '30000' }, out: { type: 'string' } } });
const files = Number(values.files);
const longMs = 1_800_000;
const searches = 40;
/** Files that one commit changes. */
const changedFiles = 100;

const literals = [
  'refund',
  'loadInvoices',
  'throttle',
  'isExpired',
  'PendingOrder',
  'zeppelin',
  'archive_stale_invoice',
  'Errorf',
];
const expressions = [
  'load[A-Z]\\w+s\\(',
  'approve\\w*Parcel\\d+',
  '(retry|unlock)Hidden',
  'return len\\(\\w+\\), nil',
  'zep+elin',
];
const questions = [
  'Where are stale invoices archived?',
  'How does the refund retry work?',
  'Which function throttles parcels?',
  'What is this repository about?',
  'When did the report change?',
  'Where is an expired sensor skipped?',
  'Who approves pending orders?',
  'How are vehicles encoded?',
];

const ready = z.object({ url: z.string(), files: z.number(), unread: z.number() });
const health = z.object({ unread: z.number() });

interface Started {
  run: Run;
  url: string;
  startMs: number;
  readyMs: number;
}

const programs = await buildPrograms();
const data = await createTempDir();
const repository = createLargeRepository(files);
const rows: Record<string, string | number>[] = [];
const started: Run[] = [];
try {
  const cold = await start();
  const firstSearchMs = await timeOf(() => search(cold.url, 'refund', 'literal'), cold.startMs);
  const earlyAnswerMs = await timeOf(() => answer(cold.url, 'Where are stale invoices archived?'));
  const readMs = await untilRead(cold);
  add('start: listens', cold.readyMs);
  add('start: first text search done', firstSearchMs, 5_000);
  add('start: a first question takes', earlyAnswerMs);
  add('start: all files read', readMs, 60_000);
  add('memory of the process at most, MB', peakMemoryMb(cold.run), 1_000);
  await measureSearches(cold.url);
  await measureAnswers(cold.url);
  await measureChange(cold);
  add('memory of the process at most after all this, MB', peakMemoryMb(cold.run));
  await cold.run.stop();
} finally {
  for (const run of started) await run.stop();
  repository.remove();
  await data.remove();
  await programs.remove();
}
const machine = { node: process.version, processors: cpus().length, load: loadavg() };
process.stdout.write(
  `\n${files} files, ${JSON.stringify(machine)}\n\n| what | measured | target |\n| --- | --- | --- |\n`,
);
for (const { what, measured, target } of rows) process.stdout.write(`| ${what} | ${measured} | ${target} |\n`);
if (values.out !== undefined)
  await writeFile(values.out, `${JSON.stringify({ files, machine, rows }, undefined, 2)}\n`);

/** Times in milliseconds where the row does not say otherwise. */
function add(what: string, measured: number, target?: number): void {
  rows.push({ what, measured: round(measured, 0), target: target ?? '' });
  process.stderr.write(`${what}: ${round(measured, 0)}\n`);
}

async function start(): Promise<Started> {
  const startMs = performance.now();
  const run = runProgram(join(programs.dist, 'codesearch/main.js'), [
    ...['--repo', repository.path, '--data-dir', data.path, '--token', `bench:${TOKEN}`, '--port', '0'],
  ]);
  started.push(run);
  const { url } = await eventually(
    () => {
      const line = run
        .output()
        .split('\n')
        .find((text) => text.startsWith('{"event":"ready"'));
      if (line === undefined) throw new Error(`not ready: ${run.output()}`);
      return ready.parse(JSON.parse(line));
    },
    { timeoutMs: longMs },
  );
  return { run, url, startMs, readyMs: performance.now() - startMs };
}

/** Milliseconds since the start. */
async function untilRead({ url, startMs, run }: Started): Promise<number> {
  await eventually(
    async () => {
      const { unread } = health.parse(await (await fetch(`${url}/healthz`)).json());
      if (unread > 0) throw new Error(`${unread} files are not read: ${run.output()}`);
    },
    { timeoutMs: longMs },
  );
  return performance.now() - startMs;
}

async function measureSearches(url: string): Promise<void> {
  for (const [kind, target, patterns] of [
    ['literal', 100, literals],
    ['regexp', 500, expressions],
  ] as const) {
    const own: number[] = [];
    const git: number[] = [];
    for (let round = 0; round < searches; round += 1) {
      const pattern = patterns[round % patterns.length] ?? '';
      own.push(await timeOf(() => search(url, pattern, kind)));
      git.push(await timeOf(() => grep(pattern, kind)));
    }
    add(`${kind} search, p50`, percentile(own, 0.5));
    add(`${kind} search, p95`, percentile(own, 0.95), target);
    add(`${kind} search by git grep, p95`, percentile(git, 0.95));
  }
}

async function measureAnswers(url: string): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (const question of questions) times.push(await timeOf(() => answer(url, question)));
  }
  add('an answer, p50', percentile(times, 0.5));
  add('an answer, p95', percentile(times, 0.95), 2_000);
}

async function measureChange({ url }: Started): Promise<void> {
  for (let at = 0; at < changedFiles; at += 1) {
    repository.write(`changed/${at}.ts`, `export function revise${at}Zeppelin(): number {\n  return ${at};\n}\n`);
  }
  repository.commit('Change a hundred files');
  add(
    `an answer after a commit with ${changedFiles} files`,
    await timeOf(() => answer(url, 'Where is revise42Zeppelin?')),
  );
}

async function search(url: string, pattern: string, kind: 'literal' | 'regexp'): Promise<void> {
  const parameters = new URLSearchParams({ q: `${pattern} count:50`, v: 'V3', t: kind, display: '50' });
  const response = await createCaller(url).call('GET', `/.api/search/stream?${parameters}`);
  const text = await response.text();
  if (!response.ok || !text.includes('event: done')) throw new Error(`a search failed: ${text.slice(0, 500)}`);
}

async function grep(pattern: string, kind: 'literal' | 'regexp'): Promise<void> {
  const parameters = ['grep', '-n', '-i', kind === 'literal' ? '-F' : '-P', '-e', pattern, 'HEAD'];
  try {
    await promisify(execFile)('git', ['-C', repository.path, ...parameters], { maxBuffer: 1_000_000_000 });
  } catch (error) {
    // Without a match, git ends with 1.
    if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error;
  }
}

async function answer(url: string, question: string): Promise<void> {
  const caller = createCaller(url);
  const { id } = await caller.create(question);
  await eventually(
    async () => {
      const [asked] = (await caller.get(id)).questions;
      if (asked?.status !== 'completed') throw new Error('not answered yet');
    },
    { timeoutMs: longMs },
  );
}

async function timeOf(work: () => Promise<void>, sinceMs = performance.now()): Promise<number> {
  await work();
  return performance.now() - sinceMs;
}

/** Reads what Linux notes; NaN elsewhere. */
function peakMemoryMb({ child }: Run): number {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
