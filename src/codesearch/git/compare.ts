import { LIMITS } from '../limits.ts';
import { gitText } from './git.ts';
import { atCommit, isSafePath } from './refs.ts';
import type { Repository } from './repository.ts';

export interface ChangedFile {
  /** The path after the change; of a deleted file, the path before it. */
  path: string;
  /** The path before, when git sees the file as renamed or copied. */
  previousPath: string | undefined;
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typeChanged';
  /** Lines; undefined for binary files. */
  additions: number | undefined;
  deletions: number | undefined;
}

export interface Changes {
  /** At most `LIMITS.changedFiles`. */
  files: ChangedFile[];
  hasMoreFiles: boolean;
  /** A unified patch, cut after `LIMITS.patchBytes`. */
  patch: string;
  isPatchCut: boolean;
}

const DIFF = ['--no-textconv', '--no-ext-diff', '--no-color', '--submodule=short', '--ignore-submodules=none', '-M'];
const PATCH = ['--patch', '--src-prefix=a/', '--dst-prefix=b/'];

/** What head changes since the merge base; without a merge base, since base. Undefined when one of them names no commit. */
export async function compareChanges(repository: Repository, base: string, head: string): Promise<Changes | undefined> {
  return atCommit(repository, base, (from) =>
    atCommit(repository, head, async (to) => {
      const mergeBase = (await gitText(repository.git, ['merge-base', from, to])).trim() || undefined;
      return readChanges(repository, ['diff', mergeBase ?? from, to]);
    }),
  );
}

/** What a commit changes since its first parent; a first commit adds all its files. Undefined when there is no such commit. */
export async function commitChanges(
  repository: Repository,
  revision: string,
  path?: string,
): Promise<Changes | undefined> {
  return atCommit(repository, revision, (oid) =>
    readChanges(repository, ['show', '--format=', '--diff-merges=first-parent', oid], path),
  );
}

async function readChanges(repository: Repository, command: readonly string[], path = ''): Promise<Changes> {
  const [name = '', ...rest] = command;
  const end = path !== '' && isSafePath(path) ? ['--', path] : ['--'];
  const summary = await repository.git([name, ...DIFF, '--raw', '--numstat', '-z', '--no-abbrev', ...rest, ...end], {
    firstBytes: LIMITS.gitOutputBytes,
  });
  const files = parseChanges(summary.toString('utf8'));
  const patch = await repository.git([name, ...DIFF, ...PATCH, ...rest, ...end], { firstBytes: LIMITS.patchBytes });
  return {
    files: files.slice(0, LIMITS.changedFiles),
    hasMoreFiles: files.length > LIMITS.changedFiles,
    patch: patch.toString('utf8'),
    isPatchCut: patch.length >= LIMITS.patchBytes,
  };
}

const CHANGES: Record<string, ChangedFile['change']> = {
  A: 'added',
  C: 'copied',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  T: 'typeChanged',
};

/** Reads `--raw --numstat -z`: first ":mode mode oid oid status\0path[\0path]", then "added\tdeleted\t[path]". */
function parseChanges(output: string): ChangedFile[] {
  const fields = output.split('\0').map((field) => field.replace(/^\n/, ''));
  const files = new Map<string, ChangedFile>();
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? '';
    const raw = /^:\d{6} \d{6} [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/.exec(field);
    if (raw !== null) {
      const change = CHANGES[raw[1] ?? ''] ?? 'modified';
      const before = fields[at + 1] ?? '';
      const isMoved = change === 'renamed' || change === 'copied';
      const path = isMoved ? (fields[at + 2] ?? '') : before;
      at += isMoved ? 2 : 1;
      files.set(path, {
        path,
        previousPath: isMoved ? before : undefined,
        change,
        additions: undefined,
        deletions: undefined,
      });
      continue;
    }
    const [, added, deleted, own = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
    if (added === undefined || deleted === undefined) continue;
    const path = own === '' ? (fields[at + 2] ?? '') : own;
    if (own === '') at += 2;
    const file = files.get(path);
    if (file === undefined || added === '-') continue;
    file.additions = Number(added);
    file.deletions = Number(deleted);
  }
  return [...files.values()];
}
