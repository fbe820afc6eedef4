import { AppError, isAppError, serviceCodes } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { ConversationId } from '../core/question/question.ts';
import { literalId } from '../core/question/service-ids.ts';
import type { ApiChoice } from './api-choice.ts';
import { isApiGone } from './api-gone.ts';
import type { DeepSearchAdapter, Generation, GenerationNumber } from './generation.ts';

/**
 * A call is repeated with the other generation only within this time of its start, in milliseconds. So no call lasts
 * longer than `longestCallMs` of the core.
 */
const repeatWithinMs = 20_000;

/** How long a generation is used because the other one refuses the account, in milliseconds. Then it is tried again. */
const accountChoiceLifeMs = 24 * 60 * 60 * 1_000;

/** How long an account that both generations refuse is not checked again, in milliseconds. */
const refusedByBothMs = 15_000;

export interface BothGenerationsOptions {
  /** The generations as one account sees them. */
  generations: Record<GenerationNumber, Generation>;
  choice: ApiChoice;
  now: Clock;
  log: Log;
}

type ChangesPage = Awaited<ReturnType<DeepSearchAdapter['changes']>>;
type Run<Result> = (generation: Generation) => Promise<Result>;

/**
 * The service as one account sees it, over the generation of the API that the instance offers.
 *
 * A call is sent a second time, over the other generation, only if the first one had no effect: its API is gone, it
 * refuses the account, or it does not have the conversation. An unknown outcome is never repeated here. A call costs at
 * most two requests of its own, and one round of probes or two lists.
 *
 * Besides the errors of the generations it throws `unavailable`, without an effect, while no generation is known to be
 * offered.
 */
export function createBothGenerations({ generations, choice, now, log }: BothGenerationsOptions): DeepSearchAdapter {
  /** The generation that this account uses because the other one refuses it. */
  let accountChoice: { number: GenerationNumber; sinceMs: number } | undefined;
  let refusedMs: number | undefined;
  let checking: Promise<boolean> | undefined;

  return {
    create: (text) => perform(({ deepSearch }) => deepSearch.create(text)),
    newest: (limit, sinceMs, search) => perform(({ deepSearch }) => deepSearch.newest(limit, sinceMs, search)),
    changes: (most, after) => perform((generation) => changesOf(generation, most, after)),
    byReadToken: (readToken) => perform(({ deepSearch }) => deepSearch.byReadToken(readToken), { first: readsTokens }),
    followUp: (conversationId, text) =>
      onConversation(conversationId, ({ deepSearch }) => deepSearch.followUp(conversationId, text)),
    read: (conversationId) => onConversation(conversationId, ({ deepSearch }) => deepSearch.read(conversationId)),
    delete: (conversationId) => onConversation(conversationId, ({ deepSearch }) => deepSearch.delete(conversationId)),
    async cancel(conversationId, target) {
      try {
        await onConversation(conversationId, ({ deepSearch }) => deepSearch.cancel(conversationId, target));
      } catch (error) {
        if (!isAppError(error, 'notFound')) throw error;
      }
    },
  };

  /** A page is named with its generation: the other one begins with its first page. */
  async function changesOf({ number, deepSearch }: Generation, most: number, after = ''): Promise<ChangesPage> {
    const prefix = `${number}:`;
    const page = await deepSearch.changes(most, after.startsWith(prefix) ? after.slice(prefix.length) : undefined);
    return { ...page, ...(page.next === undefined ? {} : { next: `${prefix}${page.next}` }) };
  }

  function onConversation<Result>(conversationId: ConversationId, run: Run<Result>): Promise<Result> {
    const hasOnly2 = literalId(conversationId) === undefined;
    return perform(run, { first: hasOnly2 ? () => 2 : chosen, isAboutConversation: true });
  }

  async function perform<Result>(
    run: Run<Result>,
    { first: chooseFirst = chosen, isAboutConversation = false } = {},
  ): Promise<Result> {
    const startedMs = now();
    const first = choice.setting === 'auto' ? await choice.ready().then(chooseFirst) : choice.setting;
    try {
      return await runWith(first, run);
    } catch (error) {
      if (!isAppError(error)) throw error;
      const mayRepeat = await hadNoEffect(error, first, startedMs, isAboutConversation);
      if (!mayRepeat) throw error;
      if (now() - startedMs > repeatWithinMs) throw notNow(error);
      return await repeatWith(other(first), run, error);
    }
  }

  async function runWith<Result>(number: GenerationNumber, run: Run<Result>): Promise<Result> {
    const startedMs = now();
    const result = await run(generations[number]);
    // A call without a result also succeeds when there is nothing to do, so it proves nothing.
    if (result !== undefined) choice.prove(number, startedMs);
    return result;
  }

  /** Whether the other generation is to be asked the same. Throws `unavailable` if it is not known to be offered. */
  async function hadNoEffect(
    error: AppError,
    first: GenerationNumber,
    startedMs: number,
    isAboutConversation: boolean,
  ): Promise<boolean> {
    if (isApiGone(error)) {
      const offers = await choice.probedSince(startedMs);
      if (choice.setting === 'auto' && offers[other(first)] === 'yes') return true;
      throw notNow(error);
    }
    if (choice.setting !== 'auto') return false;
    if (isRefusal(error)) return isOnlyRefusedBy(first, error);
    return isAboutConversation && isAppError(error, 'notFound') && choice.offers()[other(first)] !== 'no';
  }

  /** `before`: why the first generation did not do it. */
  async function repeatWith<Result>(number: GenerationNumber, run: Run<Result>, before: AppError): Promise<Result> {
    try {
      return await runWith(number, run);
    } catch (error) {
      if (!isAppError(error)) throw error;
      const isFirstOffered = choice.offers()[other(number)] !== 'no';
      // Only a generation that the instance does not offer has no say in whether the conversation is there.
      const isHalfKnown = isApiGone(before) && isAppError(error, 'notFound') && isFirstOffered;
      if (isApiGone(error) || isHalfKnown) throw notNow(error);
      // A generation that refuses the account can't know its conversations, so the word of the first one counts.
      throw before.kind === 'notFound' && !isApiGone(before) && isRefusal(error) ? before : error;
    }
  }

  function chosen(): GenerationNumber {
    if (accountChoice !== undefined) {
      const isUsable = now() - accountChoice.sinceMs < accountChoiceLifeMs;
      if (isUsable && choice.offers()[accountChoice.number] !== 'no') return accountChoice.number;
      accountChoice = undefined;
    }
    return choice.chosen().number;
  }

  function readsTokens(): GenerationNumber {
    const preferred = chosen();
    if (accountChoice !== undefined) return preferred;
    const capable = ([preferred, other(preferred)] as const).find(
      (number) => generations[number].capabilities.readToken && choice.offers()[number] !== 'no',
    );
    return capable ?? preferred;
  }

  /** Whether the account may use the other generation, but not this one. Its token then lacks the scope for this one. */
  async function isOnlyRefusedBy(number: GenerationNumber, refusal: AppError): Promise<boolean> {
    if (choice.offers()[other(number)] === 'no') return false;
    // Another call found that out meanwhile.
    if (accountChoice?.number === other(number)) return true;
    if (refusedMs !== undefined && now() - refusedMs < refusedByBothMs) return false;
    checking ??= checkAccount(number, refusal).finally(() => {
      checking = undefined;
    });
    return checking;
  }

  async function checkAccount(number: GenerationNumber, refusal: AppError): Promise<boolean> {
    const startedMs = now();
    const [here, there] = await Promise.all([list(number), list(other(number))]);
    // Whether the account may use the other generation is not known now, so it is not refused yet.
    if (here === 'refused' && there === 'unknown') throw notNow(refusal);
    if (here !== 'refused' || there !== 'listed') {
      refusedMs = now();
      return false;
    }
    choice.prove(other(number), startedMs);
    accountChoice = { number: other(number), sinceMs: now() };
    log.info({ event: 'deepsearch.api_account', outcome: `generation_${other(number)}`, reason: 'scopes' });
    return true;
  }

  async function list(number: GenerationNumber): Promise<'listed' | 'refused' | 'unknown'> {
    try {
      await generations[number].deepSearch.newest(1);
      return 'listed';
    } catch (error) {
      if (!isAppError(error)) throw error;
      return isRefusal(error) ? 'refused' : 'unknown';
    }
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
