import { isAppError } from '../core/errors.ts';
import type { Clock, DeepSearch } from '../core/ports.ts';
import { within } from '../core/timeout.ts';

/** After our credentials were refused, how often the far side is asked whether it takes them again, in milliseconds. */
const probeEveryMs = 15_000;

/** How long a far side that nobody called is believed to be as it was, and how long finding out may take. */
const believedMs = 60_000;
const longestProbeMs = 500;

/** How long a refusal to ask is believed without a new call: nothing else would show that asking is allowed again. */
const refusedAskMs = 10 * 60_000;

/** How the far side met the latest call: `refused` is about our credentials, `unreachable` about everything else. */
export type FarSideState = 'fine' | 'refused' | 'unreachable';

/** A program this one depends on for its work, but not for talking to people. */
export interface FarSide {
  /** Its name on `/readyz` and in metrics. */
  target: string;
  /** Never throws, and answers within about half a second. */
  state: () => Promise<FarSideState>;
}

export interface AccessNote {
  /** Notes how a call ends; the result or the error goes on as it is. */
  noting<Result>(result: Promise<Result>): Promise<Result>;
  /**
   * As `noting`, for calls that may be refused where all others are allowed: such a refusal stands until one of these
   * calls succeeds, the credentials as a whole are taken again, or ten minutes passed without another.
   */
  notingAsk<Result>(result: Promise<Result>): Promise<Result>;
  /** As in {@link FarSide}: a far side whose latest call was fine is not asked, any other every 15 s at most. */
  latest(): Promise<FarSideState>;
  /** For people to see, within about half a second: also asks the far side itself when it has not been called for a minute. */
  state(): Promise<FarSideState>;
}

/**
 * Remembers whether a far side takes our credentials. `probe` is a call that leads through `noting`; `isRefusal` tells
 * the errors that are about the credentials as a whole.
 */
export function createAccessNote(options: {
  probe: () => Promise<unknown>;
  isRefusal: (error: unknown) => boolean;
  now: Clock;
}): AccessNote {
  const { probe, isRefusal, now } = options;
  let refused = false;
  let askRefusedMs: number | undefined;
  let isUnreachable = false;
  let heardMs = 0;
  let probedMs = 0;

  return { noting, notingAsk, latest, state };

  async function noting<Result>(result: Promise<Result>): Promise<Result> {
    try {
      const value = await result;
      // What was wrong with all of it was put right, and with it what asking met.
      if (refused) askRefusedMs = undefined;
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
      askRefusedMs = undefined;
      succeeded();
      return value;
    } catch (error) {
      // Whether it is about more than asking, the next probe finds out.
      if (isRefusal(error)) askRefusedMs = now();
      failed(error);
      throw error;
    }
  }

  function succeeded(): void {
    refused = false;
    isUnreachable = false;
    heardMs = now();
  }

  function failed(error: unknown): void {
    isUnreachable = isAppError(error, 'unavailable', 'badReply');
    heardMs = now();
  }

  function isRefused(): boolean {
    return refused || (askRefusedMs !== undefined && now() - askRefusedMs < refusedAskMs);
  }

  function latest(): Promise<FarSideState> {
    return find(isRefused() || isUnreachable);
  }

  function state(): Promise<FarSideState> {
    return find(isRefused() || isUnreachable || now() - heardMs >= believedMs);
  }

  async function find(isInDoubt: boolean): Promise<FarSideState> {
    if (isInDoubt && now() - probedMs >= probeEveryMs) {
      probedMs = now();
      // The wrapped service notes how the probe ends.
      await within(
        probe().catch(() => undefined),
        longestProbeMs,
      );
    }
    if (isRefused()) return 'refused';
    return isUnreachable ? 'unreachable' : 'fine';
  }
}

/** Wraps the service so that refused credentials show until the service takes them again: for asking, where asking was
 * refused. */
export function watchAccess(
  codeSearch: DeepSearch,
  now: Clock,
): { codeSearch: DeepSearch } & Pick<AccessNote, 'latest' | 'state'> {
  const { noting, notingAsk, latest, state } = createAccessNote({
    probe: () => watched.newest(1),
    isRefusal: (error) => isAppError(error, 'unauthorized'),
    now,
  });
  const watched: DeepSearch = {
    create: (text) => notingAsk(codeSearch.create(text)),
    followUp: (conversationId, text) => notingAsk(codeSearch.followUp(conversationId, text)),
    read: (conversationId) => noting(codeSearch.read(conversationId)),
    // A refusal here may be about that conversation alone.
    byReadToken: (readToken) => codeSearch.byReadToken(readToken),
    newest: (limit, sinceMs) => noting(codeSearch.newest(limit, sinceMs)),
    cancel: (conversationId, questionId) => noting(codeSearch.cancel(conversationId, questionId)),
  };
  return { codeSearch: watched, latest, state };
}
