import { stemmer } from 'stemmer';

const known = new Map<string, string>();
const KNOWN_MAX = 200_000;

/**
 * Reduces an English word to the stem of its usual forms (`retries` and `retrying` to `retri`) with Porter's algorithm.
 * Does not change short words and words with digits or letters of other scripts.
 */
export function stem(word: string): string {
  const cached = known.get(word);
  if (cached !== undefined) return cached;
  const result = word.length <= 3 || !/^[a-z]+$/.test(word) ? word : stemmer(word);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(word, result);
  return result;
}
