import type { Formats } from '../formats.ts';

const en = (_: Formats) => ({
  title: () => '*Ask a question about your code, get an answer with its sources.*',
  ask: (command: string, bot: string) =>
    [
      '*Ask*',
      `• \`${command} where are payment retries configured?\` in a channel: the answer comes in a thread`,
      `• ${bot} and a question in a channel, or in any thread: I read that thread first`,
      '• a direct message to me',
      '• the shortcuts *Ask Deep Search about it* on a message and *Ask Deep Search* anywhere',
    ].join('\n'),
  followUp: (bot: string) =>
    [
      '*Carry on*',
      '• reply in the thread, or press one of the suggestions under an answer; ⋯ beside it edits it first or asks it privately',
      '• *Share…* under a private answer shows it in a channel, after you saw who reads there',
      '• questions of one thread are answered one after the other',
      `• ${bot} \`new\` and a question starts a new conversation in the same thread`,
    ].join('\n'),
  cancel: () =>
    [
      '*Stop or change*',
      '• press Cancel on the card of a running question, or reply `cancel` or `stop` in its thread',
      '• edit a question while it runs, and I offer to ask the new version',
    ].join('\n'),
  verbs: (bot: string) =>
    [
      '*In a thread*',
      `• ${bot} \`status\`: what runs and waits there`,
      `• ${bot} \`mute\` or \`unmute\`: whether plain replies are questions`,
      `• ${bot} \`why\`: what I did with the latest messages, and why`,
    ].join('\n'),
  command: (command: string) =>
    `\`${command} status\`, \`history\` and \`why\` work anywhere; \`${command} help\` shows this again. My Home tab lists your questions and cancels them.`,
});

const de = (_: Formats): ReturnType<typeof en> => ({
  title: () => '*Stell eine Frage zu eurem Code und bekomm eine Antwort mit Quellen.*',
  ask: (command, bot) =>
    [
      '*Fragen*',
      `• \`${command} wo ist eingestellt, wie oft Zahlungen wiederholt werden?\` in einem Channel: die Antwort kommt in einen Thread`,
      `• ${bot} und eine Frage in einem Channel, oder in irgendeinem Thread: den lese ich vorher`,
      '• eine Direktnachricht an mich',
      '• die Shortcuts *Ask Deep Search about it* an einer Nachricht und *Ask Deep Search* überall',
    ].join('\n'),
  followUp: (bot) =>
    [
      '*Weiterfragen*',
      '• antworte im Thread oder drück auf einen der Vorschläge unter einer Antwort; ⋯ daneben: erst bearbeiten oder privat fragen',
      '• *Teilen…* unter einer privaten Antwort zeigt sie in einem Channel, nachdem du gesehen hast, wer dort mitliest',
      '• Fragen aus einem Thread werden nacheinander beantwortet',
      `• ${bot} \`new\` und eine Frage beginnt eine neue Unterhaltung im selben Thread`,
    ].join('\n'),
  cancel: () =>
    [
      '*Abbrechen oder ändern*',
      '• drück auf der Karte einer laufenden Frage auf Abbrechen oder antworte in ihrem Thread mit `abbrechen` oder `stopp`',
      '• bearbeite eine Frage, solange sie läuft, und ich biete an, die neue Fassung zu stellen',
    ].join('\n'),
  verbs: (bot) =>
    [
      '*In einem Thread*',
      `• ${bot} \`status\`: was dort läuft und wartet`,
      `• ${bot} \`mute\` oder \`unmute\`: ob Antworten dort als Fragen gelten`,
      `• ${bot} \`why\`: was ich mit den letzten Nachrichten gemacht habe und warum`,
    ].join('\n'),
  command: (command) =>
    `\`${command} status\`, \`history\` und \`why\` gehen überall; \`${command} help\` zeigt das hier noch einmal. Mein Home-Tab zeigt deine Fragen und bricht sie ab.`,
});

/** What the app can do and how to ask it. */
export const helpStrings = { en, de };
