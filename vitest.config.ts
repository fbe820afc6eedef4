import { defineConfig } from 'vitest/config';

const shared = { testTimeout: 20_000, hookTimeout: 30_000, restoreMocks: true };

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { ...shared, name: 'tests', include: ['test/**/*.test.ts'], exclude: ['test/storm/**'] } },
      // Storms and crash matrices load the machine for minutes: one file at a time, so that none disturbs another.
      { test: { ...shared, name: 'storm', include: ['test/storm/**/*.test.ts'], fileParallelism: false } },
    ],
  },
});
