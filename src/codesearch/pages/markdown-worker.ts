import { parentPort } from 'node:worker_threads';
import { renderMarkdown } from './markdown.ts';

/** A thread that renders Markdown; `markdown.ts` calls it. */
parentPort?.on('message', (markdown: string) => {
  parentPort?.postMessage(renderMarkdown(markdown).text);
});
