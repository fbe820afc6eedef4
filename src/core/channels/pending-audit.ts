import { AppError, isAppError } from '../errors.ts';
import type { AuditLog } from '../history/audit.ts';
import type { Log, Records } from '../ports.ts';
import { type ChannelSettings, settingsName } from './channel-settings.ts';

/** Notes the last change of a channel's settings in the audit log. */
export interface PendingAudit {
  /**
   * Notes what is still pending in settings that were just stored or read, and then clears it. Does nothing if nothing is
   * pending. Safe to repeat, because the audit log stores an entry once. Throws no `AppError`: what could not be cleared
   * is noted again by the next reader.
   */
  note(settings: ChannelSettings): Promise<void>;
}

/** The entry is stored with the change, so that a stop of the app in between loses neither. */
export function createPendingAudit({
  records,
  audit,
  log,
}: {
  records: Pick<Records<ChannelSettings>, 'update'>;
  audit: Pick<AuditLog, 'note'>;
  log: Log;
}): PendingAudit {
  return {
    async note(settings) {
      const { pendingAudit, channelId } = settings;
      if (pendingAudit === undefined) return;
      await audit.note(pendingAudit);
      try {
        await records.update(settingsName(settings), (stored) => cleared(stored, pendingAudit.id));
      } catch (error) {
        if (!isAppError(error)) throw error;
        log.debug({ event: 'channel_settings_audit_not_cleared', channelId, kind: error.kind });
      }
    },
  };
}

/** The entry of a later change stays. */
function cleared(stored: ChannelSettings | undefined, id: string): ChannelSettings {
  if (stored === undefined) throw new AppError('notFound', 'the settings of the channel are gone');
  if (stored.pendingAudit?.id !== id) return stored;
  const { pendingAudit: _noted, ...rest } = stored;
  return rest;
}
