const WORDS = new Set(
  (
    'now today yesterday midnight noon tea never ago last this at on of the a an am pm gmt utc z t ' +
    'one two three four five six seven eight nine ten ' +
    'january february march april may june july august september october november december ' +
    'jan feb mar apr jun jul aug sep sept oct nov dec ' +
    'monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun ' +
    'second seconds minute minutes hour hours day days week weeks month months year years'
  ).split(' '),
);

/**
 * Whether git reads a text as a date. git takes every text, and takes what it does not understand for the present, so that a
 * wrong date would silently change the results.
 */
export function isDate(text: string): boolean {
  const trimmed = text.trim().toLowerCase();
  if (trimmed === '' || trimmed.length > 60 || trimmed.startsWith('-')) return false;
  if (!/^[\w\s.,:/+-]+$/.test(trimmed)) return false;
  const words = trimmed.match(/[a-z_]+/g) ?? [];
  const hasNumber = /\d/.test(trimmed);
  const known = words.every((word) => WORDS.has(word) || (hasNumber && /^(?:st|nd|rd|th)$/.test(word)));
  return known && (hasNumber || words.length > 0);
}
