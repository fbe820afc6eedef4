import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  inThread: () => '*In this thread*',
  inChannel: () => '*In this channel*',
  inDirect: () => '*In our direct messages*',
  elsewhere: () => '*Your questions elsewhere*',
  nothing: () => 'Nothing is running or waiting.',
  more: (count: number) => `${f.count(count, { one: 'more is', other: 'more are' })} not listed here.`,
  askedBy: (asker: string) => `asked by ${asker}`,
  askedByYou: () => 'asked by you',
  directMessages: () => 'in our direct messages',
  queued: (place: number) => `queued, number ${f.number(place)} in line`,
  waitingForSlot: () => 'waiting for its turn',
  starting: () => 'starting',
  running: (elapsedMs: number) => `running for ${f.duration(elapsedMs)}`,
  noReply: () => 'no reply yet from Deep Search',
  unreachable: () => 'waiting until Deep Search is reachable',
  limited: () => 'waiting because Deep Search is limiting requests',
  cancelling: () => 'being cancelled',
  awaitingAccount: () => 'waiting until the person who asked connects their account',
  parked: (when: string) => `limit reached; I'll ask it automatically ${when}`,
  ending: () => 'about to finish',
  conversation: (link: string) => `Conversation: ${link}`,
});

const de = (f: Formats): ReturnType<typeof en> => ({
  inThread: () => '*In diesem Thread*',
  inChannel: () => '*In diesem Channel*',
  inDirect: () => '*In unseren Direktnachrichten*',
  elsewhere: () => '*Deine Fragen anderswo*',
  nothing: () => 'Es läuft und wartet nichts.',
  more: (count) => `${f.count(count, { one: 'weitere steht', other: 'weitere stehen' })} nicht in dieser Liste.`,
  askedBy: (asker) => `gefragt von ${asker}`,
  askedByYou: () => 'gefragt von dir',
  directMessages: () => 'in unseren Direktnachrichten',
  queued: (place) => `wartet auf Platz ${f.number(place)}`,
  waitingForSlot: () => 'wartet, bis sie dran ist',
  starting: () => 'wird gestartet',
  running: (elapsedMs) => `läuft seit ${f.duration(elapsedMs)}`,
  noReply: () => 'noch keine Antwort von Deep Search',
  unreachable: () => 'wartet, bis Deep Search erreichbar ist',
  limited: () => 'wartet, weil Deep Search die Anfragen begrenzt',
  cancelling: () => 'wird abgebrochen',
  awaitingAccount: () => 'wartet, bis die Person, die gefragt hat, ihr Konto verbindet',
  parked: (when) => `Grenze erreicht; ich stelle sie automatisch ${when}`,
  ending: () => 'gleich fertig',
  conversation: (link) => `Unterhaltung: ${link}`,
});

/** What runs and waits. */
export const statusStrings = { en, de };

const enUsage = (f: Formats) => ({
  heading: () => 'Usage in the last 30 days',
  counting: () => 'I am adding it up. The numbers appear here by themselves.',
  counts: (questions: number, answers: number, failures: number) =>
    [
      f.count(questions, { one: 'question', other: 'questions' }),
      f.count(answers, { one: 'answer', other: 'answers' }),
      f.count(failures, { one: 'failure', other: 'failures' }),
    ].join(' · '),
  times: (medianMs: number, p95Ms: number) =>
    `Half of the answers took at most ${f.duration(medianMs)}, 95% at most ${f.duration(p95Ms)}.`,
  credits: (credits: number) => f.count(credits, { one: 'credit', other: 'credits' }),
  votes: (up: number, down: number) => `${f.number(up)} votes for answers, ${f.number(down)} against`,
  busiest: () => 'Busiest channels:',
  channel: (name: string, questions: number) => `${name} (${f.number(questions)})`,
  onlyAdmins: () => 'Only the people in `ADMINS` see this.',
});

const deUsage = (f: Formats): ReturnType<typeof enUsage> => ({
  heading: () => 'Nutzung in den letzten 30 Tagen',
  counting: () => 'Ich zähle gerade zusammen. Die Zahlen erscheinen hier von selbst.',
  counts: (questions, answers, failures) =>
    [
      f.count(questions, { one: 'Frage', other: 'Fragen' }),
      f.count(answers, { one: 'Antwort', other: 'Antworten' }),
      f.count(failures, { one: 'Fehlschlag', other: 'Fehlschläge' }),
    ].join(' · '),
  times: (medianMs, p95Ms) =>
    `Die Hälfte der Antworten hat höchstens ${f.duration(medianMs)} gedauert, 95 % höchstens ${f.duration(p95Ms)}.`,
  credits: (credits) => f.count(credits, { one: 'Credit', other: 'Credits' }),
  votes: (up, down) => `${f.number(up)} Stimmen für Antworten, ${f.number(down)} dagegen`,
  busiest: () => 'Channels mit den meisten Fragen:',
  channel: (name, questions) => `${name} (${f.number(questions)})`,
  onlyAdmins: () => 'Das sehen nur die Personen in `ADMINS`.',
});

/** The block on the Home of the people in `ADMINS`. */
export const usageStrings = { en: enUsage, de: deUsage };
