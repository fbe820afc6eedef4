import { stem } from './stem.ts';

const IDENTIFIER = /[\p{L}\p{N}_]+/gu;
const termsOf = new Map<string, readonly string[]>();
const CACHED_MAX = 300_000;
/** Longer names have their whole as the only term. */
const LONGEST_SPLIT = 64;
/** Longer runs of letters and digits are data rather than names. */
const LONGEST = 256;

/** Splits `retryDelayMs`, `HTTP_Server`, `sha256sum` into lower-case words. */
export function splitIdentifier(identifier: string): string[] {
  return identifier
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_]+/)
    .filter((word) => word !== '');
}

/** Index terms of one identifier: the stems of its words, and the whole name when it has several words or is long. */
export function identifierTerms(identifier: string): readonly string[] {
  const cached = termsOf.get(identifier);
  if (cached !== undefined) return cached;
  const isLong = identifier.length > LONGEST_SPLIT;
  const words = isLong ? [] : splitIdentifier(identifier);
  const terms = words.filter((word) => word.length > 1).map(stem);
  if (words.length > 1 || (isLong && identifier.length <= LONGEST)) terms.push(identifier.toLowerCase());
  if (termsOf.size >= CACHED_MAX) termsOf.clear();
  termsOf.set(identifier, terms);
  return terms;
}

/** The longest part of a name such as `users$` or `@scope/name` that the index has as one identifier. */
export function longestIdentifier(name: string): string {
  const parts = name.match(IDENTIFIER) ?? [];
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

/** All index terms of a text, in order, with duplicates. */
export function textTerms(text: string): string[] {
  const terms: string[] = [];
  for (const match of text.matchAll(IDENTIFIER)) {
    for (const term of identifierTerms(match[0])) terms.push(term);
  }
  return terms;
}
