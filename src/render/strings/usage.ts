import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
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

const de = (f: Formats): ReturnType<typeof en> => ({
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
export const usageStrings = { en, de };
