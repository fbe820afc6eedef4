import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { Html } from './html.ts';

/** Turns `![text](address)` into a link: the policy of the pages lets no image load. */
const imagesAsLinks = { disable: { null: ['labelStartImage'] } };

/** Addresses other than of the web, of this service and of a footnote; micromark itself writes a quote as `&quot;`. */
const otherAddresses = / href="(?!https?:\/\/|\/(?!\/)|#)[^"]*"/gi;

/** Renders GFM. HTML in the source is shown as text, and only http(s) and own links are links. */
export function renderMarkdown(markdown: string): Html {
  const text = micromark(markdown, { extensions: [gfm(), imagesAsLinks], htmlExtensions: [gfmHtml()] });
  return new Html(text.replaceAll(otherAddresses, ''));
}
