import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  answeredBeforeCancel: () => 'The answer arrived before the cancellation, so it stands.',
  notInChannel: () => 'I cannot post in this channel yet, so the question was not asked.',
  notInChannelDo: (bot: string) =>
    `Add me with \`/invite\` ${bot}, then ask again here, or ask in our direct messages.`,
  closedChannel: () =>
    'I cannot post in this channel (it may be archived, read-only or locked), so the question was not asked.',
  closedDirect: () => 'I cannot post in this conversation, so the question was not asked.',
  closedChannelDo: () => 'Ask in our direct messages instead.',
  undeliverable: (place: string) => `Your question has ended, but its result could not be posted in ${place}.`,
  undeliverableDo: (link: string | undefined) =>
    link === undefined ? 'Ask again where I can post.' : `Read it here: ${link}`,
  emptyQuestion: (after: string | undefined) =>
    after === undefined ? 'Write a question.' : `Write a question after \`${after}\`.`,
  emptyQuestionDo: (command: string) => `For example: \`${command} where are payment retries configured?\``,
  questionTooLong: (length: number, limit: number) =>
    `This question has ${f.number(length)} characters; the limit is ${f.number(limit)}. Nothing was sent. Shorten it and ask again:`,
  notTaken: () =>
    'The question was not taken and nothing was sent: this app cannot store it at the moment. Ask again in a minute:',
  actionNotTaken: () => 'Not taken, nothing was sent: this app cannot store it at the moment. Press again in a minute.',
  alreadyAsked: (by: string | undefined) =>
    by === undefined ? 'This was already asked.' : `This was already asked by ${by}.`,
  alreadyAskedByYou: () => 'This was already asked by you.',
  notAsker: (asker: string) => `Only ${asker} can do this, because they asked the question.`,
  alreadyWatched: () => 'It is being watched again already.',
  queueFull: (limit: number) =>
    `${f.count(limit, { one: 'question is', other: 'questions are' })} already waiting in this thread. Ask again when one is answered.`,
  nothingToCancel: () => 'Nothing is running in this thread.',
  alreadyEnded: () => 'This question has ended already.',
  nothingToCancelInDirect: () => 'Nothing of yours is running here.',
  severalToCancel: () =>
    'Several of your questions are running here. Reply `cancel` in the thread of one of them, or cancel it on my Home tab.',
  confirmCancel: (asker: string) => `${asker} asked what is running here. Nothing is cancelled unless you confirm it:`,
  expiredButton: () => 'This button is too old to be used. Ask the question again.',
  formNotOpened: () => 'Slack did not open the form in time. Press again.',
  askedPrivately: () => 'Asked in our direct messages; the answer comes there.',
  shownPrivately: () => 'The answer comes in our direct messages.',
  alreadyShown: () => 'This answer was sent to our direct messages before.',
  notYours: () => 'Only the person who asked is shown this answer.',
});

const de = (f: Formats): ReturnType<typeof en> => ({
  answeredBeforeCancel: () => 'Die Antwort kam vor dem Abbruch an, deshalb bleibt sie stehen.',
  notInChannel: () => 'Ich kann in diesem Channel noch nicht posten, deshalb wurde die Frage nicht gestellt.',
  notInChannelDo: (bot) =>
    `Füg mich mit \`/invite\` ${bot} hinzu und frag hier noch einmal, oder frag in unseren Direktnachrichten.`,
  closedChannel: () =>
    'Ich kann in diesem Channel nicht posten (vielleicht ist er archiviert, schreibgeschützt oder gesperrt), deshalb wurde die Frage nicht gestellt.',
  closedDirect: () => 'Ich kann in dieser Unterhaltung nicht posten, deshalb wurde die Frage nicht gestellt.',
  closedChannelDo: () => 'Frag stattdessen in unseren Direktnachrichten.',
  undeliverable: (place) =>
    `Deine Frage ist abgeschlossen, aber das Ergebnis konnte nicht in ${place} gepostet werden.`,
  undeliverableDo: (link) =>
    link === undefined ? 'Frag noch einmal dort, wo ich posten kann.' : `Hier kannst du es lesen: ${link}`,
  emptyQuestion: (after) => (after === undefined ? 'Schreib eine Frage.' : `Schreib eine Frage hinter \`${after}\`.`),
  emptyQuestionDo: (command) => `Zum Beispiel: \`${command} wo ist eingestellt, wie oft Zahlungen wiederholt werden?\``,
  questionTooLong: (length, limit) =>
    `Diese Frage hat ${f.number(length)} Zeichen; höchstens ${f.number(limit)} sind möglich. Es wurde nichts gesendet. Kürze sie und frag noch einmal:`,
  notTaken: () =>
    'Die Frage wurde nicht angenommen und nichts wurde gesendet: Diese App kann sie gerade nicht speichern. Frag in einer Minute noch einmal:',
  actionNotTaken: () =>
    'Nicht angenommen, nichts wurde gesendet: Diese App kann es gerade nicht speichern. Drück in einer Minute noch einmal.',
  alreadyAsked: (by) => (by === undefined ? 'Das wurde schon gefragt.' : `Das hat ${by} schon gefragt.`),
  alreadyAskedByYou: () => 'Das hast du schon gefragt.',
  notAsker: (asker) => `Nur ${asker} hat das gefragt und kann das tun.`,
  alreadyWatched: () => 'Die Frage wird bereits wieder beobachtet.',
  queueFull: (limit) =>
    `${f.count(limit, { one: 'Frage wartet', other: 'Fragen warten' })} schon in diesem Thread. Frag noch einmal, sobald eine beantwortet ist.`,
  nothingToCancel: () => 'In diesem Thread läuft gerade nichts.',
  alreadyEnded: () => 'Diese Frage ist schon zu Ende.',
  nothingToCancelInDirect: () => 'Hier läuft gerade nichts von dir.',
  severalToCancel: () =>
    'Hier laufen mehrere Fragen von dir. Antworte im Thread der Frage mit `abbrechen`, oder brich sie auf meinem Home-Tab ab.',
  confirmCancel: (asker) => `${asker} hat gefragt, was hier läuft. Abgebrochen wird nur, wenn du es bestätigst:`,
  expiredButton: () => 'Diese Schaltfläche ist zu alt. Stell die Frage noch einmal.',
  formNotOpened: () => 'Slack hat das Formular nicht rechtzeitig geöffnet. Drück noch einmal.',
  askedPrivately: () => 'In unseren Direktnachrichten gefragt; dort kommt auch die Antwort an.',
  shownPrivately: () => 'Die Antwort kommt in unseren Direktnachrichten.',
  alreadyShown: () => 'Diese Antwort habe ich schon in unsere Direktnachrichten geschickt.',
  notYours: () => 'Diese Antwort bekommt nur, wer gefragt hat.',
});

/** What is said to one person only. */
export const noticeStrings = { en, de };
