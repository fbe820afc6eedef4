import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { RootDatabase } from 'lmdb';
import type { TrackedFile } from '../git/repository.ts';
import type { AnalyzedFile } from './analyze-file.ts';

/**
 * Names the form of the kept analyses. Raise it when `analyzeFile` returns something else for the same file: then everything is
 * read again (test/unit/codesearch/kept-analyses.test.ts fails until then).
 */
const ANALYSIS_VERSION = 5;

const VERSION_KEY = 'version';
/** Analyses of files that are gone are removed when there are so many times as many as files. */
const MOST_TIMES = 2;
const FILES_PER_BREATH = 1_000;

/** The analyses of files on disk, so that a service that starts again does not read all files again. */
export type KeptAnalyses = ReturnType<typeof createKeptAnalyses>;

/** Keeps analyses in an LMDB environment, which `close` closes. What another `version` kept is dropped. */
export function createKeptAnalyses(root: RootDatabase<unknown, string>, version = ANALYSIS_VERSION) {
  const analyses = root.openDB<AnalyzedFile, string>({ name: 'analyses', compression: true, encoding: 'msgpack' });
  let writing: Promise<unknown> = Promise.resolve();
  let failure: unknown;
  const follow = (write: Promise<unknown>): void => {
    writing = write.catch((error: unknown) => {
      failure ??= error;
    });
  };
  if (root.get(VERSION_KEY) !== version) {
    analyses.clearSync();
    root.putSync(VERSION_KEY, version);
  }

  return {
    /** The analysis of a file with this path and content. One that is damaged counts as absent, and is written again. */
    get(file: TrackedFile): AnalyzedFile | undefined {
      try {
        const kept = analyses.get(keyOf(file));
        if (!isAnalysis(kept)) return undefined;
        // The store returns a part of a larger buffer, which would stay in memory with it.
        return kept.trigrams === undefined ? kept : { ...kept, trigrams: Uint8Array.from(kept.trigrams) };
      } catch {
        return undefined;
      }
    },
    /** Written a short time later. */
    put(file: TrackedFile, analyzed: AnalyzedFile): void {
      follow(analyses.put(keyOf(file), analyzed));
    },
    /** Resolves when everything put so far is written. Throws the first failure, for example a full disk. */
    async written(): Promise<void> {
      await writing;
      if (failure !== undefined) throw failure;
    },
    /** Removes what no file has any more, if that is much. */
    async tidy(files: Iterable<TrackedFile>): Promise<void> {
      const all = [...files];
      if (analyses.getCount() <= all.length * MOST_TIMES) return;
      // What is put from now on stays.
      const known = [...analyses.getKeys()];
      const keys = new Set<string>();
      for (const file of all) {
        keys.add(keyOf(file));
        if (keys.size % FILES_PER_BREATH === 0) await breathe();
      }
      for (const key of known) if (!keys.has(key)) follow(analyses.remove(key));
      await writing;
    },
    async close(): Promise<void> {
      await root.flushed;
      await root.close();
    },
  };
}

/** LMDB notices no bytes that changed on the disk, so that a damaged record may be decoded to something else. */
function isAnalysis(kept: Partial<AnalyzedFile> | undefined): kept is AnalyzedFile {
  const { role, lineCount, symbols, commentLines, importLines, units, trigrams, textLength } = kept ?? {};
  const areLists = [symbols, commentLines, importLines, units].every((list) => Array.isArray(list));
  const hasFilter = trigrams === undefined || (trigrams instanceof Uint8Array && trigrams.length > 0);
  return (
    typeof role === 'string' && Number.isInteger(lineCount) && Number.isInteger(textLength) && areLists && hasFilter
  );
}

/** A path may be longer than a key of LMDB. */
function keyOf({ path, blob }: TrackedFile): string {
  return `${blob} ${createHash('sha1').update(path).digest('base64url')}`;
}
