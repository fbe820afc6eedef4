import type { Formats } from '../formats.ts';

/** Who is in a channel; `people` are all of them. */
interface Counts {
  people: number;
  guests: number;
  organizations: number;
}

const en = (f: Formats) => ({
  /** Of a modal: at most 24 characters. */
  shareTitle: () => 'Share the answer',
  share: () => 'Share',
  channel: () => 'Share with',
  choose: () => 'Choose a channel to see who can read the answer there.',
  audience: (channel: string, { people, guests, organizations }: Counts) =>
    `*${channel}:* ${[
      f.count(people, { one: 'person', other: 'people' }),
      ...(guests === 0 ? [] : [f.count(guests, { one: 'guest', other: 'guests' })]),
      ...(organizations === 0
        ? []
        : [`people from ${f.count(organizations, { one: 'other organization', other: 'other organizations' })}`]),
    ].join(', ')}`,
  audienceUnknown: (channel: string) => `Slack did not tell me who is in ${channel}.`,
  sources: () =>
    'The answer is posted in your name, with links to its sources. People need access to the code to open them.',
  conversation: () => 'The conversation',
  withLink: () => 'Include the link to the conversation',
  withLinkHint: () => 'Anyone who opens the link sees the whole conversation, even without access to the code.',
  withOwnLinkHint: () =>
    'Anyone who opens the link sees the whole conversation, even without access to the code. It is left out if others cannot open it, or if you kept another of its answers to yourself.',
  beyond: () => 'People who are not full members of this workspace can read it',
  confirm: () => 'Share with them too',
  notYours: () => 'Only the person who asked can share this answer.',
  notYoursOwn: (asker: string) => `Only ${asker} can share this answer: it was asked with their own access.`,
  hiddenChannel: () => 'I am not in this channel. Add me to it first.',
  refusedChannel: () => 'Deep Search is not turned on for this channel. Choose another channel.',
  otherOrganizations: () =>
    'People from other organizations read this channel, and answers cannot be shared with them. Choose another channel.',
  notCheckable: () => 'I cannot check who reads this channel, so nothing is shared there. Choose another channel.',
  mayNot: () => 'You cannot use Deep Search, so nothing was shared.',
  notShared: () => 'Nothing was shared: this app cannot store or check it right now. Send it again in a minute.',
  sharing: (channel: string) => `I am sharing your answer in ${channel}.`,
  undeliverable: (channel: string, bot: string) =>
    `I cannot post in ${channel}, so your answer was not shared. Add me with \`/invite\` ${bot}, then share it again.`,
});

const de = (f: Formats): ReturnType<typeof en> => ({
  shareTitle: () => 'Antwort teilen',
  share: () => 'Teilen',
  channel: () => 'Teilen mit',
  choose: () => 'Wähl einen Channel, um zu sehen, wer die Antwort dort lesen kann.',
  audience: (channel, { people, guests, organizations }) =>
    `*${channel}:* ${[
      f.count(people, { one: 'Person', other: 'Personen' }),
      ...(guests === 0 ? [] : [f.count(guests, { one: 'Gast', other: 'Gäste' })]),
      ...(organizations === 0
        ? []
        : [`Leute aus ${f.count(organizations, { one: 'anderen Organisation', other: 'anderen Organisationen' })}`]),
    ].join(', ')}`,
  audienceUnknown: (channel) => `Slack hat mir nicht gesagt, wer in ${channel} ist.`,
  sources: () =>
    'Die Antwort wird in deinem Namen gepostet, mit Links zu ihren Quellen. Wer sie öffnen will, braucht Zugang zum Code.',
  conversation: () => 'Die Unterhaltung',
  withLink: () => 'Den Link zur Unterhaltung mitgeben',
  withLinkHint: () => 'Wer den Link öffnet, sieht die ganze Unterhaltung, auch ohne Zugang zum Code.',
  withOwnLinkHint: () =>
    'Wer den Link öffnet, sieht die ganze Unterhaltung, auch ohne Zugang zum Code. Er fehlt, wenn andere ihn nicht öffnen können oder du eine andere Antwort der Unterhaltung für dich behalten hast.',
  beyond: () => 'Leute, die keine vollen Mitglieder dieses Workspace sind, können sie lesen',
  confirm: () => 'Auch mit ihnen teilen',
  notYours: () => 'Nur wer gefragt hat, kann diese Antwort teilen.',
  notYoursOwn: (asker) => `Nur ${asker} kann diese Antwort teilen: Sie wurde mit eigenem Zugang gefragt.`,
  hiddenChannel: () => 'Ich bin nicht in diesem Channel. Füg mich erst hinzu.',
  refusedChannel: () => 'Deep Search ist für diesen Channel nicht eingeschaltet. Wähl einen anderen Channel.',
  otherOrganizations: () =>
    'Leute aus anderen Organisationen lesen diesen Channel, und Antworten dürfen nicht mit ihnen geteilt werden. Wähl einen anderen Channel.',
  notCheckable: () =>
    'Ich kann nicht prüfen, wer diesen Channel liest, deshalb wird dort nichts geteilt. Wähl einen anderen Channel.',
  mayNot: () => 'Du darfst Deep Search nicht benutzen, deshalb wurde nichts geteilt.',
  notShared: () =>
    'Es wurde nichts geteilt: Diese App kann es gerade nicht speichern oder prüfen. Sende es in einer Minute noch einmal.',
  sharing: (channel) => `Ich teile deine Antwort in ${channel}.`,
  undeliverable: (channel, bot) =>
    `Ich kann in ${channel} nicht posten, deshalb wurde deine Antwort nicht geteilt. Füg mich mit \`/invite\` ${bot} hinzu und teil sie dann noch einmal.`,
});

/** Sharing a private answer: the form, and what it says about a channel. */
export const sharingStrings = { en, de };
