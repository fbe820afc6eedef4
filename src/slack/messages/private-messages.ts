import type { KnownBlock } from '@slack/types';
import { AppError, isAppError } from '../../core/errors.ts';
import { withTimeout } from '../../core/pacing.ts';
import type { RenderedMessage } from '../../render/blocks.ts';
import { type Notice, renderNotice } from '../../render/notices.ts';
import { localeOf } from '../access/users.ts';
import type { Outbound } from '../api/web-client.ts';
import type { SlackContext } from '../context.ts';
import { respondTimeoutMs } from '../settings.ts';

/** One person in one place, and the `response_url` that some payloads carry for a short time. */
export interface Recipient {
  channelId: string;
  threadTs?: string;
  userId: string;
  responseUrl?: string;
  /** The message takes the place of the private one with the button that was pressed, where `responseUrl` still works. */
  replacesPressed?: boolean;
  /**
   * The person may not be there now. Slack does not keep ephemeral messages for them, so the message goes to their direct
   * messages with the app.
   */
  mayBeAway?: boolean;
  /** Their language, where it is known. */
  locale?: string;
}

/** A message to one person: a notice, or a function that writes it in their language. */
export type PrivateMessage = Notice | ((locale: string | undefined) => RenderedMessage);

/**
 * Tells one person something: by the response URL, else by an ephemeral message, else by a direct message. For a person
 * who may be away, a direct message comes first.
 */
export async function sendPrivately(s: SlackContext, to: Recipient, word: PrivateMessage): Promise<void> {
  const { slack } = s;
  const { botUserId, contact } = slack.identity;
  const locale = to.locale ?? (await localeOf(s.people, to.userId));
  const message = typeof word === 'function' ? word(locale) : renderNotice(word, { botUserId, locale, contact });
  const private_: { text: string; blocks?: KnownBlock[] } = { text: message.text };
  if (message.blocks !== undefined) private_.blocks = message.blocks;
  // Without it, Slack shows the response in the channel: docs.slack.dev/interactivity/handling-user-interaction.
  const thread = to.threadTs === undefined ? {} : { thread_ts: to.threadTs };
  if (to.responseUrl !== undefined) {
    try {
      const replace_original = to.replacesPressed ?? false;
      const response = { response_type: 'ephemeral', replace_original, ...thread, ...private_ };
      return await respond(s, to.responseUrl, response);
    } catch {
      // The URL may have expired. The other two ways do not need it.
    }
  }
  const isDirect = to.channelId.startsWith('D');
  const channelId = isDirect && to.mayBeAway === true ? to.channelId : to.userId;
  const post = (): Promise<unknown> =>
    slack.call(
      'chat.postMessage',
      {
        ...{ channel: channelId, unfurl_links: false, unfurl_media: false, ...private_ },
        ...(channelId === to.channelId ? thread : {}),
      },
      { priority: 'private', channelId },
    );
  const show = (): Promise<unknown> =>
    slack.call(
      'chat.postEphemeral',
      { channel: to.channelId, user: to.userId, ...thread, ...private_ },
      { priority: 'private' },
    );
  const [first, second] = to.mayBeAway === true ? [post, show] : [show, post];
  try {
    await first();
  } catch (error) {
    if (!isAppError(error, 'undeliverable')) throw error;
    await second();
  }
}

/**
 * Tells one person something in the background, as Slack does not wait for it. The message may be one that still has to be
 * found out. When it is not found or does not arrive, that is logged. Never throws.
 */
export function notify(s: SlackContext, to: Recipient, message: PrivateMessage | Promise<PrivateMessage>): void {
  const sending = s.tasks.run({ event: 'private_message_failed', channelId: to.channelId }, async () =>
    sendPrivately(s, to, await message),
  );
  // A message that is not sent may still fail to be found.
  if (sending === undefined && message instanceof Promise) message.catch(() => undefined);
}

/** Removes a private message in the background, by the response URL of a press on it. Never throws. */
export function removePressed(s: SlackContext, responseUrl: string): void {
  void s.tasks.run({ event: 'private_message_not_removed' }, () => respond(s, responseUrl, { delete_original: true }));
}

/**
 * Opens the person's direct messages with the app and returns their channel id. Throws `AppError`, also after `byMs` (epoch
 * milliseconds), when a question would not be stored in time.
 */
export async function openDirect(
  { slack }: SlackContext,
  userId: string,
  byMs = Number.POSITIVE_INFINITY,
): Promise<string> {
  const opening = slack.call('conversations.open', { users: userId }, { priority: 'private' });
  const opened = Number.isFinite(byMs)
    ? await withTimeout(opening, Math.max(0, byMs - Date.now()), () => {
        throw new AppError('storage', 'not done in the time Slack gives');
      })
    : await opening;
  const channelId = opened.channel?.id;
  if (channelId === undefined) throw new AppError('badReply', 'conversations.open: no channel');
  return channelId;
}

/** Where Slack takes responses, also those of GovSlack. */
const responseHosts = /^hooks\.slack(?:-gov)?\.com$/;

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether a message may be sent to a `response_url`: to Slack, or to the server of the Web API, `apiUrl`. It comes from a
 * payload or from the storage, and must not become a way to reach other programs.
 */
export function isResponseAddress(responseUrl: string, apiUrl: string): boolean {
  if (!URL.canParse(responseUrl)) return false;
  const { protocol, host, hostname, port, username, password } = new URL(responseUrl);
  if (username !== '' || password !== '') return false;
  if (responseHosts.test(hostname)) return protocol === 'https:' && port === '';
  const api = new URL(apiUrl);
  // A stand-in for Slack on this machine may use several names and ports.
  const areHere = loopback.test(hostname) && loopback.test(api.hostname);
  return protocol === api.protocol && (host === api.host || areHere);
}

/** Posts to the `response_url` of a payload, valid for 30 minutes and five uses. Throws `AppError`. */
export async function respond(
  { outbound, slackApiUrl }: { outbound: Pick<Outbound, 'fetch'>; slackApiUrl: string },
  responseUrl: string,
  message: object,
): Promise<void> {
  if (!isResponseAddress(responseUrl, slackApiUrl))
    throw new AppError('refused', 'response_url: not an address of Slack');
  let status: number;
  try {
    const response = await outbound.fetch(responseUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
      redirect: 'error',
      signal: AbortSignal.timeout(respondTimeoutMs),
    });
    status = response.status;
    await response.body?.cancel();
  } catch (error) {
    throw new AppError('unavailable', 'response_url: no answer', { cause: error, outcomeUnknown: true });
  }
  if (status >= 300) {
    throw new AppError(status >= 500 ? 'unavailable' : 'refused', `response_url: HTTP ${status}`, { code: status });
  }
}
