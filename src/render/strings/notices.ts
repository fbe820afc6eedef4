import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  answeredBeforeCancel: () => 'The answer arrived before you cancelled, so it stays.',
  connectFirst: () =>
    "Everyone here asks with their own account at Deep Search. Connect yours within 24 hours, and I'll ask this question by myself:",
  reconnectFirst: () =>
    "Deep Search no longer accepts your account. Connect it again within 24 hours, and I'll ask this question by myself:",
  reconnect: () =>
    'Deep Search no longer accepts your account. Connect it again within 24 hours, and your waiting questions continue by themselves.',
  notInChannel: () => 'I cannot post in this channel yet, so the question was not asked.',
  notInChannelDo: (bot: string) =>
    `Add me with \`/invite\` ${bot}, then ask again here, or ask in our direct messages.`,
  closedChannel: () =>
    'I cannot post in this channel (it may be archived, read-only or locked), so the question was not asked.',
  threadGone: () => 'The message that begins this thread was deleted, so the question was not asked. Ask it again.',
  closedDirect: () => 'I cannot post in these direct messages, so the question was not asked.',
  closedChannelDo: () => 'Ask in our direct messages instead.',
  undeliverable: (place: string) => `Your question is finished, but I could not post the result in ${place}.`,
  undeliverableDo: (link: string | undefined) =>
    link === undefined ? 'Ask again in a place where I can post.' : `Read it here: ${link}`,
  emptyQuestion: (after: string | undefined) =>
    after === undefined ? 'Write a question.' : `Write a question after \`${after}\`.`,
  emptyQuestionDo: (command: string) => `For example: \`${command} where are payment retries configured?\``,
  greeted: (examples: string, command: string) =>
    `Ask me a question about your code, for example: ${examples} \`${command} help\` says what else I can do.`,
  thanked: () => 'You are welcome. Nothing was asked; write a question to go on.',
  questionTooLong: (length: number, limit: number) =>
    `This question has ${f.number(length)} characters; the limit is ${f.number(limit)}. Nothing was sent. Shorten it and ask again:`,
  notTaken: () => 'Not taken, nothing was sent: this app cannot store the question right now. Ask again in a minute:',
  inDoubt: () => "I can't tell whether I took your question. If no card appears within a minute, ask again:",
  actionInDoubt: () =>
    "I can't tell whether that was done. If nothing changes within a minute, press the button again: it is not done twice.",
  actionNotTaken: () =>
    'Not taken, nothing was sent: this app cannot store it right now. Press the button again in a minute.',
  alreadyAsked: (by: string | undefined) =>
    by === undefined ? 'This was already asked.' : `This was already asked by ${by}.`,
  alreadyAskedByYou: () => 'You already asked this.',
  notAsker: (asker: string) => `Only the person who asked (${asker}) can do this.`,
  alreadyWatched: () => 'I am already checking this question again.',
  queueFull: (limit: number) =>
    `${f.count(limit, { one: 'question is', other: 'questions are' })} already waiting in this thread. Ask again when one of them is answered.`,
  nothingToCancel: () => 'Nothing is running in this thread.',
  alreadyEnded: () => 'This question has already ended.',
  nothingToCancelInDirect: () => 'None of your questions is running here.',
  severalToCancel: () =>
    'Several of your questions are running here. Reply `cancel` in the thread of one of them, or cancel it on my Home tab.',
  confirmCancel: (asker: string) => `${asker} asked this question. It is cancelled only if you confirm:`,
  expiredButton: () => 'This button has expired. Ask the question again.',
  formNotOpened: () => 'Slack did not open the form in time. Try again.',
  askedPrivately: () => 'Asked in our direct messages. You get the answer there.',
  shownPrivately: () => 'I am sending the answer to our direct messages.',
  alreadyShown: () => 'I already sent this answer to our direct messages.',
  notYours: () => 'Only the person who asked can see this answer.',
  chooseReaders: (channel: string, people: number | undefined) =>
    `The answer for ${channel} is ready. It was found with your own access. ${
      people === undefined ? 'Everyone in this channel' : f.count(people, { one: 'person here', other: 'people here' })
    } will see it.`,
  chooseReadersLater: () =>
    '*Show here* counts for this thread from now on, *Always here* for this channel. After 24 hours without a choice, only you get the answer.',
  shownHere: (channel: string) => `I show the answer in ${channel}, and later ones to you in that thread.`,
  alwaysShown: (channel: string) => `I show your answers in ${channel} from now on without asking you.`,
  readersChosen: () => 'You already chose who sees this answer.',
  away: (youAsked: string) => `I was away. ${youAsked}:`,
  youAsked: () => 'You asked',
  missedAsked: () => 'I am asking it now.',
  missedNotAsked: () => 'I did not ask it. If I replied beside your message, the reply says why.',
  choiceTooLate: () =>
    'The 24 hours for this choice are over. I sent the answer to our direct messages, where only you see it.',
});

const de = (f: Formats): ReturnType<typeof en> => ({
  answeredBeforeCancel: () => 'Die Antwort kam an, bevor du abgebrochen hast, deshalb bleibt sie stehen.',
  connectFirst: () =>
    'Hier fragen alle mit ihrem eigenen Konto bei Deep Search. Verbinde deins innerhalb von 24 Stunden, dann stelle ich diese Frage von selbst:',
  reconnectFirst: () =>
    'Deep Search nimmt dein Konto nicht mehr an. Verbinde es innerhalb von 24 Stunden noch einmal, dann stelle ich diese Frage von selbst:',
  reconnect: () =>
    'Deep Search nimmt dein Konto nicht mehr an. Verbinde es innerhalb von 24 Stunden noch einmal, dann laufen deine wartenden Fragen von selbst weiter.',
  notInChannel: () => 'Ich kann in diesem Channel noch nicht posten, deshalb wurde die Frage nicht gestellt.',
  notInChannelDo: (bot) =>
    `Füg mich mit \`/invite\` ${bot} hinzu und frag hier noch einmal, oder frag in unseren Direktnachrichten.`,
  closedChannel: () =>
    'Ich kann in diesem Channel nicht posten (vielleicht ist er archiviert, schreibgeschützt oder gesperrt), deshalb wurde die Frage nicht gestellt.',
  threadGone: () =>
    'Die Nachricht, mit der dieser Thread beginnt, wurde gelöscht, deshalb wurde die Frage nicht gestellt. Stell sie noch einmal.',
  closedDirect: () => 'Ich kann in diesen Direktnachrichten nicht posten, deshalb wurde die Frage nicht gestellt.',
  closedChannelDo: () => 'Frag stattdessen in unseren Direktnachrichten.',
  undeliverable: (place) => `Deine Frage ist fertig, aber ich konnte das Ergebnis nicht in ${place} posten.`,
  undeliverableDo: (link) =>
    link === undefined ? 'Frag noch einmal an einem Ort, an dem ich posten kann.' : `Hier kannst du es lesen: ${link}`,
  emptyQuestion: (after) => (after === undefined ? 'Schreib eine Frage.' : `Schreib eine Frage hinter \`${after}\`.`),
  emptyQuestionDo: (command) => `Zum Beispiel: \`${command} wo ist eingestellt, wie oft Zahlungen wiederholt werden?\``,
  greeted: (examples, command) =>
    `Stell mir eine Frage zu eurem Code, zum Beispiel: ${examples} \`${command} help\` sagt, was ich sonst noch kann.`,
  thanked: () => 'Gern. Es wurde nichts gefragt; schreib eine Frage, um weiterzumachen.',
  questionTooLong: (length, limit) =>
    `Diese Frage hat ${f.number(length)} Zeichen; höchstens ${f.number(limit)} sind möglich. Es wurde nichts gesendet. Kürze sie und frag noch einmal:`,
  notTaken: () =>
    'Die Frage wurde nicht angenommen und nichts wurde gesendet: Diese App kann sie gerade nicht speichern. Frag in einer Minute noch einmal:',
  inDoubt: () =>
    'Ich kann nicht sagen, ob ich deine Frage angenommen habe. Wenn in einer Minute keine Karte erscheint, frag noch einmal:',
  actionInDoubt: () =>
    'Ich kann nicht sagen, ob das ausgeführt wurde. Wenn sich in einer Minute nichts ändert, drück noch einmal auf die Schaltfläche: Es wird nicht zweimal ausgeführt.',
  actionNotTaken: () =>
    'Nicht angenommen, nichts wurde gesendet: Diese App kann es gerade nicht speichern. Drück in einer Minute noch einmal auf die Schaltfläche.',
  alreadyAsked: (by) => (by === undefined ? 'Das wurde schon gefragt.' : `Das hat ${by} schon gefragt.`),
  alreadyAskedByYou: () => 'Das hast du schon gefragt.',
  notAsker: (asker) => `Nur wer gefragt hat (${asker}), kann das tun.`,
  alreadyWatched: () => 'Ich sehe bei dieser Frage bereits wieder nach.',
  queueFull: (limit) =>
    `${f.count(limit, { one: 'Frage wartet', other: 'Fragen warten' })} schon in diesem Thread. Frag noch einmal, sobald eine davon beantwortet ist.`,
  nothingToCancel: () => 'In diesem Thread läuft gerade nichts.',
  alreadyEnded: () => 'Diese Frage ist schon zu Ende.',
  nothingToCancelInDirect: () => 'Von deinen Fragen läuft hier gerade keine.',
  severalToCancel: () =>
    'Hier laufen mehrere Fragen von dir. Antworte im Thread der Frage mit `abbrechen`, oder brich sie auf meinem Home-Tab ab.',
  confirmCancel: (asker) => `${asker} hat diese Frage gestellt. Sie wird nur abgebrochen, wenn du es bestätigst:`,
  expiredButton: () => 'Diese Schaltfläche ist abgelaufen. Stell die Frage noch einmal.',
  formNotOpened: () => 'Slack hat das Formular nicht rechtzeitig geöffnet. Versuch es noch einmal.',
  askedPrivately: () => 'In unseren Direktnachrichten gefragt. Dort bekommst du die Antwort.',
  shownPrivately: () => 'Ich schicke die Antwort in unsere Direktnachrichten.',
  alreadyShown: () => 'Diese Antwort habe ich schon in unsere Direktnachrichten geschickt.',
  notYours: () => 'Nur wer gefragt hat, kann diese Antwort sehen.',
  chooseReaders: (channel, people) =>
    `Die Antwort für ${channel} ist fertig. Sie wurde mit deinem eigenen Zugang gefunden. ${
      people === undefined
        ? 'Alle in diesem Channel werden sie sehen.'
        : f.count(people, { one: 'Person hier wird sie sehen.', other: 'Personen hier werden sie sehen.' })
    }`,
  chooseReadersLater: () =>
    '*Hier zeigen* gilt ab jetzt für diesen Thread, *Hier immer* für diesen Channel. Wählst du 24 Stunden lang nichts, bekommst nur du die Antwort.',
  shownHere: (channel) => `Ich zeige die Antwort in ${channel}, und spätere an dich in diesem Thread auch.`,
  alwaysShown: (channel) => `Ich zeige deine Antworten in ${channel} ab jetzt, ohne dich zu fragen.`,
  readersChosen: () => 'Du hast schon gewählt, wer diese Antwort sieht.',
  away: (youAsked) => `Ich war nicht da. ${youAsked}:`,
  youAsked: () => 'Du hast gefragt',
  missedAsked: () => 'Ich stelle sie jetzt.',
  missedNotAsked: () =>
    'Ich habe sie nicht gestellt. Wenn ich bei deiner Nachricht geantwortet habe, steht dort der Grund.',
  choiceTooLate: () =>
    'Die 24 Stunden für diese Wahl sind vorbei. Ich habe die Antwort in unsere Direktnachrichten geschickt, wo nur du sie siehst.',
});

/** What is said to one person only. */
export const noticeStrings = { en, de };
