import type { WebClient } from '@slack/web-api';
import { noTracer } from '../../../src/core/tracing.ts';
import type { CallOptions } from '../../../src/slack/api/method-limits.ts';
import { createSlackApi, type Identity, type SlackApi } from '../../../src/slack/api/slack-api.ts';

export const someIdentity: Identity = { teamId: 'T1', botUserId: 'UBOT' };

/** The Web API without limits. `before` sees each call before it is made, and may throw instead. */
export function createUnlimitedSlackApi(
  client: WebClient,
  identity: Identity = someIdentity,
  before: (method: string, options: CallOptions) => void | Promise<void> = () => undefined,
): SlackApi {
  return createSlackApi({
    client,
    identity,
    methodLimits: {
      pass: async (method, options, run) => {
        const waiting = before(method, options);
        if (waiting instanceof Promise) await waiting;
        await options.confirm?.();
        return run();
      },
    },
    noting: (result) => result,
    tracer: noTracer,
  });
}
