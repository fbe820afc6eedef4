import type { Thread } from '../core/question/question.ts';
import type { Say } from './say.ts';

/** How the app generally handles messages in a place. `channelUnknown`: it is not known whether the app is in the channel. */
export type PlaceRule =
  | 'direct'
  | 'replies'
  | 'muted'
  | 'onlyMentions'
  | 'peoplesThread'
  | 'channel'
  | 'channelUnknown'
  | 'notInChannel';

/**
 * The rule of a place outside direct messages that the app is in. `thread` is the stored record, for a place in a thread. `onlyMentions` is
 * the choice of the channel's settings.
 */
export function ruleOf(isInThread: boolean, thread: Thread | undefined, onlyMentions = false): PlaceRule {
  if (!isInThread) return 'channel';
  if (thread?.followsReplies !== true) return 'peoplesThread';
  if (onlyMentions) return 'onlyMentions';
  return thread.muted === true ? 'muted' : 'replies';
}

/** Says the rule. `bot` is the mention of the app. */
export function sayRule({ why }: Say, rule: PlaceRule, bot: string): string {
  switch (rule) {
    case 'direct':
      return why.ruleDirect();
    case 'replies':
      return why.ruleReplies();
    case 'muted':
      return why.ruleMuted(bot);
    case 'onlyMentions':
      return why.ruleOnlyMentions();
    case 'peoplesThread':
      return why.rulePeoplesThread();
    case 'channel':
      return why.ruleChannel();
    case 'channelUnknown':
      return why.ruleChannelUnknown();
    case 'notInChannel':
      return why.ruleNotInChannel(bot);
  }
}
