import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Runs property tests last: example tests take milliseconds and catch most mutants. */
class PropertiesLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = new Map(
      files.map((file) => [file, readFileSync(file.moduleId, 'utf8').includes("from 'fast-check'")]),
    );
    return files.toSorted((a, b) => Number(order.get(a)) - Number(order.get(b)));
  }
}

/** The area in areas.ts selects which of these files run. */
export default defineConfig({
  test: {
    include: ['test/{unit,contract,transport}/**/*.test.ts'],
    setupFiles: ['tools/mutation/setup.ts'],
    sequence: { sequencer: PropertiesLast },
    // Much longer than these tests take, but shorter than Stryker's time limit: Stryker would restart its process for a
    // mutant that makes a test wait forever.
    testTimeout: 5_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    // The test files of one mutant share a thread, which takes a third of the time.
    isolate: false,
  },
});
