import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  duration: (durationMs: number) => f.duration(durationMs),
  steps: (count: number) => f.count(count, { one: 'step', other: 'steps' }),
  credits: (count: number) => f.count(count, { one: 'credit', other: 'credits' }),
  openInDeepSearch: () => 'Open in Deep Search',
  deepSearch: () => 'Deep Search',
  /** Whose account at the service a question uses. `name`: as Slack has it, if it is known. */
  ownAccess: (name: string | undefined) =>
    name === undefined ? "asked with the asker's own access" : `asked with ${name}'s access`,
  appAccess: () => "asked with the app's access",
  /** After the names of some repositories, how many others there are. */
  andMore: (count: number) => `and ${f.number(count)} more`,
  /** Of a person at Slack. */
  profile: () => 'profile',
  /** Of Slack's tokens for the two, so that each reader sees their own zone. */
  dayAndTime: (day: string, time: string) => `${day} at ${time}`,
  atTime: (time: string) => `at ${time}`,
});

const de = (f: Formats): ReturnType<typeof en> => ({
  duration: (durationMs) => f.duration(durationMs),
  steps: (count) => f.count(count, { one: 'Schritt', other: 'Schritte' }),
  credits: (count) => f.count(count, { one: 'Credit', other: 'Credits' }),
  openInDeepSearch: () => 'In Deep Search öffnen',
  deepSearch: () => 'Deep Search',
  ownAccess: (name) => (name === undefined ? 'gefragt mit eigenem Zugriff' : `gefragt mit dem Zugriff von ${name}`),
  appAccess: () => 'gefragt mit dem Zugriff der App',
  andMore: (count) => `und ${f.number(count)} weitere`,
  profile: () => 'Profil',
  dayAndTime: (day, time) => `${day} um ${time}`,
  atTime: (time) => `um ${time}`,
});

/** What several surfaces say. */
export const wordStrings = { en, de };

/** What a sentence names beside its words; nothing where there is nothing to name. */
export function inBrackets(named: string | undefined): string {
  return named === undefined ? '' : ` (${named})`;
}
