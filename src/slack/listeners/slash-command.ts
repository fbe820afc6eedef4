import type { App } from '@slack/bolt';
import type { NewQuestion } from '../../core/intake/accept.ts';
import { type CommandVerb, readCommandIntent } from '../../core/intake/intents.ts';
import { isBetweenTwo, type Place } from '../../core/question/question.ts';
import { COMMAND } from '../../render/ids.ts';
import type { RenderedMessage } from '../../render/message.ts';
import { type Notice, renderHelp, renderNotice } from '../../render/notices.ts';
import { ruleOf } from '../../render/place-rule.ts';
import { localeOf } from '../access/users.ts';
import { logFailure } from '../failure-log.ts';
import type { PrivateMessage } from '../messages/messenger.ts';
import { ackBudgetMs, confirmMs, inAckTime } from './ack-time.ts';
import { refusalOfAction } from './block-actions.ts';
import { type Desk, refusalOf, withdraw } from './desk.ts';

/** `/deepsearch <question>`: acknowledged once the question is stored; everything said back is private. */
export function registerCommand(app: App, desk: Desk): void {
  const { botUserId } = desk.slack.identity;

  app.command(COMMAND, async ({ command, context, ack }) => {
    const byMs = Date.now() + ackBudgetMs;
    const userId = command.user_id;
    const place: Place = { teamId: context.teamId ?? desk.slack.identity.teamId, channelId: command.channel_id };
    const locale = localeOf(desk.people, userId);
    const say = async (word: PrivateMessage): Promise<void> => {
      const { text, blocks } = written(word, await locale);
      await ack({ response_type: 'ephemeral', text, ...(blocks === undefined ? {} : { blocks }) });
    };

    const text = await desk.read(command.text ?? '');
    const intent = readCommandIntent(text);
    if (intent.kind === 'new') return say({ kind: 'emptyQuestion', after: 'command' });
    if (intent.kind !== 'ask') {
      const verb = intent.kind === 'nothing' ? 'help' : intent.verb;
      return say(await runVerb(verb, userId, place, byMs).catch((error: unknown) => notTaken(error, text)));
    }
    try {
      const question: NewQuestion = {
        key: `command:${place.teamId}:${command.trigger_id}`,
        place,
        askerId: userId,
        text,
        origin: 'command',
        beginsThread: true,
        ...(command.response_url ? { responseUrl: command.response_url } : {}),
      };
      const accepting = desk.accept(question, byMs - confirmMs);
      const acceptance = await inAckTime(accepting, byMs, (late) => withdraw(desk, late, userId));
      const refusal = refusalOf(acceptance, text);
      if (refusal !== undefined) return await say(refusal);
      await ack();
    } catch (error) {
      await say(notTaken(error, text));
    }
  });

  function written(word: PrivateMessage, locale: string | undefined): RenderedMessage {
    return typeof word === 'function'
      ? word(locale)
      : renderNotice(word, { botUserId, locale, contact: desk.slack.identity.contact });
  }

  function notTaken(error: unknown, text: string): Notice {
    const failure = { event: 'command_not_taken', outcome: 'told_privately' };
    return { kind: 'notTaken', text, reference: logFailure(desk.log, 'error', failure, error) };
  }

  async function runVerb(verb: CommandVerb, userId: string, place: Place, byMs: number): Promise<PrivateMessage> {
    switch (verb) {
      case 'help':
        return (locale) => renderHelp({ commandName: COMMAND, botUserId, locale });
      case 'cancel':
      case 'mute':
      case 'unmute':
        // Slack offers an app's commands nowhere in threads.
        return { kind: 'threadVerb', verb };
      case 'connect':
      case 'disconnect':
        return { kind: 'nothingToConnect' };
      case 'history':
        return inAckTime(history(userId, place), byMs, async () => {});
      case 'status':
        return inAckTime(status(userId, place), byMs, async () => {});
      case 'why':
        return inAckTime(desk.reports.why({ userId, place, rule: ruleIn(place) }), byMs, async () => {});
    }
  }

  async function history(userId: string, place: Place): Promise<PrivateMessage> {
    const refusal = await refusalOfAction(desk, { requester: { userId, ...place }, named: {} }, 'person');
    return refusal ?? desk.historyOf({ teamId: place.teamId, userId });
  }

  async function status(userId: string, place: Place): Promise<PrivateMessage> {
    const refusal = await refusalOfAction(desk, { requester: { userId, ...place }, named: {} }, 'person');
    return refusal ?? desk.reports.ofChannel({ userId, place, isDirect: isBetweenTwo(place) });
  }

  function ruleIn({ channelId }: Place) {
    return isBetweenTwo({ channelId }) ? 'direct' : ruleOf(false, undefined);
  }
}
