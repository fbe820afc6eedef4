import { LIMITS } from '../limits.ts';
import { GitError } from './git.ts';
import { atCommit, isSafePath, resolveRevision } from './refs.ts';
import type { Repository } from './repository.ts';

export interface TreeEntry {
  /** From the root of the repository. */
  path: string;
  name: string;
  kind: 'blob' | 'tree' | 'submodule' | 'symlink';
  /** Object id; of a submodule, the commit of the other repository. */
  oid: string;
  /** In bytes; only files and symbolic links have one. */
  size: number | undefined;
}

/**
 * The entries of a folder at a revision, folders first; undefined when there is no such revision or folder. A recursive listing
 * contains files of all folders below, in git's order, without the folders themselves. At most `LIMITS.treeEntriesPerPage`.
 */
export async function readTree(
  repository: Repository,
  revision: string,
  path = '',
  recursive = false,
): Promise<TreeEntry[] | undefined> {
  const commit = isSafePath(path) ? await resolveRevision(repository, revision) : undefined;
  if (commit === undefined) return undefined;
  const parameters = ['ls-tree', '-z', '-l', '--full-tree', ...(recursive ? ['-r'] : []), `${commit}:${path}`];
  const output = await repository.git(parameters).catch((error: unknown) => {
    if (error instanceof GitError && error.kind === 'failed') return undefined;
    throw error;
  });
  if (output === undefined) return undefined;
  const all = parseEntries(output, path);
  if (!recursive) all.sort((a, b) => Number(b.kind === 'tree') - Number(a.kind === 'tree'));
  return all.slice(0, LIMITS.treeEntriesPerPage);
}

/** The file, folder, symbolic link or submodule at a path; undefined when there is none. */
export async function readEntry(
  repository: Repository,
  revision: string,
  path: string,
): Promise<TreeEntry | undefined> {
  if (path === '' || !isSafePath(path)) return undefined;
  return atCommit(repository, revision, async (commit) => {
    const output = await repository.git(['ls-tree', '-z', '-l', '--full-tree', commit, '--', path]);
    return parseEntries(output, '').find((entry) => entry.path === path);
  });
}

/** Reads `ls-tree -z -l`: "mode type oid size\tpath". */
function parseEntries(output: Buffer, folder: string): TreeEntry[] {
  const prefix = folder === '' ? '' : `${folder}/`;
  return output
    .toString('utf8')
    .split('\0')
    .flatMap((entry) => {
      const tab = entry.indexOf('\t');
      const [mode = '', type, oid = '', size = ''] = entry.slice(0, Math.max(0, tab)).split(/ +/);
      if (tab < 0) return [];
      const path = `${prefix}${entry.slice(tab + 1)}`;
      const kind = type === 'tree' ? 'tree' : type === 'commit' ? 'submodule' : mode === '120000' ? 'symlink' : 'blob';
      const bytes = /^\d+$/.test(size) ? Number(size) : undefined;
      return [{ path, name: path.slice(path.lastIndexOf('/') + 1), kind, oid, size: bytes } as const];
    });
}
