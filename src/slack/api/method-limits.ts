import { AppError, isAppError } from '../../core/errors.ts';
import type { Allowance, Clock, Confirm, CreateLimiter, Log } from '../../core/ports.ts';
import { callPatienceMs, longestBlockMs } from '../settings.ts';

/** The Web API methods that the app calls. To call another one, add it to the table below. */
export type SlackMethod = keyof typeof methodAllowances;

/**
 * Slack counts calls in a window of 60 s that may start at any moment. It can overlap one more of the fixed windows
 * here than fit into it, so the calls of the tier are divided by that number. After a short window, a refused call can
 * try again soon; a long window takes more calls at once.
 */
function perMinute(calls: number, windowSeconds: number): Allowance {
  return { points: Math.floor(calls / (Math.ceil(60 / windowSeconds) + 1)), windowSeconds };
}

/** 20 calls per minute, 5 at once. */
const tier2 = perMinute(20, 20);
/** 50 calls per minute, 7 at once. Tiers: docs.slack.dev/apis/web-api/rate-limits. */
const tier3 = perMinute(50, 10);
/** 100 calls per minute, 25 at once: a text may name twenty people. */
const tier4 = perMinute(100, 20);

/**
 * How often each method may be called per workspace. Source: docs.slack.dev/reference/methods, the page of each method.
 * Reading messages is tier 3 only for internal and Marketplace apps (docs.slack.dev/changelog/2025/05/29). Other apps
 * that are distributed commercially get one call per minute, which Slack then says with `Retry-After`.
 */
export const methodAllowances = {
  // The tier of these two is not documented: docs.slack.dev/ai/agent-sessions.
  'agents.sessions.rename': tier3,
  'agents.sessions.setStatus': tier3,
  'assistant.threads.setSuggestedPrompts': tier4,
  'auth.teams.list': tier2,
  // "Hundreds of requests per minute" for both.
  'auth.test': perMinute(200, 10),
  'chat.delete': tier3,
  'chat.postMessage': perMinute(300, 10),
  'chat.postEphemeral': tier4,
  'chat.unfurl': tier3,
  'chat.update': tier3,
  'conversations.history': tier3,
  // Tier 3 too, but 12 at once: each channel is asked about once a minute, and many requests may start together.
  'conversations.info': perMinute(50, 20),
  'conversations.join': tier3,
  'conversations.members': tier4,
  'conversations.open': tier3,
  'conversations.replies': tier3,
  'files.completeUploadExternal': tier4,
  'files.delete': tier3,
  'files.getUploadURLExternal': tier4,
  'files.info': tier4,
  'usergroups.list': tier2,
  'users.conversations': tier3,
  'users.info': tier4,
  'users.list': tier2,
  'views.open': tier4,
  'views.publish': tier4,
  'views.update': tier4,
} satisfies Record<string, Allowance>;

/**
 * Messages per channel: one per second, and short bursts (docs.slack.dev/apis/web-api/rate-limits). The parts of one
 * answer go out together, and in the long run no channel gets more than 64 messages per minute.
 */
const messagesPerChannel: Allowance = {
  points: 1,
  windowSeconds: 1,
  burst: { points: 4, windowSeconds: 60 },
};

/**
 * Calls in each window that edits leave free for more important calls: cards of ended questions (3 of 7), people who
 * open Home (10 of 25), and sessions in which nothing runs any more (3 of 7). The search for missed messages leaves room to
 * questions that read their thread.
 */
const keptFromEdits: Partial<Record<SlackMethod, number>> = {
  'agents.sessions.setStatus': Math.ceil(tier3.points * 0.4),
  'chat.update': Math.ceil(tier3.points * 0.4),
  'conversations.history': 2,
  'conversations.replies': Math.ceil(tier3.points * 0.4),
  'views.publish': Math.ceil(tier4.points * 0.4),
};

/** The order in which calls get room. */
const priorities = ['answer', 'private', 'final', 'card', 'edit'] as const;

/** The workspace and channel of a call, and what happens to it when there is no room. */
export interface CallOptions {
  teamId: string;
  /** The channel a message goes to. */
  channelId?: string;
  /**
   * `answer`: an answer, and what a question needs on its way to one. `private`: a person waits for it, and it is not
   * repeated. `final`: the last edit of a card. These three wait for a moment. `card`: a new card. `edit`: what comes again
   * with newer content, or may be lost. These two are refused at once.
   */
  priority: (typeof priorities)[number];
  /** Runs once there is room, right before the call. If it throws, nothing is sent. */
  confirm?: Confirm;
}

export interface MethodLimits {
  /**
   * Runs one Web API call when its method has room in that workspace. Otherwise sends nothing and throws `rateLimited`
   * with `retryAfterMs`. Errors of `run` are thrown unchanged.
   */
  pass<Result>(method: SlackMethod, call: CallOptions, run: () => Promise<Result>): Promise<Result>;
}

type Queue = ReturnType<typeof createQueue>;

/**
 * Keeps calls within Slack's limits, with one queue for each method of a workspace and one for the messages of each
 * channel. After a 429, no call of that method goes out for that workspace until `Retry-After` is over.
 */
export function createMethodLimits(deps: { createLimiter: CreateLimiter; now: Clock; log: Log }): MethodLimits {
  const { now, log } = deps;
  const methods = new Map<SlackMethod, Queue>();
  const channels = createQueue('slack.channel', messagesPerChannel, deps);

  return { pass };

  async function pass<Result>(method: SlackMethod, call: CallOptions, run: () => Promise<Result>): Promise<Result> {
    const { teamId, priority } = call;
    const missingMs = await takeRoom(method, call);
    if (missingMs > 0) {
      log.debug({ event: 'slack.held_back', outcome: priority, method, teamId, retryAfterMs: missingMs });
      throw new AppError('rateLimited', `${method}: no room left in our own budget`, {
        retryAfterMs: missingMs,
        isHeldBack: true,
      });
    }
    try {
      await call.confirm?.();
      return await run();
    } catch (error) {
      if (isAppError(error, 'rateLimited') && error.retryAfterMs !== undefined) {
        const { retryAfterMs } = error;
        log.warn({ event: 'slack.rate_limited', outcome: method, teamId, priority, retryAfterMs });
        await queueOf(method).block(teamId, Math.min(retryAfterMs, longestBlockMs));
      }
      throw error;
    }
  }

  /** Takes from the channel first, so that a call refused there uses no room of the workspace. */
  async function takeRoom(method: SlackMethod, { teamId, channelId, priority }: CallOptions): Promise<number> {
    const untilMs = now() + (priority === 'card' || priority === 'edit' ? 0 : callPatienceMs);
    if (method === 'chat.postMessage' && channelId !== undefined) {
      const missingMs = await channels.take(`${teamId}:${channelId}`, priority, untilMs);
      if (missingMs > 0) return missingMs;
    }
    return queueOf(method).take(teamId, priority, untilMs, priority === 'edit' ? keptFromEdits[method] : 0);
  }

  function queueOf(method: SlackMethod): Queue {
    const known = methods.get(method);
    if (known !== undefined) return known;
    const queue = createQueue(`slack.${method}`, methodAllowances[method], deps);
    methods.set(method, queue);
    return queue;
  }
}

/**
 * If all refused calls came again together, most would be refused again; so the times they are told lie as far apart as
 * the limit has room. Each process does this for its own calls: where several share a channel, more are
 * refused again.
 */
function createQueue(
  name: string,
  allowance: Allowance,
  { createLimiter, now }: { createLimiter: CreateLimiter; now: Clock },
) {
  const limiter = createLimiter(name, allowance);
  const spacingMs = (allowance.windowSeconds * 1000) / allowance.points;
  /** By key and priority: how many calls wait here, and the latest time that a refused one was told. */
  const calls = new Map<string, { waiting: number; untilMs: number }>();

  return { take, block: limiter.block };

  /**
   * Takes room for a call that waits until `untilMs`, and leaves `leaving` points of the window unused. Returns 0, or the
   * milliseconds after which the call may come again.
   */
  async function take(key: string, priority: CallOptions['priority'], untilMs: number, leaving = 0): Promise<number> {
    for (const [one, idle] of calls) if (idle.waiting === 0 && idle.untilMs <= now()) calls.delete(one);
    const before = priorities.slice(0, priorities.indexOf(priority)).flatMap((one) => calls.get(`${one} ${key}`) ?? []);
    const own = calls.get(`${priority} ${key}`) ?? { waiting: 0, untilMs: 0 };
    calls.set(`${priority} ${key}`, own);
    // A call that does not wait leaves the room to those of a higher rank.
    const isBehind = untilMs <= now() && before.some((one) => one.waiting > 0 || one.untilMs > now());
    own.waiting += 1;
    const patienceMs = Math.max(0, untilMs - now());
    const missingMs = isBehind ? spacingMs : await limiter.take(key, { patienceMs, leaving });
    own.waiting -= 1;
    if (missingMs <= 0) return 0;
    const againMs = Math.max(now() + missingMs, own.untilMs, ...before.map((one) => one.untilMs));
    if (priority !== 'private' && priority !== 'edit') own.untilMs = againMs + spacingMs;
    return Math.ceil(againMs - now());
  }
}
