const known = new Map<string, string>();
const KNOWN_MAX = 200_000;

/**
 * Reduces an English word to a stem that its usual forms share (`retries` and `retrying` to `retri`), in the manner of
 * Porter's first steps and the commonest noun endings. Words with digits or other scripts are left alone.
 */
export function stem(word: string): string {
  const cached = known.get(word);
  if (cached !== undefined) return cached;
  const result = word.length <= 3 || !/^[a-z]+$/.test(word) ? word : strip(word);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(word, result);
  return result;
}

const ENDINGS: readonly [RegExp, string][] = [
  [/ational$/, 'ate'],
  [/ization$|isation$/, 'ize'],
  [/isers?$/, 'ize'],
  [/ising$|ised$|ises?$/, 'ize'],
  [/izers?$/, 'ize'],
  [/fulness$/, 'ful'],
  [/iveness$/, 'ive'],
  [/cations?$/, 'c'],
  [/ations?$|ators?$/, 'ate'],
  [/(s|t)ions?$/, '$1'],
  [/ments?$/, ''],
  [/ness$/, ''],
  [/ances?$|ences?$/, ''],
  [/ables?$|ibles?$/, ''],
];

function strip(word: string): string {
  let result = word;
  if (result.endsWith('sses')) result = result.slice(0, -2);
  else if (result.endsWith('ies')) result = `${result.slice(0, -3)}y`;
  else if (/[^su]s$/.test(result)) result = result.slice(0, -1);
  for (const [ending, replacement] of ENDINGS) {
    const shorter = result.replace(ending, replacement);
    if (shorter !== result && shorter.length >= 4) {
      result = shorter;
      break;
    }
  }
  const inflected = /^(.*[aeiouy].*?)(ed|ing|er|ers|or|ors)$/.exec(result);
  const base = inflected?.[1];
  if (base !== undefined && base.length >= 3) {
    result = /([bdfgmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
    if (result.endsWith('ll') && result.length > 5) result = result.slice(0, -1);
  }
  if (result.length > 4 && result.endsWith('e')) result = result.slice(0, -1);
  if (result.length > 3 && result.endsWith('y') && !/[aeiou]y$/.test(result)) result = `${result.slice(0, -1)}i`;
  return result;
}
