import { LIMITS } from './limits.ts';
import { defuseWords, escapeMrkdwn, oneLine } from './text.ts';

/**
 * Returns the address if it may be linked: http, https or mailto, without characters that could end Slack's link
 * syntax. Undefined for all others (`javascript:`, `file:`, relative, too long); callers show them as text.
 */
export function safeUrl(url: string): string | undefined {
  if (!/^(?:https?:\/\/[^\s/]|mailto:[^\s])/iu.test(url)) return undefined;
  const encoded = url.replace(/[\s<>|"`\\^{}\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, (character) =>
    encodeURIComponent(character),
  );
  return escapeMrkdwn(encoded).length > LIMITS.url ? undefined : encoded;
}

/**
 * Slack's address of a message, in the form of `chat.getPermalink`. `workspaceUrl` is the workspace's address and ends
 * with a slash.
 */
export function permalink(
  workspaceUrl: string,
  { channelId, ts, threadTs }: { channelId: string; ts: string; threadTs?: string | undefined },
): string {
  const inThread = threadTs === undefined || threadTs === ts ? '' : `?thread_ts=${threadTs}&cid=${channelId}`;
  return `${workspaceUrl}archives/${channelId}/p${ts.replace('.', '')}${inThread}`;
}

/** A link in Slack's mrkdwn. An address that can't be linked is shown next to its label. */
export function mrkdwnLink(url: string, label: string): string {
  const shown = linkLabel(label);
  const safe = safeUrl(url);
  if (safe === undefined) return shown === '' ? linkLabel(url) : `${shown} (${linkLabel(url)})`;
  return `<${escapeMrkdwn(safe)}|${shown === '' ? linkLabel(url) : shown}>`;
}

/** Replaces pipes by a similar character, because a pipe would end the address and begin the label. */
function linkLabel(label: string): string {
  return escapeMrkdwn(defuseWords(oneLine(label))).replaceAll('|', '\u2758');
}
