import type { Formats } from '../formats.ts';

const en = (_: Formats) => ({
  title: () => '*Ask a question about your code and get an answer with its sources.*',
  ask: (command: string, bot: string) =>
    [
      '*Ask*',
      `• \`${command} where are payment retries configured?\` in a channel: I answer in a thread`,
      `• ${bot} and a question in a channel, or in any thread, which I read first`,
      '• a direct message to me: only you see the answer',
      '• the shortcuts *Ask Deep Search about it* on a message and *Ask Deep Search* anywhere',
    ].join('\n'),
  followUp: (bot: string) =>
    [
      '*Ask a follow-up*',
      '• reply in the thread, or press a follow-up under an answer; use ⋯ beside it to edit it first or ask it privately',
      '• press *Share…* under a private answer to post it in a channel; you see first who can read it there',
      '• questions in the same thread are answered one after the other',
      `• ${bot} \`new\` and a question starts a new conversation in the same thread`,
    ].join('\n'),
  cancel: () =>
    [
      '*Stop or change*',
      '• press Cancel under a running question, or reply `cancel` or `stop` in its thread',
      '• edit a question while it is running, and I offer to ask the new version',
    ].join('\n'),
  verbs: (bot: string) =>
    [
      '*In a thread*',
      `• ${bot} \`status\`: what is running and waiting there`,
      `• ${bot} \`mute\` or \`unmute\`: whether I treat plain replies as questions`,
      `• ${bot} \`why\`: what I did with the latest messages, and why`,
    ].join('\n'),
  repositories: (names: string) =>
    `*Repositories*\nI search ${names}. Begin a question with \`in:repo\` and a name to search only there.`,
  account: (command: string) =>
    [
      '*Your own account*',
      `• \`${command} connect\`: your questions then find what you may read at Deep Search`,
      `• \`${command} disconnect\`: this app removes your account`,
    ].join('\n'),
  admin: (command: string) =>
    `*For you as one of the app's admins*\n• \`${command} doctor\`: checks Slack, the service and the storage, and says what to mend`,
  command: (command: string) =>
    `\`${command} status\`, \`history\`, and \`why\` work anywhere; \`${command} settings\` shows the rules of a channel; \`${command} help\` shows this again. My Home tab lists your questions, and you can cancel them there.`,
});

const de = (_: Formats): ReturnType<typeof en> => ({
  title: () => '*Stell eine Frage zu eurem Code und bekomm eine Antwort mit Quellen.*',
  ask: (command, bot) =>
    [
      '*Fragen*',
      `• \`${command} wo ist eingestellt, wie oft Zahlungen wiederholt werden?\` in einem Channel: ich antworte in einem Thread`,
      `• ${bot} und eine Frage in einem Channel oder in irgendeinem Thread, den ich dann zuerst lese`,
      '• eine Direktnachricht an mich: die Antwort siehst nur du',
      '• die Shortcuts *Ask Deep Search about it* an einer Nachricht und *Ask Deep Search* überall',
    ].join('\n'),
  followUp: (bot) =>
    [
      '*Weiterfragen*',
      '• antworte im Thread oder drück auf eine Folgefrage unter einer Antwort; mit ⋯ daneben bearbeitest du sie erst oder fragst privat',
      '• mit *Teilen…* unter einer privaten Antwort postest du sie in einem Channel; vorher siehst du, wer sie dort lesen kann',
      '• Fragen im selben Thread werden nacheinander beantwortet',
      `• ${bot} \`new\` und eine Frage beginnt eine neue Unterhaltung im selben Thread`,
    ].join('\n'),
  cancel: () =>
    [
      '*Abbrechen oder ändern*',
      '• drück unter einer laufenden Frage auf Abbrechen oder antworte in ihrem Thread mit `abbrechen` oder `stopp`',
      '• bearbeite eine Frage, solange sie läuft, und ich biete an, die neue Fassung zu stellen',
    ].join('\n'),
  verbs: (bot) =>
    [
      '*In einem Thread*',
      `• ${bot} \`status\`: was dort läuft und wartet`,
      `• ${bot} \`mute\` oder \`unmute\`: ob ich Antworten ohne Erwähnung als Fragen verstehe`,
      `• ${bot} \`why\`: was ich mit den letzten Nachrichten gemacht habe und warum`,
    ].join('\n'),
  repositories: (names) =>
    `*Repositorys*\nIch durchsuche ${names}. Beginn eine Frage mit \`in:repo\` und einem Namen, um nur dort zu suchen.`,
  account: (command) =>
    [
      '*Dein eigenes Konto*',
      `• \`${command} connect\`: deine Fragen finden dann, was du bei Deep Search lesen darfst`,
      `• \`${command} disconnect\`: diese App entfernt dein Konto`,
    ].join('\n'),
  admin: (command) =>
    `*Für dich als Admin dieser App*\n• \`${command} doctor\`: prüft Slack, den Dienst und den Speicher und sagt, was zu tun ist`,
  command: (command) =>
    `\`${command} status\`, \`history\` und \`why\` gehen überall; \`${command} settings\` zeigt die Regeln eines Channels; \`${command} help\` zeigt das hier noch einmal. Mein Home-Tab zeigt deine Fragen, und du kannst sie dort abbrechen.`,
});

/** What the app can do and how to ask it. */
export const helpStrings = { en, de };

const enVerbs = (_: Formats) => ({
  muted: (bot: string) =>
    `I no longer treat plain replies here as questions. Mention me to ask, or write ${bot} \`unmute\`.`,
  unmuted: () => 'I treat plain replies here as questions again.',
  unmutedInVain: () =>
    'This thread is no longer muted, but an admin set this channel so that I only answer messages that mention me.',
  settingsNeedChannel: () => 'Direct messages have no settings. Use this command in a channel.',
  muteDirect: () => 'Everything in our direct messages is for me, so they cannot be muted.',
  muteNeedless: () => 'I only answer messages that mention me here, so there is nothing to mute.',
  threadVerb: (bot: string, verb: string) => `This works only in a thread. Reply there with ${bot} \`${verb}\`.`,
  nothingToConnect: () =>
    "Everyone here uses the app's own access to Deep Search, so there is no account to connect or disconnect.",
  edited: () =>
    'You edited a question that is still running. It continues unchanged unless you ask the edited version:',
  editedAfterAnswer: () => 'The first version was already answered, so I am asking the edited one as a follow-up.',
});

const deVerbs = (_: Formats): ReturnType<typeof enVerbs> => ({
  muted: (bot) =>
    `Ich verstehe Antworten hier nicht mehr als Fragen. Erwähn mich, um zu fragen, oder schreib ${bot} \`unmute\`.`,
  unmuted: () => 'Ich verstehe Antworten hier wieder als Fragen.',
  unmutedInVain: () =>
    'Dieser Thread ist nicht mehr stumm, aber ein Admin hat diesen Channel so eingestellt, dass ich nur auf Erwähnungen antworte.',
  settingsNeedChannel: () => 'Direktnachrichten haben keine Einstellungen. Nutz den Befehl in einem Channel.',
  muteDirect: () => 'In unseren Direktnachrichten ist alles für mich, deshalb kannst du sie nicht stummschalten.',
  muteNeedless: () => 'Hier beantworte ich nur Nachrichten, die mich erwähnen, deshalb gibt es nichts stummzuschalten.',
  threadVerb: (bot, verb) => `Das geht nur in einem Thread. Antworte dort mit ${bot} \`${verb}\`.`,
  nothingToConnect: () =>
    'Alle hier nutzen den Zugang dieser App zu Deep Search, deshalb gibt es kein Konto zu verbinden oder zu trennen.',
  edited: () =>
    'Du hast eine Frage bearbeitet, die noch läuft. Sie läuft unverändert weiter, außer du stellst die bearbeitete Fassung:',
  editedAfterAnswer: () =>
    'Die erste Fassung war schon beantwortet, deshalb stelle ich die bearbeitete als Folgefrage.',
});

/** What is said back to verbs and edits. */
export const verbStrings = { en: enVerbs, de: deVerbs };
