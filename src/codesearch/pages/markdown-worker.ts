import { parentPort } from 'node:worker_threads';
import { LOADED } from '../index/worker-calls.ts';
import { renderMarkdown } from './markdown.ts';

/** A thread that renders Markdown; `markdown.ts` calls it. */
parentPort?.on('message', (markdown: string) => {
  parentPort?.postMessage(renderMarkdown(markdown).text);
});
parentPort?.postMessage(LOADED);
