import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Most mutants are caught by an example, which takes milliseconds; the properties of thousands of samples come last. */
class PropertiesLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = new Map(
      files.map((file) => [file, readFileSync(file.moduleId, 'utf8').includes("from 'fast-check'")]),
    );
    return files.toSorted((a, b) => Number(order.get(a)) - Number(order.get(b)));
  }
}

/** Which of these files run is said by the area, in areas.ts. */
export default defineConfig({
  test: {
    include: ['test/{unit,contract,transport}/**/*.test.ts'],
    setupFiles: ['test/mutation/setup.ts'],
    sequence: { sequencer: PropertiesLast },
    // Far more than any of these tests takes, and less than Stryker waits: it would start its process again for a mutant
    // that makes a test wait in vain.
    testTimeout: 5_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    // Each mutant gets a thread of its own; its test files share that, which takes a third of the time.
    isolate: false,
  },
});
