import { parentPort } from 'node:worker_threads';
import { analyzeFile } from './analyze-file.ts';

/** A thread that analyzes files; `file-analyzer.ts` calls it. */
parentPort?.on('message', (files: { path: string; text: string }[]) => {
  parentPort?.postMessage(files.map(({ path, text }) => analyzeFile(path, text)));
});
