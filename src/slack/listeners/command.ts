import type { App } from '@slack/bolt';
import type { NewQuestion } from '../../core/accept.ts';
import { readIntent } from '../../core/intents.ts';
import { COMMAND } from '../../render/ids.ts';
import type { RenderedMessage } from '../../render/message.ts';
import { type Notice, renderHelp, renderNotice } from '../../render/notices.ts';
import { ackBudgetMs, inAckTime } from './ack-time.ts';
import { type Desk, refusalOf, withdraw } from './desk.ts';

/** Time kept for the second of the two steps of taking a question, in milliseconds. */
const confirmMs = 500;

/** `/deepsearch <question>`: acknowledged once the question is stored; everything said back is private. */
export function registerCommand(app: App, desk: Desk): void {
  const { botUserId } = desk.identity;

  app.command(COMMAND, async ({ command, context, ack }) => {
    const answer = async ({ text, blocks }: RenderedMessage): Promise<void> => {
      await ack({ response_type: 'ephemeral', text, ...(blocks === undefined ? {} : { blocks }) });
    };
    const say = (notice: Notice): Promise<void> => answer(renderNotice(notice, { botUserId, locale: undefined }));

    const byMs = Date.now() + ackBudgetMs;
    const written = command.text ?? '';
    const text = await desk.read(written);
    const intent = readIntent(text);
    if (intent.kind === 'help') return answer(renderHelp({ commandName: COMMAND, botUserId, locale: undefined }));
    if (intent.kind === 'new') return say({ kind: 'emptyQuestion' });
    if (intent.kind === 'cancel') return say({ kind: 'nothingToCancel' });
    try {
      const teamId = context.teamId ?? desk.identity.teamId;
      const question: NewQuestion = {
        key: `command:${teamId}:${command.trigger_id}`,
        place: { teamId, channelId: command.channel_id },
        askerId: command.user_id,
        text,
        origin: 'command',
        beginsThread: true,
        ...(command.response_url ? { responseUrl: command.response_url } : {}),
      };
      // Storing has to leave time for confirming, so that nothing is taken after it was called not taken.
      const accepting = desk.accept(question, byMs - confirmMs);
      const acceptance = await inAckTime(accepting, byMs, (late) => withdraw(desk, late, command.user_id));
      const refusal = refusalOf(acceptance, text);
      if (refusal !== undefined) return await say(refusal);
      await ack();
    } catch (error) {
      desk.journal.error({ event: 'command_not_taken', outcome: 'told_privately' }, error);
      await say({ kind: 'notTaken', text });
    }
  });
}
