/** A machine on which a timer fires this late is busy: the stand-ins would answer late too. */
const busyMs = 50;

/**
 * Runs tasks in order, at most `atOnce` of them at a time, and begins one only while this process answers in time: so
 * that stand-ins in the same process are never so loaded by their own test that real time-outs fire.
 */
export async function runResponsively<Result>(
  tasks: (() => Promise<Result>)[],
  { atOnce }: { atOnce: number },
): Promise<Result[]> {
  const results: Result[] = [];
  const running = new Set<Promise<void>>();
  for (const [index, task] of tasks.entries()) {
    while (running.size >= atOnce) await Promise.race(running);
    while (running.size > 0 && (await timerDelayMs()) > busyMs) await Promise.race([...running, timerDelayMs()]);
    const run = task().then((result) => {
      results[index] = result;
      running.delete(run);
    });
    running.add(run);
  }
  await Promise.all(running);
  return results;
}

async function timerDelayMs(): Promise<number> {
  const startMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 5));
  return performance.now() - startMs - 5;
}
