import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { Html } from './html.ts';

/** Turns `![text](address)` into a link: the policy of the pages blocks images. */
const imagesAsLinks = { disable: { null: ['labelStartImage'] } };

/** Links that do not lead to the web, this service or a footnote; micromark writes quotation marks as `&quot;`. */
const otherAddresses = / href="(?!https?:\/\/|\/(?!\/)|#)[^"]*"/gi;

/** Renders GFM. HTML in the source is shown as text; only http(s) links and links within the service stay links. */
export function renderMarkdown(markdown: string): Html {
  const text = micromark(markdown, { extensions: [gfm(), imagesAsLinks], htmlExtensions: [gfmHtml()] });
  return new Html(text.replaceAll(otherAddresses, ''));
}
