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

const enButtons = (f: Formats) => ({
  cancel: () => 'Cancel',
  cancelIt: () => 'Cancel the question',
  drop: () => 'Drop',
  tryAgain: () => 'Try again',
  askAgain: () => 'Ask again',
  askNew: () => 'Ask in a new conversation',
  checkAgain: () => 'Check again',
  allSources: (count: number) => `All sources (${f.number(count)})`,
  allCited: (count: number) => `All cited (${f.number(count)})`,
  askHere: () => 'Ask again here',
  askInDm: () => 'Ask in our direct messages',
  showInDm: () => 'Show it there',
  askEdited: () => 'Ask the edited version',
  askMissed: () => 'Ask it now',
  continuePrevious: () => 'Continue the previous conversation',
  close: () => 'Close',
  editFirst: (followUp: string) => `Edit first: ${followUp}`,
  editOrAskPrivately: (followUp: string) => `Edit or ask privately: ${followUp}`,
  onlyMentions: () => 'Only when mentioned',
  share: () => 'Share…',
  askQuestion: () => 'Ask a question',
  showHere: () => 'Show here',
  onlyForMe: () => 'Only for me',
  alwaysHere: () => 'Always here',
});

const deButtons = (f: Formats): ReturnType<typeof enButtons> => ({
  cancel: () => 'Abbrechen',
  cancelIt: () => 'Frage abbrechen',
  drop: () => 'Verwerfen',
  tryAgain: () => 'Noch einmal versuchen',
  askAgain: () => 'Noch einmal fragen',
  askNew: () => 'In neuer Unterhaltung fragen',
  checkAgain: () => 'Noch einmal nachsehen',
  allSources: (count) => `Alle Quellen (${f.number(count)})`,
  allCited: (count) => `Alle zitierten (${f.number(count)})`,
  askHere: () => 'Hier noch einmal fragen',
  askInDm: () => 'In unseren Direktnachrichten fragen',
  showInDm: () => 'Dort zeigen',
  askEdited: () => 'Bearbeitete Fassung fragen',
  askMissed: () => 'Jetzt stellen',
  continuePrevious: () => 'Vorige Unterhaltung fortsetzen',
  close: () => 'Schließen',
  editFirst: (followUp) => `Erst bearbeiten: ${followUp}`,
  editOrAskPrivately: (followUp) => `Bearbeiten oder privat fragen: ${followUp}`,
  onlyMentions: () => 'Nur bei Erwähnung',
  share: () => 'Teilen…',
  askQuestion: () => 'Frage stellen',
  showHere: () => 'Hier zeigen',
  onlyForMe: () => 'Nur für mich',
  alwaysHere: () => 'Hier immer',
});

/** Labels, at most 75 characters each. */
export const buttonStrings = { en: enButtons, de: deButtons };
