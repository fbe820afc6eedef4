/** What a message starts is known by its place and timestamp, however often and as whatever event it is delivered. */
export function messageKey(teamId: string, channelId: string, ts: string): string {
  return `message:${teamId}:${channelId}:${ts}`;
}
