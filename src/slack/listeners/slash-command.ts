import type { App } from '@slack/bolt';
import type { createAccept, NewQuestion } from '../../core/intake/accept.ts';
import { asksNothing, isGreeting } from '../../core/intake/courtesies.ts';
import { type CommandVerb, readCommandIntent } from '../../core/intake/intents.ts';
import { isBetweenTwo, type Place } from '../../core/question/question.ts';
import { ackConfirmMs } from '../../core/settings.ts';
import { renderDoctor } from '../../render/doctor.ts';
import { COMMAND } from '../../render/ids.ts';
import type { RenderedMessage } from '../../render/message.ts';
import { type Notice, renderNotice } from '../../render/notices.ts';
import type { PlaceRule } from '../../render/place-rule.ts';
import type { ChosenRules } from '../access/channel-rules.ts';
import type { Channels } from '../access/channels.ts';
import { localeOf, type Users } from '../access/users.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Doctor } from '../checks/doctor.ts';
import { textBesidePeople } from '../content/incoming-text.ts';
import { canonical } from '../content/markup.ts';
import { logFailure } from '../failure-log.ts';
import type { AccountViews } from '../home/accounts.ts';
import type { HistoryOf } from '../home/history.ts';
import type { PrivateMessage } from '../messages/messenger.ts';
import type { PrivateNotifier } from '../messages/private-notifier.ts';
import type { Reports } from '../reports/reports.ts';
import { ackBudgetMs } from '../settings.ts';
import { inAckTime } from './ack-time.ts';
import { type ActionCheckDeps, refusalOfAction } from './block-actions.ts';
import { type ChannelSettingsDeps, openChannelSettings } from './channel-settings.ts';
import { type HelpDeps, helpOf } from './help.ts';
import { noticeOfAcceptance } from './result-notices.ts';
import { type WithdrawDeps, withdraw } from './withdraw.ts';

export type CommandDeps = ActionCheckDeps &
  WithdrawDeps &
  ChannelSettingsDeps & {
    slack: Pick<SlackApi, 'identity' | 'call'>;
    accept: ReturnType<typeof createAccept>;
    people: Pick<Users, 'person'>;
    channels: Pick<Channels, 'known'>;
    reports: Pick<Reports, 'ofChannel' | 'why'>;
    historyOf: HistoryOf;
    accountViews: Pick<AccountViews, 'mode' | 'connect' | 'disconnect'>;
    doctor: Doctor;
    chosenRules: ChosenRules;
    repositoriesFor: HelpDeps['repositoriesFor'];
    notify: PrivateNotifier['notify'];
    /** Slack's text as people see it, without the app's mention. */
    read: (text: string) => Promise<string>;
  };

/** `/deepsearch <question>` is acknowledged once the question is stored. All replies are private. */
export function registerCommand(app: App, deps: CommandDeps): void {
  const { botUserId } = deps.slack.identity;

  app.command(COMMAND, async ({ command, context, ack }) => {
    const byMs = Date.now() + ackBudgetMs;
    const userId = command.user_id;
    const place: Place = { teamId: context.teamId ?? deps.slack.identity.teamId, channelId: command.channel_id };
    const locale = localeOf(deps.people, userId);
    const say = async (word: PrivateMessage): Promise<void> => {
      const { text, blocks } = written(word, await locale);
      await ack({ response_type: 'ephemeral', text, ...(blocks === undefined ? {} : { blocks }) });
    };

    const responseUrl = command.response_url ? { responseUrl: command.response_url } : {};
    const recipient = { channelId: place.channelId, userId, ...responseUrl };
    const text = await deps.read(canonical(command.text ?? '', deps.slack.identity));
    const intent = readCommandIntent(text);
    if (intent.kind === 'new') return say({ kind: 'emptyQuestion', after: 'command' });
    if (intent.kind === 'verb' && intent.verb === 'settings') {
      if (isBetweenTwo(place)) return say({ kind: 'settingsNeedChannel' });
      await ack();
      return openChannelSettings(deps, { triggerId: command.trigger_id, recipient, teamId: place.teamId });
    }
    if (intent.kind === 'verb' && intent.verb === 'doctor') {
      if (!deps.doctor.isFor(userId)) return say({ kind: 'doctorNotYours' });
      await say({ kind: 'doctorChecking' });
      return deps.notify(recipient, examination(userId, await locale, text));
    }
    if (intent.kind !== 'ask') {
      const verb = intent.kind === 'nothing' ? 'help' : intent.verb;
      return say(await runVerb(verb, userId, place, byMs).catch((error: unknown) => notTaken(error, text)));
    }
    const words = textBesidePeople(command.text ?? '');
    if (isGreeting(words)) return say({ kind: 'nothingAsked', after: 'greeting' });
    if (asksNothing(words)) return say({ kind: 'nothingAsked', after: 'thanks' });
    try {
      const question: NewQuestion = {
        key: `command:${place.teamId}:${command.trigger_id}`,
        place,
        askerId: userId,
        text: intent.text,
        origin: 'command',
        beginsThread: true,
        ...responseUrl,
      };
      const accepting = deps.accept(question, byMs - ackConfirmMs);
      const acceptance = await inAckTime(accepting, byMs, (late) => withdraw(deps, late));
      const refusal = noticeOfAcceptance(acceptance, text);
      if (refusal !== undefined) return await say(refusal);
      await ack();
    } catch (error) {
      await say(notTaken(error, text));
    }
  });

  function written(word: PrivateMessage, locale: string | undefined): RenderedMessage {
    return typeof word === 'function'
      ? word(locale)
      : renderNotice(word, { botUserId, locale, contact: deps.slack.identity.contact });
  }

  function notTaken(error: unknown, text: string): Notice {
    const failure = { event: 'command_not_taken', outcome: 'told_privately' };
    return { kind: 'notTaken', text, reference: logFailure(deps.log, 'error', failure, error) };
  }

  async function examination(userId: string, locale: string | undefined, text: string): Promise<PrivateMessage> {
    try {
      const findings = await deps.doctor.examine(userId, locale);
      return (reader) => renderDoctor(findings, reader);
    } catch (error) {
      return notTaken(error, text);
    }
  }

  async function runVerb(verb: CommandVerb, userId: string, place: Place, byMs: number): Promise<PrivateMessage> {
    switch (verb) {
      case 'help':
        return inAckTime(helpOf(deps, userId, place), byMs, async () => {});
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
        return inAckTime(connect(userId, place), byMs, async () => {});
      case 'disconnect':
        // People may disconnect who may not ask.
        return inAckTime(deps.accountViews.disconnect({ teamId: place.teamId, userId }), byMs, async () => {});
      case 'history':
        return inAckTime(history(userId, place), byMs, async () => {});
      case 'status':
        return inAckTime(status(userId, place), byMs, async () => {});
      case 'why':
        return inAckTime(deps.reports.why({ userId, place, rule: ruleIn(place) }), byMs, async () => {});
    }
  }

  /** Not in the place of the command: a channel where guests may ask gives them no account. */
  async function connect(userId: string, { teamId }: Place): Promise<PrivateMessage> {
    const requester = { userId, teamId, channelId: userId };
    const isForAll = deps.accountViews.mode === 'shared';
    const refusal = isForAll ? undefined : await refusalOfAction(deps, { requester, named: {} }, 'person');
    return refusal ?? deps.accountViews.connect({ teamId, userId });
  }

  async function history(userId: string, place: Place): Promise<PrivateMessage> {
    const refusal = await refusalOfAction(deps, { requester: { userId, ...place }, named: {} }, 'person');
    return refusal ?? deps.historyOf({ teamId: place.teamId, userId });
  }

  async function status(userId: string, place: Place): Promise<PrivateMessage> {
    const refusal = await refusalOfAction(deps, { requester: { userId, ...place }, named: {} }, 'person');
    return refusal ?? deps.reports.ofChannel({ userId, place, rule: ruleIn(place) });
  }

  function ruleIn({ channelId }: Place): PlaceRule {
    if (isBetweenTwo({ channelId })) return 'direct';
    const isMember = deps.channels.known(channelId)?.isMember;
    if (isMember === undefined) return 'channelUnknown';
    return isMember ? 'channel' : 'notInChannel';
  }
}
