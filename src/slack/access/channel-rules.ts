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
import { AppError, isAppError } from '../../core/errors.ts';
import type { Clock, Log, Records } from '../../core/ports.ts';
import { isBetweenTwo, type Place } from '../../core/question/question.ts';
import { mostSettingsRenewed, settingsRenewedMs } from '../settings.ts';

/** Reads what admins chose for channels. */
export interface ChosenRules {
  /** Undefined for a place without settings. Throws `AppError` of kind `storage`. */
  of(place: Place): Promise<ChannelRuleSet | undefined>;
}

/** Whether plain replies in the place are no questions, whatever its threads say. Errors as of `ChosenRules`. */
export async function takesOnlyMentions(chosen: ChosenRules, place: Place): Promise<boolean> {
  return (await chosen.of(place))?.replies === 'mentions';
}

/** Reads the stored settings at each call, so that a change by any process holds at once. */
export function createChosenRules({
  records,
  log,
}: {
  records: Pick<Records<ChannelSettings>, 'get'>;
  log: Log;
}): ChosenRules {
  return {
    async of(place) {
      if (isBetweenTwo(place)) return undefined;
      try {
        return await records.get(settingsName(place));
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
  log: Log;
  now: Clock;
}): ChannelRules {
  const { chosen, records, log, now } = options;
  const renewedMs = new LRUCache<string, number>({ max: mostSettingsRenewed });

  return {
    async forQuestion({ place }) {
      if (isBetweenTwo(place)) return noRules;
      const stored = await chosen.of(place);
      if (stored !== undefined && stored !== unreadableRules) await renew(place);
      const rules = stored ?? usualRules(false);
      return {
        repositories: rules.repositories,
        answersPrivately: rules.answers === 'private',
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
}

/** Settings that were removed meanwhile stay removed. */
function present(stored: ChannelSettings | undefined): ChannelSettings {
  if (stored === undefined) throw new AppError('notFound', 'the settings of the channel are gone');
  return stored;
}
