import { isAppError } from '../../core/errors.ts';
import { linksOf, type Permalink } from '../../core/question/permalinks.ts';
import type { Question } from '../../core/question/question.ts';
import { mayReadThread, type ThreadAccess } from '../access/membership.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { readPage, type ThreadMessage } from '../content/thread-messages.ts';
import { mostLinksRead } from '../settings.ts';

/** A message that the question links to. */
export interface LinkedMessage extends ThreadMessage {
  link: Permalink;
}

const slackHost = /(?:^|\.)slack(?:-gov)?\.com$/;

/**
 * Reads the messages that a question links to, if its asker may read their channels, and may ask there. `unread`: how many
 * were not read. Links in other people's messages are not followed.
 */
export async function readLinkedMessages(
  deps: ThreadAccess & { slack: SlackApi },
  question: Question,
): Promise<{ messages: LinkedMessage[]; unread: number }> {
  const { slack } = deps;
  const { workspaceUrl } = slack.identity;
  const ownHost = workspaceUrl === undefined ? undefined : new URL(workspaceUrl).host;
  const links = linksOf(question).filter(({ host }) => host === ownHost || slackHost.test(host));
  const mayRead = new Map<string, Promise<boolean>>();
  const messages = await Promise.all(links.slice(0, mostLinksRead).map(readLinked));
  const read = messages.filter((message) => message !== undefined);
  return { messages: read, unread: links.length - read.length };

  async function readLinked(link: Permalink): Promise<LinkedMessage | undefined> {
    const { channelId: channel, ts, threadTs = ts } = link;
    const asking = mayRead.get(channel) ?? mayReadThread(deps, question.askerId, placeOf(link));
    mayRead.set(channel, asking);
    try {
      if (!(await asking)) return undefined;
      const window = { oldest: ts, latest: ts, inclusive: true, limit: 2 };
      const page = await slack.call(
        'conversations.replies',
        { channel, ts: threadTs, ...window },
        { priority: 'card' },
      );
      const found = readPage(page.messages ?? [], slack.identity, threadTs).messages.find((each) => each.ts === ts);
      return found === undefined ? undefined : { ...found, link };
    } catch (error) {
      if (!isAppError(error, 'unauthorized', 'undeliverable', 'notFound', 'refused')) throw error;
      return undefined;
    }
  }

  function placeOf({ channelId, ts, threadTs = ts }: Permalink) {
    return { teamId: question.place.teamId, channelId, threadTs };
  }
}
