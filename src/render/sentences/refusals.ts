import type { Formats } from '../formats.ts';

const en = (_: Formats) => ({
  guest: () => 'Guests of this workspace may not ask Deep Search, so the question was not asked.',
  outsider: () => 'Only members of this workspace may ask Deep Search, so the question was not asked.',
  unknownPerson: () => 'Slack could not tell who you are, so the question was not asked.',
  unknownPersonDo: () => 'Ask again in a few minutes.',
  unknownChannel: () => 'Slack could not tell who can read this channel, so the question was not asked.',
  sharedChannel: () =>
    'This channel is shared with other organisations, who would see the answer, so the question was not asked.',
  guestsInChannel: () => 'Guests in this channel would see the answer, so the question was not asked.',
  channelRefused: () => 'Deep Search is not switched on for this channel, so the question was not asked.',
  elsewhereDo: () => 'Ask in our direct messages instead.',
  operatorDo: () => 'The operator of this app can change who may ask.',
});

const de = (_: Formats): ReturnType<typeof en> => ({
  guest: () => 'Gäste dieses Workspace dürfen Deep Search nicht fragen, deshalb wurde die Frage nicht gestellt.',
  outsider: () => 'Nur Mitglieder dieses Workspace dürfen Deep Search fragen, deshalb wurde die Frage nicht gestellt.',
  unknownPerson: () => 'Slack konnte nicht sagen, wer du bist, deshalb wurde die Frage nicht gestellt.',
  unknownPersonDo: () => 'Frag in ein paar Minuten noch einmal.',
  unknownChannel: () =>
    'Slack konnte nicht sagen, wer diesen Channel lesen kann, deshalb wurde die Frage nicht gestellt.',
  sharedChannel: () =>
    'Dieser Channel wird mit anderen Organisationen geteilt, die die Antwort sehen würden, deshalb wurde die Frage nicht gestellt.',
  guestsInChannel: () => 'Gäste in diesem Channel würden die Antwort sehen, deshalb wurde die Frage nicht gestellt.',
  channelRefused: () => 'Deep Search ist für diesen Channel nicht freigegeben, deshalb wurde die Frage nicht gestellt.',
  elsewhereDo: () => 'Frag stattdessen in unseren Direktnachrichten.',
  operatorDo: () => 'Wer diese App betreibt, kann ändern, wer fragen darf.',
});

/** Why someone may not ask, then (`…Do`) what to do. */
export const refusalSentences = { en, de };
