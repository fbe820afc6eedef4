import { createBullScheduler } from '../../../src/scheduler/bullmq.ts';
import { createRecordingLog } from '../recording-log.ts';

// Run as a process of its own: `bullmq-looker.ts <redis url> <prefix> <look ms> <next look in ms>`. Says `ready`, then a line
// `begin|end <question id> <time>` for each look, the time in ns of the machine's one monotonic clock. Stops at SIGTERM.

const [redisUrl, prefix, runMs, nextMs] = process.argv.slice(2);
if (redisUrl === undefined || prefix === undefined) throw new Error('usage: bullmq-looker.ts <redis url> <prefix> …');

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
