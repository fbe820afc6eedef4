import { slackProblems } from './limits.ts';
import type { SlackMessages } from './messages.ts';
import { type Args, type Methods, type Reply, refused } from './wire.ts';

/** A link in a `link_shared` event: in a message, or in someone's composer. */
export interface SharedLink {
  source: 'conversations_history' | 'composer';
  unfurlId: string;
  urls: string[];
  channel?: string;
  ts?: string;
}

/** The previews the app sent: blocks or an attachment for each address. */
export interface SlackUnfurl {
  link: SharedLink;
  unfurls: Record<string, unknown>;
}

/** Link previews: `chat.unfurl`, only for links from an earlier event. */
export function createUnfurls(messages: SlackMessages, violations: string[]) {
  const shared: SharedLink[] = [];
  const unfurls: SlackUnfurl[] = [];

  const methods: Methods = {
    'chat.unfurl': (args) => {
      const link = linkOf(args);
      if ('ok' in link) return link;
      const asked = args.unfurls;
      if (typeof asked !== 'object' || asked === null || Array.isArray(asked)) return refused('missing_unfurls');
      const given = Object.entries(asked as Record<string, unknown>);
      if (given.length === 0) return refused('missing_unfurls');
      if (given.some(([url]) => !link.urls.includes(url))) return refused('cannot_unfurl_url');
      const problems = given.flatMap(([, unfurl]) => slackProblems('chat.unfurl', unfurl as Args));
      if (problems.length > 0) {
        violations.push(...problems.map((problem) => `chat.unfurl: ${problem}`));
        return refused('invalid_blocks');
      }
      unfurls.push({ link, unfurls: Object.fromEntries(given) });
      const message = messages.find(link.channel, link.ts);
      if (message !== undefined) {
        const before = { ...message };
        const kept = (message.attachments ?? []).filter(({ from_url: url }) => !given.some(([each]) => each === url));
        message.attachments = [...kept, ...given.map(([url, unfurl]) => ({ from_url: url, ...(unfurl as object) }))];
        messages.told.of?.changed(before, message);
      }
      return { ok: true };
    },
  };

  return { methods, shared, unfurls };

  function linkOf(args: Args): SharedLink | Reply {
    const byMessage = args.channel !== undefined || args.ts !== undefined;
    const byId = args.unfurl_id !== undefined || args.source !== undefined;
    if (byMessage === byId) return refused('invalid_arguments');
    if (byId) {
      const found = shared.find(({ unfurlId, source }) => unfurlId === args.unfurl_id && source === args.source);
      if (found === undefined) return refused('cannot_unfurl_message');
      const isGone = found.ts !== undefined && messages.find(found.channel, found.ts) === undefined;
      return isGone ? refused('cannot_unfurl_message') : found;
    }
    const message = messages.find(args.channel, args.ts);
    if (message === undefined) return refused('cannot_unfurl_message');
    const { channel, ts, text } = message;
    return { source: 'conversations_history', unfurlId: '', urls: linksIn(text), channel, ts };
  }
}

/** The links of a stored text. */
export function linksIn(text: string): string[] {
  return [...text.matchAll(/<?(https?:\/\/[^\s|>]+)/g)]
    .map(([, url = '']) => url.replaceAll('&amp;', '&'))
    .filter((url) => URL.canParse(url));
}
