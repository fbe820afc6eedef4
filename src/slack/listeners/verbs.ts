import type { Verb } from '../../core/intents.ts';
import { newThread, type Thread, type ThreadPlace } from '../../core/question.ts';
import { COMMAND } from '../../render/ids.ts';
import { type Notice, renderHelp } from '../../render/notices.ts';
import { ruleOf } from '../../render/place-rule.ts';
import type { Listener } from '../messenger.ts';
import { type Desk, notCancelledOf } from './desk.ts';
import { refusalOfPress } from './presses.ts';

/** A verb that someone said in a message. */
export interface Said {
  verb: Verb;
  place: ThreadPlace;
  /** As it was stored when the message came. */
  thread: Thread | undefined;
  /** The message is a reply, and not the first one of its thread. */
  isReply: boolean;
  isDirect: boolean;
  userId: string;
  /** Names the message. */
  key: string;
  /** What kind of event brought it: the same message may come as two kinds. */
  deliveredAs: string;
  listener: Listener;
}

/** Carries out what people say to the app instead of a question; whatever is said back is private. */
export function createVerbs(desk: Desk) {
  return {
    /** Throws `AppError` of kind `storage` when nothing was done. */
    async obey(said: Said): Promise<void> {
      const { key, deliveredAs, listener } = said;
      // A message that comes as two kinds of events is obeyed once; the same event again makes up for a failure.
      if ((await desk.claims.claim(`verb:${key}`, deliveredAs)) !== deliveredAs) return;
      switch (said.verb) {
        case 'help':
          return desk.tell(listener, (locale) =>
            renderHelp({ commandName: COMMAND, botUserId: desk.identity.botUserId, locale }),
          );
        case 'cancel':
          return cancel(said);
        case 'mute':
        case 'unmute':
          return tell(said, await setMuted(said, said.verb === 'mute'));
        case 'status':
          return status(said);
        case 'why':
          return why(said);
      }
    },
  };

  /** Who may not ask here may still take back what they asked themselves. */
  async function cancel(said: Said): Promise<void> {
    const refusal = await refusalOf(said, 'person');
    const ownOnly = refusal !== undefined;
    const result = await desk.requests.cancelInThread(said.place, said.userId, said.key, { ownOnly });
    const notice = notCancelledOf(result);
    tell(said, ownOnly && result.kind === 'nothing' ? refusal : notice);
  }

  async function setMuted(said: Said, muted: boolean): Promise<Notice> {
    const { place, thread, isReply, isDirect } = said;
    if (isDirect) return { kind: 'muteDirect' };
    const refusal = await refusalOf(said, 'person');
    if (refusal !== undefined) return refusal;
    if (!isReply || thread?.followsReplies !== true) return { kind: 'muteNeedless' };
    await desk.threads.update(place, (stored = newThread(place, thread.followsReplies)) =>
      (stored.muted === true) === muted ? stored : { ...stored, muted },
    );
    return { kind: muted ? 'muted' : 'unmuted' };
  }

  async function status(said: Said): Promise<void> {
    const refusal = await refusalOf(said, 'person');
    if (refusal !== undefined) return tell(said, refusal);
    const { place, thread, isReply, isDirect, userId, listener } = said;
    desk.tell(
      listener,
      isReply
        ? await desk.reports.ofThread({ userId, place, thread, isDirect })
        : await desk.reports.ofChannel({ userId, place, isDirect }),
    );
  }

  /** Whoever was left alone may ask why, guests too. */
  async function why({ place, thread, isReply, isDirect, userId, listener }: Said): Promise<void> {
    desk.tell(
      listener,
      await desk.reports.why({
        userId,
        place,
        threadTs: isReply ? place.threadTs : undefined,
        rule: isDirect ? 'direct' : ruleOf(isReply, thread),
      }),
    );
  }

  function refusalOf({ place, userId }: Said, rule: 'person' | 'place'): Promise<Notice | undefined> {
    const { teamId, channelId } = place;
    return refusalOfPress(desk, { press: { userId, teamId, channelId }, named: {} }, rule);
  }

  function tell({ listener }: Said, notice: Notice | undefined): void {
    if (notice !== undefined) desk.tell(listener, notice);
  }
}
