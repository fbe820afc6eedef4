import { AppError, isAppError } from '../core/errors.ts';
import type { CreateLimiter, Limiter } from '../core/limits.ts';
import type { Clock, Journal } from '../core/ports.ts';
import { keptForEndings, messagesPerChannel, methodAllowances, type SlackMethod } from './tiers.ts';

/**
 * How long an answer or a private word waits here for its turn. Longer waits are the core's, which repeats an answer
 * until it is delivered.
 */
const patienceMs = 2_000;
/** A longer `Retry-After` is taken for nonsense and shortened to this; Slack's windows are minutes. */
const longestBlockMs = 60 * 60 * 1000;

/** Whose call it is, and what happens to it when there is no room. */
export interface Passage {
  teamId: string;
  /** The channel a message goes to. */
  channelId?: string | undefined;
  /** `answer` and `private` wait for a moment, the others are refused at once; `edit`, of a running card, is refused first. */
  urgency: 'answer' | 'card' | 'edit' | 'private';
}

export interface SlackGate {
  /**
   * Runs one Web API call when its method has room in that workspace. Otherwise throws `rateLimited`, with
   * `retryAfterMs` and nothing sent. What `run` throws leaves as it is.
   */
  pass<Result>(method: SlackMethod, passage: Passage, run: () => Promise<Result>): Promise<Result>;
}

export interface SlackGateDeps {
  createLimiter: CreateLimiter;
  now: Clock;
  journal: Journal;
}

/**
 * Keeps calls within Slack's limits, per workspace and method. After a 429 it lets nothing through for that method of
 * that workspace until `Retry-After` is over. Edits of one card are merged before they get here: the core's card sync
 * makes one edit per card in 3 s, of the latest state, and drops one that is refused here.
 */
export function createSlackGate({ createLimiter, now, journal }: SlackGateDeps): SlackGate {
  const methods = new Map<SlackMethod, Limiter>();
  const channels = createLimiter('slack.channel', messagesPerChannel);

  return { pass };

  async function pass<Result>(method: SlackMethod, passage: Passage, run: () => Promise<Result>): Promise<Result> {
    const { teamId, urgency } = passage;
    const missingMs = await takePoints(method, passage);
    if (missingMs > 0) {
      journal.debug({ event: 'slack.held_back', outcome: urgency, method, teamId, retryAfterMs: missingMs });
      throw new AppError('rateLimited', `${method}: no room left in our own budget`, { retryAfterMs: missingMs });
    }
    try {
      return await run();
    } catch (error) {
      if (isAppError(error, 'rateLimited') && error.retryAfterMs !== undefined) {
        const { retryAfterMs } = error;
        journal.warn({ event: 'slack.rate_limited', outcome: method, teamId, urgency, retryAfterMs });
        await limiterOf(method).block(teamId, Math.min(retryAfterMs, longestBlockMs));
      }
      throw error;
    }
  }

  /** The channel first: what it refuses costs the workspace nothing. */
  async function takePoints(method: SlackMethod, { teamId, channelId, urgency }: Passage): Promise<number> {
    const untilMs = now() + (urgency === 'answer' || urgency === 'private' ? patienceMs : 0);
    const leftMs = () => Math.max(0, untilMs - now());
    if (method === 'chat.postMessage' && channelId !== undefined) {
      const missingMs = await channels.take(`${teamId}:${channelId}`, { patienceMs: leftMs() });
      if (missingMs > 0) return missingMs;
    }
    const leaving = method === 'chat.update' && urgency === 'edit' ? keptForEndings : 0;
    return limiterOf(method).take(teamId, { patienceMs: leftMs(), leaving });
  }

  function limiterOf(method: SlackMethod): Limiter {
    const known = methods.get(method);
    if (known !== undefined) return known;
    const limiter = createLimiter(`slack.${method}`, methodAllowances[method]);
    methods.set(method, limiter);
    return limiter;
  }
}
