import { AppError, isAppError } from '../../core/errors.ts';
import type { Clock, Log } from '../../core/ports.ts';
import type { Allowance, CreateLimiter, Limiter, TakeOptions } from '../../core/rate-limits.ts';
import { callPatienceMs, longestBlockMs } from '../settings.ts';
import { keptFromEdits, messagesPerChannel, methodAllowances, type SlackMethod } from './method-tiers.ts';

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
  /** As `take` of the limiter. With `comesAgain`, no other caller gets the same time. */
  take(key: string, comesAgain: boolean, options: TakeOptions): Promise<number>;
}

export interface MethodLimitsDeps {
  createLimiter: CreateLimiter;
  now: Clock;
  log: Log;
}

/**
 * Keeps calls within Slack's limits, per workspace and method. After a 429, no call of that method goes out for that
 * workspace until `Retry-After` is over. Edits of one card are merged before they get here: the core's card sync
 * makes one edit per card in 3 s, of the latest state, and drops an edit that is refused here.
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
      throw new AppError('rateLimited', `${method}: no room left in our own budget`, { retryAfterMs: missingMs });
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
  async function takePoints(method: SlackMethod, { teamId, channelId, priority }: CallOptions): Promise<number> {
    const untilMs = now() + (priority === 'edit' ? 0 : callPatienceMs);
    const leftMs = () => Math.max(0, untilMs - now());
    const comesAgain = priority === 'answer' || priority === 'card';
    if (method === 'chat.postMessage' && channelId !== undefined) {
      const missingMs = await channels.take(`${teamId}:${channelId}`, comesAgain, { patienceMs: leftMs() });
      if (missingMs > 0) return missingMs;
    }
    const leaving = priority === 'edit' ? (keptFromEdits[method] ?? 0) : 0;
    return limiterOf(method).take(teamId, comesAgain, { patienceMs: leftMs(), leaving });
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
    const nextFreeMs = new Map<string, number>();

    return { limiter, take };

    async function take(key: string, comesAgain: boolean, options: TakeOptions): Promise<number> {
      const missingMs = await limiter.take(key, options);
      return missingMs > 0 && comesAgain ? appoint(key, missingMs) : missingMs;
    }

    function appoint(key: string, missingMs: number): number {
      const nowMs = now();
      for (const [other, freeMs] of nextFreeMs) if (freeMs <= nowMs) nextFreeMs.delete(other);
      const freeMs = Math.max(nowMs + missingMs, nextFreeMs.get(key) ?? 0);
      nextFreeMs.set(key, freeMs + spacingMs);
      return Math.ceil(freeMs - nowMs);
    }
  }
}
