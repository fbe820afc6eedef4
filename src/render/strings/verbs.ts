import type { Formats } from '../formats.ts';

const en = (_: Formats) => ({
  muted: (bot: string) =>
    `Plain replies here are no longer taken as questions. Mention me to ask, or say ${bot} \`unmute\`.`,
  unmuted: () => 'Plain replies here are taken as questions again.',
  muteDirect: () => 'Everything in our direct messages is meant for me, so they cannot be muted.',
  muteNeedless: () => 'Here I only take messages that mention me, so there is nothing to mute.',
  threadVerb: (bot: string, verb: string) => `This is about one thread. Reply there with ${bot} \`${verb}\`.`,
  nothingToConnect: () =>
    "Everybody here asks with the app's own access to Deep Search, so there is no account to connect or disconnect.",
  edited: () => 'You edited a question that is still running. It goes on as it was, unless you ask the new version:',
  mentionAdded: () => 'Your edit mentions me, but an edit asks nothing by itself. You can ask it now:',
  editedAfterAnswer: () => 'The first version was answered already, so the edited one is asked as a follow-up.',
});

const de = (_: Formats): ReturnType<typeof en> => ({
  muted: (bot) =>
    `Antworten hier gelten nicht mehr als Fragen. Erwähn mich, um zu fragen, oder schreib ${bot} \`unmute\`.`,
  unmuted: () => 'Antworten hier gelten wieder als Fragen.',
  muteDirect: () => 'In unseren Direktnachrichten ist alles für mich gedacht, deshalb gibt es nichts stummzuschalten.',
  muteNeedless: () => 'Hier nehme ich nur Nachrichten an, die mich erwähnen, deshalb gibt es nichts stummzuschalten.',
  threadVerb: (bot, verb) => `Das gilt für einen Thread. Antworte dort mit ${bot} \`${verb}\`.`,
  nothingToConnect: () =>
    'Alle hier fragen mit dem Zugang dieser App zu Deep Search, deshalb gibt es kein Konto zu verbinden oder zu trennen.',
  edited: () =>
    'Du hast eine Frage bearbeitet, die noch läuft. Sie läuft weiter wie zuvor, außer du stellst die neue Fassung:',
  mentionAdded: () => 'Deine Bearbeitung erwähnt mich, aber das allein fragt noch nichts. Du kannst es jetzt fragen:',
  editedAfterAnswer: () =>
    'Die erste Fassung war schon beantwortet, deshalb wird die bearbeitete als Folgefrage gestellt.',
});

/** What is said back to verbs and edits. */
export const verbStrings = { en, de };
