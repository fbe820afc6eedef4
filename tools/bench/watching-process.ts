import { createClient } from 'redis';
import { z } from 'zod';
import type { AllWorkspaces, Core } from '../../src/core/context.ts';
import { advance } from '../../src/core/lifecycle/advance.ts';
import { resume } from '../../src/core/lifecycle/sweep.ts';
import type { Messenger, Scheduler } from '../../src/core/ports.ts';
import type { UpstreamId } from '../../src/core/question/question.ts';
import { createRunSlots } from '../../src/core/run-slots.ts';
import { readEveryMs, watchTickMs } from '../../src/core/settings.ts';
import { createWatching } from '../../src/core/watching/watching.ts';
import { createBullScheduler } from '../../src/scheduler/bullmq.ts';
import { repeat } from '../../src/scheduler/repeat.ts';
import { createTimerScheduler } from '../../src/scheduler/timers.ts';
import { createDeepSearch } from '../../src/service/generation-1/deep-search.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { noopPorts } from '../../test/support/lifecycle/noop-ports.ts';
import { only } from '../../test/support/only.ts';
import { createDeepSearchClient } from '../../test/support/service/open-client.ts';
import { silentLog as log } from './silent-log.ts';
import { percentile } from './statistics.ts';

// A separate process: `watching-process.ts <location of the storage as JSON>`, with the settings of the app. Polls every
// stored open question as the app does and prints as lines of JSON how late its runs started. With ENDS, it also prints
// when it saw the end of each question, by the service's ids.

const location = z
  .union([z.object({ redisUrl: z.string() }), z.object({ dataDir: z.string() })])
  .parse(JSON.parse(process.argv[2] ?? ''));
const settings = z
  .object({
    SRC_ENDPOINT: z.string(),
    SRC_ACCESS_TOKEN: z.string(),
    SETTLE_MS: z.coerce.number(),
    MEASURED_MS: z.coerce.number(),
    ENDS: z.string().optional(),
  })
  .parse(process.env);

const now = Date.now;
const random = Math.random;
/** A messenger that does nothing: no question ends here, so only cards are updated. */
const messenger: Messenger = {
  postCard: async () => ({ ts: '1.1' }),
  findCard: async () => undefined,
  updateCard: async () => {},
  prepare: () => ({ parts: 1, postPart: async () => ({ ts: '1.1' }) }),
  findPart: async () => undefined,
  notifyPrivately: async () => {},
  attachAnswer: async () => {},
  findAttachment: async () => false,
  removeCopies: async () => 0,
};

const storage = await openStorage(location, { clock: now, log });
const client = createDeepSearchClient({
  baseUrl: settings.SRC_ENDPOINT,
  auth: { kind: 'token', token: settings.SRC_ACCESS_TOKEN },
  userAgentVersion: 'bench',
  clock: now,
  random,
});
/** BullMQ's score of a delayed job is its due time in ms times this, plus a counter. */
const scorePerMs = 4_096;
const lateMs: number[] = [];
const ended = new Map<UpstreamId, number>();
let isMeasuring = false;
const due = 'redisUrl' in location ? await plannedBefore(location.redisUrl) : new Map<string, number>();
const scheduler = recordLateness(
  'redisUrl' in location
    ? createBullScheduler({ redisUrl: location.redisUrl, log, random })
    : createTimerScheduler({ log, random }),
);
const deepSearch = createDeepSearch(client, settings.SRC_ENDPOINT);
const watching = createWatching({
  deepSearch: () => deepSearch,
  scheduler,
  now,
  random: random,
  log,
});
const w: Core = {
  ...noopPorts,
  observer: {
    ...noopPorts.observer,
    changed: ({ outcome, upstream: { questionId } }) => {
      if (outcome !== undefined && questionId !== undefined && !ended.has(questionId)) ended.set(questionId, now());
    },
  },
  questions: storage.questions,
  threads: storage.threads,
  claims: storage.claims,
  runSlots: createRunSlots(storage.runSlots, { perWorkspace: 100_000, perPerson: 100_000 }),
  deepSearch: () => deepSearch,
  watching,
  messenger,
  scheduler,
  log,
  now,
  random,
  settings: { patienceMs: 15 * 60_000, readEveryMs, cardEditMs: 3_000, threadLimit: 20, lateCallMs: 15_000 },
};
const startWatching = (): void => void repeat('watch_together', watchTickMs, watching.tick, log, 0);
await resume(only<AllWorkspaces>({ questions: storage.questions, scheduler, watching, random }), startWatching);
await scheduler.start((questionId) => advance(w, questionId));
await new Promise((resolve) => setTimeout(resolve, settings.SETTLE_MS));
isMeasuring = true;
process.stdout.write(`${JSON.stringify({ event: 'measuring' })}\n`);
await new Promise((resolve) => setTimeout(resolve, settings.MEASURED_MS));
isMeasuring = false;
if (settings.ENDS !== undefined) process.stdout.write(`${JSON.stringify({ event: 'ends', ended: [...ended] })}\n`);
process.stdout.write(
  `${JSON.stringify({
    event: 'lateness',
    runs: lateMs.length,
    p50Ms: percentile(lateMs, 0.5),
    p99Ms: percentile(lateMs, 0.99),
    maxMs: Math.max(...lateMs),
  })}\n`,
);

/** When the runs are due that an earlier process planned. */
async function plannedBefore(redisUrl: string): Promise<Map<string, number>> {
  const redis = createClient({ url: redisUrl });
  await redis.connect();
  const jobs = await redis.zRangeWithScores('ds:bull:runs:delayed', 0, -1);
  redis.destroy();
  return new Map(jobs.map(({ value, score }) => [value, Math.floor(score / scorePerMs)]));
}

/** Wraps a scheduler and records how late each run starts. */
function recordLateness(engine: Scheduler): Scheduler {
  return {
    ...engine,
    start: (take) =>
      engine.start(async (questionId) => {
        const dueMs = due.get(questionId);
        due.delete(questionId);
        if (dueMs !== undefined && isMeasuring) lateMs.push(Math.max(0, now() - dueMs));
        const delayMs = await take(questionId);
        if (delayMs !== undefined) due.set(questionId, Math.min(now() + delayMs, due.get(questionId) ?? Infinity));
        return delayMs;
      }),
    schedule: (questionId, delayMs) => {
      due.set(questionId, Math.min(now() + delayMs, due.get(questionId) ?? Infinity));
      return engine.schedule(questionId, delayMs);
    },
  };
}
