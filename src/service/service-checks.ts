import { type Check, type Finding, failureOf, once, reasonOf, type Says } from '../core/doctor.ts';
import { hasCode, isAppError, serviceCodes } from '../core/errors.ts';
import type { Conversation } from '../core/ports.ts';
import type { ApiSetting } from './api-choice.ts';
import { noCredential } from './auth.ts';
import { type GenerationNumber, isApiGone } from './generation.ts';
import { createGeneration1 } from './generation-1/deep-search.ts';
import { createGeneration2 } from './generation-2/deep-search.ts';
import { createGraphql } from './graphql.ts';
import { createServiceClient, type ServiceClientOptions } from './service-client.ts';

/** Longest time of one call of the doctor, in milliseconds, with its retries. */
const callMs = 5_000;
/** From this part of the quota on, answers show it too. */
const nearlyUsed = 0.8;

/** The list of the account's newest conversation, and which generation of the API answered it. */
interface Listed {
  generation: GenerationNumber;
  newest: Conversation | undefined;
}

/**
 * The checks of the code search service. They only read: the newest conversation over the API that the app uses, and whose
 * account it is. `close` ends their connections.
 */
export function createServiceChecks({
  service,
  apiSetting,
  sudoUser,
}: {
  service: Omit<ServiceClientOptions, 'http'>;
  apiSetting: ApiSetting;
  /** `SRC_SUDO_USER`. */
  sudoUser: string | undefined;
}): { checks: Check[]; close(): Promise<void> } {
  const { baseUrl } = service;
  const { host } = new URL(baseUrl);
  const client = createServiceClient({ ...service, timeoutMs: callMs, connectTimeoutMs: callMs });
  const list = once(async (): Promise<Listed> => {
    if (apiSetting !== 'auto') return listOver(apiSetting);
    try {
      return await listOver(1);
    } catch (error) {
      if (!isApiGone(error)) throw error;
      return listOver(2);
    }
  });

  return {
    checks: [
      { name: 'service', run: reached },
      { name: 'account', run: about(account) },
      { name: 'quota', run: about(quota) },
    ],
    close: client.close,
  };

  async function listOver(generation: GenerationNumber): Promise<Listed> {
    const create = generation === 1 ? createGeneration1 : createGeneration2;
    const [newest] = await create(client, baseUrl).deepSearch.newest(1);
    return { generation, newest };
  }

  async function reached(say: Says): Promise<Finding[]> {
    try {
      return [say('serviceAnswers', { host, generation: (await list()).generation })];
    } catch (error) {
      return [failed(error, say)];
    }
  }

  function failed(error: unknown, say: Says): Finding {
    const settings = settingsFor(error);
    if (hasCode(error, noCredential)) return say('refused', { reason: reasonOf(error), settings });
    return failureOf(error, say, { host, settings });
  }

  function settingsFor(error: unknown): string {
    if (isAppError(error, 'unauthorized') || hasCode(error, noCredential)) {
      if (service.auth.kind === 'account') return 'SRC_CLIENT_ID, SRC_CLIENT_SECRET, SRC_TOKEN_URL';
      return service.auth.kind === 'sudo' ? 'SRC_ACCESS_TOKEN, SRC_SUDO_USER' : 'SRC_ACCESS_TOKEN';
    }
    if (isApiGone(error)) return 'SRC_ENDPOINT, SRC_API';
    return hasCode(error, serviceCodes.signInPage) ? 'SRC_HEADERS, SRC_ENDPOINT' : 'SRC_ENDPOINT';
  }

  /** Runs a check that needs the list. */
  function about(judge: (listed: Listed, say: Says) => Finding | Promise<Finding>): Check['run'] {
    return async (say) => {
      const listed = await list().catch(() => undefined);
      return [listed === undefined ? say('notChecked', { because: 'service' }) : await judge(listed, say)];
    };
  }

  async function account(_: Listed, say: Says): Promise<Finding> {
    try {
      const { username } = await createGraphql(client).currentUser();
      const shown = username.replace(/[^\w.@+-]/g, '?').slice(0, 100);
      const isOther = sudoUser !== undefined && username !== sudoUser;
      return say(isOther ? 'accountIsOther' : 'accountKnown', { username: shown });
    } catch (error) {
      // Without a status the reply says that the token belongs to no user, who would have no conversations.
      if (isAppError(error, 'unauthorized') && error.code === undefined) return failed(error, say);
      return say('notTold', { reason: reasonOf(error) });
    }
  }

  /** As the list tells it. */
  function quota({ newest }: Listed, say: Says): Finding {
    if (newest?.quota === undefined) return say('quotaNotTold', {});
    const part = newest.quota.used / newest.quota.limit;
    if (part >= 1) return say('quotaUsedUp', {});
    return say(part >= nearlyUsed ? 'quotaNearlyUsed' : 'quotaLeft', { percent: Math.floor(part * 100) });
  }
}
