import { z } from 'zod';
import type { AuditEntry, AuditLog } from '../history/audit.ts';
import type { Clock, Records } from '../ports.ts';
import type { Question } from '../question/question.ts';
import { dayMs, defineRecord, type RecordOf } from '../record.ts';

/** The rules of one channel, set by an admin. The operator's settings stay the outer limit. Times are epoch milliseconds. */
export const channelSettingsType = defineRecord({
  key: (channel) => `ds:channel-settings:${channel}`,
  // They may forbid something, so they must not end before anyone could notice. Also counts from the last question there.
  ttlMs: 3_650 * dayMs,
  // `RETENTION_DAYS` must not turn the app on again in a channel where an admin turned it off.
  isInUse: () => true,
  schema: z.looseObject({
    version: z.literal(1),
    teamId: z.string(),
    channelId: z.string(),
    /** False: no one may ask here. */
    isOn: z.boolean(),
    /** Who may ask. `guests`: full members and guests, who then also read. */
    asking: z.enum(['members', 'guests']),
    /** Answers are shown although guests read here. Guests still may not ask unless `asking` says so. */
    guestsMayRead: z.boolean(),
    /** The channel may have people of other organizations: ticked by an admin. */
    isExternalAllowed: z.boolean(),
    /** Repositories to search, as the service names them. Empty: all. */
    repositories: z.array(z.string()),
    /** What a plain reply in a thread of the app is: a follow-up, or nothing unless it mentions the app. */
    replies: z.enum(['followUps', 'mentions']),
    /** Where answers go. `private`: to the asker's direct messages. */
    answers: z.enum(['thread', 'private']),
    changedBy: z.string(),
    changedMs: z.number(),
  }),
});
export type ChannelSettings = RecordOf<typeof channelSettingsType>;

/** What an admin can choose for a channel. */
export type ChannelRuleSet = Omit<ChannelSettings, 'version' | 'teamId' | 'channelId' | 'changedBy' | 'changedMs'>;

/** What the settings of a question's channel decide about the question itself. */
export interface QuestionRules {
  /** The repositories that may be searched. Empty: all. */
  repositories: readonly string[];
  answersPrivately: boolean;
  /** All repositories that the asker can search. Absent if that is not known or does not matter. */
  known?: readonly string[];
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
function changedRules(before: ChannelRuleSet, after: ChannelRuleSet): (keyof ChannelRuleSet)[] {
  return fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

/** What became of a change. `meanwhile`: another admin changed the settings after they were shown. */
export type ChangeResult = { kind: 'changed' } | { kind: 'unchanged' } | { kind: 'meanwhile'; byUserId: string };

/**
 * Stores the rules of a channel, and notes the change in the audit log. `shownMs`: when the settings that the admin saw
 * were changed; 0: never, or they could not be read, and are replaced. `before`: the rules that held if none are stored.
 * Throws `AppError` of kind `storage` or `corrupt`.
 */
export async function changeSettings(
  ports: { records: Pick<Records<ChannelSettings>, 'update'>; audit: AuditLog; now: Clock },
  { teamId, channelId }: { teamId: string; channelId: string },
  chosen: { rules: ChannelRuleSet; before: ChannelRuleSet; userId: string; shownMs: number },
): Promise<ChangeResult> {
  const { rules, before, userId, shownMs } = chosen;
  const place = { teamId, channelId };
  let result: ChangeResult = { kind: 'unchanged' };
  let entry: AuditEntry | undefined;
  const change = (stored: ChannelSettings | undefined): ChannelSettings => {
    entry = undefined;
    if (stored !== undefined && stored.changedMs !== shownMs) {
      result = { kind: 'meanwhile', byUserId: stored.changedBy };
      return stored;
    }
    const changed = changedRules(stored ?? before, rules);
    if (stored !== undefined && changed.length === 0) {
      result = { kind: 'unchanged' };
      return stored;
    }
    result = { kind: 'changed' };
    const changedMs = Math.max(ports.now(), (stored?.changedMs ?? 0) + 1);
    entry = {
      id: `settingsChanged:${channelId}:${changedMs}`,
      atMs: changedMs,
      action: 'settingsChanged',
      ...place,
      userId,
      // Saved as it was: the usual rules became rules of the channel's own.
      ...(changed.length === 0 ? {} : { detail: changed.join(',') }),
    };
    return { ...stored, ...rules, version: 1, ...place, changedBy: userId, changedMs };
  };
  // A form that showed readable settings does not replace those that were damaged meanwhile.
  const options = { replacesUnreadable: shownMs === 0 };
  await ports.records.update(settingsName(place), change, options);
  if (entry !== undefined) ports.audit.note(entry);
  return result;
}
