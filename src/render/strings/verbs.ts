import type { Formats } from '../formats.ts';

const en = (_: Formats) => ({
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

const de = (_: Formats): ReturnType<typeof en> => ({
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
export const verbStrings = { en, de };
