import type { ReceiverEvent } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { isAppError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { renderWords } from '../../render/modals.ts';
import { sayIn } from '../../render/say.ts';
import type { Outbound } from '../api/outbound-fetch.ts';
import { respond } from '../api/response-url.ts';

/** What is read of a shortcut or a press in a workspace without the app. */
const unanswered = z.looseObject({
  response_url: z.string().nullish().catch(undefined),
  trigger_id: z.string().nullish().catch(undefined),
  enterprise: z.looseObject({ id: z.string() }).nullish().catch(undefined),
});

export interface NotInstalledDeps {
  outbound: Pick<Outbound, 'fetch'>;
  slackApiUrl: string;
  /** Opens a modal with the token of another workspace of the organization, if one has the app. Throws `AppError`. */
  openModal: (enterpriseId: string, modal: { trigger_id: string; view: ModalView }) => Promise<unknown>;
  log: Pick<Log, 'info'>;
}

/**
 * Acknowledges a delivery of a workspace that does not have the app, and tells the person so. The app has no token of the
 * workspace, so it replies in ways that need none. A global shortcut has no such way: there, the app opens a modal with the
 * token of another workspace of the organization.
 */
export async function tellNotInstalled(deps: NotInstalledDeps, { body, ack }: ReceiverEvent): Promise<void> {
  const text = sayIn(undefined).install.notInstalled();
  const view = renderWords((say) => say.install.notInstalled(), undefined);
  if (body.command !== undefined) return ack({ response_type: 'ephemeral', text });
  if (body.type === 'view_submission') return ack({ response_action: 'update', view });
  await ack();
  const { response_url: responseUrl, trigger_id: triggerId, enterprise } = unanswered.parse(body);
  try {
    if (typeof responseUrl === 'string') {
      await respond(deps, responseUrl, { response_type: 'ephemeral', replace_original: false, text });
    } else if (typeof triggerId === 'string' && enterprise != null) {
      await deps.openModal(enterprise.id, { trigger_id: triggerId, view });
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
    deps.log.info({ event: 'not_installed_not_told', kind: error.kind });
  }
}
