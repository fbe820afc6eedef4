import { availableParallelism } from 'node:os';
import { setImmediate as breathe, setTimeout as wait } from 'node:timers/promises';
import type { Repository, TrackedFile } from '../git/repository.ts';
import { LIMITS } from '../limits.ts';
import { type AnalyzedFile, analyzeFile } from './analyze-file.ts';
import { createFileAnalyzer, type FileAnalyzer } from './file-analyzer.ts';
import type { FileIndex } from './file-index.ts';
import { type Role, roleOf } from './roles.ts';

/** Most answers are in source code, and what a repository is about stands in its documents. */
const READING_ORDER: readonly Role[] = ['source', 'docs', 'config', 'test', 'example', 'generated', 'vendored'];
const FILES_PER_BATCH = 400;
const FILES_PER_BREATH = 25;
const MOST_THREADS = 4;

export type FileReader = ReturnType<typeof createFileReader>;

interface Plan {
  repository: Repository;
  /** Best last. */
  files: TrackedFile[];
}

/**
 * Reads the texts of listed files into the index, in the background and in threads: source code first, because most answers are
 * there. `onFailed` gets what ended the reading of a repository; its other files stay unread until they are planned again.
 */
export function createFileReader(index: FileIndex, onFailed: (error: unknown, repository: Repository) => void) {
  const plans = new Map<string, Plan>();
  let reading: Promise<void> | undefined;
  let isClosed = false;

  function nextBatch(): Plan | undefined {
    for (const [name, { repository, files }] of plans) {
      const batch = files.splice(-FILES_PER_BATCH).reverse();
      if (files.length === 0) plans.delete(name);
      if (batch.length > 0) return { repository, files: batch };
    }
    return undefined;
  }

  function batchesLeft(): number {
    return [...plans.values()].reduce((sum, { files }) => sum + Math.ceil(files.length / FILES_PER_BATCH), 0);
  }

  async function readAll(): Promise<void> {
    for (let batches = batchesLeft(); batches > 0 && !isClosed; batches = batchesLeft()) {
      const threads = Math.min(batches, availableParallelism(), MOST_THREADS);
      await Promise.all(Array.from({ length: threads }, () => readBatches(batches === 1)));
    }
  }

  /** Reads one batch after the other in one thread. `isOnly`: there is one batch, which needs no thread if it is small. */
  async function readBatches(isOnly: boolean): Promise<void> {
    let analyzer: FileAnalyzer | undefined;
    const analyzerOf = (bytes: number): FileAnalyzer => {
      analyzer ??= createFileAnalyzer(isOnly ? bytes : Number.POSITIVE_INFINITY);
      return analyzer;
    };
    try {
      for (let batch = nextBatch(); batch !== undefined && !isClosed; batch = nextBatch()) {
        try {
          await readBatch(batch, analyzerOf);
        } catch (error) {
          plans.delete(batch.repository.name);
          if (!isClosed) onFailed(error, batch.repository);
        }
      }
    } finally {
      await analyzer?.close();
    }
  }

  async function readBatch({ repository, files }: Plan, analyzerOf: (bytes: number) => FileAnalyzer): Promise<void> {
    let count = 0;
    const put = async (file: TrackedFile, analyzed: AnalyzedFile): Promise<void> => {
      putRead(repository.name, file, analyzed);
      count += 1;
      if (count % FILES_PER_BREATH === 0) await breathe();
      if (isClosed) throw new Error('the reader is closed');
    };
    const pathsOf = new Map<string, string[]>();
    for (const { path, blob } of files) pathsOf.set(blob, [...(pathsOf.get(blob) ?? []), path]);
    const sizes = await repository.blobs.sizes([...pathsOf.keys()]);
    const readable = new Map([...sizes].filter(([, size]) => size <= LIMITS.fileBytes));
    const bytes = [...readable.values()].reduce((sum, size) => sum + size, 0);
    for await (const texts of repository.blobs.stream(readable)) {
      const group = [...texts].flatMap(([blob, text]) =>
        (pathsOf.get(blob) ?? []).splice(0).map((path) => ({ path, blob, text })),
      );
      for await (const [file, analyzed] of analyzerOf(bytes).analyze(group)) await put(file, analyzed);
    }
    // What is not text, or too large, or not there.
    for (const [blob, paths] of pathsOf) {
      for (const path of paths) await put({ path, blob }, await analyzeFile(path, undefined));
    }
  }

  /** Leaves out a file that has changed, or is gone, since it was planned. */
  function putRead(repository: string, { path, blob }: TrackedFile, analyzed: AnalyzedFile): void {
    const listed = index.get(repository, path);
    if (listed?.blob === blob) index.put({ repository, path, blob, commit: listed.commit }, analyzed, true);
  }

  return {
    /** Plans to read these files of a repository, instead of those that were planned before. */
    async plan(repository: Repository, files: readonly TrackedFile[]): Promise<void> {
      const copies = new Map<string, number>();
      for (const file of index.all()) {
        if (file.repository === repository.name && file.trigrams !== undefined)
          copies.set(file.blob, (copies.get(file.blob) ?? 0) + 1);
      }
      const planned: TrackedFile[] = [];
      for (const file of files) {
        const copy = (copies.get(file.blob) ?? 0) + 1;
        copies.set(file.blob, copy);
        if (copy <= LIMITS.copiesAnalyzed) planned.push(file);
        else putRead(repository.name, file, await analyzeFile(file.path, undefined));
      }
      const ranked = planned.map((file) => ({ file, role: roleOf(file.path) }));
      ranked.sort((a, b) => READING_ORDER.indexOf(b.role) - READING_ORDER.indexOf(a.role));
      plans.set(repository.name, { repository, files: ranked.map(({ file }) => file) });
    },
    /** Reads these files now, before the others. */
    async readFirst(repository: Repository, files: readonly TrackedFile[]): Promise<void> {
      const paths = new Set(files.map(({ path }) => path));
      const plan = plans.get(repository.name);
      if (plan !== undefined) plan.files = plan.files.filter(({ path }) => !paths.has(path));
      let analyzer: FileAnalyzer | undefined;
      try {
        await readBatch({ repository, files: [...files] }, (bytes) => {
          analyzer ??= createFileAnalyzer(bytes);
          return analyzer;
        });
      } finally {
        await analyzer?.close();
      }
    },
    /** Reads what is planned, in the background. Resolves when all is read, at the latest after `waitMs` or with the signal if they are given. */
    async read(waitMs?: number, signal?: AbortSignal): Promise<void> {
      if (batchesLeft() > 0 && !isClosed) {
        reading ??= readAll().finally(() => {
          reading = undefined;
        });
      }
      if (reading === undefined || waitMs === undefined) return reading;
      const ending = new AbortController();
      const end = signal === undefined ? ending.signal : AbortSignal.any([ending.signal, signal]);
      const late = wait(waitMs, undefined, { signal: end, ref: false }).catch(() => {});
      await Promise.race([reading, late]);
      ending.abort();
    },
    /** Resolves when nothing more is read; the current batches are cut short. */
    async close(): Promise<void> {
      isClosed = true;
      await reading;
    },
  };
}
