import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { createWorkerCalls, WorkerLimitError } from '../index/worker-calls.ts';
import { LIMITS } from '../limits.ts';
import { Html, html } from './html.ts';

/** Turns `![text](address)` into a link: the policy of the pages blocks images. */
const imagesAsLinks = { disable: { null: ['labelStartImage'] } };

/** Links that do not lead to the web, this service or a footnote; micromark writes quotation marks as `&quot;`. */
const otherAddresses = / href="(?!https?:\/\/|\/(?!\/)|#)[^"]*"/gi;

/**
 * Renders GFM. HTML in the source is shown as text; only http(s) links and links within the service stay links. The time grows
 * with the square of the text: 100,000 characters made for it take half a minute.
 */
export function renderMarkdown(markdown: string): Html {
  const text = micromark(markdown, { extensions: [gfm(), imagesAsLinks], htmlExtensions: [gfmHtml()] });
  return new Html(text.replaceAll(otherAddresses, ''));
}

/** Renders texts of any author without holding up other requests. */
export interface MarkdownRenderer {
  /** Text that takes longer than `LIMITS.markdownMs`, or comes while too much waits, is shown as it is. */
  render(markdown: string): Promise<Html>;
  close(): Promise<void>;
}

/** Renders short texts at once, and long ones one after another in a thread; remembers the long ones. */
export function createMarkdownRenderer(): MarkdownRenderer {
  const worker = createWorkerCalls<string, string>('../pages/markdown-worker', LIMITS.markdownMs);
  const known = new LRUCache<string, Html>({
    maxSize: LIMITS.markdownCacheCharacters,
    sizeCalculation: ({ text }) => text.length + 1,
  });
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function renderInThread(markdown: string): Promise<Html> {
    const key = createHash('sha256').update(markdown).digest('base64');
    const before = known.get(key);
    if (before !== undefined) return before;
    let rendered: Html;
    try {
      rendered = new Html(await worker.call(markdown));
    } catch (error) {
      if (!(error instanceof WorkerLimitError)) throw error;
      rendered = asItIs(markdown);
    }
    known.set(key, rendered);
    return rendered;
  }

  return {
    async render(markdown) {
      if (markdown.length <= LIMITS.markdownInlineCharacters) return renderMarkdown(markdown);
      if (waiting >= LIMITS.markdownWaiting) return asItIs(markdown);
      waiting += 1;
      const own = last.then(() => renderInThread(markdown));
      last = own.catch(() => {});
      return own.finally(() => {
        waiting -= 1;
      });
    },
    close: () => worker.close(),
  };
}

function asItIs(text: string): Html {
  return html`<pre>${text}</pre>`;
}
