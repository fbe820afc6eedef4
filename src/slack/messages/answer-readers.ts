import { AppError, isAppError } from '../../core/errors.ts';
import { showWithheld } from '../../core/intake/requests.ts';
import type { ConversationId, Place, Question } from '../../core/question/question.ts';
import type { WorkspaceContext } from '../context.ts';
import { createShareUrlReader } from '../unfurls/unfurls.ts';
import { openDirect } from './private-messages.ts';

/** As in `AnswerReaders`. */
export async function countReaders(
  { audiences, log }: WorkspaceContext,
  { channelId }: Place,
): Promise<number | undefined> {
  try {
    const { members, guests, outsiders, isKnown } = await audiences.of(channelId);
    return isKnown ? members + guests + outsiders : undefined;
  } catch (error) {
    if (!isAppError(error)) throw error;
    log.warn({ event: 'audience_not_known', channelId, kind: error.kind }, error);
    return undefined;
  }
}

/** Sends an answer to its asker's direct messages with the app. */
export async function showPrivately(w: WorkspaceContext, { id, askerId, place }: Question): Promise<void> {
  const { teamId } = place;
  const channelId = await openDirect(w, askerId);
  const { kind } = await showWithheld(w, id, { teamId, channelId }, { userId: askerId, teamId });
  if (kind !== 'accepted' && kind !== 'duplicate') throw new AppError('refused', `the answer was not sent: ${kind}`);
}

/**
 * Whether the app's account can open a share URL. One of another form is not of this service, so nothing proves who can open
 * it. Nor does a number: the app reads the conversation behind it by its id, as only its owner can.
 */
export async function canOpen(w: WorkspaceContext, shareUrl: string, conversationId: ConversationId): Promise<boolean> {
  const share = createShareUrlReader(w.endpoint)(shareUrl);
  if (share === undefined || share.isGuessable === true) return false;
  return (await w.deepSearch('app').byReadToken(share.readToken)).id === conversationId;
}
