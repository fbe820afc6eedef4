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
  choose: () => 'Choose a channel to see who would read the answer.',
  audience: (channel: string, { people, guests, organizations }: Counts) =>
    `*${channel}:* ${[
      f.count(people, { one: 'person', other: 'people' }),
      ...(guests === 0 ? [] : [f.count(guests, { one: 'guest', other: 'guests' })]),
      ...(organizations === 0
        ? []
        : [`people of ${f.count(organizations, { one: 'other organization', other: 'other organizations' })}`]),
    ].join(', ')}`,
  audienceUnknown: (channel: string) => `Slack does not say who is in ${channel}.`,
  sources: () => 'It is posted in your name, with its sources as links; whoever opens one needs access to the code.',
  conversation: () => 'The conversation',
  withLink: () => 'Include the link to the conversation',
  withLinkHint: () => 'Whoever opens it sees the whole conversation, without their access being checked.',
  beyond: () => 'People who are not full members of this workspace may read it',
  confirm: () => 'Share with them too',
  notYours: () => 'Only the person who asked can share this answer.',
  hiddenChannel: () => 'I am not in this channel. Add me to it first.',
  refusedChannel: () => 'Deep Search is not switched on for this channel. Choose another.',
  otherOrganizations: () =>
    'People of other organizations read this channel, and answers may not be shared with them here. Choose another.',
  notCheckable: () => 'It cannot be checked who reads this channel, so nothing is shared there. Choose another.',
  mayNot: () => 'You may not use Deep Search, so nothing was shared.',
  notShared: () => 'Nothing was shared: this app cannot store or check it at the moment. Send it again in a minute.',
  sharing: (channel: string) => `Your answer is being shared in ${channel}.`,
  undeliverable: (channel: string, bot: string) =>
    `Your answer could not be shown in ${channel}: I cannot post there. Add me with \`/invite\` ${bot}, then share it again.`,
});

const de = (f: Formats): ReturnType<typeof en> => ({
  shareTitle: () => 'Antwort teilen',
  share: () => 'Teilen',
  channel: () => 'Teilen mit',
  choose: () => 'Wähl einen Channel, um zu sehen, wer die Antwort lesen würde.',
  audience: (channel, { people, guests, organizations }) =>
    `*${channel}:* ${[
      f.count(people, { one: 'Person', other: 'Personen' }),
      ...(guests === 0 ? [] : [f.count(guests, { one: 'Gast', other: 'Gäste' })]),
      ...(organizations === 0
        ? []
        : [`Leute aus ${f.count(organizations, { one: 'anderen Organization', other: 'anderen Organizationen' })}`]),
    ].join(', ')}`,
  audienceUnknown: (channel) => `Slack sagt nicht, wer in ${channel} ist.`,
  sources: () =>
    'Sie wird in deinem Namen gepostet, mit ihren Quellen als Links; wer einen öffnet, braucht Zugang zum Code.',
  conversation: () => 'Die Unterhaltung',
  withLink: () => 'Den Link zur Unterhaltung mitgeben',
  withLinkHint: () => 'Wer ihn öffnet, sieht die ganze Unterhaltung, ohne dass der Zugang geprüft wird.',
  beyond: () => 'Leute, die keine vollen Mitglieder dieses Workspace sind, können sie lesen',
  confirm: () => 'Auch mit ihnen teilen',
  notYours: () => 'Nur wer gefragt hat, kann diese Antwort teilen.',
  hiddenChannel: () => 'Ich bin nicht in diesem Channel. Füg mich erst hinzu.',
  refusedChannel: () => 'Deep Search ist für diesen Channel nicht freigegeben. Wähl einen anderen.',
  otherOrganizations: () =>
    'Leute aus anderen Organizationen lesen diesen Channel, und mit ihnen dürfen Antworten hier nicht geteilt werden. Wähl einen anderen.',
  notCheckable: () =>
    'Wer diesen Channel liest, lässt sich nicht prüfen, deshalb wird dort nichts geteilt. Wähl einen anderen.',
  mayNot: () => 'Du darfst Deep Search nicht benutzen, deshalb wurde nichts geteilt.',
  notShared: () =>
    'Es wurde nichts geteilt: Diese App kann es gerade nicht speichern oder prüfen. Sende es in einer Minute noch einmal.',
  sharing: (channel) => `Deine Antwort wird in ${channel} geteilt.`,
  undeliverable: (channel, bot) =>
    `Deine Antwort konnte in ${channel} nicht gezeigt werden: Ich kann dort nicht posten. Füg mich mit \`/invite\` ${bot} hinzu und teil sie dann noch einmal.`,
});

/** Sharing a private answer: the form, and what it says about a channel. */
export const sharingStrings = { en, de };
