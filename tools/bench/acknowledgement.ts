import { people } from '../../src/local-slack/people.ts';
import { messageOf } from '../../test/support/local-slack/payloads.ts';
import { signed } from '../../test/support/storm/slack-deliveries.ts';
import type { FakeServers } from './children.ts';
import { eventOf, sayMentions } from './mentions.ts';
import { mean, percentile, round } from './statistics.ts';

const perSecond = 50;
const warmUpSeconds = 3;
const measuredSeconds = 20;
const channels = 10;

/** The events sent: only questions, far more than Slack lets an app answer, or one question for every nine other messages. */
export type Traffic = 'questions only' | 'one question in ten';

export interface AcknowledgementRow {
  target: string;
  traffic: Traffic;
  deliveriesPerSecond: number;
  deliveries: number;
  refused: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  meanMs: number;
}

/** Delivers signed events of different messages at a steady rate and measures the time to each acknowledgement. */
export async function measureAcknowledgement(
  { target, url, fakeServers }: { target: string; url: string; fakeServers: FakeServers },
  traffic: Traffic,
): Promise<AcknowledgementRow> {
  const times: number[] = [];
  let refused = 0;
  const total = perSecond * (warmUpSeconds + measuredSeconds);
  const mentions = await sayMentions(fakeServers, total, channels);
  const startMs = performance.now();
  const deliveries: Promise<void>[] = [];
  for (let index = 0; index < total; index += 1) {
    const dueMs = startMs + (index * 1_000) / perSecond;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    deliveries.push(deliver(index));
  }
  await Promise.all(deliveries);
  return {
    target,
    traffic,
    deliveriesPerSecond: perSecond,
    deliveries: times.length,
    refused,
    p50Ms: round(percentile(times, 0.5)),
    p99Ms: round(percentile(times, 0.99)),
    maxMs: round(Math.max(...times)),
    meanMs: round(mean(times)),
  };

  async function deliver(index: number): Promise<void> {
    const mention = mentions[index];
    if (mention === undefined) throw new Error('there are not enough mentions');
    const isQuestion = traffic === 'questions only' || index % 10 === 0;
    // Replies in other threads: the app has to read the thread from its storage before it can ignore the reply.
    const event = isQuestion
      ? eventOf(mention)
      : messageOf({ user: people.ada, text: mention.text, ts: mention.ts, threadTs: `1700000000.${index % 500}` });
    const { body, headers } = signed(JSON.stringify(event), 'application/json');
    const sentMs = performance.now();
    const response = await fetch(`${url}/slack/events`, {
      method: 'POST',
      body,
      headers,
      signal: AbortSignal.timeout(10_000),
    });
    await response.text();
    const tookMs = performance.now() - sentMs;
    if (!response.ok) refused += 1;
    if (index >= perSecond * warmUpSeconds) times.push(tookMs);
  }
}
