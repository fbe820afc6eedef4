import type { Passage, SlackGate } from './gate.ts';
import type { SlackMethod } from './tiers.ts';
import { call } from './web-client.ts';

/** One Web API call on its way through the gate; `channelId`: takes room in this channel, for a message. Throws `AppError` only. */
export type Through = <Result>(
  method: SlackMethod,
  urgency: Passage['urgency'],
  run: () => Promise<Result>,
  channelId?: string | undefined,
) => Promise<Result>;

/**
 * Leads calls through the gate. `teamId` is the workspace of the token, which Slack counts the calls of; `noting` sees
 * how each call ends, but not what the gate holds back.
 */
export function createThrough(options: {
  gate: SlackGate;
  teamId: string;
  noting: <Result>(result: Promise<Result>) => Promise<Result>;
}): Through {
  const { gate, teamId, noting } = options;
  return (method, urgency, run, channelId) =>
    gate.pass(method, { teamId, urgency, channelId }, () => noting(call(method, run)));
}
