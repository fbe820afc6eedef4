import { languageOfFile } from '../git/languages.ts';
import type { Repository } from '../git/repository.ts';
import { LIMITS } from '../limits.ts';
import type { Branch } from './branch.ts';
import { createPause, passes, type Run } from './run.ts';

/** One repository at one revision. */
export interface Place {
  repository: Repository;
  /** As the query names it; empty for the default: HEAD with staged changes. */
  revision: string;
  /** Commit id; empty before the first commit. */
  commit: string;
  /** Where git searches: `--cached` or a commit id. */
  tree: string;
}

export interface PlaceFile {
  path: string;
  blob: string;
}

/** The regular files of a place that the filters select, in order of their paths; sets `limitHit` where there are too many. */
export async function selectFiles(
  { repository, tree }: Place,
  branch: Branch,
  run: Run,
): Promise<readonly PlaceFile[]> {
  const all = tree === '--cached' ? await repository.files() : await listTree(repository, tree);
  if (all.length > LIMITS.filesPerRepository || (tree === '--cached' && all.length === LIMITS.filesPerRepository)) {
    run.limitHit = true;
  }
  const { include, exclude } = branch.languages;
  const filters = [include, exclude, branch.paths.include, branch.paths.exclude];
  if (filters.every((list) => list.length === 0)) return all.slice(0, LIMITS.filesPerRepository);
  const pause = createPause(run);
  const files: PlaceFile[] = [];
  for (const file of all.slice(0, LIMITS.filesPerRepository)) {
    await pause();
    const language = include.length + exclude.length === 0 ? '' : (languageOfFile(file.path)?.id ?? '');
    if (include.length > 0 && !include.includes(language)) continue;
    if (exclude.includes(language)) continue;
    if (passes(branch.paths, file.path, run.budget)) files.push(file);
  }
  return files;
}

/** Reads `ls-tree -r -z`: "mode type oid\tpath". In order of the paths. */
async function listTree(repository: Repository, commit: string): Promise<PlaceFile[]> {
  const output = await repository.git(['ls-tree', '-r', '-z', '--full-tree', commit]);
  return output
    .toString('utf8')
    .split('\0')
    .flatMap((entry) => {
      const tab = entry.indexOf('\t');
      const blob = entry.slice(0, tab).split(' ')[2];
      return tab < 0 || blob === undefined || !entry.startsWith('100') ? [] : [{ path: entry.slice(tab + 1), blob }];
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Groups of paths that fit on a command line and whose output stays small. */
export function* pathGroups(paths: readonly string[]): Generator<string[]> {
  let group: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    const size = Buffer.byteLength(path) + 1;
    if (group.length > 0 && (group.length >= LIMITS.searchGrepPaths || bytes + size > LIMITS.searchGrepPathBytes)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(path);
    bytes += size;
  }
  if (group.length > 0) yield group;
}
