import type { AuditEntry } from '../history/audit.ts';
import type { Question } from '../question/question.ts';

/** The rules of one channel, set by an admin. The operator's settings stay the outer limit. Times are epoch milliseconds. */
export interface ChannelSettings extends ChannelRuleSet {
  version: 1;
  teamId: string;
  channelId: string;
  changedBy: string;
  changedMs: number;
  /** The audit log's entry of the last change, until it is noted there. */
  pendingAudit?: AuditEntry;
}

/** What an admin can choose for a channel. */
export interface ChannelRuleSet {
  /** False: no one may ask here. */
  isOn: boolean;
  /** Who may ask. `guests`: full members and guests, who then also read. */
  asking: 'members' | 'guests';
  /** Answers are shown although guests read here. Guests still may not ask unless `asking` says so. */
  guestsMayRead: boolean;
  /** The channel may have people of other organizations: ticked by an admin. */
  isExternalAllowed: boolean;
  /** Repositories to search, as the service names them. Empty: all. */
  repositories: string[];
  /** What a plain reply in a thread of the app is: a follow-up, or nothing unless it mentions the app. */
  replies: 'followUps' | 'mentions';
  /** Where answers go. `private`: to the asker's direct messages. */
  answers: 'thread' | 'private';
}

/** What the settings of a question's channel decide about the question itself. */
export interface QuestionRules {
  /** The repositories that may be searched. Empty: all. */
  repositories: readonly string[];
  answersPrivately: boolean;
  /** All repositories that the asker can search. Absent if that is not known or does not matter. */
  known?: readonly string[] | undefined;
}

/** Reads the settings of channels. Nothing is cached, so that a change holds for the next question in every process. */
export interface ChannelRules {
  /** Throws `AppError` of kind `storage`. */
  forQuestion(question: Pick<Question, 'place'>): Promise<QuestionRules>;
}

/** The repositories of the code search service. */
export interface RepositoryNames {
  /**
   * Those of these names that the service knows, as it writes them. It sees what the app's own account may read. Throws
   * `AppError` when the service does not say.
   */
  known(names: readonly string[]): Promise<string[]>;
}

/** The rules of a place without settings, for example direct messages. */
export const noRules: QuestionRules = { repositories: [], answersPrivately: false };

/** The name of a channel's stored settings. */
export function settingsName({ teamId, channelId }: { teamId: string; channelId: string }): string {
  return `${teamId}:${channelId}`;
}

/**
 * What an admin sees before anything was chosen: the rules that hold without settings. `isOpen`: the operator's settings
 * let everyone ask and read there.
 */
export function usualRules(isOpen: boolean): ChannelRuleSet {
  return {
    isOn: true,
    asking: isOpen ? 'guests' : 'members',
    guestsMayRead: isOpen,
    isExternalAllowed: isOpen,
    repositories: [],
    replies: 'followUps',
    answers: 'thread',
  };
}

/**
 * The rules of a channel whose stored settings can't be read. They may have forbidden anything, so nothing is allowed.
 */
export const unreadableRules: ChannelRuleSet = {
  ...usualRules(false),
  isOn: false,
  replies: 'mentions',
  answers: 'private',
};

const fields = [
  'isOn',
  'asking',
  'guestsMayRead',
  'isExternalAllowed',
  'repositories',
  'replies',
  'answers',
] as const satisfies readonly (keyof ChannelRuleSet)[];

/** The names of the rules that differ, in a fixed order. */
export function changedRules(before: ChannelRuleSet, after: ChannelRuleSet): (keyof ChannelRuleSet)[] {
  return fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}
