import { hasCode, isAppError, serviceCodes } from '../core/errors.ts';
import type { Clock, DeepSearch } from '../core/ports.ts';
import { within } from '../core/timeout.ts';

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

export interface AccessNote {
  /** Records how a call ends and passes on its result or error. */
  noting<Result>(result: Promise<Result>): Promise<Result>;
  /**
   * Like `noting`, for calls that may be refused while all others are allowed. A refusal lasts until one of these calls
   * succeeds, until the credentials as a whole work again after a refusal, or for ten minutes without another refusal.
   */
  notingAsk<Result>(result: Promise<Result>): Promise<Result>;
  /** For {@link FarSide}. Makes no call if the latest call was fine, otherwise at most one every 15 s. */
  latest(): Promise<OperatorState>;
  /** For people to see, within about half a second. Also calls the far side when there was no call for a minute. */
  state(): Promise<FarSideState>;
}

/**
 * Remembers whether a far side accepts the app's credentials. `probe` is a call that passes through `noting`.
 * `isRefusal` recognizes errors about the credentials as a whole.
 */
export function createAccessNote(options: {
  probe: () => Promise<unknown>;
  isRefusal: (error: unknown) => boolean;
  now: Clock;
}): AccessNote {
  const { probe, isRefusal, now } = options;
  let refused = false;
  /** Why questions are not taken although other calls may work, and since when. */
  let ask: { state: 'refused' | 'apiMissing'; sinceMs: number } | undefined;
  let away: Exclude<OperatorState, 'fine' | 'refused'> | undefined;
  let heardMs = 0;
  let probedMs = 0;

  return { noting, notingAsk, latest, state };

  async function noting<Result>(result: Promise<Result>): Promise<Result> {
    try {
      const value = await result;
      // The credentials work again, so a refusal of questions is probably over too.
      if (refused) ask = undefined;
      succeeded();
      return value;
    } catch (error) {
      if (isRefusal(error)) refused = true;
      failed(error);
      throw error;
    }
  }

  async function notingAsk<Result>(result: Promise<Result>): Promise<Result> {
    try {
      const value = await result;
      ask = undefined;
      succeeded();
      return value;
    } catch (error) {
      // The next probe shows whether the refusal is about more than questions.
      if (isRefusal(error)) ask = { state: 'refused', sinceMs: now() };
      // A gateway may have no route for questions, and one for everything else.
      if (hasCode(error, serviceCodes.apiMissing)) ask = { state: 'apiMissing', sinceMs: now() };
      failed(error);
      throw error;
    }
  }

  function succeeded(): void {
    refused = false;
    away = undefined;
    heardMs = now();
  }

  function failed(error: unknown): void {
    away = awayBy(error);
    heardMs = now();
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
      // The wrapped service notes how the probe ends.
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

/**
 * Wraps the service and shows a refusal of credentials until the service accepts them again. A refusal of questions
 * lasts until the service accepts a question.
 */
export function watchAccess(
  deepSearch: DeepSearch,
  now: Clock,
): { deepSearch: DeepSearch } & Pick<AccessNote, 'latest' | 'state'> {
  const { noting, notingAsk, latest, state } = createAccessNote({
    probe: () => watched.newest(1),
    isRefusal: (error) => isAppError(error, 'unauthorized'),
    now,
  });
  const watched: DeepSearch = {
    create: (text) => notingAsk(deepSearch.create(text)),
    followUp: (conversationId, text) => notingAsk(deepSearch.followUp(conversationId, text)),
    read: (conversationId) => noting(deepSearch.read(conversationId)),
    // A refusal here may be about this conversation alone.
    byReadToken: (readToken) => deepSearch.byReadToken(readToken),
    newest: (limit, sinceMs, search) => noting(deepSearch.newest(limit, sinceMs, search)),
    changes: (most, after) => noting(deepSearch.changes(most, after)),
    cancel: (conversationId, target) => noting(deepSearch.cancel(conversationId, target)),
  };
  return { deepSearch: watched, latest, state };
}
