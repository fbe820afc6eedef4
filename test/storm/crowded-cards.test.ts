import { describe, expect, it } from 'vitest';
import type { Allowance, CreateLimiter, Messenger } from '../../src/core/ports.ts';
import { noTracer } from '../../src/core/tracing.ts';
import { createOutbound } from '../../src/service/outbound.ts';
import { createMethodLimits } from '../../src/slack/api/method-limits.ts';
import { createSlackApi } from '../../src/slack/api/slack-api.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../src/slack/api/web-client.ts';
import type { SlackContext } from '../../src/slack/context.ts';
import { createMessenger } from '../../src/slack/messages/messenger.ts';
import { createRequests } from '../support/lifecycle/core-harness.ts';
import { createInMemoryLifecycle } from '../support/lifecycle/in-memory-lifecycle.ts';
import { only } from '../support/only.ts';
import { createRecordingLog } from '../support/recording-log.ts';

/** A message that the app posted, and each of its versions. */
interface LimitedMessage {
  ts: string;
  channel: string;
  threadTs: string | null;
  isCard: boolean;
  versions: { atMs: number; text: string }[];
}

/**
 * The app's own messenger with its limits, in front of a Slack that takes every message. All of it runs on the clock of
 * the test, so a call without room comes again instead of waiting.
 */
function createLimitedSlack() {
  const messages: LimitedMessage[] = [];
  const calls: { atMs: number; method: string; channel: string }[] = [];
  const outbound = createOutbound({});

  return { messages, calls, createMessenger: begin, close: () => outbound.close() };

  function begin(now: () => number): Messenger {
    const { log } = createRecordingLog();
    const client = createWebClient('xoxb-test', {
      ...webClientOptions('http://127.0.0.1:9/api/', createLibraryLogger(log)),
      fetch: async (url, init) => {
        const method = String(url).replace(/^.*\/api\//, '');
        return Response.json(carryOut(method, new URLSearchParams(String(init?.body)), now()));
      },
    });
    return createMessenger(
      only<SlackContext>({
        slack: createSlackApi({
          client,
          identity: { teamId: 'T1', botUserId: 'UBOT', botId: 'BOURS' },
          methodLimits: createMethodLimits({ createLimiter: createSimulatedLimiters(now), now, log }),
          noting: (result) => result,
          tracer: noTracer,
        }),
        outbound,
        slackApiUrl: 'http://127.0.0.1:9/api/',
        format: 'markdown',
        log,
        now,
        people: only({ person: async (userId) => ({ userId, name: userId, kind: 'member' }) }),
      }),
    );
  }

  function carryOut(method: string, args: URLSearchParams, atMs: number): Record<string, unknown> {
    const channel = args.get('channel') ?? '';
    const text = `${args.get('text')}\n${args.get('blocks')}`;
    calls.push({ atMs, method, channel });
    if (method === 'chat.postMessage') {
      const ts = `${1_800_000_000 + messages.length}.000100`;
      const isCard = /ds:q[0-9a-f]{24}:card/.test(text);
      messages.push({ ts, channel, threadTs: args.get('thread_ts'), isCard, versions: [{ atMs, text }] });
      return { ok: true, ts };
    }
    if (method !== 'chat.update') return { ok: false, error: 'unknown_method' };
    messages.find(({ ts }) => ts === args.get('ts'))?.versions.push({ atMs, text });
    return { ok: true };
  }
}

/** Limiters that count on the given clock. A window begins with its first point. They do not wait. */
function createSimulatedLimiters(now: () => number): CreateLimiter {
  return (_name, allowance) => {
    const own = createWindow(allowance);
    const burst = allowance.burst === undefined ? undefined : createWindow(allowance.burst);
    return {
      take: async (key, { leaving = 0 } = {}) => {
        const missingMs = own(key, allowance.points - leaving);
        return missingMs === 0 || burst === undefined
          ? missingMs
          : Math.min(missingMs, burst(key, allowance.burst?.points ?? 0));
      },
      block: async () => {},
    };
  };

  function createWindow({ windowSeconds }: Allowance): (key: string, points: number) => number {
    const windows = new Map<string, { endsMs: number; taken: number }>();
    return (key, points) => {
      const window = windows.get(key);
      const current =
        window === undefined || window.endsMs <= now() ? { endsMs: now() + windowSeconds * 1_000, taken: 0 } : window;
      if (current.taken >= points) return current.endsMs - now();
      windows.set(key, { ...current, taken: current.taken + 1 });
      return 0;
    };
  }
}

const minuteMs = 60_000;

/** Asks mentions in these channels at once. All of them are answered at the same moment. */
async function askAtOnce(mentions: number, channels: number, answeredAfterMs: number) {
  const slack = createLimitedSlack();
  /** How long after the first question each one was asked, and how many cards were there. */
  const asked: { afterMs: number; cards: number }[] = [];
  const life: ReturnType<typeof createInMemoryLifecycle> = createInMemoryLifecycle({
    messenger: slack.createMessenger,
    slotLimits: { perWorkspace: mentions, perPerson: mentions },
    mostRounds: 100_000,
    work: () => {
      const afterMs = life.now() - life.startMs;
      asked.push({ afterMs, cards: slack.messages.length });
      return { takesMs: answeredAfterMs - afterMs, ends: 'completed' };
    },
  });
  const accept = createRequests(life.ports).accept;
  for (let n = 0; n < mentions; n += 1) {
    const place = { teamId: 'T1', channelId: `C${n % channels}`, threadTs: `1700000000.${100_000 + n}` };
    const request = { key: `m${n}`, place, askerId: `U${n}`, text: `q${n}`, beginsThread: true };
    life.at(n, async () => void (await accept({ ...request, origin: 'mention' })));
  }
  await life.run();
  await slack.close();
  expect(life.violations).toEqual([]);
  expect(life.openIds()).toEqual([]);
  const cards = slack.messages.filter(({ isCard }) => isCard);
  const answers = slack.messages.filter(({ isCard }) => !isCard);
  return { slack, asked, cards, answers };
}

function latest({ versions }: LimitedMessage): string {
  return versions.at(-1)?.text ?? '';
}

function postedMs({ versions }: LimitedMessage): number {
  return versions[0]?.atMs ?? Number.NaN;
}

/** When the card last said that the app works on the question. */
function workingUntilMs({ versions }: LimitedMessage): number {
  const last = versions.findLastIndex(({ text }) => /Searching|Starting/.test(text));
  return last < 0 ? Number.NEGATIVE_INFINITY : (versions[last + 1]?.atMs ?? Number.POSITIVE_INFINITY);
}

/** The largest number of these times within any span. */
function mostWithin(timesMs: number[], spanMs: number): number {
  return Math.max(0, ...timesMs.map((fromMs) => timesMs.filter((ms) => ms >= fromMs && ms < fromMs + spanMs).length));
}

describe('50 mentions at once in one channel', () => {
  it('are asked before Slack has room for their cards, and need no card once they are answered', async () => {
    const { asked, cards, answers } = await askAtOnce(50, 1, 20_000);
    expect(asked).toHaveLength(50);
    expect(Math.max(...asked.map(({ afterMs }) => afterMs))).toBeLessThan(1_000);
    expect(Math.max(...asked.map(({ cards: posted }) => posted))).toBe(5);
    expect(new Set(answers.map(({ threadTs }) => threadTs)).size).toBe(50);
    expect(answers).toHaveLength(50);
    // One card per second until the answers come, besides those that Slack takes at once.
    expect(cards.length).toBeGreaterThan(20);
    expect(cards.length).toBeLessThan(26);
    expect(Math.max(...cards.map(postedMs))).toBeLessThan(Math.min(...answers.map(postedMs)));
    expect(cards.filter((card) => !latest(card).includes('Answered in'))).toEqual([]);
  });
});

describe('200 questions of ten channels that end together', () => {
  it('close all their cards as fast as Slack takes edits, and no answer waits for that', async () => {
    const { slack, cards, answers } = await askAtOnce(200, 10, 60_000);
    expect([cards.length, answers.length]).toEqual([200, 200]);
    const answeredMs = new Map(answers.map((answer) => [answer.threadTs, postedMs(answer)]));
    const staleMs = cards.map((card) => workingUntilMs(card) - (answeredMs.get(card.threadTs) ?? 0));
    // Slack takes 50 edits a minute.
    expect(Math.max(...staleMs)).toBeLessThanOrEqual(5 * minuteMs);
    expect(cards.filter((card) => !latest(card).includes('Answered in'))).toEqual([]);
    // Answers do not wait for cards: Slack takes 300 messages a minute.
    expect(Math.max(...answeredMs.values()) - Math.min(...answeredMs.values())).toBeLessThan(minuteMs);
    const timesOf = (wanted: string) => slack.calls.filter(({ method }) => method === wanted).map(({ atMs }) => atMs);
    expect(mostWithin(timesOf('chat.update'), minuteMs)).toBeLessThanOrEqual(50);
    expect(mostWithin(timesOf('chat.postMessage'), minuteMs)).toBeLessThanOrEqual(300);
  });
});
