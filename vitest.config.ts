import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { FileOrder } from './test/support/file-order.ts';

// As in the image: packages are loaded in the form that people run, not in a slower one for development.
process.env.NODE_ENV = 'production';

// Hundreds of tests have a store, which waits until the disk has each write. In memory it waits for nothing.
const memory = '/dev/shm';
if (existsSync(memory)) {
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize > 4_000_000_000) process.env.TMPDIR ??= memory;
}

/** The files whose properties are tried more often in the storm (test/support/runs.ts). */
const properties = ['test/unit', 'test/transport', 'test/contract', 'test/codesearch']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`))
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes('/support/runs.ts'));

// Far more than any test takes on an idle machine: tests say what holds, and `npm run bench` says how fast.
const shared = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  restoreMocks: true,
  setupFiles: ['test/support/property-seed.ts'],
};

export default defineConfig({
  test: {
    // Most tests wait for programs and timers rather than compute, so that five files at once suit two processors.
    maxWorkers: 5,
    sequence: { sequencer: FileOrder },
    globalSetup: [
      'test/support/run-folder.ts',
      'test/support/skipped-layers.ts',
      'test/support/processes/build-server.ts',
    ],
    projects: [
      {
        test: {
          ...shared,
          name: 'tests',
          include: ['test/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: ['test/storm/**'],
          // No module is mocked and none keeps state for a test: importing them once per worker saves a third of the work.
          isolate: false,
        },
      },
      // Storms and crash matrices mostly wait for Slack's limits: two files at once use about one and a half processors.
      {
        test: {
          ...shared,
          name: 'storm',
          include: ['test/storm/**/*.test.ts', ...properties],
          env: { MANY_RUNS: '1' },
          maxWorkers: 2,
        },
      },
    ],
  },
});
