import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  cancel: () => 'Cancel',
  cancelIt: () => 'Cancel the question',
  drop: () => 'Drop',
  tryAgain: () => 'Try again',
  askNew: () => 'Ask in a new conversation',
  checkAgain: () => 'Check again',
  allSources: (count: number) => `All sources (${f.number(count)})`,
  allCited: (count: number) => `All cited (${f.number(count)})`,
  askHere: () => 'Ask again here',
  askInDm: () => 'Ask in our direct messages',
  showInDm: () => 'Show it there',
  askEdited: () => 'Ask the edited version',
  askAsFollowUp: () => 'Ask as a follow-up',
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

const de = (f: Formats): ReturnType<typeof en> => ({
  cancel: () => 'Abbrechen',
  cancelIt: () => 'Frage abbrechen',
  drop: () => 'Verwerfen',
  tryAgain: () => 'Noch einmal versuchen',
  askNew: () => 'In neuer Unterhaltung fragen',
  checkAgain: () => 'Noch einmal nachsehen',
  allSources: (count) => `Alle Quellen (${f.number(count)})`,
  allCited: (count) => `Alle zitierten (${f.number(count)})`,
  askHere: () => 'Hier noch einmal fragen',
  askInDm: () => 'In unseren Direktnachrichten fragen',
  showInDm: () => 'Dort zeigen',
  askEdited: () => 'Bearbeitete Fassung fragen',
  askAsFollowUp: () => 'Als Folgefrage stellen',
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
export const buttonStrings = { en, de };
