import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** What other pages can link to on a page, and what the page links to. Code blocks and code spans hold no links. */
export interface MarkdownPage {
  /** Addresses of links and images, as written. */
  links: string[];
  /** Anchors of headings as GitHub creates them, and those that the page sets itself (`<a id="…">`). */
  anchors: string[];
  /** The texts of code spans. */
  codeSpans: string[];
}

export function readMarkdown(markdown: string): MarkdownPage {
  const page: MarkdownPage = { links: [], anchors: [], codeSpans: [] };
  const headings = new Map<string, number>();
  const visit = (node: Nodes): void => {
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') page.links.push(node.url);
    if (node.type === 'inlineCode') page.codeSpans.push(node.value);
    if (node.type === 'heading') page.anchors.push(numbered(slug(textOf(node)), headings));
    if (node.type === 'html') {
      page.links.push(...attributes(node.value, 'href'), ...attributes(node.value, 'src'));
      page.anchors.push(...attributes(node.value, 'id'));
    }
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  return page;
}

/** The anchor that GitHub gives a heading: letters, digits, `_` and `-` stay, in lower case, and spaces become `-`. */
export function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** The second heading with the same anchor gets `-1`, the third `-2`. */
function numbered(anchor: string, headings: Map<string, number>): string {
  const earlier = headings.get(anchor);
  headings.set(anchor, (earlier ?? 0) + 1);
  return earlier === undefined ? anchor : `${anchor}-${earlier}`;
}

function textOf(node: Nodes): string {
  if (node.type === 'text' || node.type === 'inlineCode') return node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}

function attributes(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);
}
