import { LRUCache } from 'lru-cache';
import type { Source } from '../core/question/question.ts';
import { citedSources } from './generation-2/cited-sources.ts';
import { absoluteLinks } from './links.ts';
import { parseBaseUrl } from './service-client.ts';

/** How many texts have a remembered result: each read repeats all answers, and only the last question changes. */
const REMEMBERED_ANSWERS = 50;
const MAX_REMEMBERED_LENGTH = 100_000;

/** Makes the links of an answer absolute and caches the newest results, for any number of accounts. */
export function rememberLinks(baseUrl: string): (markdown: string) => string {
  const baseHref = parseBaseUrl(baseUrl).href;
  return remember((markdown) => absoluteLinks(markdown, baseHref));
}

/** Finds the sources that an answer links to and caches the newest results, for any number of accounts. */
export function rememberSources(baseUrl: string): (markdown: string) => Source[] {
  const baseHref = parseBaseUrl(baseUrl).href;
  return remember((markdown) => citedSources(markdown, baseHref));
}

/** Caches the results for the most recent answers. Very long texts are not cached. */
export function remember<Result extends {}>(compute: (text: string) => Result): (text: string) => Result {
  const known = new LRUCache<string, Result>({ max: REMEMBERED_ANSWERS });
  return (text) => {
    if (text.length > MAX_REMEMBERED_LENGTH) return compute(text);
    const result = known.get(text) ?? compute(text);
    known.set(text, result);
    return result;
  };
}
