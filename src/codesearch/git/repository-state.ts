import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../limits.ts';

/** Of a ref file: a name or an object id. */
const REF_BYTES = 1_000;
/** Each file of git ends with a checksum of at least so many bytes. */
const CHECKSUM_BYTES = 20;

/**
 * Tells without a git process whether HEAD or the index file may have changed: equal states mean equal contents. Undefined where that
 * can't be told: the caller then has to ask git.
 */
export function createRepositoryState(gitDirectory: string, commonDirectory: string) {
  return {
    /** What HEAD names, and what that branch names. */
    async head(): Promise<string | undefined> {
      const head = await readRef(join(gitDirectory, 'HEAD'));
      if (head === undefined || isObjectId(head)) return head;
      const branch = /^ref: (refs\/heads\/.+)$/.exec(head)?.[1];
      // In the reftable format no file has the branch, and HEAD names this one.
      if (branch === undefined || branch.split('/').includes('..') || branch === 'refs/heads/.invalid')
        return undefined;
      const commit = await readRef(join(commonDirectory, branch));
      if (commit !== undefined) return isObjectId(commit) ? `${branch} ${commit}` : undefined;
      const packed = await stateByTime(join(commonDirectory, 'packed-refs'));
      return packed === undefined ? undefined : `${branch} packed ${packed}`;
    },
    /** Names the content of the index file; `none` where there is none. */
    async index(): Promise<string | undefined> {
      const path = join(gitDirectory, 'index');
      let file: FileHandle | undefined;
      try {
        file = await open(path);
        const { size } = await file.stat();
        const end = Buffer.alloc(CHECKSUM_BYTES);
        const { bytesRead } = await file.read(end, 0, CHECKSUM_BYTES, Math.max(0, size - CHECKSUM_BYTES));
        // Without a checksum (index.skipHash) git writes zeros.
        if (bytesRead === CHECKSUM_BYTES && end.some((byte) => byte !== 0)) return `${size} ${end.toString('hex')}`;
      } catch {
        // Not there, or not readable.
      } finally {
        await file?.close();
      }
      return stateByTime(path);
    },
  };
}

/** The commits whose parents a shallow clone lacks; none in a whole clone. */
export async function readShallow(commonDirectory: string): Promise<ReadonlySet<string>> {
  const path = join(commonDirectory, 'shallow');
  // A foreign repository may have a pipe there, which would never end.
  const isShort = await stat(path).then(
    (found) => found.isFile() && found.size <= LIMITS.gitOutputBytes,
    () => false,
  );
  const text = isShort ? await readFile(path, 'utf8').catch(() => '') : '';
  return new Set(text.split('\n').filter(isObjectId));
}

/** The text of a ref file without its line end; undefined when it is absent or is no such file. */
async function readRef(path: string): Promise<string | undefined> {
  // A foreign repository may have a pipe there, which would never end.
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return undefined;
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const start = Buffer.alloc(REF_BYTES);
    const { bytesRead } = await file.read(start, 0, REF_BYTES, 0);
    return bytesRead === REF_BYTES ? undefined : start.toString('utf8', 0, bytesRead).trimEnd();
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/**
 * Names the content of a file by its times, size and inode; `none` where there is none. Undefined for one that just changed: it can
 * change again within one tick of the clock of its file system.
 */
async function stateByTime(path: string): Promise<string | undefined> {
  try {
    const { mtimeNs, ctimeNs, mtimeMs, ctimeMs, size, ino } = await stat(path, { bigint: true });
    const changedMs = Math.max(Number(mtimeMs), Number(ctimeMs));
    if (Date.now() - changedMs < LIMITS.fileClockTickMs) return undefined;
    return [mtimeNs, ctimeNs, size, ino].join(' ');
  } catch {
    return 'none';
  }
}
