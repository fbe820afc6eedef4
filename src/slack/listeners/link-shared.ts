import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Log } from '../../core/ports.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Unfurls } from '../unfurls/unfurls.ts';

/** What is read of `link_shared` events. */
const linkSharedEvent = z.object({
  channel: z.string(),
  message_ts: z.string(),
  thread_ts: z.string().optional(),
  user: z.string(),
  links: z.array(z.object({ url: z.string() })),
  source: z.string().optional(),
  is_bot_user_member: z.boolean().optional(),
});

/** The envelope says whether other organizations are in the channel. */
const envelope = z.object({ is_ext_shared_channel: z.boolean().optional() });

/** Slack's name for the channel of links in a message that is not sent yet. Its readers are not known yet. */
const composer = 'COMPOSER';

export interface LinkDeps {
  slack: Pick<SlackApi, 'identity'>;
  unfurls: Pick<Unfurls, 'take'>;
  log: Log;
}

/** Share links that people post. They get a preview in the background, so Slack does not wait. */
export function registerLinks(app: App, deps: LinkDeps): void {
  app.event('link_shared', async ({ event, body, context }) => {
    const parsed = linkSharedEvent.safeParse(event);
    const wrapping = envelope.safeParse(body);
    if (!parsed.success || !wrapping.success) return ignore('unreadable');
    const {
      channel,
      message_ts: ts,
      thread_ts: threadTs,
      user,
      links,
      source,
      is_bot_user_member: isMember,
    } = parsed.data;
    if (channel === composer || (source ?? 'conversations_history') !== 'conversations_history')
      return ignore('composer');
    if (wrapping.data.is_ext_shared_channel === true) return ignore('sharedChannel');
    if (user === deps.slack.identity.botUserId) return ignore('own');
    deps.unfurls.take({
      place: {
        teamId: context.teamId ?? deps.slack.identity.teamId,
        channelId: channel,
        ...(threadTs === undefined ? {} : { threadTs }),
      },
      ts,
      userId: user,
      urls: links.map(({ url }) => url),
      isMember: isMember === true,
    });
  });

  function ignore(reason: string): void {
    deps.log.debug({ event: 'link_preview', outcome: 'ignored', reason });
  }
}
