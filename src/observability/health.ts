import { hasCode, isAppError, serviceCodes } from '../core/errors.ts';
import { within } from '../core/pacing.ts';
import type { Clock } from '../core/ports.ts';

/** After a refusal of the app's credentials: how often to check whether they work again, in milliseconds. */
const probeEveryMs = 15_000;

/** How long the latest state is trusted without a call, and how long a check may take. */
const believedMs = 60_000;
const longestProbeMs = 500;

/**
 * How long a refusal of a question is trusted without another call. Only another question would show that asking is
 * allowed again.
 */
const refusedAskMs = 10 * 60_000;

/** The result of the latest call: `refused` is about the app's credentials, `unreachable` about everything else. */
export type FarSideState = 'fine' | 'refused' | 'unreachable';

/**
 * What an operator sees. `apiMissing`: the far side does not offer the API that the app has to use, or not at this address.
 * `signInPage`: a page for people answers in its place.
 */
export type OperatorState = FarSideState | 'apiMissing' | 'signInPage';

/** A program that this app needs for its work, but not to talk to people. */
export interface FarSide {
  /** Name on `/readyz` and in metrics. */
  target: string;
  /** Never throws. Answers within about half a second. */
  state: () => Promise<OperatorState>;
}

export interface Health {
  /**
   * Notes how a call ends, and passes on its result or error. `isAsk`: asking alone can be forbidden. Such a
   * refusal lasts until one of these calls succeeds, until the credentials as a whole work again after a refusal, or for ten
   * minutes without another refusal.
   */
  noting<Result>(result: Promise<Result>, isAsk?: boolean): Promise<Result>;
  /** For {@link FarSide}. Makes no call if the latest call was fine, otherwise at most one every 15 s. */
  latest(): Promise<OperatorState>;
  /** For people to see, within about half a second. Also calls the far side when there was no call for a minute. */
  state(): Promise<FarSideState>;
}

/**
 * The state of one far side: whether it answers and accepts the app's credentials. `probe` is a call that passes through `noting`.
 * `isRefusal` recognizes errors about the credentials as a whole.
 */
export function createHealth(options: {
  probe: () => Promise<unknown>;
  isRefusal: (error: unknown) => boolean;
  now: Clock;
}): Health {
  const { probe, isRefusal, now } = options;
  let refused = false;
  /** Why questions are not taken although other calls may work, and since when. */
  let ask: { state: 'refused' | 'apiMissing'; sinceMs: number } | undefined;
  let away: Exclude<OperatorState, 'fine' | 'refused'> | undefined;
  let heardMs = 0;
  let probedMs = 0;

  return { noting, latest, state };

  async function noting<Result>(result: Promise<Result>, isAsk = false): Promise<Result> {
    try {
      const value = await result;
      // The credentials work again, so a refusal of questions is probably over too.
      if (isAsk || refused) ask = undefined;
      refused = false;
      away = undefined;
      return value;
    } catch (error) {
      // The next probe shows whether the refusal of a question is about more than questions.
      if (isRefusal(error) && !isAsk) refused = true;
      if (isRefusal(error) && isAsk) ask = { state: 'refused', sinceMs: now() };
      // A gateway may have no route for questions, and one for everything else.
      if (isAsk && hasCode(error, serviceCodes.apiMissing)) ask = { state: 'apiMissing', sinceMs: now() };
      away = awayBy(error);
      throw error;
    } finally {
      heardMs = now();
    }
  }

  function current(): OperatorState {
    if (refused) return 'refused';
    return ask !== undefined && now() - ask.sinceMs < refusedAskMs ? ask.state : (away ?? 'fine');
  }

  function latest(): Promise<OperatorState> {
    return find(current() !== 'fine');
  }

  async function state(): Promise<FarSideState> {
    const found = await find(current() !== 'fine' || now() - heardMs >= believedMs);
    return found === 'fine' || found === 'refused' ? found : 'unreachable';
  }

  async function find(isInDoubt: boolean): Promise<OperatorState> {
    if (isInDoubt && now() - probedMs >= probeEveryMs) {
      probedMs = now();
      // It passes through `noting`, which notes how it ends.
      await within(
        probe().catch(() => undefined),
        longestProbeMs,
      );
    }
    return current();
  }
}

/** The far side answered, only not as needed: one answer is too large, or one search sees too few conversations. */
const answeredCodes: unknown[] = [serviceCodes.tooLarge, serviceCodes.searchCut];

/** Why a far side is of no use after this error. Undefined: it answered. */
function awayBy(error: unknown): 'unreachable' | 'apiMissing' | 'signInPage' | undefined {
  if (!isAppError(error, 'unavailable', 'badReply') || answeredCodes.includes(error.code)) return undefined;
  if (hasCode(error, serviceCodes.signInPage)) return 'signInPage';
  return hasCode(error, serviceCodes.apiMissing) ? 'apiMissing' : 'unreachable';
}
