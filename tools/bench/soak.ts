import { z } from 'zod';
import { people } from '../../src/local-slack/people.ts';
import { mentionOf } from '../../test/support/local-slack/payloads.ts';
import { signed } from '../../test/support/storm/slack-deliveries.ts';
import { appSettings, type FakeServers, kill, type Measured, type Store, startApp } from './children.ts';
import { readMetrics } from './metrics-page.ts';
import { percentile, round, type Trend, trendOf } from './statistics.ts';

const perSecond = 1;
const channels = 20;
const sampleEveryMs = 5_000;
/** How long a process grows because it is new: the first tenth of the time, at most ten minutes. */
const longestWarmUpMs = 10 * 60_000;
/** In a shorter try, answers take a part of their usual time. */
const fewestMinutes = 10;
/** After the last question: the longest answer takes five minutes, and cards close later. */
const drainDeadlineMs = 12 * 60_000;
/** What may still be open when only cards have to close, which Slack's limits delay. */
const closingDeadlineMs = 10 * 60_000;

export interface SoakRow {
  copies: number;
  minutes: number;
  questions: number;
  /** Questions without an answer, asked more than once, and answered more than once or on two cards. All must be 0. */
  lost: number;
  askedTwice: number;
  shownTwice: number;
  /** Deliveries that were not acknowledged. */
  refused: number;
  ackP50Ms: number;
  ackP99Ms: number;
  /** From the delivery to the card, of questions that got one. */
  cards: number;
  cardP50Ms: number;
  cardP99Ms: number;
  /** From the service's answer to the message in Slack. */
  latenessP50Ms: number;
  latenessP99Ms: number;
  /** Cards that said that the app works, some minutes after all answers were there. */
  cardsLeftWorking: number;
  /** When the samples of the memory begin. */
  warmUpMinutes: number;
  /** For each copy, from the end of the warm-up on: memory (RSS). {@link Trend} says what each number is. */
  rssStartMb: number[];
  rssEndMb: number[];
  rssMaxMb: number[];
  rssSlopeMbPerHour: number[];
  rssLateSlopeMbPerHour: number[];
  /** The same of the JavaScript heap. */
  heapStartMb: number[];
  heapEndMb: number[];
  heapSlopeMbPerHour: number[];
  heapLateSlopeMbPerHour: number[];
  cpuPercent: number[];
}

interface Sample {
  atMs: number;
  rssMb: number;
  heapMb: number;
  cpuSeconds: number;
}

const rootSchema = z.object({ channel: z.string(), ts: z.string(), text: z.string() });
const soakedSchema = z.array(
  z.object({
    text: z.string(),
    asked: z.number(),
    cards: z.number(),
    answers: z.number(),
    cardMs: z.number().optional(),
    completedMs: z.number().optional(),
    answerMs: z.number().optional(),
    isWorking: z.boolean(),
  }),
);
type Soaked = z.infer<typeof soakedSchema>;

/**
 * Asks a question each second for some minutes, delivered to two copies of the built app in turn, whose answers take as long
 * as real ones. Samples the memory of each copy, waits for the last answers, and counts what was lost or done twice.
 */
export async function measureSoak(setup: {
  mainFile: string;
  fakeServers: FakeServers;
  store: Store;
  minutes: number;
}): Promise<SoakRow> {
  const { mainFile, fakeServers, store, minutes } = setup;
  const copies: (Measured & { metricsUrl: string })[] = [];
  try {
    for (let copy = 0; copy < 2; copy += 1) copies.push(await startApp(mainFile, appSettings(fakeServers, store)));
    const answers = JSON.stringify({ share: Math.min(1, minutes / fewestMinutes) });
    await (await fetch(`${fakeServers.deskUrl}/answers`, { method: 'POST', body: answers })).text();
    const questions = Math.round(minutes * 60 * perSecond);
    const samples = copies.map((): Sample[] => []);
    const acknowledged: number[] = [];
    const deliveredMs = new Map<string, number>();
    let refused = 0;
    const startMs = performance.now();
    let nextSampleMs = startMs;
    const deliveries: Promise<void>[] = [];
    for (let n = 0; n < questions; n += 1) {
      await pause(startMs + (n * 1_000) / perSecond - performance.now());
      deliveries.push(deliver(n));
      if (performance.now() < nextSampleMs) continue;
      nextSampleMs += sampleEveryMs;
      await takeSamples();
    }
    await Promise.all(deliveries);
    await takeSamples();
    await untilAll(fakeServers, drainDeadlineMs, ({ answers }) => answers > 0);
    const soaked = await untilAll(fakeServers, closingDeadlineMs, ({ isWorking }) => !isWorking);
    return { copies: copies.length, minutes, questions, ...counts(soaked), refused, ...times(soaked), ...memory() };

    async function deliver(n: number): Promise<void> {
      const body = JSON.stringify({ n, channels });
      const reply = await fetch(`${fakeServers.deskUrl}/soak-ask`, { method: 'POST', body });
      const { channel, ts, text } = rootSchema.parse(await reply.json());
      const event = signed(JSON.stringify(mentionOf({ user: people.ada, channel, text, ts })), 'application/json');
      deliveredMs.set(text, Date.now());
      const sentMs = performance.now();
      const url = copies[n % copies.length]?.url ?? '';
      const request = { method: 'POST', ...event, signal: AbortSignal.timeout(10_000) };
      const response = await fetch(`${url}/slack/events`, request).catch(() => undefined);
      await response?.text();
      acknowledged.push(performance.now() - sentMs);
      if (response?.ok !== true) refused += 1;
    }

    async function takeSamples(): Promise<void> {
      const atMs = performance.now() - startMs;
      const pages = await Promise.all(copies.map(({ metricsUrl }) => readMetrics(metricsUrl)));
      for (const [copy, page] of pages.entries()) {
        samples[copy]?.push({
          atMs,
          rssMb: (page.process_resident_memory_bytes ?? Number.NaN) / 1024 ** 2,
          heapMb: (page.nodejs_heap_size_used_bytes ?? Number.NaN) / 1024 ** 2,
          cpuSeconds: page.process_cpu_seconds_total ?? Number.NaN,
        });
      }
    }

    function times(all: Soaked) {
      const toCard = all.flatMap(({ text, cardMs }) => (cardMs === undefined ? [] : [cardMs - at(text)]));
      const lateness = all.flatMap(({ completedMs, answerMs }) =>
        completedMs === undefined || answerMs === undefined ? [] : [answerMs - completedMs],
      );
      return {
        ackP50Ms: round(percentile(acknowledged, 0.5)),
        ackP99Ms: round(percentile(acknowledged, 0.99)),
        cards: toCard.length,
        cardP50Ms: round(percentile(toCard, 0.5), 0),
        cardP99Ms: round(percentile(toCard, 0.99), 0),
        latenessP50Ms: round(percentile(lateness, 0.5), 0),
        latenessP99Ms: round(percentile(lateness, 0.99), 0),
      };
    }

    function at(text: string): number {
      return deliveredMs.get(text) ?? Number.NaN;
    }

    function memory() {
      const warmUpMs = Math.min(longestWarmUpMs, (minutes * 60_000) / 10);
      const warm = samples.map((list) => list.filter(({ atMs }) => atMs >= warmUpMs));
      const rss = warm.map((list) => trendOf(list.map(({ atMs, rssMb }) => [atMs, rssMb])));
      const heap = warm.map((list) => trendOf(list.map(({ atMs, heapMb }) => [atMs, heapMb])));
      const each = (trends: Trend[], name: keyof Trend): number[] => trends.map((trend) => round(trend[name]));
      return {
        warmUpMinutes: round(warmUpMs / 60_000),
        rssStartMb: each(rss, 'start'),
        rssEndMb: each(rss, 'end'),
        rssMaxMb: each(rss, 'most'),
        rssSlopeMbPerHour: each(rss, 'slopePerHour'),
        rssLateSlopeMbPerHour: each(rss, 'lateSlopePerHour'),
        heapStartMb: each(heap, 'start'),
        heapEndMb: each(heap, 'end'),
        heapSlopeMbPerHour: each(heap, 'slopePerHour'),
        heapLateSlopeMbPerHour: each(heap, 'lateSlopePerHour'),
        cpuPercent: warm.map((list) => round(cpuPercentOf(list))),
      };
    }
  } finally {
    for (const { run } of copies) await kill(run);
  }
}

function counts(all: Soaked) {
  return {
    lost: all.filter(({ answers }) => answers === 0).length,
    askedTwice: all.filter(({ asked }) => asked > 1).length,
    shownTwice: all.filter(({ answers, cards }) => answers > 1 || cards > 1).length,
    cardsLeftWorking: all.filter(({ isWorking }) => isWorking).length,
  };
}

function cpuPercentOf(list: Sample[]): number {
  const [first, last] = [list[0], list.at(-1)];
  if (first === undefined || last === undefined) return Number.NaN;
  return ((last.cpuSeconds - first.cpuSeconds) / ((last.atMs - first.atMs) / 1_000)) * 100;
}

/** Waits until every question is so, at most until the deadline. */
async function untilAll(
  fakeServers: FakeServers,
  deadlineMs: number,
  isSo: (question: Soaked[number]) => boolean,
): Promise<Soaked> {
  const untilMs = performance.now() + deadlineMs;
  for (;;) {
    const soaked = soakedSchema.parse(await (await fetch(`${fakeServers.deskUrl}/soak`)).json());
    if (soaked.every(isSo) || performance.now() > untilMs) return soaked;
    await pause(2_000);
  }
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, delayMs)));
}
