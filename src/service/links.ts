import { LRUCache } from 'lru-cache';
import type { Nodes } from 'mdast';
import { type CompileContext, fromMarkdown, type Token } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { AppError } from '../core/errors.ts';
import { isQuicklyParsed } from '../core/markdown-guard.ts';
import type { Source } from '../core/question/question.ts';
import { defined } from './replies.ts';

/**
 * Makes a link absolute. A relative link is resolved against the instance's address (without trailing slash), including
 * its prefix.
 */
export function absoluteLink(link: string, baseHref: string): string {
  return basePrefix(link, baseHref) + link;
}

/**
 * Makes every relative link, image and reference definition of a Markdown text absolute, and changes nothing else. It
 * inserts the base in front of the destination in the source text. Links inside code are not links. A text that would
 * block the process for long stays as it is.
 */
export function absoluteLinks(markdown: string, baseHref: string): string {
  // Every destination follows one of these.
  if (!/\](?:\(|:)/.test(markdown) || !isQuicklyParsed(markdown)) return markdown;
  // Positions exclude a byte order mark, because the tokenizer skips it.
  const shift = markdown.startsWith('\uFEFF') ? 1 : 0;
  const insertions = destinations(markdown)
    .map(({ url, offset }) => ({ text: escaped(basePrefix(url, baseHref)), offset: offset + shift }))
    .sort((a, b) => a.offset - b.offset);
  let result = '';
  let copied = 0;
  for (const { text, offset } of insertions) {
    result += markdown.slice(copied, offset) + text;
    copied = offset;
  }
  return result + markdown.slice(copied);
}

/**
 * Finds each destination and its offset. The tree has positions of whole links only, but the compiler's tokens also
 * have the position of the destination.
 */
function destinations(markdown: string): { url: string; offset: number }[] {
  const found: { url: string; offset: number }[] = [];
  // The compiler's own handlers collect the decoded text of a destination in the same way.
  function begin(this: CompileContext) {
    this.buffer();
  }
  function end(this: CompileContext, token: Token) {
    found.push({ url: this.resume(), offset: token.start.offset });
  }
  fromMarkdown(markdown, {
    extensions: [gfm()],
    mdastExtensions: [
      {
        enter: { resourceDestinationString: begin, definitionDestinationString: begin },
        exit: { resourceDestinationString: end, definitionDestinationString: end },
      },
    ],
  });
  return found;
}

/** The prefix that makes a link absolute. Empty for an absolute link and for text that is no link. */
function basePrefix(link: string, baseHref: string): string {
  if (link === '' || /^[a-z][a-z0-9+.-]*:/i.test(link)) return '';
  const { origin, protocol, pathname } = new URL(baseHref);
  if (link.startsWith('//')) return protocol;
  if (!link.startsWith('/')) return `${baseHref}/`;
  // An instance with a path prefix may already include the prefix in its links.
  const prefixed = pathname !== '/' && (link === pathname || link.startsWith(`${pathname}/`));
  return prefixed ? origin : baseHref;
}

/** Escapes the characters of a base address that have a meaning in a Markdown destination. */
function escaped(base: string): string {
  return base.replace(/[()&]/g, '\\$&');
}

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

/**
 * The files and folders of the instance that an answer links to, each range of lines once, in the order of the text. None
 * for a text that would block the process for long.
 */
export function citedSources(markdown: string, baseHref: string): Source[] {
  if (!isQuicklyParsed(markdown)) return [];
  const cited = new Map<string, Source>();
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  for (const address of linksOf(tree)) {
    const place = placeOf(address, baseHref);
    if (place === undefined) continue;
    const { url, repository, path, lines } = place;
    const key = JSON.stringify([repository, path, lines]);
    const label = lines === undefined ? path : `${path}:${lines}`;
    if (!cited.has(key)) cited.set(key, { url, label, ...defined('repository', repository) });
  }
  return [...cited.values()];
}

/** The destinations of all links in the order of the text. An image is no link. */
function linksOf(tree: Nodes): string[] {
  const links: Link[] = [];
  const definitions = new Map<string, string>();
  visit(tree, (node) => {
    if (node.type === 'link') links.push({ url: node.url });
    if (node.type === 'linkReference') links.push({ identifier: node.identifier });
    // The first definition of a name is the one that counts.
    if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node.url);
  });
  return links.map((link) => ('url' in link ? link.url : (definitions.get(link.identifier) ?? '')));
}

type Link = { url: string } | { identifier: string };

function visit(node: Nodes, see: (node: Nodes) => void): void {
  see(node);
  if ('children' in node) for (const child of node.children) visit(child, see);
}

interface Place {
  url: string;
  repository: string | undefined;
  path: string;
  lines: string | undefined;
}

/** Reads `/r/<repository>@<revision>/-/blob/<path>?L20-L24` and the same without `/r`, also of a folder (`tree`). */
function placeOf(address: string, baseHref: string): Place | undefined {
  const url = webAddress(address, baseHref);
  if (url === undefined) return undefined;
  const below = pathBelow(url, baseHref);
  const [, path] = /\/-\/(?:blob|tree)\/(.+)$/s.exec(below) ?? [];
  if (path === undefined) return undefined;
  const repository = repositoryOf(below.replace(/^r\//, ''), '');
  return { url, repository, path, lines: linesOf(new URL(url)) };
}

/** `?L20`, `?L20-24`, `?L20-L24`, `?L20:3-24:9`, and the same after `#`, as `20-24`. */
function linesOf({ searchParams, hash }: URL): string | undefined {
  for (const part of [...searchParams.keys(), hash.slice(1)]) {
    const [, first, last = first] = /^L(\d+)(?::\d+)?(?:-L?(\d+)(?::\d+)?)?$/.exec(part) ?? [];
    if (first !== undefined) return first === last ? first : `${first}-${last}`;
  }
  return undefined;
}

/** Both `github.com/org/repo/-/blob/…` and `github.com/org/repo@revision/-/…` name the repository before `/-/`. */
export function repositoryOf(path: string, type: string): string | undefined {
  const end = path.indexOf('/-/');
  if (end < 0 && type !== 'Repository') return undefined;
  return (end < 0 ? path : path.slice(0, end)).replace(/@[^@]*$/, '') || undefined;
}

/** The path below the instance's address, without a leading slash. Empty for an address on another host. */
export function pathBelow(url: string, baseHref: string): string {
  if (!url.startsWith(`${baseHref}/`)) return '';
  const path = url.slice(baseHref.length + 1).replace(/[?#].*$/s, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The absolute http or https address, or undefined. Nothing else may become a link in Slack. */
export function webAddress(link: string, baseHref: string): string | undefined {
  const url = absoluteLink(link.trim(), baseHref);
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).href : undefined;
}

/** Splits the address of an instance. `href` has no trailing slash. Throws `refused` unless it is http or https. */
export function parseBaseUrl(baseUrl: string): { origin: string; prefix: string; href: string } {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new AppError('refused', 'the address of the code search service is not an http or https address');
  }
  const prefix = url.pathname.replace(/\/+$/, '');
  return { origin: url.origin, prefix, href: url.origin + prefix };
}
