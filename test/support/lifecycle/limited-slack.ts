import type { Allowance, CreateLimiter, Messenger } from '../../../src/core/ports.ts';
import { noTracer } from '../../../src/core/tracing.ts';
import { createOutbound } from '../../../src/service/outbound.ts';
import { createMethodLimits } from '../../../src/slack/api/method-limits.ts';
import { createSlackApi } from '../../../src/slack/api/slack-api.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import type { SlackContext } from '../../../src/slack/context.ts';
import { createMessenger } from '../../../src/slack/messages/messenger.ts';
import { only } from '../only.ts';
import { createRecordingLog } from '../recording-log.ts';

/** A message that the app posted, and each of its versions. */
export interface LimitedMessage {
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
export function createLimitedSlack() {
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
