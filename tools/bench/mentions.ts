import { z } from 'zod';
import { people } from '../../src/local-slack/people.ts';
import { mentionOf } from '../../test/support/local-slack/payloads.ts';
import type { FakeServers } from './children.ts';

/** A message of the fake Slack that mentions the app. */
export interface Mention {
  channel: string;
  ts: string;
  text: string;
}

const mentionsSchema = z.array(z.object({ channel: z.string(), ts: z.string(), text: z.string() }));

/**
 * Says messages in the fake Slack, spread over so many channels. The app finds a mention's message there, so that it can
 * answer it; it drops a question whose message does not exist.
 */
export async function sayMentions(fakeServers: FakeServers, mentions: number, channels: number): Promise<Mention[]> {
  const body = JSON.stringify({ mentions, channels });
  const response = await fetch(`${fakeServers.deskUrl}/say`, { method: 'POST', body });
  return mentionsSchema.parse(await response.json());
}

/** The event with which Slack delivers a mention. */
export function eventOf({ channel, ts, text }: Mention): Record<string, unknown> {
  return mentionOf({ user: people.ada, channel, text, ts });
}
