import { LIMITS } from '../limits.ts';
import { type AnalyzedFile, analyzeFile } from './analyze-file.ts';
import { createWorkerCalls, WorkerLimitError } from './worker-calls.ts';

export type FileAnalyzer = ReturnType<typeof createFileAnalyzer>;

interface FileText {
  path: string;
  text: string;
}

/**
 * Analyzes files of `bytes` in all: many in a worker thread, few here, because a thread takes longer to start. Files that take longer than `LIMITS.analysisMs` together get only their paths indexed.
 */
export function createFileAnalyzer(bytes: number) {
  const worker = createWorkerCalls<FileText[], AnalyzedFile[]>('file-worker', LIMITS.analysisMs);
  const isSmall = bytes <= LIMITS.analyzedInlineBytes;

  async function analyzeGroup(files: FileText[]): Promise<AnalyzedFile[]> {
    if (isSmall) return Promise.all(files.map(({ path, text }) => analyzeFile(path, text)));
    try {
      return await worker.call(files);
    } catch (error) {
      if (error instanceof WorkerLimitError) return Promise.all(files.map(({ path }) => analyzeFile(path, undefined)));
      throw error;
    }
  }

  return {
    /** Each file with its analysis, in order. */
    async *analyze<File extends FileText>(files: Iterable<File>): AsyncGenerator<[File, AnalyzedFile]> {
      for (const group of groupsOf(files)) {
        const analyzed = await analyzeGroup(group.map(({ path, text }) => ({ path, text })));
        for (const [index, file] of group.entries()) {
          const own = analyzed[index];
          if (own !== undefined) yield [file, own];
        }
      }
    },
    close: (): Promise<void> => worker.close(),
  };
}

/** Groups of about `LIMITS.analyzedBytes` characters. */
function* groupsOf<File extends FileText>(files: Iterable<File>): Generator<File[]> {
  let group: File[] = [];
  let characters = 0;
  for (const file of files) {
    group.push(file);
    characters += file.text.length;
    if (characters < LIMITS.analyzedBytes) continue;
    yield group;
    group = [];
    characters = 0;
  }
  if (group.length > 0) yield group;
}
