import { LRUCache } from 'lru-cache';
import { LIMITS } from '../limits.ts';
import { type Git, GitError } from './git.ts';

/** Texts of all repositories. */
const cache = new LRUCache<string, string>({
  maxSize: LIMITS.textCacheBytes,
  sizeCalculation: (text) => text.length || 1,
});
let repositories = 0;

/** Reads file contents by their git object ids, with a cache that all repositories share. */
export function createBlobs(git: Git) {
  repositories += 1;
  const own = `${repositories} `;

  return {
    /** Sizes in bytes; skips missing objects (in a partial clone) and objects that are not files. */
    async sizes(ids: readonly string[]): Promise<Map<string, number>> {
      if (ids.length === 0) return new Map();
      const output = await git(['cat-file', '--batch-check'], {
        input: `${ids.join('\n')}\n`,
        timeoutMs: LIMITS.gitIndexTimeoutMs,
      });
      const sizes = new Map<string, number>();
      for (const line of output.toString('utf8').split('\n')) {
        const [id, type, size] = line.split(' ');
        if (id !== undefined && type === 'blob') sizes.set(id, Number(size));
      }
      return sizes;
    },
    /** Contents of text files, in groups of bounded size, so that a large repository fits in memory. */
    async *stream(sizes: ReadonlyMap<string, number>): AsyncGenerator<Map<string, string>> {
      let group: string[] = [];
      let bytes = 0;
      for (const [id, size] of sizes) {
        if (bytes + size > LIMITS.blobBatchBytes && group.length > 0) {
          yield await readBatch(git, group);
          group = [];
          bytes = 0;
        }
        group.push(id);
        bytes += size;
      }
      if (group.length > 0) yield await readBatch(git, group);
    },
    /** Contents of text files by id, from the cache when possible; skips binary files and those larger than `LIMITS.blobBytes`. */
    async texts(ids: readonly string[]): Promise<Map<string, string>> {
      const result = new Map<string, string>();
      const missing: string[] = [];
      for (const id of new Set(ids)) {
        const cached = cache.get(own + id);
        if (cached === undefined) missing.push(id);
        else result.set(id, cached);
      }
      if (missing.length > 0) {
        for (const [id, text] of await readMany(git, missing)) {
          cache.set(own + id, text);
          result.set(id, text);
        }
      }
      return result;
    },
  };
}

/** Reads in smaller parts what is too much for one git process. */
async function readMany(git: Git, ids: readonly string[]): Promise<Map<string, string>> {
  try {
    return await readBatch(git, ids);
  } catch (error) {
    if (!(error instanceof GitError && error.kind === 'tooMuch') || ids.length < 2) throw error;
    const middle = Math.ceil(ids.length / 2);
    const first = await readMany(git, ids.slice(0, middle));
    return new Map([...first, ...(await readMany(git, ids.slice(middle)))]);
  }
}

async function readBatch(git: Git, ids: readonly string[]): Promise<Map<string, string>> {
  const output = await git(['cat-file', '--batch'], {
    input: `${ids.join('\n')}\n`,
    timeoutMs: LIMITS.gitIndexTimeoutMs,
  });
  const texts = new Map<string, string>();
  let offset = 0;
  while (offset < output.length) {
    const end = output.indexOf(10, offset);
    if (end < 0) break;
    const [id, type, size] = output.toString('latin1', offset, end).split(' ');
    offset = end + 1;
    if (id === undefined || size === undefined || type === 'missing') continue;
    const content = output.subarray(offset, offset + Number(size));
    offset += Number(size) + 1;
    if (type === 'blob' && content.length <= LIMITS.blobBytes && !isBinary(content))
      texts.set(id, content.toString('utf8'));
  }
  return texts;
}

/** Whether git and most tools take content for binary: a NUL at the beginning. */
export function isBinary(content: Buffer): boolean {
  return content.subarray(0, LIMITS.binaryCheckBytes).includes(0);
}
