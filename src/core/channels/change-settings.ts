import type { AuditEntry } from '../history/audit.ts';
import type { Clock, Records } from '../ports.ts';
import { type ChannelRuleSet, type ChannelSettings, changedRules, settingsName } from './channel-settings.ts';
import type { PendingAudit } from './pending-audit.ts';

/** What became of a change. `meanwhile`: another admin changed the settings after they were shown. */
export type ChangeResult = { kind: 'changed' } | { kind: 'unchanged' } | { kind: 'meanwhile'; byUserId: string };

/**
 * Stores the rules of a channel together with their entry for the audit log, and notes that. `shownMs`: when the
 * settings that the admin saw were changed; 0: never, or they could not be read, and are replaced. `before`: the rules
 * that held if none are stored. Who shows the settings has noted what was pending in them, so it can be overwritten.
 * Throws `AppError` of kind `storage` or `corrupt`.
 */
export async function changeSettings(
  {
    records,
    pendingAudit,
    now,
  }: { records: Pick<Records<ChannelSettings>, 'update'>; pendingAudit: PendingAudit; now: Clock },
  { teamId, channelId }: { teamId: string; channelId: string },
  chosen: { rules: ChannelRuleSet; before: ChannelRuleSet; userId: string; shownMs: number },
): Promise<ChangeResult> {
  const { rules, before, userId, shownMs } = chosen;
  const place = { teamId, channelId };
  let result: ChangeResult = { kind: 'unchanged' };
  const change = (stored: ChannelSettings | undefined): ChannelSettings => {
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
    const changedMs = Math.max(now(), (stored?.changedMs ?? 0) + 1);
    const entry: AuditEntry = {
      id: `settingsChanged:${channelId}:${changedMs}`,
      atMs: changedMs,
      action: 'settingsChanged',
      ...place,
      userId,
      // Saved as it was: the usual rules became rules of the channel's own.
      ...(changed.length === 0 ? {} : { detail: changed.join(',') }),
    };
    return { ...stored, ...rules, version: 1, ...place, changedBy: userId, changedMs, pendingAudit: entry };
  };
  // A form that showed readable settings does not replace those that were damaged meanwhile.
  const options = { replacesUnreadable: shownMs === 0 };
  await pendingAudit.note(await records.update(settingsName(place), change, options));
  return result;
}
