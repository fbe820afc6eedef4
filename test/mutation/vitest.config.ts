import { defineConfig } from 'vitest/config';

/** Which of these files run is said by the area, in areas.ts. */
export default defineConfig({
  test: {
    include: ['test/{unit,contract,transport}/**/*.test.ts'],
    setupFiles: ['test/mutation/same-samples.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    // Each mutant gets a thread of its own; its test files share that, which takes a third of the time.
    isolate: false,
  },
});
