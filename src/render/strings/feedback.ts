import type { Formats } from '../formats.ts';
import { inBrackets } from './words.ts';

const en = (f: Formats) => ({
  helpful: () => 'Helpful',
  notHelpful: () => 'Not helpful',
  /** For screen readers. */
  helpfulLabel: () => 'This answer was helpful',
  notHelpfulLabel: () => 'This answer was not helpful',
  noted: () => 'Your vote is saved.',
  /** Of a modal: at most 24 characters. */
  whyTitle: () => 'What was wrong?',
  why: (contact: string | undefined) =>
    `Your vote is saved. If you add why, the operator of this app${inBrackets(contact)} can read it.`,
  reasons: () => 'Reasons',
  comment: () => 'In your own words',
  wrong: () => 'It is wrong',
  outdated: () => 'It is outdated',
  incomplete: () => 'It is incomplete',
  missedSource: () => 'It is missing a source',
  offTopic: () => 'It is not about my question',
  other: () => 'Something else',
  send: () => 'Send',
  notNoted: () => 'Not saved: this app cannot store it right now. Send it again in a minute.',
  tooLong: (limit: number) => `Use at most ${f.number(limit)} characters.`,
  gone: () => 'Not saved: this answer has expired, or you cannot see it here.',
});

const de = (f: Formats): ReturnType<typeof en> => ({
  helpful: () => 'Hilfreich',
  notHelpful: () => 'Nicht hilfreich',
  helpfulLabel: () => 'Diese Antwort war hilfreich',
  notHelpfulLabel: () => 'Diese Antwort war nicht hilfreich',
  noted: () => 'Deine Stimme ist gespeichert.',
  whyTitle: () => 'Was hat nicht gestimmt?',
  why: (contact) =>
    `Deine Stimme ist gespeichert. Wenn du schreibst, warum, kann das lesen, wer diese App betreibt${inBrackets(contact)}.`,
  reasons: () => 'Gründe',
  comment: () => 'In eigenen Worten',
  wrong: () => 'Sie ist falsch',
  outdated: () => 'Sie ist veraltet',
  incomplete: () => 'Sie ist unvollständig',
  missedSource: () => 'Eine Quelle fehlt',
  offTopic: () => 'Sie geht nicht auf meine Frage ein',
  other: () => 'Etwas anderes',
  send: () => 'Senden',
  notNoted: () => 'Nicht gespeichert: Diese App kann es gerade nicht speichern. Sende es in einer Minute noch einmal.',
  tooLong: (limit) => `Schreib höchstens ${f.number(limit)} Zeichen.`,
  gone: () => 'Nicht gespeichert: Diese Antwort ist abgelaufen, oder du kannst sie hier nicht sehen.',
});

/** Votes on answers, and the reasons for them. */
export const feedbackStrings = { en, de };
