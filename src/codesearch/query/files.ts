import { languageOfFile } from '../git/languages.ts';
import type { Repository } from '../git/repository.ts';
import { LIMITS } from '../limits.ts';
import type { Branch } from './branch.ts';
import { passes, type Run } from './run.ts';

/** One repository at one revision. */
export interface Place {
  repository: Repository;
  /** As the query names it; empty for the default: HEAD with staged changes. */
  revision: string;
  /** Commit id; empty before the first commit. */
  commit: string;
  /** Whether its files are those of HEAD with staged changes, and not those of the commit. */
  isStaged: boolean;
}

export interface PlaceFile {
  path: string;
  blob: string;
}

/** The regular files of a place that the filters select, in order of their paths; sets `limitHit` where there are too many. */
export async function selectFiles(
  { repository, commit, isStaged }: Place,
  branch: Branch,
  run: Run,
): Promise<readonly PlaceFile[]> {
  const all = isStaged ? await repository.files() : await listTree(repository, commit);
  if (all.length > LIMITS.filesPerRepository || (isStaged && all.length === LIMITS.filesPerRepository)) {
    run.limitHit = true;
  }
  const { include, exclude } = branch.languages;
  const filters = [include, exclude, branch.paths.include, branch.paths.exclude];
  if (filters.every((list) => list.length === 0)) return all.slice(0, LIMITS.filesPerRepository);
  const files: PlaceFile[] = [];
  for (const file of all.slice(0, LIMITS.filesPerRepository)) {
    await run.pause();
    const language = include.length + exclude.length === 0 ? '' : (languageOfFile(file.path)?.id ?? '');
    if (include.length > 0 && !include.includes(language)) continue;
    if (exclude.includes(language)) continue;
    if (passes(branch.paths, file.path)) files.push(file);
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
