import { z } from 'zod';
import { signed } from '../../test/support/storm/slack-deliveries.ts';
import { appSettings, type FakeServers, kill, type Store, startApp } from './children.ts';
import { eventOf, type Mention, sayMentions } from './mentions.ts';
import { round } from './statistics.ts';

const sampleEveryMs = 100;
/** Longer than the cards of 200 questions need. */
const deadlineMs = 600_000;

export interface CrowdRow {
  store: string;
  mentions: number;
  channels: number;
  /** From the first delivery until the service got the last question. */
  lastAskedSeconds: number;
  /** Cards that were posted by then. */
  cardsByThen: number;
  /** From the moment in which the service has all answers until the last one is posted. */
  lastAnswerSeconds: number;
  /** The longest time that a card says that the app works, after its answer. */
  longestWorkingSeconds: number;
  cards: number;
}

const crowdSchema = z.object({
  asked: z.number(),
  threads: z.array(z.object({ hasCard: z.boolean(), isWorking: z.boolean(), isAnswered: z.boolean() })),
});

/** Measures mentions that come at once, and whose answers come at once after `answeredAfterMs`. */
export async function measureCrowd(setup: {
  mainFile: string;
  fakeServers: FakeServers;
  store: Store;
  mentions: number;
  channels: number;
  answeredAfterMs: number;
}): Promise<CrowdRow> {
  const { mainFile, fakeServers, store, mentions, channels, answeredAfterMs } = setup;
  const app = await startApp(mainFile, appSettings(fakeServers, store));
  const roots = await sayMentions(fakeServers, mentions, channels);
  const startMs = performance.now();
  await Promise.all(roots.map((root) => mention(app.url, root)));
  const all = await until(fakeServers, ({ asked }) => asked === mentions);
  const lastAskedMs = performance.now() - startMs;
  await pause(Math.max(0, startMs + answeredAfterMs - performance.now()));

  await (await fetch(`${fakeServers.deskUrl}/answer-all`, { method: 'POST' })).text();
  const endMs = performance.now();
  const answeredMs = new Map<number, number>();
  let lastAnswerMs = 0;
  let longestWorkingMs = 0;
  const done = await until(fakeServers, ({ threads }) => {
    const nowMs = performance.now();
    for (const [thread, { isAnswered, isWorking }] of threads.entries()) {
      if (isAnswered && !answeredMs.has(thread)) {
        answeredMs.set(thread, nowMs);
        lastAnswerMs = nowMs - endMs;
      }
      if (isWorking) longestWorkingMs = Math.max(longestWorkingMs, nowMs - (answeredMs.get(thread) ?? nowMs));
    }
    return threads.every(({ isAnswered, isWorking }) => isAnswered && !isWorking);
  });
  await kill(app.run);
  return {
    store: store.name,
    mentions,
    channels,
    lastAskedSeconds: round(lastAskedMs / 1_000),
    cardsByThen: all.threads.filter(({ hasCard }) => hasCard).length,
    lastAnswerSeconds: round(lastAnswerMs / 1_000),
    longestWorkingSeconds: round(longestWorkingMs / 1_000),
    cards: done.threads.filter(({ hasCard }) => hasCard).length,
  };
}

type Crowd = z.infer<typeof crowdSchema>;

async function until(fakeServers: FakeServers, isReached: (crowd: Crowd) => boolean): Promise<Crowd> {
  const untilMs = performance.now() + deadlineMs;
  for (;;) {
    const crowd = crowdSchema.parse(await (await fetch(`${fakeServers.deskUrl}/crowd`)).json());
    if (isReached(crowd)) return crowd;
    if (performance.now() > untilMs) throw new Error(`a crowd does not come to its end: ${JSON.stringify(crowd)}`);
    await pause(sampleEveryMs);
  }
}

async function mention(url: string, root: Mention): Promise<void> {
  const { body, headers } = signed(JSON.stringify(eventOf(root)), 'application/json');
  const response = await fetch(`${url}/slack/events`, { method: 'POST', body, headers });
  await response.text();
  if (!response.ok) throw new Error(`a mention was refused with ${response.status}`);
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
