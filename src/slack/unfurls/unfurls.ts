import { randomUUID } from 'node:crypto';
import type { SectionBlock } from '@slack/types';
import { isAppError } from '../../core/errors.ts';
import { isBetweenTwo, type Place } from '../../core/question/question.ts';
import { freshAccessMs } from '../../core/settings.ts';
import { renderPreview } from '../../render/preview.ts';
import { isInsidersOnly } from '../access/audience.ts';
import type { WorkspaceContext } from '../context.ts';
import { longestShareUrl, mostUnfurledLinks, mostUnfurlsAtOnce, mostUnfurlsWaiting } from '../settings.ts';

/** A share link of the service: the token that opens the conversation, and the address with only the parts it needs. */
interface ShareUrl {
  /** A secret: with this token, anyone can read the conversation. */
  readToken: string;
  url: string;
  /** The token is only the number of a conversation, which anyone can guess. */
  isGuessable?: true;
}

const PATH = /^\/deepsearch\/(?:shared\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i;
const NUMBERED_PATH = /^\/deepsearch\/([1-9]\d{0,19})\/?$/;

/**
 * Reads share URLs of the service at `endpoint`, which includes its path prefix. Undefined for any other address. The
 * service gives two forms: with `/shared` before the token, and without (sourcegraph.com/changelog/deep-search-read). The
 * second generation of its API also gives the number of the conversation instead of a token.
 */
export function createShareUrlReader(endpoint: string): (address: string) => ShareUrl | undefined {
  const base = new URL(endpoint);
  const prefix = base.pathname.replace(/\/+$/, '');

  return (address) => {
    if (address.length > longestShareUrl || !URL.canParse(address)) return undefined;
    const { origin, pathname, username, password } = new URL(address);
    if (origin !== base.origin || username !== '' || password !== '') return undefined;
    if (!pathname.startsWith(`${prefix}/`)) return undefined;
    const path = pathname.slice(prefix.length);
    const url = `${origin}${pathname}`;
    const readToken = PATH.exec(path)?.[1]?.toLowerCase();
    if (readToken !== undefined) return { readToken, url };
    const number = NUMBERED_PATH.exec(path)?.[1];
    return number === undefined ? undefined : { readToken: number, url, isGuessable: true };
  };
}

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
export function createUnfurls(w: WorkspaceContext): Unfurls {
  const { slack, tasks, log, now } = w;
  const readShareUrl = createShareUrlReader(w.endpoint);
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
    w.audit.note({
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
      w.access.admit(userId, place, { sinceMs }),
      w.audiences.of(channelId, sinceMs),
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
      const key = `unfurl:${w.digest(`${teamId}:${channelId}:${posted.ts}:${url}`)}`;
      const owner = randomUUID();
      if ((await w.claims.claim(key, owner)) !== owner) return undefined;
      const conversation = await w.deepSearch('app').byReadToken(share.readToken);
      const { isGuessable } = share;
      if (!(await w.mayPreview(conversation, posted.place, posted.userId, { isGuessable }))) return undefined;
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
