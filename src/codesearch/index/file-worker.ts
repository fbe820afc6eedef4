import { parentPort } from 'node:worker_threads';
import { analyzeFile } from './analyze-file.ts';
import { LOADED } from './worker-calls.ts';

/** A thread that analyzes files; `file-analyzer.ts` calls it. */
parentPort?.on('message', async (files: { path: string; text: string }[]) => {
  const analyzed = [];
  for (const { path, text } of files) analyzed.push(await analyzeFile(path, text));
  parentPort?.postMessage(analyzed);
});
parentPort?.postMessage(LOADED);
