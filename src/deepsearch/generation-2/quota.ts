import { isAppError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Quota } from '../../core/question/question.ts';
import { quotaLifeMs, quotaPatienceMs } from '../../core/settings.ts';
import { within } from '../../core/timeout.ts';
import type { Graphql } from '../graphql.ts';

/** How long a service that does not tell the quota is not asked again, in milliseconds. */
const unknownLifeMs = 10 * 60_000;

/**
 * Reads the quota of one account, which only GraphQL tells beside this generation. Undefined if the account has none, or if
 * it is not known in time. Never throws an `AppError`.
 */
export function createQuotaReader(graphql: Pick<Graphql, 'quota'>, now: Clock): () => Promise<Quota | undefined> {
  let known: { quota: Quota | undefined; untilMs: number } | undefined;
  let running: Promise<Quota | undefined> | undefined;

  return async function readQuota() {
    if (known !== undefined && now() < known.untilMs) return known.quota;
    running ??= ask().finally(() => {
      running = undefined;
    });
    return within(running, quotaPatienceMs);
  };

  async function ask(): Promise<Quota | undefined> {
    let quota: Quota | undefined;
    try {
      quota = await graphql.quota();
    } catch (error) {
      if (!isAppError(error)) throw error;
    }
    known = { quota, untilMs: now() + (quota === undefined ? unknownLifeMs : quotaLifeMs) };
    return quota;
  }
}
