import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { errorCode } from '../../core/doctor/error-code.ts';
import type { Check, Finding, Says } from '../../core/doctor/finding.ts';
import type { Claims, Log } from '../../core/ports.ts';
import { sayIn } from '../../render/say.ts';
import type { Identity } from '../api/identity.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { doctorEventMs, doctorLooksEveryMs } from '../settings.ts';

const marker = /\bdoctor-[0-9a-f]{16}\b/;

/** What is read of the event of a message. */
const ownMessage = z.object({
  event: z.object({
    type: z.literal('message'),
    text: z.string(),
    user: z.string().optional(),
    bot_id: z.string().nullish(),
  }),
});

/** What a program beside the app says about events. */
export const eventsNeedApp: Check = {
  name: 'events',
  run: async (say) => [say('warn', 'eventsNeedApp', {})],
};

/**
 * Posts a message into the person's direct messages with the app, waits until any copy of the app got the event of it,
 * and deletes the message. This is all that the doctor changes in Slack.
 */
export function createEventCheck(deps: {
  slack: Pick<SlackApi, 'call'>;
  claims: Pick<Claims, 'ownerOf'>;
  userId: string;
  locale: string | undefined;
}): Check {
  const { slack, claims, userId, locale } = deps;
  return { name: 'events', run };

  async function run(say: Says): Promise<Finding[]> {
    const mark = `doctor-${randomBytes(8).toString('hex')}`;
    let posted: { channel: string; ts: string };
    try {
      const { channel = userId, ts = '' } = await slack.call(
        'chat.postMessage',
        { channel: userId, text: sayIn(locale).doctor.eventMessage(mark), unfurl_links: false, unfurl_media: false },
        { priority: 'private', channelId: userId },
      );
      posted = { channel, ts };
    } catch (error) {
      return [say('fail', 'eventNotPosted', { code: errorCode(error) })];
    }
    let left: string | undefined;
    const hasArrived = await arrives(mark).finally(async () => {
      left = await remove(posted);
    });
    if (!hasArrived) return [say('fail', 'eventMissing', { seconds: doctorEventMs / 1000 })];
    return [left === undefined ? say('pass', 'eventArrived', {}) : say('warn', 'eventMessageLeft', { code: left })];
  }

  async function arrives(mark: string): Promise<boolean> {
    const untilMs = performance.now() + doctorEventMs;
    while ((await claims.ownerOf(keyOf(mark))) === undefined) {
      if (performance.now() >= untilMs) return false;
      await wait(doctorLooksEveryMs);
    }
    return true;
  }

  /** Returns why the message is still there. */
  async function remove({ channel, ts }: { channel: string; ts: string }): Promise<string | undefined> {
    try {
      await slack.call('chat.delete', { channel, ts }, { priority: 'private' });
      return undefined;
    } catch (error) {
      return errorCode(error);
    }
  }
}

/** Notes the event of a doctor's message, for the copy of the app that waits for it. Never throws. */
export async function noteDoctorEvent(
  body: unknown,
  { claims, identity, log }: { claims: Pick<Claims, 'claim'>; identity: Identity; log: Pick<Log, 'warn'> },
): Promise<void> {
  const parsed = ownMessage.safeParse(body);
  if (!parsed.success) return;
  const { text, user, bot_id: botId } = parsed.data.event;
  const isOwn = user === identity.botUserId || (botId != null && botId === identity.botId);
  const mark = isOwn ? marker.exec(text)?.[0] : undefined;
  if (mark === undefined) return;
  try {
    await claims.claim(keyOf(mark), 'arrived');
  } catch (error) {
    log.warn({ event: 'doctor_event_not_noted' }, error);
  }
}

function keyOf(mark: string): string {
  return `doctor:${mark}`;
}
