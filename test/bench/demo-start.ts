import { localSlackProgram } from '../support/local-slack/local-slack.ts';
import { runProgram } from '../support/processes/processes.ts';
import { createSampleRepository } from '../support/processes/sample-repository.ts';
import { percentile } from './statistics.ts';

export interface DemoStartRow {
  starts: number;
  medianMs: number;
  slowestMs: number;
}

const starts = 5;

/** How long `npm run demo` takes from its start until a question can be asked, over a small repository. */
export async function measureDemoStart(): Promise<DemoStartRow[]> {
  if (localSlackProgram() === undefined) return [];
  const sample = await createSampleRepository();
  try {
    const timesMs: number[] = [];
    for (let start = 0; start < starts; start += 1) timesMs.push(await startOnceMs(sample.path));
    return [{ starts, medianMs: percentile(timesMs, 0.5), slowestMs: Math.max(...timesMs) }];
  } finally {
    await sample.remove();
  }
}

async function startOnceMs(repository: string): Promise<number> {
  const startedMs = performance.now();
  const demo = runProgram('src/demo/main.ts', ['--repo', repository]);
  try {
    await new Promise<void>((resolve, reject) => {
      demo.child.stdout?.on('data', () => {
        if (demo.output().includes('Ctrl-C')) resolve();
      });
      void demo.ended.then(() => reject(new Error(`the demo ended: ${demo.output()}`)));
    });
    return Math.round(performance.now() - startedMs);
  } finally {
    await demo.stop();
  }
}
