import type { App } from '@slack/bolt';
import { readIntent } from '../../core/intents.ts';
import { COMMAND } from '../../render/ids.ts';
import type { RenderedMessage } from '../../render/message.ts';
import { type Notice, renderHelp, renderNotice } from '../../render/notices.ts';
import { type Desk, refusalOf } from './desk.ts';

/** `/deepsearch <question>`: acknowledged once the question is stored; everything said back is private. */
export function registerCommand(app: App, desk: Desk): void {
  const { botUserId } = desk.identity;

  app.command(COMMAND, async ({ command, context, ack }) => {
    const answer = async ({ text, blocks }: RenderedMessage): Promise<void> => {
      await ack({ response_type: 'ephemeral', text, ...(blocks === undefined ? {} : { blocks }) });
    };
    const say = (notice: Notice): Promise<void> => answer(renderNotice(notice, { botUserId }));

    const written = command.text ?? '';
    const text = await desk.read(written);
    const intent = readIntent(text);
    if (intent.kind === 'help') return answer(renderHelp({ commandName: COMMAND, botUserId }));
    if (intent.kind === 'cancel') return say({ kind: 'nothingToCancel' });
    try {
      const teamId = context.teamId ?? desk.identity.teamId;
      const acceptance = await desk.accept({
        key: `command:${teamId}:${command.trigger_id}`,
        place: { teamId, channelId: command.channel_id },
        askerId: command.user_id,
        text,
        origin: 'command',
        beginsThread: true,
        ...(command.response_url ? { responseUrl: command.response_url } : {}),
      });
      const refusal = refusalOf(acceptance, text);
      if (refusal !== undefined) return await say(refusal);
      await ack();
    } catch (error) {
      desk.journal.error({ event: 'command_not_taken', outcome: 'told_privately' }, error);
      await say({ kind: 'notTaken', text });
    }
  });
}
