import type { Formats } from '../formats.ts';
import { inBrackets } from './words.ts';

const en = (_: Formats) => ({
  guest: (so: string) => `Guests in this workspace cannot ask Deep Search, ${so}.`,
  outsider: (so: string) => `Only members of this workspace can ask Deep Search, ${so}.`,
  unknownPerson: (so: string) => `Slack could not tell me who you are, ${so}.`,
  unknownPersonDo: () => 'Try again in a few minutes.',
  unknownChannel: (so: string) => `Slack could not tell me who can read this channel, ${so}.`,
  channelTooLarge: (so: string) => `This channel has too many members to check who would see the answer, ${so}.`,
  tooLargeDo: (contact: string | undefined) =>
    `The operator of this app${inBrackets(contact)} can name the channel in \`OPEN_CHANNELS\`.`,
  sharedChannel: (so: string) => `People from other organizations in this channel would see the answer, ${so}.`,
  guestsInChannel: (so: string) => `Guests in this channel would see the answer, ${so}.`,
  channelRefused: (so: string) => `Deep Search is not turned on for this channel, ${so}.`,
  personCap: (so: string) => `You have asked as many questions today as one person can, ${so}.`,
  channelCap: (so: string) => `As many questions were asked in this channel today as the settings allow, ${so}.`,
  capDo: (when: string) => `You can ask it again after the reset, ${when}.`,
  elsewhereNowDo: () => 'In our direct messages you can ask it now.',
  notConnected: (so: string) => `You did not connect a Deep Search account within 24 hours, ${so}.`,
  tooManyWaiting: (so: string) => `Too many of your questions already wait for your Deep Search account, ${so}.`,
  noKeys: (so: string) => `Questions need your own Deep Search account, but no one can connect one yet, ${so}.`,
  noKeysDo: (contact: string | undefined) =>
    `The operator of this app${inBrackets(contact)} can set \`ENCRYPTION_KEYS\`.`,
  connectDo: () => 'Connect it with `/deepsearch connect`, then ask again.',
  channelOff: (so: string) => `An admin turned Deep Search off in this channel, ${so}.`,
  repositoryRefused: (so: string) =>
    `The settings of this channel do not allow one of the repositories you named, ${so}.`,
  repositoryUnknown: (so: string) => `There is no repository with the name you wrote, ${so}.`,
  noSuchRepository: (name: string) => `There is no repository ${name}, so nothing was asked.`,
  repositoriesThere: (names: string) => `There are: ${names}.`,
  /** `names` are the allowed repositories. */
  repositoriesAllowed: (names: string) => `Questions here can search: ${names}`,
  tooManyRepositories: (limit: number) => `A question can name at most ${limit} repositories.`,
  elsewhereDo: () => 'Ask in our direct messages instead.',
  showDo: () => 'I can show it to you in our direct messages.',
  operatorDo: (contact: string | undefined) => `The operator of this app${inBrackets(contact)} can change who can ask.`,
  notChecked: () => 'Slack took too long to confirm that you can ask here, so nothing was done.',
  notCheckedDo: () => 'Try again in a minute.',
  soNotAsked: () => 'so the question was not asked',
  soNotShown: () => 'so the answer is not shown there',
  soNothingDone: () => 'so nothing was done',
});

const de = (_: Formats): ReturnType<typeof en> => ({
  guest: (so) => `Gäste in diesem Workspace dürfen Deep Search nicht fragen, ${so}.`,
  outsider: (so) => `Nur Mitglieder dieses Workspace dürfen Deep Search fragen, ${so}.`,
  unknownPerson: (so) => `Slack konnte mir nicht sagen, wer du bist, ${so}.`,
  unknownPersonDo: () => 'Versuch es in ein paar Minuten noch einmal.',
  unknownChannel: (so) => `Slack konnte mir nicht sagen, wer diesen Channel lesen kann, ${so}.`,
  channelTooLarge: (so) => `Dieser Channel hat zu viele Mitglieder, um zu prüfen, wer die Antwort sehen würde, ${so}.`,
  tooLargeDo: (contact) =>
    `Wer diese App betreibt${inBrackets(contact)}, kann den Channel in \`OPEN_CHANNELS\` nennen.`,
  sharedChannel: (so) => `Leute aus anderen Organisationen in diesem Channel würden die Antwort sehen, ${so}.`,
  guestsInChannel: (so) => `Gäste in diesem Channel würden die Antwort sehen, ${so}.`,
  channelRefused: (so) => `Deep Search ist für diesen Channel nicht eingeschaltet, ${so}.`,
  personCap: (so) => `Du hast heute so viele Fragen gestellt, wie eine Person stellen kann, ${so}.`,
  channelCap: (so) =>
    `In diesem Channel sind heute so viele Fragen gestellt worden, wie die Einstellungen erlauben, ${so}.`,
  capDo: (when) => `Nach dem Zurücksetzen kannst du sie noch einmal stellen: ${when}.`,
  elsewhereNowDo: () => 'In unseren Direktnachrichten kannst du sie jetzt stellen.',
  notConnected: (so) => `Du hast innerhalb von 24 Stunden kein Deep-Search-Konto verbunden, ${so}.`,
  tooManyWaiting: (so) => `Es warten schon zu viele deiner Fragen auf dein Deep-Search-Konto, ${so}.`,
  noKeys: (so) => `Fragen brauchen dein eigenes Deep-Search-Konto, aber noch kann niemand eines verbinden, ${so}.`,
  noKeysDo: (contact) => `Wer diese App betreibt${inBrackets(contact)}, kann \`ENCRYPTION_KEYS\` setzen.`,
  connectDo: () => 'Verbinde es mit `/deepsearch connect` und frag dann noch einmal.',
  channelOff: (so) => `In diesem Channel ist Deep Search von einem Admin ausgeschaltet, ${so}.`,
  repositoryRefused: (so) => `Die Einstellungen dieses Channels erlauben eines der genannten Repositorys nicht, ${so}.`,
  repositoryUnknown: (so) => `Es gibt kein Repository mit dem genannten Namen, ${so}.`,
  noSuchRepository: (name) => `Es gibt kein Repository ${name}, deshalb wurde nichts gefragt.`,
  repositoriesThere: (names) => `Es gibt: ${names}.`,
  repositoriesAllowed: (names) => `Fragen hier können diese durchsuchen: ${names}`,
  tooManyRepositories: (limit) => `Eine Frage kann höchstens ${limit} Repositorys nennen.`,
  elsewhereDo: () => 'Frag stattdessen in unseren Direktnachrichten.',
  showDo: () => 'In unseren Direktnachrichten kann ich sie dir zeigen.',
  operatorDo: (contact) => `Wer diese App betreibt${inBrackets(contact)}, kann ändern, wer fragen darf.`,
  notChecked: () => 'Slack hat nicht rechtzeitig bestätigt, dass du hier fragen darfst, deshalb ist nichts passiert.',
  notCheckedDo: () => 'Versuch es in einer Minute noch einmal.',
  soNotAsked: () => 'deshalb wurde die Frage nicht gestellt',
  soNotShown: () => 'deshalb wird die Antwort dort nicht gezeigt',
  soNothingDone: () => 'deshalb ist nichts passiert',
});

/** Why someone may not ask, `so` being what came of it; then (`…Do`) what to do. */
export const refusalStrings = { en, de };
