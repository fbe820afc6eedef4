import { stem } from '../../index/stem.ts';
import { parseQuestion, type Question, type Subject } from './question.ts';
import type { Quoted } from './surroundings.ts';

/** Words that only refer to earlier messages: alone they are nothing to search for. */
const POINTING_STEMS: ReadonlySet<string> = new Set(
  'answer answers asked question questions thread message messages conversation discussion discussed said above earlier'
    .split(' ')
    .map(stem),
);
const POINTING = /\b(?:asked|said|discussed|above|earlier|thread|question)\b/i;

const LEANING_WEIGHT = 0.4;
const BESIDE_WEIGHT = 0.2;
const MOST_SUBJECTS = 24;
/** Characters of quotes that are read. */
const LONGEST_READ = 6_000;

/**
 * Adds quoted messages to a question. Its own words count most. If none of them can be searched, the question in the
 * quotes is used; if it says "it" or "this", the quotes supply the subject.
 */
export function withQuotes(question: Question, quotes: readonly Quoted[]): Question {
  if (quotes.length === 0) return question;
  const own = question.subjects.filter(({ weight, stem: key }) => weight >= 0.5 && !POINTING_STEMS.has(key));
  const isNamed = question.identifiers.length > 0 || question.paths.length > 0;
  if (own.length === 0 && !isNamed && question.kind !== 'about') return askedInQuotes(question, quotes);
  const around = parseQuestion(wordsOf(quotes));
  if (!question.refersBack || isNamed || own.length > 2) {
    return { ...question, subjects: joined(question.subjects, around.subjects, BESIDE_WEIGHT) };
  }
  return {
    ...question,
    subjects: joined(question.subjects, around.subjects, LEANING_WEIGHT),
    identifiers: around.identifiers.slice(0, 2),
    paths: around.paths.slice(0, 1),
  };
}

/** Uses the first message as the question, or else the last message that asks something; the others are context. */
function askedInQuotes(question: Question, quotes: readonly Quoted[]): Question {
  const messages = quotes.filter(({ isFile, text }) => !isFile && /[\p{L}\p{N}]/u.test(text));
  const [first] = messages;
  const asks = ({ text }: Quoted): boolean => text.includes('?');
  const chosen = first !== undefined && asks(first) ? first : (messages.findLast(asks) ?? first ?? quotes[0]);
  if (chosen === undefined) return question;
  const asked = parseQuestion(chosen.text);
  const isOwnKind = !['explain', 'smalltalk'].includes(question.kind) && !POINTING.test(question.text);
  const rest = parseQuestion(wordsOf(quotes.filter((quote) => quote !== chosen)));
  return {
    ...asked,
    kind: isOwnKind ? question.kind : asked.kind,
    subjects: joined(asked.subjects, rest.subjects, BESIDE_WEIGHT),
    identifiers: asked.identifiers.length > 0 ? asked.identifiers : rest.identifiers.slice(0, 1),
  };
}

/** Newest first, because "this" usually refers to the newest message. */
function wordsOf(quotes: readonly Quoted[]): string {
  return quotes
    .toReversed()
    .map(({ text }) => text)
    .join('\n')
    .slice(0, LONGEST_READ);
}

function joined(own: readonly Subject[], others: readonly Subject[], factor: number): Subject[] {
  const known = new Set(own.map(({ stem: key }) => key));
  const added = others
    .filter(({ stem: key }) => !known.has(key) && !POINTING_STEMS.has(key))
    .map((subject) => ({ ...subject, weight: subject.weight * factor }));
  return [...own, ...added].slice(0, Math.max(own.length, MOST_SUBJECTS));
}
