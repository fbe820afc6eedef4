import { LIMITS } from '../limits.ts';
import { isBinary } from './blobs.ts';
import { GitError } from './git.ts';
import type { Repository } from './repository.ts';
import { readEntry } from './tree.ts';

/** A file at a revision. */
export interface FileContent {
  oid: string;
  kind: 'blob' | 'symlink';
  byteSize: number;
  isBinary: boolean;
  /** Undefined when the file is larger than `LIMITS.blobBytes`. For a symbolic link, its target: links are never followed. */
  bytes: Buffer | undefined;
}

/** Reads a file at a revision; undefined when there is no file or link at the path, or its content is missing (in a partial clone). */
export async function readFileAt(
  repository: Repository,
  revision: string,
  path: string,
): Promise<FileContent | undefined> {
  const entry = await readEntry(repository, revision, path);
  if (entry === undefined || (entry.kind !== 'blob' && entry.kind !== 'symlink')) return undefined;
  const isLarge = (entry.size ?? 0) > LIMITS.blobBytes;
  const firstBytes = isLarge ? LIMITS.binaryCheckBytes : LIMITS.blobBytes;
  const start = await repository.git(['cat-file', 'blob', entry.oid], { firstBytes }).catch((error: unknown) => {
    if (error instanceof GitError && error.kind === 'failed') return undefined;
    throw error;
  });
  if (start === undefined) return undefined;
  return {
    oid: entry.oid,
    kind: entry.kind,
    byteSize: entry.size ?? start.length,
    isBinary: isBinary(start),
    bytes: isLarge ? undefined : start,
  };
}
