import { createBullScheduler } from '../../../src/scheduler/bullmq.ts';
import { createRecordingLog } from '../recording-log.ts';

// A separate process: `bullmq-worker.ts <redis url> <prefix> <run ms> <next run in ms>`. Prints `ready`, then a line
// `begin|end <question id> <time>` for each run, with the machine's monotonic clock in ns. Stops at SIGTERM.

const [redisUrl, prefix, runMs, nextMs] = process.argv.slice(2);
if (redisUrl === undefined || prefix === undefined) throw new Error('usage: bullmq-worker.ts <redis url> <prefix> …');

const scheduler = createBullScheduler({
  redisUrl,
  prefix,
  log: createRecordingLog().log,
  random: Math.random,
  concurrency: 5,
});
const say = (what: string, id: string) => process.stdout.write(`${what} ${id} ${process.hrtime.bigint()}\n`);

await scheduler.start(async (id) => {
  say('begin', id);
  await new Promise((resolve) => setTimeout(resolve, Number(runMs)));
  say('end', id);
  return Number(nextMs);
});
process.once('SIGTERM', () => void scheduler.stop(5_000));
process.stdout.write('ready\n');
