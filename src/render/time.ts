import type { Say } from './say.ts';

/** A time as Slack's date token: shown in each reader's own zone, with UTC for clients that can't. */
export function slackTime(atMs: number): string {
  return slackDate(atMs, '{time}', new Date(atMs).toISOString().slice(11, 16));
}

/** A day and time as Slack's date token. */
export function slackDayTime(atMs: number, { words }: Say): string {
  const utc = new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
  return slackDate(atMs, words.dayAndTime('{date_short_pretty}', '{time}'), utc);
}

function slackDate(atMs: number, format: string, utc: string): string {
  return `<!date^${Math.floor(atMs / 1000)}^${format}|${utc} UTC>`;
}
