import { z } from 'zod';
import type { ChannelSettings } from '../core/channels/channel-settings.ts';
import { auditEntrySchema } from './audit-store.ts';
import { createFormat, type Exactly } from './record-format.ts';
import { DAY_MS, type RecordType } from './records.ts';

/**
 * How long a channel's settings are kept after their last change or the last question there. They may forbid something,
 * so they must not end before anyone could notice.
 */
export const CHANNEL_SETTINGS_TTL_MS = 3_650 * DAY_MS;

const channelSettingsSchema = z.looseObject({
  version: z.literal(1),
  teamId: z.string(),
  channelId: z.string(),
  isOn: z.boolean(),
  asking: z.enum(['members', 'guests']),
  guestsMayRead: z.boolean(),
  isExternalAllowed: z.boolean(),
  repositories: z.array(z.string()),
  replies: z.enum(['followUps', 'mentions']),
  answers: z.enum(['thread', 'private']),
  changedBy: z.string(),
  changedMs: z.number(),
  pendingAudit: auditEntrySchema.exactOptional(),
});

export const channelSettingsType: RecordType<ChannelSettings> = {
  key: (channel) => `ds:channel-settings:${channel}`,
  ttlMs: CHANNEL_SETTINGS_TTL_MS,
  // `RETENTION_DAYS` must not turn the app on again in a channel where an admin turned it off.
  isInUse: () => true,
  format: createFormat<ChannelSettings>(
    channelSettingsSchema satisfies Exactly<typeof channelSettingsSchema, ChannelSettings>,
  ),
};
