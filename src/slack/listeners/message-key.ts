/** Names a message by its place and timestamp, the same for each delivery and kind of event. */
export function messageKey(teamId: string, channelId: string, ts: string): string {
  return `message:${teamId}:${channelId}:${ts}`;
}
