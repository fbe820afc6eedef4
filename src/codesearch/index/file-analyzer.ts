import { LIMITS } from '../limits.ts';
import { type AnalyzedFile, analyzeFile } from './analyze-file.ts';
import { createWorkerCalls, WorkerLimitError } from './worker-calls.ts';

export type FileAnalyzer = ReturnType<typeof createFileAnalyzer>;

interface FileText {
  path: string;
  text: string;
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

  async function* analyzeGroup(files: FileText[]): AsyncGenerator<AnalyzedFile> {
    const analyzed = await analyzeTogether(files);
    const [first] = files;
    if (analyzed !== undefined) yield* analyzed;
    else if (first !== undefined && files.length === 1) yield await analyzeFile(first.path, undefined);
    else for (const file of files) yield* analyzeGroup([file]);
  }

  /** Undefined if the files take too long. */
  async function analyzeTogether(files: FileText[]): Promise<AnalyzedFile[] | undefined> {
    try {
      return isSmall
        ? await Promise.all(files.map(({ path, text }) => analyzeFile(path, text)))
        : await worker.call(files);
    } catch (error) {
      if (!(error instanceof WorkerLimitError)) throw error;
      return undefined;
    }
  }

  return {
    /** Each file with its analysis, in order, each as soon as it is known. */
    async *analyze<File extends FileText>(files: Iterable<File>): AsyncGenerator<[File, AnalyzedFile]> {
      for (const group of groupsOf(files)) {
        const own = group.values();
        for await (const analyzed of analyzeGroup(group.map(({ path, text }) => ({ path, text })))) {
          const { value: file } = own.next();
          if (file !== undefined) yield [file, analyzed];
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
