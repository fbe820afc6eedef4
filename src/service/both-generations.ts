import { AppError, isAppError, serviceCodes } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';
import { literalId } from '../core/question/question.ts';
import type { ApiChoice } from './api-choice.ts';
import { type Generation, type GenerationNumber, isApiGone } from './generation.ts';
import { createGeneration1 } from './generation-1/deep-search.ts';
import { createGeneration2 } from './generation-2/deep-search.ts';
import { createGraphql, createQuotaReader } from './graphql.ts';
import { rememberLinks, rememberSources } from './links.ts';
import type { Call, Perform } from './methods.ts';
import type { ServiceClient } from './service-client.ts';

/**
 * A call is repeated with the other generation only within this time of its start, in milliseconds. So no call lasts
 * longer than `longestCallMs` of the core.
 */
const repeatWithinMs = 20_000;

export interface BothGenerationsOptions {
  baseUrl: string;
  choice: ApiChoice;
  now: Clock;
  log: Log;
}

type Run<Result> = (generation: Generation, spend: () => Promise<void>) => Promise<Result>;

/**
 * The service as one account sees it, over the generation of the API that the app uses.
 *
 * A call is sent a second time, over the other generation, only if the first one had no effect: its API is gone, it
 * refuses the credential, or it does not have the conversation. An unknown outcome is never repeated here.
 *
 * Besides the errors of the generations it throws `unavailable`, without an effect, while neither is offered.
 */
export function ofGenerations(
  generations: Record<GenerationNumber, Generation>,
  { choice, now, log }: Omit<BothGenerationsOptions, 'baseUrl'>,
): Perform {
  /** The generation whose scope this account's token lacks. The account uses the other one. */
  let refusedBy: GenerationNumber | undefined;

  return async function perform<Result>({ conversationId, isShared }: Call, run: Run<Result>): Promise<Result> {
    const mayBeElsewhere = isShared === true || conversationId !== undefined;
    // An id that only generation 2 can have is used with generation 2 alone, unless the instance has no generation 2.
    const isOnlyIn2 = conversationId !== undefined && literalId(conversationId) === undefined;
    const startedMs = now();
    await choice.ready();
    const allowed = isOnlyIn2 && choice.offers()[2] !== 'no' ? 2 : undefined;
    const only = choice.setting === 'auto' ? allowed : choice.setting;
    const first = only ?? (refusedBy === choice.chosen() ? other(refusedBy) : choice.chosen());
    try {
      return await runWith(first, run, choice.worked);
    } catch (error) {
      if (!isAppError(error)) throw error;
      const isElsewhere = isRefusal(error) || (mayBeElsewhere && isAppError(error, 'notFound'));
      const isWorthTrying = isApiGone(error) || (isElsewhere && choice.offers()[other(first)] !== 'no');
      if (only !== undefined || !isWorthTrying) {
        if (!isApiGone(error)) throw error;
        throw choice.setting === 'auto' ? notNow(error) : missing(error);
      }
      if (now() - startedMs > repeatWithinMs) throw notNow(error);
      return await repeatWith(other(first), run, error);
    }
  };

  /** `before`: why the first generation did not do it. */
  async function repeatWith<Result>(number: GenerationNumber, run: Run<Result>, before: AppError): Promise<Result> {
    const wasGone = isApiGone(before);
    try {
      return await runWith(number, run, wasGone ? choice.changeTo : isRefusal(before) ? useForAccount : choice.worked);
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (isApiGone(error)) {
        if (wasGone) throw missing(error);
        // A gateway that hides both says `notFound` too. The conversation is gone only if that is not so.
        throw before.kind === 'notFound' && choice.offers()[number] === 'yes' ? notNow(error) : before;
      }
      // Only a generation that the instance does not offer has no say in whether the conversation is there.
      if (wasGone && isAppError(error, 'notFound') && choice.offers()[other(number)] !== 'no') throw notNow(error);
      // A generation that refuses the account can't know its conversations, so the word of the other one counts.
      const isDoubtful = isRefusal(error) || (isRefusal(before) && isAppError(error, 'notFound'));
      throw isDoubtful && !wasGone ? before : error;
    }
  }

  /** A call without a result also succeeds when there is nothing to do, so it proves nothing. */
  async function runWith<Result>(
    number: GenerationNumber,
    run: Run<Result>,
    onResult: (number: GenerationNumber) => void,
  ): Promise<Result> {
    const result = await run(generations[number], async () => {});
    if (result === undefined) return result;
    if (refusedBy === number) refusedBy = undefined;
    onResult(number);
    return result;
  }

  /**
   * Only for this account: other people's tokens may have the scope of the generation that tells more. Until the process
   * forgets the account's client.
   */
  function useForAccount(number: GenerationNumber): void {
    choice.worked(number);
    if (refusedBy !== other(number)) {
      log.info({ event: 'deepsearch.api_account', outcome: `generation_${number}`, reason: 'scopes' });
    }
    refusedBy = other(number);
  }

  function missing(cause: AppError): AppError {
    choice.missing();
    return notNow(cause);
  }
}

/** A refusal of the credential by the service itself. Other codes are about a credential that could not be obtained. */
function isRefusal(error: AppError): boolean {
  return isAppError(error, 'unauthorized') && (error.code === 401 || error.code === 403);
}

function other(number: GenerationNumber): GenerationNumber {
  return number === 1 ? 2 : 1;
}

/** Nothing happened, and a later try may find a generation that is offered. */
function notNow(cause: AppError): AppError {
  return new AppError('unavailable', 'the instance does not offer this generation of the API now', {
    cause,
    code: serviceCodes.apiMissing,
  });
}

/** Carries calls over the chosen generation of the API. All accounts share the choice, and the links and sources of answers. */
export function createBothGenerations(options: BothGenerationsOptions): (client: ServiceClient) => Perform {
  const { baseUrl, now } = options;
  const withAbsoluteLinks = rememberLinks(baseUrl);
  const sourcesOf = rememberSources(baseUrl);
  return (client) => {
    const readQuota = createQuotaReader(createGraphql(client), now);
    return ofGenerations(
      {
        1: createGeneration1(client, baseUrl, withAbsoluteLinks),
        2: createGeneration2(client, baseUrl, withAbsoluteLinks, sourcesOf, readQuota),
      },
      options,
    );
  };
}
