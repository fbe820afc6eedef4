import { isAppError } from '../core/errors.ts';
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

/** What an operator sees. `apiMissing`: the far side does not offer the API that the app has to use. */
export type OperatorState = FarSideState | 'apiMissing';

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
  latest(): Promise<FarSideState>;
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
  let askRefusedMs: number | undefined;
  let isUnreachable = false;
  let heardMs = 0;
  let probedMs = 0;

  return { noting, notingAsk, latest, state };

  async function noting<Result>(result: Promise<Result>): Promise<Result> {
    try {
      const value = await result;
      // The credentials work again, so a refusal of questions is probably over too.
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
      // The next probe shows whether the refusal is about more than questions.
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
