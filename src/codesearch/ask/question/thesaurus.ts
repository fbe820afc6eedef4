import { stem } from '../../index/stem.ts';
import { ENTRIES } from './thesaurus-entries.ts';

/** Words of code for a phrase of a question. */
export interface ThesaurusEntry {
  /** Stems, in order. */
  phrase: readonly string[];
  related: readonly string[];
}

/** By their phrases. */
const entries = new Map<string, ThesaurusEntry>();
for (const line of ENTRIES) {
  const [left = '', right] = line.split(' = ');
  const phrases = right === undefined ? left.split(' ') : left.split(', ');
  const related = (right ?? left).split(' ').map((word) => stem(word));
  for (const written of phrases) {
    const phrase = written.split(' ').map((word) => stem(word));
    const known = entries.get(phrase.join(' '))?.related ?? [];
    entries.set(phrase.join(' '), { phrase, related: [...new Set([...known, ...related])] });
  }
}

/** Stems of code words with a similar meaning, without the stem itself. */
export function relatedStems(of: string): string[] {
  return (entries.get(of)?.related ?? []).filter((other) => other !== of);
}

/** The phrases of several words that a text has, as written there, with their related stems. Of phrases within each other the longest. */
export function phrasesIn(text: string): { phrase: string; related: string[] }[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const stems = words.map((word) => stem(word));
  const found = [...entries.values()].flatMap(({ phrase, related }) => {
    if (phrase.length < 2) return [];
    const start = stems.findIndex((_, at) => phrase.every((part, offset) => stems[at + offset] === part));
    return start < 0 ? [] : [{ start, end: start + phrase.length, related }];
  });
  const isWithin = (a: Span, b: Span): boolean =>
    b.start <= a.start && a.end <= b.end && b.end - b.start > a.end - a.start;
  return found
    .filter((each) => !found.some((other) => isWithin(each, other)))
    .map(({ start, end, related }) => ({ phrase: words.slice(start, end).join(' '), related: [...related] }));
}

interface Span {
  start: number;
  end: number;
}
