import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  /** Of a modal: at most 24 characters. */
  title: () => 'Channel settings',
  save: () => 'Save',
  intro: (channel: string) => `The rules of ${channel}. They hold from the next question on.`,
  lastChange: (by: string, when: string) => `Last changed by ${by}, ${when}.`,
  neverChanged: () => 'No one has saved settings here yet. These hold until someone does.',
  readOnly: () => 'Only admins of this workspace and of this app can change this.',
  refusedByOperator: (contact: string | undefined) =>
    `The operator of this app${contact === undefined ? '' : ` (${contact})`} does not allow this channel. Nothing you choose here changes that.`,
  openByOperator: () =>
    'The operator of this app opened this channel to everyone, also to other organizations. Your choice can only restrict that.',
  switch: () => 'Deep Search in this channel',
  isOn: () => 'On',
  isOff: () => 'Off',
  people: () => 'Who may ask, and who may read',
  members: () => 'Full members ask; guests must not read here',
  guestsRead: () => 'Full members ask; guests may read',
  guestsAsk: () => 'Full members and guests ask and read',
  external: () => 'Other organizations',
  externalAllowed: () => 'They may read here; they still cannot ask',
  externalHint: () => 'Without the tick, no one can ask in a channel that is shared with another organization.',
  externalRefused: () => 'No one can ask while people of other organizations could read',
  repositories: () => 'Repositories',
  repositoriesHint: (limit: number) =>
    `One name per line, as Deep Search writes it, at most ${f.number(limit)}. Empty: all repositories. This narrows the search; it is no access control.`,
  allRepositories: () => 'All',
  replies: () => 'Replies without a mention, in threads of the app',
  followUps: () => 'They are follow-ups',
  onlyMentions: () => 'Only messages that mention the app are questions',
  answers: () => 'Answers',
  inThread: () => 'In the thread',
  privately: () => 'Privately to the person who asked',
  badNames: (names: string) => `These are not names of repositories: ${names}`,
  tooMany: (count: number, limit: number) => `These are ${f.number(count)} names; the limit is ${f.number(limit)}.`,
  unknownNames: (names: string) => `Deep Search does not know these: ${names}`,
  saved: () => 'Saved. It holds from the next question on.',
  unchanged: () => 'Nothing was different, so nothing was changed.',
  savedUnchecked: () =>
    'Saved. Deep Search did not say in time whether it knows these repositories, so look at their names again.',
  savedUnknown: (names: string) => `Saved, but the app's own account does not see these repositories: ${names}`,
  notSaved: () => 'It is not certain that this was saved. Open the settings again to see what holds.',
  changedMeanwhile: (by: string) => `Not saved: ${by} changed these settings meanwhile. Open them again.`,
  notAdmin: () => 'Not saved: only admins of this workspace and of this app can change these settings.',
  hidden: (bot: string) => `I cannot see this channel. Add me with \`/invite\` ${bot} first.`,
  notYours: () => 'Only people who can read in this channel can see its settings.',
  unreadableForm: () => "The saved settings can't be read, so no one may ask here. Saving replaces them.",
  unreadable: () =>
    'The settings of this channel cannot be read, so no one can ask here. The operator of this app can find out why.',
  /** On Home. */
  heading: () => 'Channels',
  settings: () => 'Settings',
  ownRules: () => 'own rules',
  off: () => 'off',
  more: (count: number, command: string) =>
    `${f.count(count, { one: 'more channel', other: 'more channels' })}. Use \`${command} settings\` there.`,
});

const de = (f: Formats): ReturnType<typeof en> => ({
  title: () => 'Channel-Einstellungen',
  save: () => 'Speichern',
  intro: (channel) => `Die Regeln von ${channel}. Das gilt ab der nächsten Frage.`,
  lastChange: (by, when) => `Zuletzt geändert von ${by}, ${when}.`,
  neverChanged: () => 'Hier hat noch niemand Einstellungen gespeichert. Bis dahin gelten diese.',
  readOnly: () => 'Ändern können das nur Admins dieses Workspace und dieser App.',
  refusedByOperator: (contact) =>
    `Wer diese App betreibt${contact === undefined ? '' : ` (${contact})`}, lässt diesen Channel nicht zu. Daran ändert nichts, was du hier wählst.`,
  openByOperator: () =>
    'Wer diese App betreibt, hat diesen Channel für alle geöffnet, auch für andere Organisationen. Du kannst das hier nur einschränken.',
  switch: () => 'Deep Search in diesem Channel',
  isOn: () => 'An',
  isOff: () => 'Aus',
  people: () => 'Wer fragen und wer lesen darf',
  members: () => 'Volle Mitglieder fragen; Gäste dürfen nicht lesen',
  guestsRead: () => 'Volle Mitglieder fragen; Gäste dürfen lesen',
  guestsAsk: () => 'Volle Mitglieder und Gäste fragen und lesen',
  external: () => 'Andere Organisationen',
  externalAllowed: () => 'Leute von dort dürfen hier lesen, aber nicht fragen',
  externalHint: () => 'Ohne den Haken kann in einem mit anderen geteilten Channel niemand fragen.',
  externalRefused: () => 'Niemand kann fragen, solange Leute anderer Organisationen mitlesen könnten',
  repositories: () => 'Repositorys',
  repositoriesHint: (limit) =>
    `Ein Name pro Zeile, wie Deep Search ihn schreibt, höchstens ${f.number(limit)}. Leer: alle. Das engt die Suche ein; es ist keine Zugriffskontrolle.`,
  allRepositories: () => 'Alle',
  replies: () => 'Antworten ohne Erwähnung, in Threads der App',
  followUps: () => 'Das sind Folgefragen',
  onlyMentions: () => 'Nur Nachrichten, die die App erwähnen, sind Fragen',
  answers: () => 'Antworten',
  inThread: () => 'Im Thread',
  privately: () => 'Privat an die Person, die gefragt hat',
  badNames: (names) => `Das sind keine Namen von Repositorys: ${names}`,
  tooMany: (count, limit) => `Das sind ${f.number(count)} Namen; höchstens ${f.number(limit)} sind möglich.`,
  unknownNames: (names) => `Deep Search kennt diese nicht: ${names}`,
  saved: () => 'Gespeichert. Es gilt ab der nächsten Frage.',
  unchanged: () => 'Es war nichts anders, deshalb wurde nichts geändert.',
  savedUnchecked: () =>
    'Gespeichert. Deep Search hat nicht rechtzeitig gesagt, ob es diese Repositorys kennt. Sieh dir die Namen noch einmal an.',
  savedUnknown: (names) => `Gespeichert, aber das Konto der App sieht diese Repositorys nicht: ${names}`,
  notSaved: () =>
    'Es ist nicht sicher, dass das gespeichert wurde. Öffne die Einstellungen noch einmal, um zu sehen, was gilt.',
  changedMeanwhile: (by) =>
    `Nicht gespeichert: ${by} hat diese Einstellungen inzwischen geändert. Öffne sie noch einmal.`,
  notAdmin: () => 'Nicht gespeichert: Diese Einstellungen können nur Admins dieses Workspace und dieser App ändern.',
  hidden: (bot) => `Ich kann diesen Channel nicht sehen. Füg mich erst mit \`/invite\` ${bot} hinzu.`,
  notYours: () => 'Die Einstellungen sehen nur Leute, die in diesem Channel lesen können.',
  unreadableForm: () =>
    'Die gespeicherten Einstellungen sind nicht lesbar, deshalb darf hier niemand fragen. Speichern ersetzt sie.',
  unreadable: () =>
    'Die Einstellungen dieses Channels sind nicht lesbar, deshalb kann hier niemand fragen. Wer diese App betreibt, kann herausfinden, warum.',
  heading: () => 'Channels, in denen ich bin',
  settings: () => 'Einstellungen',
  ownRules: () => 'eigene Regeln',
  off: () => 'aus',
  more: (count, command) =>
    `${f.count(count, { one: 'weiterer Channel', other: 'weitere Channels' })}. Nutz dort \`${command} settings\`.`,
});

/** The settings of a channel, and the list of channels on Home. */
export const channelStrings = { en, de };
