import type { App } from '@slack/bolt';
import type { NewQuestion } from '../../core/intake/accept.ts';
import { asksNothing, isGreeting } from '../../core/intake/courtesies.ts';
import { type CommandVerb, readCommandIntent } from '../../core/intake/intents.ts';
import { isBetweenTwo, type Place } from '../../core/question/question.ts';
import { ackConfirmMs } from '../../core/settings.ts';
import type { RenderedMessage } from '../../render/blocks.ts';
import { renderDoctor } from '../../render/doctor.ts';
import { ACTIONS, COMMAND } from '../../render/ids.ts';
import { type Notice, renderNotice } from '../../render/notices.ts';
import type { PlaceRule } from '../../render/status.ts';
import { localeOf } from '../access/users.ts';
import { textBesidePeople } from '../content/incoming-text.ts';
import { canonical } from '../content/markup.ts';
import type { WorkspaceContext } from '../context.ts';
import { logFailure } from '../failure-log.ts';
import { connectAccount, disconnectAccount } from '../home/accounts.ts';
import { notify, type PrivateMessage } from '../messages/private-messages.ts';
import { reportChannel, reportHistory, reportWhy } from '../reports/reports.ts';
import { ackBudgetMs } from '../settings.ts';
import { openChannelSettings } from './channel-settings.ts';
import {
  expired,
  handledResult,
  inAckTime,
  isInDoubt,
  noticeOfAcceptance,
  onBlockAction,
  refusalOfAction,
} from './frame.ts';
import { helpOf } from './verbs.ts';

/** `/deepsearch <question>` is acknowledged once the question is stored. All replies are private. */
export function registerCommand(app: App, w: WorkspaceContext): void {
  const { botUserId } = w.slack.identity;

  app.command(COMMAND, async ({ command, context, ack }) => {
    const byMs = Date.now() + ackBudgetMs;
    const userId = command.user_id;
    const place: Place = { teamId: context.teamId ?? w.slack.identity.teamId, channelId: command.channel_id };
    const locale = localeOf(w.people, userId);
    const say = async (word: PrivateMessage): Promise<void> => {
      const { text, blocks } = written(word, await locale);
      await ack({ response_type: 'ephemeral', text, blocks });
    };

    const responseUrl = command.response_url ? { responseUrl: command.response_url } : {};
    const recipient = { channelId: place.channelId, userId, ...responseUrl };
    const text = await w.read(canonical(command.text ?? '', w.slack.identity));
    const intent = readCommandIntent(text);
    if (intent.kind === 'new') return say({ kind: 'emptyQuestion', after: 'command' });
    if (intent.kind === 'verb' && intent.verb === 'settings') {
      if (isBetweenTwo(place)) return say({ kind: 'settingsNeedChannel' });
      await ack();
      return openChannelSettings(w, { triggerId: command.trigger_id, recipient, teamId: place.teamId });
    }
    if (intent.kind === 'verb' && intent.verb === 'doctor') {
      if (!w.doctor.isFor(userId)) return say({ kind: 'doctorNotYours' });
      await say({ kind: 'doctorChecking' });
      return notify(w, recipient, examination(userId, await locale, text));
    }
    if (intent.kind !== 'ask') {
      const verb = intent.kind === 'nothing' ? 'help' : intent.verb;
      return say(await runVerb(verb, userId, place, byMs).catch((error: unknown) => notTaken(error, text)));
    }
    const words = textBesidePeople(command.text ?? '');
    if (isGreeting(words)) return say({ kind: 'nothingAsked', after: 'greeting' });
    if (asksNothing(words)) return say({ kind: 'nothingAsked', after: 'thanks' });
    const question = askedBy(command.trigger_id, { userId, place, text: intent.text, ...responseUrl });
    try {
      const accepting = w.accept(question, byMs - ackConfirmMs);
      const acceptance = await inAckTime(accepting, byMs);
      const refusal = noticeOfAcceptance(acceptance, text);
      if (refusal !== undefined) return await say(refusal);
      await ack();
    } catch (error) {
      if (!isInDoubt(error)) return await say(notTaken(error, text));
      const reference = logFailure(w.log, 'error', { event: 'command_not_taken', outcome: 'in_doubt' }, error);
      const questionId = w.requests.idOf(question.key);
      await say({ kind: 'inDoubt', questionId, triggerId: command.trigger_id, text: intent.text, reference });
    }
  });

  // Has the id of the command's question, so that it is not asked twice.
  onBlockAction(app, w, ACTIONS.askCommand, async ({ value, requester, recipient: { responseUrl }, byMs }) => {
    if (value.command === undefined) return expired(w, value);
    const { triggerId, text } = value.command;
    const { userId, ...place } = requester;
    const asked = { userId, place, text, responseUrl };
    return handledResult(w, await w.accept(askedBy(triggerId, asked), byMs), { value });
  });

  function written(word: PrivateMessage, locale: string | undefined): RenderedMessage {
    return typeof word === 'function'
      ? word(locale)
      : renderNotice(word, { botUserId, locale, contact: w.slack.identity.contact });
  }

  function notTaken(error: unknown, text: string): Notice {
    const failure = { event: 'command_not_taken', outcome: 'told_privately' };
    return { kind: 'notTaken', text, reference: logFailure(w.log, 'error', failure, error) };
  }

  async function examination(userId: string, locale: string | undefined, text: string): Promise<PrivateMessage> {
    try {
      const findings = await w.doctor.examine(userId, locale);
      return (reader) => renderDoctor(findings, reader);
    } catch (error) {
      return notTaken(error, text);
    }
  }

  async function runVerb(verb: CommandVerb, userId: string, place: Place, byMs: number): Promise<PrivateMessage> {
    switch (verb) {
      case 'help':
        return inAckTime(helpOf(w, userId, place), byMs);
      case 'cancel':
      case 'mute':
      case 'unmute':
        // Slack does not offer an app's commands in threads.
        return { kind: 'threadVerb', verb };
      case 'settings':
        // Opens a form instead, before this.
        return { kind: 'settingsNeedChannel' };
      case 'doctor':
        // Carried out in the background, before this.
        return { kind: 'doctorNotYours' };
      case 'connect':
        return inAckTime(connect(userId, place), byMs);
      case 'disconnect':
        // People may disconnect who may not ask.
        return inAckTime(disconnectAccount(w, { teamId: place.teamId, userId }), byMs);
      case 'history':
        return inAckTime(history(userId, place), byMs);
      case 'status':
        return inAckTime(status(userId, place), byMs);
      case 'why':
        return inAckTime(reportWhy(w, { userId, place, rule: ruleIn(place) }), byMs);
    }
  }

  /** Not in the place of the command: a channel where guests may ask gives them no account. */
  async function connect(userId: string, { teamId }: Place): Promise<PrivateMessage> {
    const requester = { userId, teamId, channelId: userId };
    const isForAll = w.accounts.mode === 'shared';
    const refusal = isForAll ? undefined : await refusalOfAction(w, { requester, named: {} }, 'person');
    return refusal ?? connectAccount(w, { teamId, userId });
  }

  async function history(userId: string, place: Place): Promise<PrivateMessage> {
    const refusal = await refusalOfAction(w, { requester: { userId, ...place }, named: {} }, 'person');
    return refusal ?? reportHistory(w, { teamId: place.teamId, userId });
  }

  async function status(userId: string, place: Place): Promise<PrivateMessage> {
    const refusal = await refusalOfAction(w, { requester: { userId, ...place }, named: {} }, 'person');
    return refusal ?? reportChannel(w, { userId, place, rule: ruleIn(place) });
  }

  function ruleIn({ channelId }: Place): PlaceRule {
    if (isBetweenTwo({ channelId })) return 'direct';
    const isMember = w.channels.known(channelId)?.isMember;
    if (isMember === undefined) return 'channelUnknown';
    return isMember ? 'channel' : 'notInChannel';
  }
}

/** The question of a command, or of the button that asks it again. */
function askedBy(
  triggerId: string,
  { userId, ...asked }: { userId: string; place: Place; text: string; responseUrl?: string },
): NewQuestion {
  const key = `command:${asked.place.teamId}:${triggerId}`;
  return { ...asked, key, askerId: userId, origin: 'command', beginsThread: true };
}
