import { LIMITS } from '../limits.ts';
import { type AnalyzedFile, analyzeFile } from './analyze-file.ts';
import { createWorkerCalls, WorkerLimitError } from './worker-calls.ts';

export type FileAnalyzer = ReturnType<typeof createFileAnalyzer>;

interface FileText {
  path: string;
  text: string;
}

interface Analysis {
  analyzed: AnalyzedFile;
  /** Whether the limit ended it, so that only the path is indexed. */
  isCut: boolean;
}

type Calls = ReturnType<typeof createWorkerCalls<FileText[], AnalyzedFile[]>>;

/**
 * Analyzes files of `bytes` in all: many in a worker thread, few here, because a thread takes longer to start. Where files take longer
 * than `LIMITS.analysisMs` together, each is analyzed by itself; one that takes longer alone gets only its path indexed.
 */
export function createFileAnalyzer(
  bytes: number,
  worker: Calls = createWorkerCalls<FileText[], AnalyzedFile[]>('file-worker', LIMITS.analysisMs),
) {
  const isSmall = bytes <= LIMITS.analyzedInlineBytes;

  async function analyzeGroup(files: FileText[]): Promise<Analysis[]> {
    try {
      const analyzed = isSmall
        ? await Promise.all(files.map(({ path, text }) => analyzeFile(path, text)))
        : await worker.call(files);
      return analyzed.map((each) => ({ analyzed: each, isCut: false }));
    } catch (error) {
      if (!(error instanceof WorkerLimitError)) throw error;
    }
    const [first] = files;
    if (first !== undefined && files.length === 1) {
      return [{ analyzed: await analyzeFile(first.path, undefined), isCut: true }];
    }
    const alone: Analysis[] = [];
    for (const file of files) alone.push(...(await analyzeGroup([file])));
    return alone;
  }

  return {
    /** Each file with its analysis, and whether the limit ended that, in order. */
    async *analyze<File extends FileText>(files: Iterable<File>): AsyncGenerator<[File, AnalyzedFile, boolean]> {
      for (const group of groupsOf(files)) {
        const analyzed = await analyzeGroup(group.map(({ path, text }) => ({ path, text })));
        for (const [index, file] of group.entries()) {
          const own = analyzed[index];
          if (own !== undefined) yield [file, own.analyzed, own.isCut];
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
