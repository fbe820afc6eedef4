import type { App } from '@slack/bolt';
import { isAppError } from '../../core/errors.ts';
import type { QuestionStore } from '../../core/ports.ts';
import { ACTIONS, type MessageInChannel } from '../../render/ids.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { type HistoryMessage, readPage, toEvent } from '../missed/missed-message.ts';
import { type BlockAction, type BlockActionDeps, expired, type Handled, onBlockAction } from './block-actions.ts';
import { createHandleMessage, type MessageDeps } from './message.ts';

export type AskMissedDeps = BlockActionDeps & MessageDeps & { slack: SlackApi; questions: Pick<QuestionStore, 'get'> };

/** **Ask it now** on the line about a message that the app missed. Asks the message as it is now. */
export function registerAskMissed(app: App, deps: AskMissedDeps): void {
  const handle = createHandleMessage(deps);

  onBlockAction(
    app,
    deps,
    ACTIONS.askMissed,
    async ({ value, requester }: BlockAction): Promise<Handled> => {
      if (value.message === undefined) return expired(deps, value);
      if (await isAsked(value.questionId)) {
        return { notice: { kind: 'alreadyAskedByYou' }, replacesPressed: true };
      }
      const { teamId, userId } = requester;
      const message = await readMessage(deps.slack, value.message);
      if (message?.user !== userId) return expired(deps, value);
      await handle(toEvent(message, value.message.channelId, deps.slack.identity), teamId);
      // The message may have been changed, or be refused now: then the button stays.
      if (!(await isAsked(value.questionId))) return { notice: { kind: 'missedNotAsked' } };
      return { notice: { kind: 'missedAsked' }, replacesPressed: true };
    },
    'person',
  );

  async function isAsked(questionId: string): Promise<boolean> {
    const question = await deps.questions.get(questionId);
    return question !== undefined && question.phase !== 'offered';
  }
}

/** Undefined if the message is gone, or the app may not read it. */
async function readMessage(
  slack: Pick<SlackApi, 'call'>,
  { channelId: channel, ts, threadTs }: MessageInChannel,
): Promise<HistoryMessage | undefined> {
  const window = { channel, oldest: ts, latest: ts, inclusive: true };
  try {
    const { messages } =
      threadTs === undefined
        ? await slack.call('conversations.history', { ...window, limit: 1 }, { priority: 'private' })
        : await slack.call('conversations.replies', { ...window, ts: threadTs, limit: 2 }, { priority: 'private' });
    return readPage(messages).find((message) => message.ts === ts);
  } catch (error) {
    if (isAppError(error, 'undeliverable', 'notFound', 'unauthorized', 'refused')) return undefined;
    throw error;
  }
}
