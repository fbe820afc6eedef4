import { type CompileContext, fromMarkdown, type Token } from 'mdast-util-from-markdown';
import { gfm } from 'micromark-extension-gfm';
import { isQuicklyParsed } from '../core/markdown-guard.ts';

/** Makes a link absolute: relative ones count from the instance's address (without a trailing slash), prefix included. */
export function absoluteLink(link: string, baseHref: string): string {
  return basePrefix(link, baseHref) + link;
}

/**
 * Makes every relative link, image and reference definition of a Markdown text absolute, and changes nothing else:
 * the base is inserted in front of the destination, in the source. Links in code are no links. A text that would hold
 * up the process for long stays as it is.
 */
export function absoluteLinks(markdown: string, baseHref: string): string {
  // Every destination stands behind one of these.
  if (!/\](?:\(|:)/.test(markdown) || !isQuicklyParsed(markdown)) return markdown;
  // Positions do not count a byte order mark, which the tokenizer skips.
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

/** The tree's positions cover whole links; the tokens passed to the compiler also tell where a destination starts. */
function destinations(markdown: string): { url: string; offset: number }[] {
  const found: { url: string; offset: number }[] = [];
  // Collecting the decoded text of a destination between these two is what the compiler's own handlers do as well.
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

/** What to put in front of a link so that it is absolute; empty when it is already, or is no link. */
function basePrefix(link: string, baseHref: string): string {
  if (link === '' || /^[a-z][a-z0-9+.-]*:/i.test(link)) return '';
  const { origin, protocol, pathname } = new URL(baseHref);
  if (link.startsWith('//')) return protocol;
  if (!link.startsWith('/')) return `${baseHref}/`;
  // An instance under a path prefix may already have put it in front of its links.
  const prefixed = pathname !== '/' && (link === pathname || link.startsWith(`${pathname}/`));
  return prefixed ? origin : baseHref;
}

/** A base address as it may stand in a Markdown destination, where these characters have a meaning of their own. */
function escaped(base: string): string {
  return base.replace(/[()&]/g, '\\$&');
}
