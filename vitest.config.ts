import { defineConfig } from 'vitest/config';

// Far more than any test takes on an idle machine: tests say what holds, and `npm run bench` says how fast.
/** Their properties are tried more often in the storm (test/support/runs.ts). */
const properties = [
  'test/unit/core/{life-properties,lifecycle}.test.ts',
  'test/unit/render/{outcome-properties,markdown}.test.ts',
  'test/unit/slack/incoming-text.test.ts',
];

const shared = { testTimeout: 90_000, hookTimeout: 90_000, restoreMocks: true };

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: 'test/support/skipped-layers.ts',
    projects: [
      { test: { ...shared, name: 'tests', include: ['test/**/*.test.ts'], exclude: ['test/storm/**'] } },
      // Storms and crash matrices load the machine for minutes: one file at a time, so that none disturbs another.
      {
        test: {
          ...shared,
          name: 'storm',
          include: ['test/storm/**/*.test.ts', ...properties],
          env: { MANY_RUNS: '1' },
          fileParallelism: false,
        },
      },
    ],
  },
});
