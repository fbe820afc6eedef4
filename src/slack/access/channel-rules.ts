import { LRUCache } from 'lru-cache';
import {
  type ChannelRuleSet,
  type ChannelRules,
  type ChannelSettings,
  noRules,
  settingsName,
  unreadableRules,
  usualRules,
} from '../../core/channels/channel-settings.ts';
import type { PendingAudit } from '../../core/channels/pending-audit.ts';
import { AppError, isAppError } from '../../core/errors.ts';
import type { Clock, Log, Records } from '../../core/ports.ts';
import { isBetweenTwo, type Place, type Question } from '../../core/question/question.ts';
import { within } from '../../core/timeout.ts';
import { contextPatienceMs, mostSettingsRenewed, settingsRenewedMs } from '../settings.ts';
import { writeChannel } from '../threads/thread-quotes.ts';
import type { Audiences } from './audience.ts';
import type { Channel, Channels } from './channels.ts';
import type { Users } from './users.ts';

/** Reads what admins chose for channels. */
export interface ChosenRules {
  /** Undefined for a place without settings. Throws `AppError` of kind `storage`. */
  of(place: Place): Promise<ChannelRuleSet | undefined>;
}

/** Whether plain replies in the place are no questions, whatever its threads say. Errors as of `ChosenRules`. */
export async function takesOnlyMentions(chosen: ChosenRules, place: Place): Promise<boolean> {
  return (await chosen.of(place))?.replies === 'mentions';
}

/**
 * Reads the stored settings at each call, so that a change by any process holds at once. Notes their last change if the
 * app stopped before that.
 */
export function createChosenRules({
  records,
  pendingAudit,
  log,
}: {
  records: Pick<Records<ChannelSettings>, 'get'>;
  pendingAudit: PendingAudit;
  log: Log;
}): ChosenRules {
  return {
    async of(place) {
      if (isBetweenTwo(place)) return undefined;
      try {
        const stored = await records.get(settingsName(place));
        if (stored !== undefined) await pendingAudit.note(stored);
        return stored;
      } catch (error) {
        if (!isAppError(error, 'corrupt')) throw error;
        log.error({ event: 'channel_settings_unreadable', channelId: place.channelId }, error);
        return unreadableRules;
      }
    },
  };
}

/** What the settings of a channel decide about its questions. */
export function createChannelRules(options: {
  chosen: ChosenRules;
  records: Pick<Records<ChannelSettings>, 'update'>;
  channels: Pick<Channels, 'channel'>;
  people: Pick<Users, 'person'>;
  audiences: Pick<Audiences, 'includes'>;
  log: Log;
  now: Clock;
}): ChannelRules {
  const { chosen, records, channels, people, audiences, log, now } = options;
  const renewedMs = new LRUCache<string, number>({ max: mostSettingsRenewed });

  return {
    async forQuestion({ askerId, place }) {
      if (isBetweenTwo(place)) return noRules;
      const stored = await chosen.of(place);
      if (stored !== undefined && stored !== unreadableRules) await renew(place);
      const rules = stored ?? usualRules(false);
      const channelContext = rules.sendsContext ? await within(contextFor(askerId, place), contextPatienceMs) : '';
      return {
        repositories: rules.repositories,
        answersPrivately: rules.answers === 'private',
        channelContext: channelContext ?? '',
      };
    },
  };

  /** Begins the settings' lifetime again from time to time, so that those of a channel in use never end. */
  async function renew(place: Place): Promise<void> {
    const name = settingsName(place);
    if (now() - (renewedMs.get(name) ?? 0) < settingsRenewedMs) return;
    renewedMs.set(name, now());
    try {
      await records.update(name, (stored) => ({ ...present(stored) }));
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.debug({ event: 'channel_settings_not_renewed', channelId: place.channelId, kind: error.kind });
    }
  }

  /**
   * Empty if the asker can't read there, and if Slack does not say. A question is asked without it then. What the check
   * of access just read is in the caches, so this usually calls nothing.
   */
  async function contextFor(askerId: string, { channelId }: Question['place']): Promise<string> {
    try {
      const channel = await channels.channel(channelId);
      return channel.about !== undefined && (await mayRead(askerId, channel)) ? writeChannel(channel.about) : '';
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.debug({ event: 'channel_context_not_read', channelId, kind: error.kind });
      return '';
    }
  }

  /** Full members read every channel that is open to the workspace. Others read the channels they are in. */
  async function mayRead(userId: string, { id, isOpen }: Channel): Promise<boolean> {
    if (isOpen === true && (await people.person(userId)).kind === 'member') return true;
    return audiences.includes(id, userId);
  }
}

/** Settings that were removed meanwhile stay removed. */
function present(stored: ChannelSettings | undefined): ChannelSettings {
  if (stored === undefined) throw new AppError('notFound', 'the settings of the channel are gone');
  return stored;
}
