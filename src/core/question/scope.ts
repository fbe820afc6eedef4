import { longestRepositoryName, mostRepositories } from '../settings.ts';
import type { Question } from './question.ts';

/** The repositories to which a question is limited. */
type Scope = NonNullable<Question['scope']>;

/**
 * `refused`: the text names a repository that is not allowed, or too many repositories; then `allowed` is empty. `unknown`: the
 * service has none of this name; `nearest` are the most similar names of the `total`.
 */
export type ScopeDecision =
  | { kind: 'all' }
  | { kind: 'limited'; scope: Scope }
  | { kind: 'refused'; allowed: readonly string[] }
  | { kind: 'unknown'; name: string; nearest: string[]; total: number };

/** A name that a service could give a repository: one word, without marks that have a meaning in Slack or in a list. */
const repositoryName = /^[\p{L}\p{N}_][\p{L}\p{N}_.~@+:/-]*$/u;

/** Whether a text can be the name of a repository. */
export function isRepositoryName(name: string): boolean {
  return name.length <= longestRepositoryName && repositoryName.test(name);
}

/**
 * Decides which repositories a question is limited to: those that its text names, otherwise those that its channel
 * allows. `allowed` is empty if the channel allows all. `known` are all names that the asker can search, if the service
 * told them.
 */
export function decideScope(text: string, allowed: readonly string[], known?: readonly string[]): ScopeDecision {
  const listed = allowed.length > 0 ? allowed : known;
  const { repositories: named } = readScope(text, listed);
  if (named.length === 0) {
    return allowed.length === 0 ? { kind: 'all' } : { kind: 'limited', scope: { repositories: [...allowed] } };
  }
  if (named.length > mostRepositories) return { kind: 'refused', allowed };
  if (allowed.length === 0 && known !== undefined && known.length > 0) return decideKnown(named, known);
  const chosen = allowed.length === 0 ? named : named.flatMap((name) => matching(name, allowed));
  if (allowed.length > 0 && named.some((name) => matching(name, allowed).length === 0)) {
    return { kind: 'refused', allowed };
  }
  return { kind: 'limited', scope: { repositories: [...new Set(chosen)], isFromText: true } };
}

function decideKnown(named: readonly string[], known: readonly string[]): ScopeDecision {
  const unknown = named.find((name) => matching(name, known).length === 0);
  if (unknown !== undefined) {
    const name = unknown.slice(0, longestRepositoryName);
    return { kind: 'unknown', name, nearest: nearestTo(name, known), total: known.length };
  }
  const chosen = [...new Set(named.flatMap((name) => matching(name, known)))];
  // A short name may be the end of very many.
  const repositories = chosen.length > mostRepositories ? [...named] : chosen;
  return { kind: 'limited', scope: { repositories, isFromText: true } };
}

/** How many similar names are told. */
const mostNearest = 10;

/** The most similar names first: those that share the most pairs of letters. Else in the order of the service. */
function nearestTo(name: string, known: readonly string[]): string[] {
  const wanted = pairsOf(name.split('/').at(-1) ?? name);
  return known
    .map((each, at) => ({ each, at, share: shareOf(wanted, pairsOf(each.split('/').at(-1) ?? each)) }))
    .sort((a, b) => b.share - a.share || a.at - b.at)
    .slice(0, mostNearest)
    .map(({ each }) => each);
}

function pairsOf(name: string): Set<string> {
  const letters = ` ${name.toLowerCase()} `;
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)));
}

function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = [...one].filter((pair) => other.has(pair)).length;
  return (2 * both) / (one.size + other.size);
}

/** The last part of a name is enough: `billing` for `github.com/acme/billing`. Capitals do not matter. */
function matching(name: string, allowed: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  const same = allowed.filter((each) => each.toLowerCase() === wanted);
  return same.length > 0 ? same : allowed.filter((each) => each.toLowerCase().endsWith(`/${wanted}`));
}

/**
 * Reads `in:repo NAME` of a question: several names with commas, or the words repeated. Quotes, code marks and other marks around a
 * name do not matter; in quotes a name may have spaces. `in:NAME` with a slash in the name means the same at the beginning
 * and the end. `rest` is the question without all that. It is the whole text if nothing else is left.
 * `known` are the names that there are. `in:` with a space after it, or without the word, is part of the sentence where it
 * is before any other name, as in "What changed in: repository settings?".
 */
export function readScope(text: string, known?: readonly string[]): { repositories: string[]; rest: string } {
  const found = clausesIn(withBlankQuotes(text), known ?? []);
  if (found.length === 0) return { repositories: [], rest: text };
  const kept: string[] = [];
  let end = 0;
  for (const { from, to } of found) {
    kept.push(text.slice(end, from).trim());
    end = to;
  }
  kept.push(text.slice(end).trim());
  const rest = kept.filter((part) => part !== '').join(' ');
  return { repositories: [...new Set(found.flatMap(({ names }) => names))], rest: rest === '' ? text.trim() : rest };
}

/** Quoted lines, for example of a forwarded message, are other people's words. The other characters keep their places. */
function withBlankQuotes(text: string): string {
  return text.replace(/^[^\S\n]{0,9}>[^\n]*/gm, (line) => ' '.repeat(line.length));
}

interface Clause {
  from: number;
  to: number;
  names: string[];
}

const open = '"\'“”„‟«»‹›‘‚`*_~(<{[「『【（〈《';
const close = '"\'“”„‟«»‹›’‘`*_~)>}\\]」』】）〉》';
/** Invisible characters that may stand between letters. */
const unseen = '\\u00AD\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\uFEFF';
const space = `[\\s${unseen}]{0,20}`;
/** Punctuation of texts without spaces, which no name has. */
const wide = '，、；：？！。—';
/** `in:repo`, or `in:` before a name with a slash. */
const opener = new RegExp(
  `(?<![^\\s${unseen}${wide}${open}])(?:in${space}[:：]${space}repo(?:s|sitory|sitories)?(?![\\p{L}\\p{N}_/.-])${space}[:：=]?${space}|in[:：](?=[^\\s,/]{1,${longestRepositoryName}}/))`,
  'giu',
);
const quotePairs = ['""', '“[”“]', '„[“”]', '«»', '»«', '‹›', '›‹', '‘’', '‚[‘’]', "''", '「」', '『』'];
const quoted = new RegExp(
  `${space}(?:${quotePairs.map(([first, ...last]) => `${first}([^${last.join('').replace(/[[\]]/g, '')}\\n]{1,200})${last.join('')}`).join('|')}|\`{1,3}([^\`\\n]{1,200})\`{1,3})`,
  'uy',
);
const word = new RegExp(`${space}[^\\s,${wide}${unseen}]{1,${2 * longestRepositoryName}}[${unseen}]{0,20}`, 'uy');
const comma = new RegExp(`${space}[,，、]`, 'uy');
const openMark = new RegExp(`[${open}${unseen}]`, 'u');
const marksAround = new RegExp(`^[${open}${unseen}]+|[${close}${unseen}.:;!?…]+$`, 'gu');

function clausesIn(text: string, known: readonly string[]): Clause[] {
  const clauses: (Clause & { isAnywhere: boolean })[] = [];
  opener.lastIndex = 0;
  for (let found = opener.exec(text); found !== null; found = opener.exec(text)) {
    const isAnywhere = /repo/i.test(found[0]);
    // "What does `in:repo x` mean?" asks about the words. Code counts only where the text begins with it.
    const isCode =
      text.charAt(found.index - 1) === '`' &&
      text
        .slice(0, found.index - 1)
        .replaceAll('`', '')
        .trim() !== '';
    const clause = isCode ? undefined : namesAt(text, found.index + found[0].length);
    if (clause === undefined) continue;
    const isSure = known.length === 0 || /^in[:：]repo/i.test(found[0]);
    if (!isSure && clause.names.some((name) => matching(name, known).length === 0)) continue;
    let from = found.index;
    while (from > 0 && openMark.test(text.charAt(from - 1))) from -= 1;
    clauses.push({ from, ...clause, isAnywhere });
    opener.lastIndex = clause.to;
  }
  return clauses.filter(({ isAnywhere }, at) => isAnywhere || isAtEdge(text, clauses, at));
}

/** Whether nothing but clauses stands before or after it. */
function isAtEdge(text: string, clauses: readonly Clause[], at: number): boolean {
  const isEmptyBetween = (from: number, to: number): boolean => text.slice(from, to).trim() === '';
  const before = clauses.slice(0, at + 1).every(({ from }, index) => isEmptyBetween(clauses[index - 1]?.to ?? 0, from));
  return (
    before ||
    clauses.slice(at).every(({ to }, index) => isEmptyBetween(to, clauses[at + index + 1]?.from ?? text.length))
  );
}

/** A list goes on after a comma. */
function namesAt(text: string, start: number): { to: number; names: string[] } | undefined {
  const names: string[] = [];
  let to = start;
  for (let isMore = true; isMore; ) {
    if (names.length > mostRepositories) return { to, names };
    const asQuoted = matchAt(quoted, text, to);
    const found = asQuoted ?? matchAt(word, text, to);
    if (found === null || isOpener(found[0])) break;
    const name = nameIn(asQuoted?.slice(1).find((each) => each !== undefined) ?? found[0]);
    if (name !== '') names.push(name);
    to += found[0].length;
    const marks = matchAt(/[.:;!?]+(?=\s|$)|[：；？！。]+/y, text, to);
    to += marks?.[0].length ?? 0;
    const next = matchAt(comma, text, to);
    isMore = next !== null;
    to += next?.[0].length ?? 0;
  }
  to += matchAt(/\s{0,9}[–—]{1,2}|\s{1,9}-{1,3}(?=\s)/y, text, to)?.[0].length ?? 0;
  return names.length === 0 ? undefined : { to, names };
}

function isOpener(found: string): boolean {
  return /^\s*in[:：]/i.test(found);
}

/** The name without marks. An address of a repository, or of a page in it, is the name that services give it. */
function nameIn(found: string): string {
  const name = found
    .trim()
    .replace(marksAround, '')
    .replace(/^[#@]/, '')
    .replace(/^(?:ssh:\/\/)?git@([^\s:/]+)[:/]/i, 'https://$1/');
  const address = name.replace(/^https?:\/\//i, '');
  const repository = address === name ? name : address.replace(pageOf, '');
  return repository.replace(/\/$|\.git$/i, '').trim();
}

/** What addresses have after the repository. */
const pageOf = /(?:\/-)?\/(?:tree|blob|blame|commits?|pulls?|issues|merge_requests)(?:\/.*)?$|[?#].*$/i;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
