import type { Formats } from '../formats.ts';
import { inBrackets } from './in-brackets.ts';

const en = (f: Formats) => ({
  helpful: () => 'Helpful',
  notHelpful: () => 'Not helpful',
  /** For screen readers. */
  helpfulLabel: () => 'This answer was helpful',
  notHelpfulLabel: () => 'This answer was not helpful',
  noted: () => 'Noted.',
  /** Of a modal: at most 24 characters. */
  whyTitle: () => 'What was wrong?',
  why: (contact: string | undefined) =>
    `Your vote counts as it is. If you say why, whoever runs this app${inBrackets(contact)} can read it.`,
  reasons: () => 'Reasons',
  comment: () => 'In your own words',
  wrong: () => 'It is wrong',
  outdated: () => 'It is outdated',
  incomplete: () => 'It is incomplete',
  missedSource: () => 'It missed a source',
  offTopic: () => 'It is not about my question',
  other: () => 'Something else',
  send: () => 'Send',
  notNoted: () => 'Not noted: this app cannot store it at the moment. Send it again in a minute.',
  tooLong: (limit: number) => `At most ${f.number(limit)} characters fit here.`,
  gone: () => 'Not noted: this answer is too old, or it is not from the place you voted in.',
});

const de = (f: Formats): ReturnType<typeof en> => ({
  helpful: () => 'Hilfreich',
  notHelpful: () => 'Nicht hilfreich',
  helpfulLabel: () => 'Diese Antwort war hilfreich',
  notHelpfulLabel: () => 'Diese Antwort war nicht hilfreich',
  noted: () => 'Notiert.',
  whyTitle: () => 'Was hat nicht gestimmt?',
  why: (contact) =>
    `Deine Stimme zählt schon so. Schreibst du dazu, warum, kann es lesen, wer diese App betreibt${inBrackets(contact)}.`,
  reasons: () => 'Gründe',
  comment: () => 'In eigenen Worten',
  wrong: () => 'Sie ist falsch',
  outdated: () => 'Sie ist veraltet',
  incomplete: () => 'Sie ist unvollständig',
  missedSource: () => 'Eine Quelle fehlt',
  offTopic: () => 'Sie geht nicht auf meine Frage ein',
  other: () => 'Etwas anderes',
  send: () => 'Senden',
  notNoted: () => 'Nicht notiert: Diese App kann es gerade nicht speichern. Sende es in einer Minute noch einmal.',
  tooLong: (limit) => `Höchstens ${f.number(limit)} Zeichen passen hierher.`,
  gone: () => 'Nicht notiert: Diese Antwort ist zu alt, oder sie ist nicht von dort, wo du abgestimmt hast.',
});

/** Votes on answers, and the reasons for them. */
export const feedbackStrings = { en, de };
