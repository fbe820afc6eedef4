import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { areas, threshold } from './areas.ts';

type Mutants = Awaited<ReturnType<Stryker['runMutationTest']>>;

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

function run(name: string, area: (typeof areas)[string]): Promise<Mutants> {
  return new Stryker({
    mutate: [...(values.file ?? area.mutate)],
    testFiles: [...area.testFiles],
    testRunner: 'vitest',
    vitest: { configFile: 'tools/mutation/vitest.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner', './tools/mutation/ignored-code.mjs'],
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
    // Checked below.
    thresholds: { high: 95, low: threshold, break: null },
  }).runMutationTest();
}

/** Summarizes how many mutants the tests caught; makes the run fail when there are too few. */
function summarize(mutants: Mutants): string {
  const caught = mutants.filter(({ status }) => detected.has(status)).length;
  const missed = mutants.filter(({ status }) => undetected.has(status)).length;
  const score = (100 * caught) / Math.max(1, caught + missed);
  if (values.file === undefined && score < threshold) process.exitCode = 1;
  return `${score.toFixed(1)} %, ${caught} caught, ${missed} missed`;
}
