import { LIMITS } from './limits.ts';
import { defuseWords, escapeMrkdwn, oneLine } from './text.ts';

/**
 * The address as it may be linked: http, https and mailto only, with nothing in it that could end Slack's link syntax.
 * Undefined for everything else (`javascript:`, `file:`, relative, too long), which is then shown as text.
 */
export function safeUrl(url: string): string | undefined {
  if (!/^(?:https?:\/\/[^\s/]|mailto:[^\s])/iu.test(url)) return undefined;
  const encoded = url.replace(/[\s<>|"`\\^{}\p{Cc}]/gu, (character) => encodeURIComponent(character));
  return escapeMrkdwn(encoded).length > LIMITS.url ? undefined : encoded;
}

/**
 * Slack's address of a message (the form of `chat.getPermalink`); `workspaceUrl` is the workspace's own address, which ends
 * with a slash.
 */
export function permalink(
  workspaceUrl: string,
  { channelId, ts, threadTs }: { channelId: string; ts: string; threadTs?: string | undefined },
): string {
  const inThread = threadTs === undefined || threadTs === ts ? '' : `?thread_ts=${threadTs}&cid=${channelId}`;
  return `${workspaceUrl}archives/${channelId}/p${ts.replace('.', '')}${inThread}`;
}

/** A link in Slack's mrkdwn; an address that can't be linked is shown next to its label. */
export function mrkdwnLink(url: string, label: string): string {
  const shown = linkLabel(label);
  const safe = safeUrl(url);
  if (safe === undefined) return shown === '' ? linkLabel(url) : `${shown} (${linkLabel(url)})`;
  return `<${escapeMrkdwn(safe)}|${shown === '' ? linkLabel(url) : shown}>`;
}

/** A pipe would end the address and begin the label, so a look-alike stands for it. */
function linkLabel(label: string): string {
  return escapeMrkdwn(defuseWords(oneLine(label))).replaceAll('|', '\u2758');
}
