/** If a timer fires this late, the machine is busy and the fake servers would reply late too. */
const busyMs = 50;

/**
 * Runs tasks in order, at most `atOnce` at a time, and starts one only while this process is responsive. The fake servers
 * run in the same process: under too much load, real timeouts would fire.
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
