import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { isQuicklyParsed } from '../../core/markdown-guard.ts';
import type { Source } from '../../core/question/question.ts';
import { defined, pathBelow, repositoryOf, webAddress } from '../reply-values.ts';

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
