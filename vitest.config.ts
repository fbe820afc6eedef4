import { defineConfig } from 'vitest/config';

/** Their properties are tried more often in the storm (test/support/runs.ts). */
const properties = [
  'test/unit/core/{life-properties,lifecycle}.test.ts',
  'test/unit/render/{outcome-properties,markdown}.test.ts',
  'test/unit/slack/incoming-text.test.ts',
];

// Far more than any test takes on an idle machine: tests say what holds, and `npm run bench` says how fast.
const shared = { testTimeout: 180_000, hookTimeout: 180_000, restoreMocks: true };

export default defineConfig({
  test: {
    // Most tests wait for programs and timers rather than compute, so that four files at once suit two processors.
    maxWorkers: 4,
    globalSetup: ['test/support/skipped-layers.ts', 'test/support/processes/build-server.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'tests',
          include: ['test/**/*.test.ts'],
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
