import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import type { AcceptedSurvivors } from './accepted-reasons.ts';
import { acceptedSurvivors } from './accepted-survivors.ts';
import { type Area, areas, threshold } from './areas.ts';

type Mutants = Awaited<ReturnType<Stryker['runMutationTest']>>;
type Mutant = Mutants[number];

const folder = '.stryker';
const undetected = new Set(['Survived', 'NoCoverage']);
const detected = new Set(['Killed', 'Timeout']);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Processes at once; without it as many as Stryker thinks right for the machine. */
    concurrency: { type: 'string' },
    /** Only these files of the area, each as a pattern; nothing is held to the threshold then. */
    file: { type: 'string', multiple: true },
    /** Runs every mutant again, also those whose code and tests are as they were. */
    force: { type: 'boolean', default: false },
  },
});

const lines: string[] = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(areas)) {
  const area = areas[name];
  if (area === undefined) throw new Error(`There is no area ${name}; there are ${Object.keys(areas).join(', ')}`);
  const startMs = Date.now();
  const mutants = await run(name, area);
  lines.push(`${name}: ${judge(mutants)}, ${Math.round((Date.now() - startMs) / 60_000)} min`);
}
process.stdout.write(`${lines.join('\n')}\n`);

function run(name: string, area: Area): Promise<Mutants> {
  return new Stryker({
    mutate: [...(values.file ?? area.mutate)],
    testFiles: [...area.testFiles],
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner', './test/mutation/ignored-code.mjs'],
    ignorers: ['words-of-the-log'],
    // A mutant that only runs while its file is loaded needs a new process and all tests: hours, for constants mostly.
    ignoreStatic: true,
    // Stryker would rewrite paths of tsconfig.json by functions that TypeScript 7 no longer has; there are none to rewrite.
    tsconfigFile: 'none',
    coverageAnalysis: 'perTest',
    incremental: true,
    incrementalFile: `${folder}/${name}.json`,
    force: values.force,
    tempDirName: `${folder}/${name}-sandbox`,
    ignorePatterns: [folder, 'docs/images', 'dist', 'data', 'coverage'],
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { reportTests: false, allowColor: false, skipFull: true },
    timeoutMS: 10_000,
    timeoutFactor: 2,
    ...(values.concurrency !== undefined && { concurrency: Number(values.concurrency) }),
    // Judged below, where the accepted survivors are known.
    thresholds: { high: 95, low: threshold, break: null },
  }).runMutationTest();
}

/** Says how many mutants the tests caught, and fails the run where they are too few. */
function judge(mutants: Mutants): string {
  const caught = mutants.filter(({ status }) => detected.has(status)).length;
  const survivors = mutants.filter(({ status }) => undetected.has(status));
  const accepted = survivors.map(accepts).filter((each) => each !== undefined);
  const missed = survivors.length - accepted.length;
  const score = (100 * caught) / Math.max(1, caught + missed);
  if (values.file === undefined) {
    if (score < threshold) process.exitCode = 1;
    const files = new Set(mutants.map(({ fileName }) => relative('', fileName)));
    for (const known of acceptedSurvivors) {
      if (files.has(known.file) && !accepted.includes(known)) lines.push(`No longer survives: ${known.line}`);
    }
  }
  return `${score.toFixed(1)} %, ${caught} caught, ${missed} missed, ${accepted.length} accepted`;
}

/** The entry that accepts a survivor, if there is one. */
function accepts({ fileName, replacement, location: { start, end } }: Mutant): AcceptedSurvivors | undefined {
  // Lines and columns are counted from 1.
  const code = readFileSync(fileName, 'utf8').split('\n');
  const file = relative('', fileName);
  const line = code[start.line - 1] ?? '';
  const mutated = line.slice(0, start.column - 1) + replacement + (code[end.line - 1] ?? '').slice(end.column - 1);
  return acceptedSurvivors.find(
    (known) => known.file === file && known.line === line.trim() && known.becomes.includes(mutated.trim()),
  );
}
