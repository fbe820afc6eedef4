import { AppError, isAppError } from '../../core/errors.ts';
import type { Clock, Log } from '../../core/ports.ts';
import type { Allowance, CreateLimiter, Limiter, TakeOptions } from '../../core/rate-limits.ts';
import { callPatienceMs, longestBlockMs } from '../settings.ts';
import { keptFromEdits, messagesPerChannel, methodAllowances, type SlackMethod } from './method-tiers.ts';
import { createWaitingCalls } from './waiting-calls.ts';

/** The workspace and channel of a call, and what happens to it when there is no room. */
export interface CallOptions {
  teamId: string;
  /** The channel a message goes to. */
  channelId?: string | undefined;
  /**
   * An `edit` of a posted message never waits and is refused first. The others wait for a moment. The caller repeats a
   * refused `answer` or `card` call, so each gets a different time for that. `card` is also for calls that a card waits
   * for. A `private` message is not repeated.
   */
  priority: 'answer' | 'card' | 'edit' | 'private';
  /**
   * For a call that comes again with its newest content: the question that it is about, and its place among the calls of
   * the same priority that wait, the smallest first. A `card` call with a waiter is refused at once if there is no room.
   */
  waiter?: { id: string; order: number };
}

export interface MethodLimits {
  /**
   * Runs one Web API call when its method has room in that workspace. Otherwise sends nothing and throws `rateLimited`
   * with `retryAfterMs`. Errors of `run` are thrown unchanged.
   */
  pass<Result>(method: SlackMethod, passage: CallOptions, run: () => Promise<Result>): Promise<Result>;
}

interface PacedLimiter {
  limiter: Limiter;
  /** As `take` of the limiter. A call that comes again gets a time for that, and leaves room to those before it. */
  take(key: string, call: CallOptions, options: TakeOptions): Promise<number>;
}

export interface MethodLimitsDeps {
  createLimiter: CreateLimiter;
  now: Clock;
  log: Log;
}

/**
 * Keeps calls within Slack's limits, per workspace and method. After a 429, no call of that method goes out for that
 * workspace until `Retry-After` is over. The room of a workspace, and of a channel, is one budget: answers come before
 * cards and their last edits, and these before edits of running cards. Edits of one card are merged before they get here:
 * the core makes one edit per card in 3 s, of the latest state, and drops an edit that is refused here.
 */
export function createMethodLimits({ createLimiter, now, log }: MethodLimitsDeps): MethodLimits {
  const methods = new Map<SlackMethod, PacedLimiter>();
  const channels = createPacedLimiter('slack.channel', messagesPerChannel);

  return { pass };

  async function pass<Result>(method: SlackMethod, passage: CallOptions, run: () => Promise<Result>): Promise<Result> {
    const { teamId, priority } = passage;
    const missingMs = await takePoints(method, passage);
    if (missingMs > 0) {
      log.debug({ event: 'slack.held_back', outcome: priority, method, teamId, retryAfterMs: missingMs });
      throw new AppError('rateLimited', `${method}: no room left in our own budget`, {
        retryAfterMs: missingMs,
        isAppointed: true,
      });
    }
    try {
      return await run();
    } catch (error) {
      if (isAppError(error, 'rateLimited') && error.retryAfterMs !== undefined) {
        const { retryAfterMs } = error;
        log.warn({ event: 'slack.rate_limited', outcome: method, teamId, priority, retryAfterMs });
        await limiterOf(method).limiter.block(teamId, Math.min(retryAfterMs, longestBlockMs));
      }
      throw error;
    }
  }

  /** Takes from the channel first, so that a call refused there uses no room of the workspace. */
  async function takePoints(method: SlackMethod, call: CallOptions): Promise<number> {
    const { teamId, channelId, priority, waiter } = call;
    const isPatient = priority !== 'edit' && (priority !== 'card' || waiter === undefined);
    const untilMs = now() + (isPatient ? callPatienceMs : 0);
    const leftMs = () => Math.max(0, untilMs - now());
    if (method === 'chat.postMessage' && channelId !== undefined) {
      const missingMs = await channels.take(`${teamId}:${channelId}`, call, { patienceMs: leftMs() });
      if (missingMs > 0) return missingMs;
    }
    const leaving = priority === 'edit' ? (keptFromEdits[method] ?? 0) : 0;
    return limiterOf(method).take(teamId, call, { patienceMs: leftMs(), leaving });
  }

  function limiterOf(method: SlackMethod): PacedLimiter {
    const known = methods.get(method);
    if (known !== undefined) return known;
    const pacedLimiter = createPacedLimiter(`slack.${method}`, methodAllowances[method]);
    methods.set(method, pacedLimiter);
    return pacedLimiter;
  }

  /**
   * A limiter that gives each refused call a different time for its next try, as often as there will be room. With the
   * same time, all calls would come at once, most would be refused again, and their growing back-off would leave room
   * unused. Each process has its own list of times. When processes share a channel, more calls are refused again.
   */
  function createPacedLimiter(name: string, allowance: Allowance): PacedLimiter {
    const limiter = createLimiter(name, allowance);
    const spacingMs = (allowance.windowSeconds * 1000) / allowance.points;
    const waiting = createWaitingCalls(spacingMs, now);

    return { limiter, take };

    async function take(key: string, { priority, waiter }: CallOptions, options: TakeOptions): Promise<number> {
      if (waiter === undefined) {
        const missingMs = await limiter.take(key, options);
        const comesAgain = priority === 'answer' || priority === 'card';
        return missingMs > 0 && comesAgain ? waiting.appoint(key, missingMs) : missingMs;
      }
      const call = { id: waiter.id, order: [priorities.indexOf(priority), waiter.order] } as const;
      const leaving = (options.leaving ?? 0) + waiting.countBefore(key, call);
      if (leaving >= allowance.points) return waiting.add(key, call, 0);
      // A call that waits here is known to those that come meanwhile.
      if ((options.patienceMs ?? 0) > 0) waiting.add(key, call, 0);
      const missingMs = await limiter.take(key, { ...options, leaving });
      if (missingMs > 0) return waiting.add(key, call, missingMs);
      waiting.remove(key, call);
      return 0;
    }
  }
}

/** The order in which calls get room. */
const priorities: CallOptions['priority'][] = ['answer', 'private', 'card', 'edit'];
