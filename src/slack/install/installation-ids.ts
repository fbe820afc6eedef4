import { z } from 'zod';
import { withoutCode } from '../content/markup.ts';

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
