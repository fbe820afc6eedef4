import type { ReceiverEvent } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { isAppError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { renderWords } from '../../render/modals.ts';
import { sayIn } from '../../render/say.ts';
import type { Outbound } from '../api/web-client.ts';
import { withoutCode } from '../content/incoming-text.ts';
import { respond } from '../messages/private-messages.ts';

const id = z.string().nullish();
const named = z.looseObject({ id }).nullish();

/** What is read of any delivery. Each kind names its workspace in another place. */
const delivery = z.looseObject({
  type: z.string().optional(),
  team_id: id,
  enterprise_id: id,
  team: named,
  enterprise: named,
  user: z.looseObject({ team_id: id }).optional(),
  // Slash commands have it as a text.
  is_enterprise_install: z.union([z.boolean(), z.string()]).nullish(),
  authorizations: z
    .array(z.looseObject({ team_id: id, enterprise_id: id, is_enterprise_install: z.boolean().nullish() }))
    .nullish(),
  view: z.looseObject({ app_installed_team_id: id }).optional(),
  message: z.looseObject({ team: id }).optional(),
  is_ext_shared_channel: z.boolean().nullish().catch(undefined),
  event: z
    .looseObject({ type: z.string(), text: z.string().nullish(), user_team: id, team: id })
    .optional()
    .catch(undefined),
});

/**
 * The ids under which the installation of a delivery may be stored, the likeliest first: the organization if it installed
 * the app for its workspaces, else workspaces. In a channel of several organizations, the workspace of a press may be that
 * of the person who pressed. The message with the button is the app's own, and says where it is installed.
 */
export function installationIdsOf(body: unknown): string[] {
  const parsed = delivery.safeParse(body);
  if (!parsed.success) return [];
  const { type, team, enterprise, user, authorizations, view, message, event, ...flat } = parsed.data;
  const [authorization] = authorizations ?? [];
  const isForOrganization =
    authorization?.is_enterprise_install ??
    (flat.is_enterprise_install === true || flat.is_enterprise_install === 'true');
  if (isForOrganization) return known([authorization?.enterprise_id, enterprise?.id, flat.enterprise_id]).slice(0, 1);
  const ofMessage = type === 'block_actions' ? message?.team : undefined;
  // Of several organizations with the app in a channel, Slack names any. What a person says there is for their own one.
  const isMessage = event?.type === 'message' || event?.type === 'app_mention';
  const ofSpeaker = flat.is_ext_shared_channel === true && isMessage ? (event?.user_team ?? event?.team) : undefined;
  return known([
    ofSpeaker,
    authorization?.team_id,
    view?.app_installed_team_id,
    ofMessage,
    team?.id,
    flat.team_id,
    user?.team_id,
  ]);
}

/**
 * The ids that a message mentions, as Slack writes them: `<@U…>`. Only in a channel of several organizations: in any other,
 * a message is for the workspace of its delivery, also if it names the app of another one.
 */
export function mentionedIdsOf(body: unknown): string[] {
  const parsed = delivery.safeParse(body);
  if (!parsed.success || parsed.data.is_ext_shared_channel !== true) return [];
  return [...withoutCode(parsed.data.event?.text ?? '').matchAll(/<@([A-Z0-9]{1,30})[>|]/g)].map(
    ([, mentioned = '']) => mentioned,
  );
}

/**
 * Every id that an event about the end of an installation may be about. Such an event comes when there is no authorization
 * left, so it may not say whether the workspace or its organization had installed the app.
 */
export function endedInstallationIdsOf(body: unknown): string[] {
  const parsed = delivery.safeParse(body);
  if (!parsed.success) return [];
  const { authorizations, team_id: teamId, enterprise_id: enterpriseId } = parsed.data;
  const ids = (authorizations ?? []).flatMap((each) => [each.enterprise_id, each.team_id]);
  return known([...installationIdsOf(body), ...ids, enterpriseId, teamId]);
}

function known(ids: (string | null | undefined)[]): string[] {
  return [...new Set(ids.filter((each) => typeof each === 'string'))];
}

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
