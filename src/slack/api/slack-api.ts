import type { CallOptions, MethodLimits } from './method-limits.ts';
import type { SlackMethod } from './method-tiers.ts';
import { call } from './web-client.ts';

/** One Web API call on its way through the gate; `channelId`: takes room in this channel, for a message. Throws `AppError` only. */
export type Through = <Result>(
  method: SlackMethod,
  priority: CallOptions['priority'],
  run: () => Promise<Result>,
  channelId?: string | undefined,
) => Promise<Result>;

/**
 * Leads calls through the gate. `teamId` is the workspace of the token, which Slack counts the calls of; `noting` sees
 * how each call ends, but not what the gate holds back.
 */
export function createThrough(options: {
  gate: MethodLimits;
  teamId: string;
  noting: <Result>(result: Promise<Result>) => Promise<Result>;
}): Through {
  const { gate, teamId, noting } = options;
  return (method, priority, run, channelId) =>
    gate.pass(method, { teamId, priority, channelId }, () => noting(call(method, run)));
}
