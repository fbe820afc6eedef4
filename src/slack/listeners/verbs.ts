import { randomUUID } from 'node:crypto';
import type { App } from '@slack/bolt';
import { isAppError } from '../../core/errors.ts';
import { accept, idOf, type NewQuestion } from '../../core/intake/accept.ts';
import { cancelInThread, cancelOnlyIn, runningIn } from '../../core/intake/cancel.ts';
import { asksNothing, isGreeting } from '../../core/intake/courtesies.ts';
import { type CommandVerb, type Nothing, readCommandIntent, type Verb } from '../../core/intake/intents.ts';
import { within } from '../../core/pacing.ts';
import type { ThreadStore } from '../../core/ports.ts';
import { isBetweenTwo, newThread, type Place, type Thread, type ThreadPlace } from '../../core/question/question.ts';
import { ackConfirmMs } from '../../core/settings.ts';
import type { RenderedMessage } from '../../render/blocks.ts';
import { renderDoctor } from '../../render/doctor.ts';
import { renderHelp } from '../../render/help.ts';
import { ACTIONS, COMMAND } from '../../render/ids.ts';
import { type Notice, renderNotice } from '../../render/notices.ts';
import { type PlaceRule, ruleOf } from '../../render/status.ts';
import { takesOnlyMentions } from '../access/policy.ts';
import { localeOf } from '../access/users.ts';
import { canonical, textBesidePeople } from '../content/incoming-text.ts';
import type { WorkspaceContext } from '../context.ts';
import { logFailure } from '../failure-log.ts';
import { connectAccount, disconnectAccount } from '../home/accounts.ts';
import { notify, type PrivateMessage, type Recipient } from '../messages/private-messages.ts';
import { reportChannel, reportHistory, reportThread, reportWhy } from '../reports/reports.ts';
import { ackBudgetMs, helpPatienceMs } from '../settings.ts';
import { openChannelSettings } from './channel-settings.ts';
import {
  expired,
  handledResult,
  inAckTime,
  isInDoubt,
  noticeOfAcceptance,
  noticeOfCancel,
  onBlockAction,
  refusalOfAction,
} from './frame.ts';

/** A verb that someone said in a message. */
interface SaidVerb {
  verb: Verb | Nothing;
  place: ThreadPlace;
  /** The thread as it was stored when the message arrived. */
  thread: Thread | undefined;
  /** The message is a reply, and not the first one of its thread. */
  isReply: boolean;
  isDirect: boolean;
  /** It is a plain reply, which may not be meant for the app. */
  isPlain: boolean;
  userId: string;
  /** Names the message. */
  key: string;
  /** The kind of event that brought the message. The same message may come as two kinds. */
  deliveredAs: string;
  recipient: Recipient;
  /** For a message that was missed: only questions that were asked before it are meant. */
  askedBeforeMs?: number;
}

/** Carries out verbs that people say to the app instead of a question. All replies are private. */
export function createVerbs(w: WorkspaceContext) {
  return {
    /** Throws `AppError` of kind `storage` when nothing was done. */
    async runVerb(said: SaidVerb): Promise<void> {
      const { key, deliveredAs, verb } = said;
      // A message that comes as two kinds of events is carried out once. The same event is carried out again after a
      // failure.
      if ((await w.claims.claim(`verb:${key}`, deliveredAs)) !== deliveredAs) return;
      // A verb that was carried out is not repeated, because a later message may have undone it.
      if ((await w.claims.ownerOf(doneKey(said))) !== undefined) return;
      switch (verb) {
        case 'cancel': {
          const notice = await cancel(said);
          return answer(said, () => notice);
        }
        case 'mute':
        case 'unmute': {
          const notice = await mute(said, verb === 'mute');
          return answer(said, () => notice);
        }
        case 'greeting':
        case 'thanks':
          return answer(said, () => ({ kind: 'nothingAsked', after: verb }));
        case 'help':
        case 'status':
        case 'history':
        case 'why':
          return answer(said, () => report(said, verb));
      }
    },
  };

  /** Sends the reply once, however often the message is delivered. Slack does not wait while the reply is written. */
  async function answer(
    said: SaidVerb,
    find: () => PrivateMessage | undefined | Promise<PrivateMessage>,
  ): Promise<void> {
    const delivery = randomUUID();
    if ((await w.claims.claim(doneKey(said), delivery)) !== delivery) return;
    const reply = find();
    if (reply !== undefined) notify(w, said.recipient, reply);
  }

  /** People who may not ask here may still cancel their own question. */
  async function cancel(said: SaidVerb): Promise<Notice | undefined> {
    const refusal = await refusalOf(said);
    const ownOnly = refusal !== undefined;
    if (!said.isReply && said.isDirect) return cancelInDirect(said, refusal);
    // Outside of a thread, no question can be meant.
    if (!said.isReply) return refusal ?? { kind: 'threadVerb', verb: said.verb };
    const toConfirm = said.isPlain && !ownOnly ? await othersQuestion(said) : undefined;
    if (toConfirm !== undefined) return toConfirm;
    // Without a mention only their own question is meant, also when the queue moved on since it was read.
    const result = await cancelInThread(w, said.place, said.userId, said.key, {
      ownOnly: ownOnly || said.isPlain,
      askedBeforeMs: said.askedBeforeMs,
    });
    // What a missed message meant has ended visibly.
    if (said.askedBeforeMs !== undefined && result.kind === 'nothing') return undefined;
    return ownOnly && result.kind === 'nothing' ? refusal : noticeOfCancel(result);
  }

  /**
   * People also say "stop" to each other, so another person's question is cancelled only by a button in a private
   * message.
   */
  async function othersQuestion({ place, userId, askedBeforeMs }: SaidVerb): Promise<Notice | undefined> {
    const question = await runningIn(w, place, askedBeforeMs);
    if (question === undefined || question.askerId === userId) return undefined;
    const { id: questionId, askerId, text } = question;
    return { kind: 'confirmCancel', questionId, askerId, text };
  }

  /** In direct messages outside of threads, a person means their only open question there. */
  async function cancelInDirect(
    { place, userId, key, askedBeforeMs }: SaidVerb,
    refusal: Notice | undefined,
  ): Promise<Notice | undefined> {
    const result = await cancelOnlyIn(w, place, userId, key, askedBeforeMs);
    switch (result.kind) {
      case 'several':
        return { kind: 'severalToCancel' };
      case 'nothing':
        if (askedBeforeMs !== undefined) return undefined;
        return refusal ?? { kind: 'nothingToCancelInDirect' };
      default:
        return noticeOfCancel(result);
    }
  }

  async function mute(said: SaidVerb, muted: boolean): Promise<Notice> {
    const { place, thread, isReply, isDirect } = said;
    if (isDirect) return { kind: 'muteDirect' };
    const refusal = await refusalOf(said);
    if (refusal !== undefined) return refusal;
    if (!isReply || thread?.followsReplies !== true) return { kind: 'muteNeedless' };
    await setMuted(w.threads, place, muted);
    if (muted) return { kind: 'muted' };
    const isInVain = await takesOnlyMentions(w.chosenRules, place);
    return isInVain ? { kind: 'unmuted', isInVain } : { kind: 'unmuted' };
  }

  /** A report changes nothing, so a failure is told and not tried again. */
  async function report(said: SaidVerb, verb: 'help' | 'status' | 'history' | 'why'): Promise<PrivateMessage> {
    try {
      switch (verb) {
        case 'help':
          return await helpOf(w, said.userId, said.place);
        case 'status':
          return await status(said);
        case 'history':
          return await history(said);
        case 'why':
          return await why(said);
      }
    } catch (error) {
      if (!isAppError(error)) throw error;
      const failure = { event: 'verb_not_answered', kind: error.kind };
      return { kind: 'notTaken', text: verb, reference: logFailure(w.log, 'warn', failure, error) };
    }
  }

  async function status(said: SaidVerb): Promise<PrivateMessage> {
    const refusal = await refusalOf(said);
    if (refusal !== undefined) return refusal;
    const { place, thread, isReply, isDirect, userId } = said;
    // Slack delivers the messages of a channel only to an app that is in it.
    if (!isReply) return reportChannel(w, { userId, place, rule: isDirect ? 'direct' : 'channel' });
    const onlyMentions = !isDirect && (await takesOnlyMentions(w.chosenRules, place));
    return reportThread(w, { userId, place, thread, isDirect, onlyMentions });
  }

  async function history(said: SaidVerb): Promise<PrivateMessage> {
    const { place, userId } = said;
    return (await refusalOf(said)) ?? reportHistory(w, { teamId: place.teamId, userId });
  }

  /** Everyone may ask why their message was ignored, guests too. */
  async function why({ place, thread, isReply, isDirect, userId }: SaidVerb): Promise<PrivateMessage> {
    const onlyMentions = isReply && !isDirect && (await takesOnlyMentions(w.chosenRules, place));
    return reportWhy(w, {
      userId,
      place,
      threadTs: isReply ? place.threadTs : undefined,
      rule: isDirect ? 'direct' : ruleOf(isReply, thread, onlyMentions),
    });
  }

  function refusalOf({ place, userId }: SaidVerb): Promise<Notice | undefined> {
    const { teamId, channelId } = place;
    return refusalOfAction(w, { requester: { userId, teamId, channelId }, named: {} }, 'person');
  }
}

function doneKey({ key }: SaidVerb): string {
  return `verb-done:${key}`;
}

/** Names a message by its place and timestamp, the same for each delivery and kind of event. */
export function messageKey(teamId: string, channelId: string, ts: string): string {
  return `message:${teamId}:${channelId}:${ts}`;
}

/** Sets whether the app ignores plain replies in a thread. Setting the same value again changes nothing. */
export async function setMuted(
  threads: Pick<ThreadStore, 'update'>,
  place: ThreadPlace,
  muted: boolean,
): Promise<void> {
  await threads.update(place, (stored = newThread(place, true)) =>
    (stored.muted === true) === muted ? stored : { ...stored, muted },
  );
}

/** What this person can do with the app here. */
async function helpOf(w: WorkspaceContext, userId: string, place: Place): Promise<PrivateMessage> {
  const { slack, accounts, doctor } = w;
  const { botUserId } = slack.identity;
  const repositories = await within(searchable(w, userId, place), helpPatienceMs);
  const shown = { commandName: COMMAND, botUserId, accounts: accounts.mode, isAdmin: doctor.isFor(userId) };
  return (locale) => renderHelp({ ...shown, repositories, locale });
}

/** What a question of this person can search here. Only people who may ask see names. */
async function searchable(w: WorkspaceContext, userId: string, place: Place): Promise<readonly string[] | undefined> {
  try {
    const { teamId, channelId } = place;
    const refusal = await refusalOfAction(w, { requester: { userId, teamId, channelId }, named: {} }, 'person');
    if (refusal !== undefined) return undefined;
    const limited = (await w.chosenRules.of(place))?.repositories ?? [];
    return limited.length > 0 ? limited : await w.repositoriesFor({ teamId, userId });
  } catch (error) {
    if (!isAppError(error)) throw error;
    return undefined;
  }
}

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
      const accepting = accept(w, question, byMs - ackConfirmMs);
      const acceptance = await inAckTime(accepting, byMs);
      const refusal = noticeOfAcceptance(acceptance, text);
      if (refusal !== undefined) return await say(refusal);
      await ack();
    } catch (error) {
      if (!isInDoubt(error)) return await say(notTaken(error, text));
      const reference = logFailure(w.log, 'error', { event: 'command_not_taken', outcome: 'in_doubt' }, error);
      const questionId = idOf(w, question.key);
      await say({ kind: 'inDoubt', questionId, triggerId: command.trigger_id, text: intent.text, reference });
    }
  });

  // Has the id of the command's question, so that it is not asked twice.
  onBlockAction(app, w, ACTIONS.askCommand, async ({ value, requester, recipient: { responseUrl }, byMs }) => {
    if (value.command === undefined) return expired(w, value);
    const { triggerId, text } = value.command;
    const { userId, ...place } = requester;
    const asked = { userId, place, text, responseUrl };
    return handledResult(w, await accept(w, askedBy(triggerId, asked), byMs), { value });
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
