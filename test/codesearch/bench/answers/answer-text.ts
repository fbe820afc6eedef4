/** What an answer points to: a file, with lines unless it is the whole file, or a commit. */
export interface Place {
  path?: string;
  lines?: readonly [first: number, last: number];
  commit?: string;
}

/** A statement that one of these names is called or used at a place. */
export interface Relation {
  names: string[];
  isCall: boolean;
  place: Place;
}

const LINK = /\[([^\]\n]*)\]\(([^)\s]+)\)/g;

const REFUSAL =
  /^(?:sorry[,.]? )?(?:(?:there (?:is|was) )?nothing\b.*\b(?:found|answers?|covers?|mentions?|fits?)\b|no (?:file|code|place|passage|part|commit|answer)s?\b.*\b(?:found|answers?|covers?)\b|(?:the|these|this) (?:question|repositor(?:y|ies))\b.*\b(?:can't|cannot|couldn't|doesn't|not|no|nothing)\b|i (?:can't|cannot|couldn't|could not|(?:didn't|did not) find|found (?:nothing|no)))\b/i;
const HEDGE = /\b(?:not (?:sure|certain)|unsure|closest|nearest|best guess|perhaps|probably)\b/i;
const OTHER_LANGUAGE = /\bI (?:search|read|understand|answer) (?:only )?(?:in )?English\b/i;
const CALLED = /\b(?:called|invoked) (?:from|by|in|at)\b|\bcallers?\b/i;
const USED = /\bused (?:from|by|in|at)\b|^\*\*in (?:the code|tests)\*\*$/i;

/** The links of an answer in their order, as addresses. */
export function linksOf(text: string): string[] {
  return [...text.matchAll(LINK)].flatMap(([, , link]) => (link === undefined ? [] : [link]));
}

/** Reads a link to a file or a commit on the pages of the service; undefined for other links. */
export function readPlace(link: string): Place | undefined {
  const { pathname, search } = new URL(link, 'http://service.invalid');
  const [, commit] = /\/-\/commit\/([0-9a-f]{7,40})$/.exec(pathname) ?? [];
  if (commit !== undefined) return { commit };
  const [, path] = /\/-\/blob\/(.+)$/.exec(pathname) ?? [];
  if (path === undefined) return undefined;
  const [, first, last = first] = /^\?L(\d+)(?:-L?(\d+))?/.exec(search) ?? [];
  const file = decodeURIComponent(path);
  return first === undefined ? { path: file } : { path: file, lines: [Number(first), Number(last)] };
}

/** An answer as people read it: without the addresses of links and the marks of Markdown. */
export function visibleText(answer: string): string {
  return answer
    .replace(/^```.*$/gm, '')
    .replace(LINK, '$1')
    .replace(/\*\*|`/g, '')
    .trim();
}

/** The first sentence of an answer, with its links; when it ends with a colon, with the line after it. */
export function firstSentence(answer: string): string {
  const [first = '', second = ''] = answer.trim().split(/\s*\n\s*|(?<=[.!?])\s/);
  return first.endsWith(':') ? `${first} ${second}` : first;
}

/** Whether the first sentence says that there is no answer. */
export function isRefusal(answer: string): boolean {
  return REFUSAL.test(withoutCode(firstSentence(answer)));
}

/** Whether the first sentence leaves open that it is wrong, asks back, or says that the language is not understood. */
export function isHedged(answer: string): boolean {
  const first = withoutCode(firstSentence(answer));
  return HEDGE.test(first) || OTHER_LANGUAGE.test(first) || first.endsWith('?');
}

/** Whether an answer says a text, in any capitals, spaces and marks of Markdown. */
export function says(answer: string, text: string): boolean {
  return plain(visibleText(answer)).includes(plain(text));
}

/** What an answer claims to be called or used somewhere: links after such a phrase, and the first of each item of a list below it. */
export function relationsOf(answer: string): Relation[] {
  const relations: Relation[] = [];
  let names: string[] = [];
  let isCall: boolean | undefined;
  for (const line of answer.replace(/^```[\s\S]*?^```/gm, '').split('\n')) {
    const isItem = /^\s*[-*] /.test(line);
    const found = isItem ? null : (CALLED.exec(line) ?? USED.exec(line));
    if (!isItem && line.trim() !== '') {
      const spans = (found === null ? line : line.slice(0, found.index)).matchAll(/`([\w.:#]+[?!]?)(?:\(\))?`/g);
      const named = [...spans].flatMap(([, name]) => name ?? []);
      if (named.length > 0) names = named;
      isCall = found === null ? undefined : CALLED.test(line);
    }
    if (isCall === undefined || names.length === 0) continue;
    for (const link of isItem ? linksOf(line).slice(0, 1) : linksOf(line.slice(found?.index ?? line.length))) {
      const place = readPlace(link);
      if (place?.lines !== undefined) relations.push({ names, isCall, place });
    }
  }
  return relations;
}

/** Whether one of these lines has one of the names outside of strings and comments, and not as a definition. */
export function isProven({ names, isCall, place }: Relation, lines: readonly string[]): boolean {
  const code = lines.map((line) =>
    line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""').replace(/(?:\/\/|#(?![\w{<[])|^\s*\*).*$/, ''),
  );
  // In Ruby a name alone can be a call.
  const needsArguments = isCall && !place.path?.endsWith('.rb');
  return names.some((name) => {
    const last = (name.split(/[.:#]+/).at(-1) ?? name).replace(/\W/g, '');
    const use = new RegExp(`\\b${last}\\b${needsArguments ? '\\s*(?:(?:::)?<[^>]*>|!)?\\(' : ''}`);
    const definition = new RegExp(
      `\\b(?:def|fn|func|function|class|struct|interface|enum|trait|type)\\s+(?:\\([^)]*\\)\\s*|self\\.)?${last}\\b`,
    );
    return code.some((line) => use.test(line) && !definition.test(line));
  });
}

function withoutCode(sentence: string): string {
  return sentence
    .replace(LINK, '')
    .replaceAll('’', "'")
    .replace(/`[^`]*`|“[^”]*”|"[^"]*"/g, '');
}

function plain(text: string): string {
  return text.replace(/[`*]/g, '').replace(/\s+/g, ' ').toLowerCase().trim();
}
