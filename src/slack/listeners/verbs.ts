import { randomUUID } from 'node:crypto';
import { isAppError } from '../../core/errors.ts';
import type { Nothing, Verb } from '../../core/intake/intents.ts';
import type { ThreadStore } from '../../core/ports.ts';
import { newThread, type Place, type Thread, type ThreadPlace } from '../../core/question/question.ts';
import { within } from '../../core/timeout.ts';
import { renderHelp } from '../../render/help.ts';
import { COMMAND } from '../../render/ids.ts';
import type { Notice } from '../../render/notices.ts';
import { ruleOf } from '../../render/status.ts';
import { takesOnlyMentions } from '../access/channel-rules.ts';
import type { WorkspaceContext } from '../context.ts';
import { logFailure } from '../failure-log.ts';
import { notify, type PrivateMessage, type Recipient } from '../messages/private-messages.ts';
import { reportChannel, reportHistory, reportThread, reportWhy } from '../reports/reports.ts';
import { helpPatienceMs } from '../settings.ts';
import { noticeOfCancel, refusalOfAction } from './frame.ts';

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
    const result = await w.requests.cancelInThread(said.place, said.userId, said.key, {
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
    const question = await w.requests.runningIn(place, askedBeforeMs);
    if (question === undefined || question.askerId === userId) return undefined;
    const { id: questionId, askerId, text } = question;
    return { kind: 'confirmCancel', questionId, askerId, text };
  }

  /** In direct messages outside of threads, a person means their only open question there. */
  async function cancelInDirect(
    { place, userId, key, askedBeforeMs }: SaidVerb,
    refusal: Notice | undefined,
  ): Promise<Notice | undefined> {
    const result = await w.requests.cancelOnlyIn(place, userId, key, askedBeforeMs);
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
export async function helpOf(w: WorkspaceContext, userId: string, place: Place): Promise<PrivateMessage> {
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
