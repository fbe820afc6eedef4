import { absoluteLink } from './links.ts';

// Values of replies that both generations write in the same way.

/** Both `github.com/org/repo/-/blob/…` and `github.com/org/repo@revision/-/…` name the repository before `/-/`. */
export function repositoryOf(path: string, type: string): string | undefined {
  const end = path.indexOf('/-/');
  if (end < 0 && type !== 'Repository') return undefined;
  return (end < 0 ? path : path.slice(0, end)).replace(/@[^@]*$/, '') || undefined;
}

/** The path below the instance's address, without a leading slash. Empty for an address on another host. */
export function pathBelow(url: string, baseHref: string): string {
  if (!url.startsWith(`${baseHref}/`)) return '';
  const path = url.slice(baseHref.length + 1).replace(/[?#].*$/s, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The absolute http or https address, or undefined. Nothing else may become a link in Slack. */
export function webAddress(link: string, baseHref: string): string | undefined {
  const url = absoluteLink(link.trim(), baseHref);
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).href : undefined;
}

/** The suggestions without blanks and duplicates. */
export function followUpsOf(texts: string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
}

/** Epoch milliseconds of an ISO time. Undefined if it is missing or unreadable. */
export function parseTime(iso: string | null | undefined): number | undefined {
  const timeMs = Date.parse(iso ?? '');
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** An object with this field, or without it if the value is undefined. */
export function defined<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  const result: { [P in K]?: V } = {};
  if (value !== undefined) result[key] = value;
  return result;
}
