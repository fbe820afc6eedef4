import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  loading: () => 'One moment.',
  failed: () => 'This app cannot read its data right now. Close this and try again in a minute.',
  expired: () => 'This answer has expired. Ask the question again.',
  unreadable: () => 'This form could not be read, and nothing was sent. Close it and open it again.',
  /** Of a modal, as the other titles: at most 24 characters. */
  askTitle: () => 'Ask Deep Search',
  ask: () => 'Ask',
  question: () => 'Your question',
  cut: (shown: number) =>
    `The message is too long for this form, so only its first ${f.number(shown)} characters are here. I read its thread as well.`,
  where: () => 'Where to answer',
  inThread: () => 'In the thread of the message',
  inThisThread: () => 'In this thread',
  inNewConversation: () => 'In a new conversation',
  inChannel: () => 'In a channel',
  privately: () => 'Only for me, in our direct messages',
  channel: () => 'Channel',
  channelHint: () =>
    'Everyone in the channel sees the question and the answer. Not needed for an answer in our direct messages.',
  editTitle: () => 'Edit and ask',
  followUp: () => 'Follow-up question',
  empty: () => 'Write a question.',
  tooLong: (length: number, limit: number) =>
    `This question has ${f.number(length)} characters; the limit is ${f.number(limit)}. Nothing was sent.`,
  notTaken: () =>
    'Not taken, nothing was sent: this app cannot store or check it right now. Send it again in a minute.',
  inDoubt: () => "I can't tell whether that was taken. Send it again in a minute: it is not taken twice.",
  takenBefore: () => 'This form was already sent, and its question was cancelled. Open a new form to ask again.',
  noChannel: () => 'Choose a channel, or an answer in our direct messages.',
  hiddenChannel: () => 'I am not in this channel. Add me to it, or choose another channel.',
  hiddenThread: () =>
    'I am not where this message was posted. Add me there, or choose an answer in our direct messages.',
  notMember: () => 'You are not a member of this channel. Choose a channel that you are in.',
  askedMeanwhile: (by: string | undefined) =>
    by === undefined
      ? 'This follow-up was asked in the meantime. Ask your own question in the thread.'
      : `${by} asked this follow-up in the meantime. Ask your own question in the thread.`,
});

const de = (f: Formats): ReturnType<typeof en> => ({
  loading: () => 'Einen Moment.',
  failed: () =>
    'Diese App kann ihre Daten gerade nicht lesen. Schließ das hier und versuch es in einer Minute noch einmal.',
  expired: () => 'Diese Antwort ist abgelaufen. Stell die Frage noch einmal.',
  unreadable: () =>
    'Dieses Formular ließ sich nicht lesen, und nichts wurde gesendet. Schließ es und öffne es noch einmal.',
  askTitle: () => 'Deep Search fragen',
  ask: () => 'Fragen',
  question: () => 'Deine Frage',
  cut: (shown) =>
    `Die Nachricht ist zu lang für dieses Formular, deshalb stehen hier nur ihre ersten ${f.number(shown)} Zeichen. Ich lese auch ihren Thread.`,
  where: () => 'Wo soll die Antwort stehen?',
  inThread: () => 'Im Thread der Nachricht',
  inThisThread: () => 'In diesem Thread',
  inNewConversation: () => 'In einer neuen Unterhaltung',
  inChannel: () => 'In einem Channel',
  privately: () => 'Nur für mich, in unseren Direktnachrichten',
  channel: () => 'Channel',
  channelHint: () =>
    'Alle im Channel sehen die Frage und die Antwort. Für eine Antwort in unseren Direktnachrichten nicht nötig.',
  editTitle: () => 'Bearbeiten und fragen',
  followUp: () => 'Folgefrage',
  empty: () => 'Schreib eine Frage.',
  tooLong: (length, limit) =>
    `Diese Frage hat ${f.number(length)} Zeichen; höchstens ${f.number(limit)} sind möglich. Es wurde nichts gesendet.`,
  notTaken: () =>
    'Nicht angenommen, nichts wurde gesendet: Diese App kann es gerade nicht speichern oder prüfen. Sende es in einer Minute noch einmal.',
  inDoubt: () =>
    'Ich kann nicht sagen, ob das angenommen wurde. Sende es in einer Minute noch einmal: Es wird nicht zweimal angenommen.',
  takenBefore: () =>
    'Dieses Formular wurde schon gesendet und seine Frage abgebrochen. Öffne ein neues, um noch einmal zu fragen.',
  noChannel: () => 'Wähl einen Channel oder eine Antwort in unseren Direktnachrichten.',
  hiddenChannel: () => 'Ich bin nicht in diesem Channel. Füg mich hinzu oder wähl einen anderen Channel.',
  hiddenThread: () =>
    'Ich bin nicht dort, wo diese Nachricht gepostet wurde. Füg mich dort hinzu oder wähl eine Antwort in unseren Direktnachrichten.',
  notMember: () => 'Du bist nicht in diesem Channel. Wähl einen Channel, in dem du bist.',
  askedMeanwhile: (by) =>
    by === undefined
      ? 'Diese Folgefrage wurde inzwischen gestellt. Stell deine eigene Frage im Thread.'
      : `${by} hat diese Folgefrage inzwischen gestellt. Stell deine eigene Frage im Thread.`,
});

/** The forms that ask, and what they say about what was entered. */
export const modalStrings = { en, de };
