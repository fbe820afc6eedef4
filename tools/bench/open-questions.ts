import { createHash } from 'node:crypto';
import { z } from 'zod';
import { newThread, type Question, type ThreadPlace } from '../../src/core/question/question.ts';
import { listedRunMs } from '../../src/core/settings.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { openStorage, type StorageLocation } from '../../src/storage/open-storage.ts';
import { serviceToken } from '../../test/support/fake-service/fake-service.ts';
import { appSettings, type FakeServers, firstJson, kill, runBench, type Store, startApp } from './children.ts';
import { readMetrics } from './metrics-page.ts';
import { silentLog } from './silent-log.ts';
import { round } from './statistics.ts';

/** Long enough ago that polling uses its longest interval, 10 s. */
const askedAgoMs = 150_000;
const seededAtOnce = 50;
const settleMs = 15_000;
/** How long an earlier process goes on for each question, so that it has noted what the lists show of it. */
const earlierMsPerQuestion = 6;
const measuredMs = 40_000;
/** Each of many questions runs once in this time. */
const latenessMeasuredMs = listedRunMs + 15_000;
const sampleEveryMs = 1_000;
const watchDeadlineMs = 300_000;
const channel = 'C0GENERAL';

export interface OpenQuestionsRow {
  store: string;
  questions: number;
  /** From the start of a process after an earlier one until a list or a read showed every question again. */
  bootToAllWatchedMs: number;
  bootToListeningMs: number;
  rssMeanMb: number;
  rssMaxMb: number;
  cpuPercent: number;
  /** Reads of single conversations, and lists of changes. */
  requestsPerSecond: number;
  eventLoopLagP99Ms: number;
  runs: number;
  latenessP50Ms: number;
  latenessP99Ms: number;
  latenessMaxMs: number;
}

const latenessSchema = z.object({ runs: z.number(), p50Ms: z.number(), p99Ms: z.number(), maxMs: z.number() });

/**
 * Measures a process with open questions: first the start, memory and processor time of the built app; then, in a separate
 * process with the core, storage, scheduler and client but without Slack, how late each run starts.
 */
export async function measureOpenQuestions(setup: {
  mainFile: string;
  fakeServers: FakeServers;
  store: Store;
  location: StorageLocation;
  questions: number;
}): Promise<OpenQuestionsRow> {
  const { mainFile, fakeServers, store, location } = setup;
  await seed(location, fakeServers, setup.questions);
  const settings = appSettings(fakeServers, store);

  // Questions that run were seen by an earlier process, which ends without a word.
  const earlier = await startApp(mainFile, settings);
  try {
    await untilAllWatched(fakeServers, setup.questions, performance.now());
    await pause(settleMs + setup.questions * earlierMsPerQuestion);
  } finally {
    await kill(earlier.run);
  }
  await forgetWatched(fakeServers);
  const bootMs = performance.now();
  const app = await startApp(mainFile, settings);
  const bootToListeningMs = performance.now() - bootMs;
  let bootToAllWatchedMs: number;
  let load: Awaited<ReturnType<typeof measureLoad>>;
  try {
    bootToAllWatchedMs = await untilAllWatched(fakeServers, setup.questions, bootMs);
    await pause(settleMs);
    load = await measureLoad(fakeServers, app.metricsUrl);
  } finally {
    await kill(app.run);
  }

  const watching = runBench('watching-process.ts', [JSON.stringify(location)], {
    ...settings,
    SETTLE_MS: String(settleMs),
    MEASURED_MS: String(latenessMeasuredMs),
  });
  const lateness = latenessSchema.parse(await firstJson(watching, 'lateness', settleMs + latenessMeasuredMs));
  await kill(watching);
  return {
    store: store.name,
    questions: setup.questions,
    bootToAllWatchedMs: round(bootToAllWatchedMs, 0),
    bootToListeningMs: round(bootToListeningMs, 0),
    ...load,
    runs: lateness.runs,
    latenessP50Ms: round(lateness.p50Ms),
    latenessP99Ms: round(lateness.p99Ms),
    latenessMaxMs: round(lateness.maxMs),
  };
}

/**
 * Stores running questions with their run slots, their cards in Slack and their conversations at the service. As many cards
 * as the app allows may say that the app works. The others say "Asked", as in a workspace with so many questions.
 */
export async function seed(
  location: StorageLocation,
  fakeServers: FakeServers,
  count: number,
  askedAgo = askedAgoMs,
): Promise<void> {
  const storage = await openStorage(location, { clock: Date.now, log: silentLog });
  const questionIds: string[] = [];
  try {
    for (let from = 0; from < count; from += seededAtOnce) {
      const numbers = Array.from({ length: Math.min(seededAtOnce, count - from) }, (_, index) => from + index);
      await Promise.all(
        numbers.map(async (n) => {
          const text = `Where does module ${n} decide how often a failed payment is tried again?`;
          const { conversationId, questionId } = await ask(fakeServers, text);
          const ts = await post(fakeServers, text);
          const place: ThreadPlace = { teamId: team.id, channelId: channel, threadTs: ts };
          const askedMs = Date.now() - askedAgo;
          const question = running(place, text, { ts, shown: '' }, { conversationId, questionId, askedMs });
          questionIds.push(question.id);
          await storage.threads.update(place, () => ({
            ...newThread(place, true),
            conversationId,
            queue: [question.id],
          }));
          await storage.questions.create(question);
          await storage.claims.claim(`upstream:${conversationId}:${questionId}`, question.id);
        }),
      );
    }
    const slots = questionIds.map((questionId) => ({ questionId, userId: people.ada }));
    await storage.runSlots.update(team.id, () => ({ version: 1, running: slots, waiting: [], parked: [] }));
  } finally {
    await storage.close();
  }
}

function running(
  place: ThreadPlace,
  text: string,
  { ts, shown }: { ts: string; shown: string },
  upstream: { conversationId: number; questionId: number; askedMs: number },
): Question {
  const { askedMs } = upstream;
  return {
    version: 1,
    id: `q${createHash('sha256').update(`${ts}${text}`).digest('hex').slice(0, 24)}`,
    place,
    askerId: people.ada,
    text,
    origin: 'mention',
    beginsThread: true,
    fresh: false,
    acceptedMs: askedMs,
    phase: 'running',
    card: { ts, shown, editedMs: askedMs },
    upstream: { ...upstream, steps: 3, lastStep: 'Searching for retries' },
    delivery: { round: 0, posted: [] },
  };
}

const createdSchema = z.object({ id: z.number(), questions: z.array(z.object({ id: z.number() })) });

async function ask(
  fakeServers: FakeServers,
  question: string,
): Promise<{ conversationId: number; questionId: number }> {
  const response = await fetch(`${fakeServers.serviceUrl}/.api/deepsearch/v1`, {
    method: 'POST',
    headers: {
      authorization: `token ${serviceToken}`,
      'x-requested-with': 'bench',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ question }),
  });
  const { id, questions } = createdSchema.parse(await response.json());
  return { conversationId: id, questionId: questions[0]?.id ?? 0 };
}

async function post(fakeServers: FakeServers, text: string): Promise<string> {
  const response = await fetch(`${fakeServers.slackUrl}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${team.botToken}` },
    body: new URLSearchParams({ channel, text, unfurl_links: 'false', unfurl_media: 'false' }),
  });
  return z.object({ ts: z.string() }).parse(await response.json()).ts;
}

const watchedSchema = z.object({ watched: z.number(), reads: z.number(), lists: z.number() });

/** What the service was asked since the last time that was forgotten. */
export async function watched(fakeServers: FakeServers): Promise<z.infer<typeof watchedSchema>> {
  return watchedSchema.parse(await (await fetch(fakeServers.deskUrl)).json());
}

export async function forgetWatched(fakeServers: FakeServers): Promise<void> {
  await (await fetch(fakeServers.deskUrl, { method: 'POST' })).text();
}

async function untilAllWatched(fakeServers: FakeServers, count: number, sinceMs: number): Promise<number> {
  for (;;) {
    const { watched: seen } = await watched(fakeServers);
    const tookMs = performance.now() - sinceMs;
    if (seen >= count) return tookMs;
    if (tookMs > watchDeadlineMs) throw new Error(`only ${seen} of ${count} questions are watched after ${tookMs} ms`);
    await pause(20);
  }
}

async function measureLoad(fakeServers: FakeServers, metricsUrl: string) {
  const before = await readMetrics(metricsUrl);
  const asked = await watched(fakeServers);
  const startMs = performance.now();
  const rss: number[] = [];
  const lags: number[] = [];
  while (performance.now() - startMs < measuredMs) {
    await pause(sampleEveryMs);
    const sample = await readMetrics(metricsUrl);
    rss.push((sample.process_resident_memory_bytes ?? Number.NaN) / 1024 ** 2);
    lags.push((sample.nodejs_eventloop_lag_p99_seconds ?? Number.NaN) * 1_000);
  }
  const seconds = (performance.now() - startMs) / 1_000;
  const after = await readMetrics(metricsUrl);
  const { reads, lists } = await watched(fakeServers);
  const cpuSeconds = (after.process_cpu_seconds_total ?? Number.NaN) - (before.process_cpu_seconds_total ?? Number.NaN);
  return {
    rssMeanMb: round(rss.reduce((sum, value) => sum + value, 0) / rss.length, 0),
    rssMaxMb: round(Math.max(...rss), 0),
    cpuPercent: round((cpuSeconds / seconds) * 100, 0),
    requestsPerSecond: round((reads + lists - asked.reads - asked.lists) / seconds),
    eventLoopLagP99Ms: round(Math.max(...lags)),
  };
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
