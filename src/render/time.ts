import { safeUrl } from './links.ts';
import type { Say } from './say.ts';
import { escapeMrkdwn } from './text.ts';

/**
 * A time as Slack's date token, which each reader sees in their time zone; UTC for clients that can't. `url`: the link
 * target.
 */
export function slackTime(atMs: number, url?: string): string {
  return slackDate(atMs, '{time}', new Date(atMs).toISOString().slice(11, 16), url);
}

/** A day and time as Slack's date token. `url`: the link target. */
export function slackDayTime(atMs: number, { words }: Say, url?: string): string {
  const utc = new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
  return slackDate(atMs, words.dayAndTime('{date_short_pretty}', '{time}'), utc, url);
}

function slackDate(atMs: number, format: string, utc: string, url?: string): string {
  const safe = url === undefined ? undefined : safeUrl(url);
  const link = safe === undefined ? '' : `^${escapeMrkdwn(safe)}`;
  return `<!date^${Math.floor(atMs / 1000)}^${format}${link}|${utc} UTC>`;
}
