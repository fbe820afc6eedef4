import { AppError, isAppError } from '../../core/errors.ts';
import type { Requests } from '../../core/intake/requests.ts';
import type { AnswerReaders, DeepSearch, Log } from '../../core/ports.ts';
import type { ConversationId } from '../../core/question/question.ts';
import type { Audiences } from '../access/audience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { openDirect } from '../listeners/frame.ts';
import { createShareUrlReader } from '../unfurls/share-urls.ts';

/** Counts the readers of a channel, sends answers to direct messages, and opens share URLs with the app's account. */
export function createAnswerReaders(options: {
  slack: Pick<SlackApi, 'call'>;
  audiences: Pick<Audiences, 'of'>;
  /** Address of the service. */
  endpoint: string;
  /** The service as the app's account sees it. */
  deepSearch: () => Pick<DeepSearch, 'byReadToken'>;
  showWithheld: Requests['showWithheld'];
  log: Log;
}): AnswerReaders {
  const { slack, audiences, endpoint, deepSearch, showWithheld, log } = options;
  const readShareUrl = createShareUrlReader(endpoint);

  return { count, showPrivately, canOpen };

  async function count({ channelId }: Parameters<AnswerReaders['count']>[0]): Promise<number | undefined> {
    try {
      const { members, guests, outsiders, isKnown } = await audiences.of(channelId);
      return isKnown ? members + guests + outsiders : undefined;
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.warn({ event: 'audience_not_known', channelId, kind: error.kind }, error);
      return undefined;
    }
  }

  async function showPrivately({ id, askerId, place }: Parameters<AnswerReaders['showPrivately']>[0]): Promise<void> {
    const { teamId } = place;
    const channelId = await openDirect(slack, askerId);
    const { kind } = await showWithheld(id, { teamId, channelId }, { userId: askerId, teamId });
    if (kind !== 'accepted' && kind !== 'duplicate') throw new AppError('refused', `the answer was not sent: ${kind}`);
  }

  /**
   * A share URL of another form is not of this service, so nothing proves who can open it. Nor does a number: the app reads
   * the conversation behind it by its id, as only its owner can.
   */
  async function canOpen(shareUrl: string, conversationId: ConversationId): Promise<boolean> {
    const share = readShareUrl(shareUrl);
    if (share === undefined || share.isGuessable === true) return false;
    return (await deepSearch().byReadToken(share.readToken)).id === conversationId;
  }
}
