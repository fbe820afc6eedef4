import { eventually } from '../../test/support/eventually.ts';
import { runProgram } from '../../test/support/processes/run.ts';
import { createSampleRepository } from '../../test/support/processes/sample-repository.ts';
import { percentile, round } from './statistics.ts';

export interface DemoStartRow {
  starts: number;
  medianMs: number;
  slowestMs: number;
}

const starts = 3;

/** Measures the time until `npm run demo` prints the address of the local Slack. */
export async function measureDemoStart(): Promise<DemoStartRow[]> {
  const repository = await createSampleRepository();
  const took: number[] = [];
  try {
    for (let start = 0; start < starts; start += 1) {
      const startMs = performance.now();
      const demo = runProgram('src/demo/main.ts', ['--repo', repository.path]);
      try {
        await eventually(() => {
          if (!/Open\s+http:/.test(demo.output())) throw new Error(`not ready: ${demo.output()}`);
        });
        took.push(performance.now() - startMs);
      } finally {
        await demo.stop();
      }
    }
  } finally {
    await repository.remove();
  }
  return [{ starts, medianMs: round(percentile(took, 0.5), 0), slowestMs: round(Math.max(...took), 0) }];
}
