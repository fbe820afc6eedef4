import { randomUUID } from 'node:crypto';
import type { SectionBlock } from '@slack/types';
import { isAppError } from '../../core/errors.ts';
import type { AuditLog } from '../../core/history/audit.ts';
import type { Claims, Clock, DeepSearch, Log } from '../../core/ports.ts';
import type { createPreviewRule } from '../../core/question/link-previews.ts';
import { isBetweenTwo, type Place } from '../../core/question/question.ts';
import { freshAccessMs } from '../../core/settings.ts';
import { renderPreview } from '../../render/preview.ts';
import { type Audiences, isInsidersOnly } from '../access/audience.ts';
import type { SlackAccessPolicy } from '../access/policy.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { mostUnfurledLinks, mostUnfurlsAtOnce, mostUnfurlsWaiting } from '../settings.ts';
import { createShareUrlReader, type ShareUrl } from './share-urls.ts';

/** The links of one posted message. */
export interface PostedLinks {
  place: Place;
  ts: string;
  userId: string;
  /** Exactly as Slack sent them, because a preview belongs to an address in the message. */
  urls: readonly string[];
  /** Whether the app is in that conversation. */
  isMember: boolean;
}

export interface Unfurls {
  /** Shows previews of posted links in the background. Links get no preview when that fails. Never throws. */
  take(posted: PostedLinks): void;
}

interface Posted extends Omit<PostedLinks, 'urls'> {
  links: { posted: string; share: ShareUrl }[];
}

/**
 * Previews of share links, by the read token in them. A preview is shown only when all readers of the message are full
 * members of the workspace and its sender may ask. That also holds in channels that a setting opens to others, because
 * a link can lead to any conversation, and only if the conversation may be shown there. Addresses contain the token, so they are neither logged nor stored.
 */
export function createUnfurls(options: {
  slack: Pick<SlackApi, 'call'>;
  /** Address of the service. */
  endpoint: string;
  deepSearch: Pick<DeepSearch, 'byReadToken'>;
  mayPreview: ReturnType<typeof createPreviewRule>;
  access: Pick<SlackAccessPolicy, 'admit'>;
  audiences: Pick<Audiences, 'of'>;
  claims: Pick<Claims, 'claim'>;
  audit: AuditLog;
  digest: (key: string) => string;
  tasks: BackgroundTasks;
  log: Log;
  now: Clock;
}): Unfurls {
  const { slack, endpoint, deepSearch, mayPreview, access, audiences, claims, audit, digest, tasks, log, now } =
    options;
  const readShareUrl = createShareUrlReader(endpoint);
  const waiting: Posted[] = [];
  let working = 0;

  return { take };

  function take({ urls, ...posted }: PostedLinks): void {
    const links = [...new Set(urls)].flatMap((url) => {
      const share = readShareUrl(url);
      return share === undefined ? [] : [{ posted: url, share }];
    });
    if (links.length === 0) note(posted, 'ignored');
    else if (tasks.isStopping() || waiting.length >= mostUnfurlsWaiting) note(posted, 'dropped');
    else waiting.push({ ...posted, links: links.slice(0, mostUnfurledLinks) });
    workOff();
  }

  function workOff(): void {
    if (tasks.isStopping()) waiting.length = 0;
    while (working < mostUnfurlsAtOnce) {
      const next = waiting.shift();
      if (next === undefined) return;
      const failure = { event: 'link_preview', outcome: 'failed', channelId: next.place.channelId, ts: next.ts };
      const work = tasks.run(failure, () => preview(next));
      if (work === undefined) continue;
      working += 1;
      void work.then(() => {
        working -= 1;
        workOff();
      });
    }
  }

  async function preview(posted: Posted): Promise<void> {
    try {
      note(posted, await show(posted));
    } catch (error) {
      noteFailure(posted, error);
    }
  }

  async function show(posted: Posted): Promise<string> {
    const reader = await whoReads(posted);
    if (reader === undefined) return 'notForAll';
    const found = await Promise.all(posted.links.map((link) => read(posted, link, reader.locale)));
    const unfurls = Object.fromEntries(found.filter((each) => each !== undefined));
    if (Object.keys(unfurls).length === 0) return 'nothing';
    // The service may have taken long, and people join at any moment.
    if ((await whoReads(posted, now() - freshAccessMs)) === undefined) return 'notForAll';
    const { ts, place } = posted;
    await slack.call('chat.unfurl', { channel: place.channelId, ts, unfurls }, { priority: 'private' });
    audit.note({
      id: `unfurled:${place.channelId}:${ts}`,
      // The message's time, so that a second delivery of the event makes the same entry.
      atMs: Math.floor(Number(ts) * 1_000),
      action: 'unfurled',
      teamId: place.teamId,
      userId: posted.userId,
      channelId: place.channelId,
    });
    return 'shown';
  }

  /** Undefined when someone could see the preview who may not. Direct messages without the app are never shown one. */
  async function whoReads(
    { place, userId, isMember }: Posted,
    sinceMs?: number,
  ): Promise<{ locale: string | undefined } | undefined> {
    const { channelId } = place;
    if (isBetweenTwo({ channelId }) && !isMember) return undefined;
    const [admission, audience] = await Promise.all([
      access.admit(userId, place, { sinceMs }),
      audiences.of(channelId, sinceMs),
    ]);
    return admission.may && isInsidersOnly(audience) ? { locale: admission.locale } : undefined;
  }

  /** One link with its preview. Undefined when it has none, or when another process makes it. */
  async function read(
    posted: Posted,
    { posted: url, share }: Posted['links'][number],
    locale: string | undefined,
  ): Promise<[url: string, unfurl: { blocks: SectionBlock[] }] | undefined> {
    try {
      const { teamId, channelId } = posted.place;
      const key = `unfurl:${digest(`${teamId}:${channelId}:${posted.ts}:${url}`)}`;
      const owner = randomUUID();
      if ((await claims.claim(key, owner)) !== owner) return undefined;
      const conversation = await deepSearch.byReadToken(share.readToken);
      const { isGuessable } = share;
      if (!(await mayPreview(conversation, posted.place, posted.userId, { isGuessable }))) return undefined;
      const blocks = renderPreview(conversation, share.url, locale);
      return blocks === undefined ? undefined : [url, { blocks }];
    } catch (error) {
      // The other links of the message may still get a preview.
      noteFailure(posted, error);
      return undefined;
    }
  }

  function noteFailure({ place, ts }: Posted, error: unknown): void {
    const isExpected = isAppError(error, 'notFound', 'refused', 'undeliverable');
    const about = isAppError(error) ? { reason: error.kind, code: error.code } : { reason: 'unexpected' };
    // The error itself is not logged, because Slack's text may contain the address.
    const fields = { event: 'link_preview', outcome: 'failed', channelId: place.channelId, ts, ...about };
    if (isExpected) log.debug(fields);
    else log.warn(fields);
  }

  function note({ place, ts }: Pick<Posted, 'place' | 'ts'>, outcome: string): void {
    const fields = { event: 'link_preview', outcome, channelId: place.channelId, ts };
    if (outcome === 'dropped') log.warn(fields);
    else log.debug(fields);
  }
}
