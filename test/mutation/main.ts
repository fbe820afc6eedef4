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
    /** Number of parallel processes; the default is Stryker's choice. */
    concurrency: { type: 'string' },
    /** Patterns: mutates only these files of the area, and does not check the threshold. */
    file: { type: 'string', multiple: true },
    /** Runs every mutant again, also those with unchanged code and tests. */
    force: { type: 'boolean', default: false },
  },
});

const lines: string[] = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(areas)) {
  const area = areas[name];
  if (area === undefined) throw new Error(`There is no area ${name}; there are ${Object.keys(areas).join(', ')}`);
  const startMs = Date.now();
  const mutants = await run(name, area);
  lines.push(`${name}: ${summarize(mutants)}, ${Math.round((Date.now() - startMs) / 60_000)} min`);
}
process.stdout.write(`${lines.join('\n')}\n`);

function run(name: string, area: Area): Promise<Mutants> {
  return new Stryker({
    mutate: [...(values.file ?? area.mutate)],
    testFiles: [...area.testFiles],
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner', './test/mutation/ignored-code.mjs'],
    ignorers: ['log-wording'],
    // Mutants in code that runs at load time need a new process and all tests: hours, mostly for constants.
    ignoreStatic: true,
    // Stryker rewrites paths in tsconfig.json with functions that TypeScript 7 no longer has; this project has no paths.
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
    // Checked below, without the accepted survivors.
    thresholds: { high: 95, low: threshold, break: null },
  }).runMutationTest();
}

/** Summarizes how many mutants the tests caught; makes the run fail when there are too few. */
function summarize(mutants: Mutants): string {
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
