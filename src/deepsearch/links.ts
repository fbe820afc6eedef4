import { type CompileContext, fromMarkdown, type Token } from 'mdast-util-from-markdown';
import { gfm } from 'micromark-extension-gfm';
import { isQuicklyParsed } from '../core/markdown-guard.ts';

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
