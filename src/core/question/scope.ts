import { longestRepositoryName, mostRepositories } from '../settings.ts';
import type { Question } from './question.ts';

/** The repositories to which a question is limited. */
type Scope = NonNullable<Question['scope']>;

/** `refused`: the text names a repository that is not allowed. `allowed` is empty if the text only names too many. */
export type ScopeDecision =
  | { kind: 'all' }
  | { kind: 'limited'; scope: Scope }
  | { kind: 'refused'; allowed: readonly string[] };

/** A name that a service could give a repository: one word, without marks that have a meaning in Slack or in a list. */
const repositoryName = /^[\p{L}\p{N}_][\p{L}\p{N}_.~@+:/-]*$/u;

/** Whether a text can be the name of a repository. */
export function isRepositoryName(name: string): boolean {
  return name.length <= longestRepositoryName && repositoryName.test(name);
}

/**
 * Decides which repositories a question is limited to: those that its text names, otherwise those that its channel
 * allows. `allowed` is empty if the channel allows all.
 */
export function decideScope(text: string, allowed: readonly string[]): ScopeDecision {
  const { repositories: named } = readScope(text);
  if (named.length === 0) {
    return allowed.length === 0 ? { kind: 'all' } : { kind: 'limited', scope: { repositories: [...allowed] } };
  }
  if (named.length > mostRepositories) return { kind: 'refused', allowed };
  const chosen = allowed.length === 0 ? named : named.flatMap((name) => matching(name, allowed));
  if (allowed.length > 0 && named.some((name) => matching(name, allowed).length === 0)) {
    return { kind: 'refused', allowed };
  }
  return { kind: 'limited', scope: { repositories: [...new Set(chosen)], isFromText: true } };
}

/** The last part of a name is enough: `billing` for `github.com/acme/billing`. Capitals do not matter. */
function matching(name: string, allowed: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  const same = allowed.filter((each) => each.toLowerCase() === wanted);
  return same.length > 0 ? same : allowed.filter((each) => each.toLowerCase().endsWith(`/${wanted}`));
}

/**
 * Reads `in:repo NAME` at the beginning and the end of a question: several names with commas, or the words repeated.
 * `in:NAME` with a slash in the name means the same. `rest` is the question without them. A text that asks nothing else
 * names no repositories.
 */
export function readScope(text: string): { repositories: string[]; rest: string } {
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ word, index }));
  const named: string[] = [];
  let begin = 0;
  for (let clause = clauseAt(words, begin); clause !== undefined; clause = clauseAt(words, begin)) {
    named.push(...clause.names);
    begin = clause.next;
  }
  let end = words.length;
  for (;;) {
    const at = words.findLastIndex(({ word }, index) => index < end && index >= begin && opening.test(word));
    const clause = at < 0 ? undefined : clauseAt(words, at);
    if (clause?.next !== end) break;
    named.push(...clause.names);
    end = at;
  }
  const first = words[begin];
  const last = words[end - 1];
  if (named.length === 0 || first === undefined || last === undefined || end <= begin) {
    return { repositories: [], rest: text };
  }
  return { repositories: [...new Set(named)], rest: text.slice(first.index, last.index + last.word.length) };
}

const opening = /^in:/i;
const opensList = /^in:repo:?$/i;
const opensWithName = /^in:(?:repo:)?(.+)$/i;

/** The names that begin at this word, and the first word after them. */
function clauseAt(words: readonly { word: string }[], at: number): { names: string[]; next: number } | undefined {
  const word = words[at]?.word ?? '';
  if (opensList.test(word)) return listAt(words, at + 1, '');
  const [, begun = ''] = opensWithName.exec(word) ?? [];
  const isNamed = /^in:repo:/i.test(word) || begun.includes('/');
  return isNamed ? listAt(words, at, begun) : undefined;
}

/** A list goes on after a word that ends with a comma. `begun` replaces its first word. */
function listAt(
  words: readonly { word: string }[],
  from: number,
  begun: string,
): { names: string[]; next: number } | undefined {
  const names: string[] = [];
  for (let at = from; at < words.length; at += 1) {
    const word = at === from && begun !== '' ? begun : (words[at]?.word ?? '');
    if (opening.test(word)) return names.length > 0 ? { names, next: at } : undefined;
    const parts = word.split(',').map((part) => part.replace(/[.:;!?]+$/, ''));
    const found = parts.filter((part) => part !== '');
    if (found.length === 0 || !found.every(isRepositoryName)) return undefined;
    names.push(...found);
    if (!word.endsWith(',')) return { names, next: at + 1 };
  }
  return undefined;
}
