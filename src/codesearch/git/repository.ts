import { realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LIMITS } from '../limits.ts';
import { createBlobs } from './blobs.ts';
import { createGit, type Git, GitError, gitText } from './git.ts';

/** A regular file tracked by git; symbolic links and submodules are left out. */
export interface TrackedFile {
  path: string;
  /** Object id of its content in the index (or, in a bare repository, in HEAD). */
  blob: string;
}

/** One local git repository: its commits and staged changes, without unstaged edits. */
export interface Repository {
  /** `github.com/org/name` from the origin remote, or else the folder's name. */
  readonly name: string;
  readonly git: Git;
  readonly blobs: ReturnType<typeof createBlobs>;
  /** A string that changes when HEAD or the index changes. */
  fingerprint(): Promise<string>;
  /** Commit id of HEAD; undefined before the first commit. */
  head(): Promise<string | undefined>;
  files(): Promise<TrackedFile[]>;
  /** Paths whose staged content differs from this commit; none in a bare repository. */
  stagedPaths(commit: string): Promise<Set<string>>;
}

/** Opens a repository; throws {@link GitError} with a readable message when the folder is not a repository. */
export async function openRepository(path: string): Promise<Repository> {
  const folder = await realpath(path).catch(() => undefined);
  if (folder === undefined || !(await stat(folder)).isDirectory()) throw new GitError(`${path} is not a folder.`);
  const asked = await createGit(folder)(['rev-parse', '--is-bare-repository', '--absolute-git-dir']).catch(
    (error: unknown) => {
      const reason = error instanceof GitError ? error.message.replace(/^git rev-parse: (fatal: )?/, '') : 'git failed';
      throw new GitError(`${path} is not a git repository (${reason}).`, { cause: error });
    },
  );
  const [isBare, gitDirectory = ''] = asked.toString('utf8').trimEnd().split('\n');
  const bare = isBare === 'true';
  const root = bare ? folder : (await gitText(createGit(folder), ['rev-parse', '--show-toplevel'])).trimEnd() || folder;
  const git = createGit(root);
  const origin = (await gitText(git, ['config', '--get', 'remote.origin.url'])).trim();

  async function head(): Promise<string | undefined> {
    return (await gitText(git, ['rev-parse', '-q', '--verify', 'HEAD^{commit}'])).trim() || undefined;
  }

  return {
    name: nameFromRemote(origin) ?? (basename(root).replace(/\.git$/, '') || 'repository'),
    git,
    blobs: createBlobs(git),
    head,
    async fingerprint() {
      const index = bare ? undefined : await stat(join(gitDirectory, 'index')).catch(() => undefined);
      return `${(await head()) ?? ''} ${index?.mtimeMs ?? 0} ${index?.size ?? 0}`;
    },
    async files() {
      const listing = bare
        ? await git(['ls-tree', '-r', '-z', '--full-tree', 'HEAD']).catch(() => Buffer.alloc(0))
        : await git(['ls-files', '-s', '-z']);
      return parseListing(listing.toString('utf8')).slice(0, LIMITS.filesPerRepository);
    },
    async stagedPaths(commit) {
      if (bare) return new Set();
      const listing = await git(['diff-index', '--cached', '--no-renames', '--name-only', '-z', commit, '--']);
      return new Set(listing.toString('utf8').split('\0'));
    },
  };
}

/** `host/org/name` of a remote address in any form git accepts, without credentials; undefined for a local path. */
export function nameFromRemote(address: string): string | undefined {
  const url = /^(?:[a-z+]+:\/\/)(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+?)(?:\.git)?\/?$/i.exec(address);
  const short = /^(?:[^/@]+@)?([^/:@]+\.[^/:@]+):(?!\/\/)(.+?)(?:\.git)?\/?$/.exec(address);
  const [, host, path] = url ?? short ?? [];
  if (host === undefined || path === undefined || address.startsWith('file:')) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '-' && !segment.startsWith('.'));
  return [host.toLowerCase(), ...segments].join('/');
}

/** Reads `ls-files -s -z` ("mode blob stage\tpath") and `ls-tree -z` ("mode type blob\tpath"). */
function parseListing(listing: string): TrackedFile[] {
  const files = new Map<string, TrackedFile>();
  for (const entry of listing.split('\0')) {
    const tab = entry.indexOf('\t');
    if (tab < 0 || !entry.startsWith('100')) continue;
    const blob = entry
      .slice(0, tab)
      .split(' ')
      .find((part) => /^[0-9a-f]{40,64}$/.test(part));
    const path = entry.slice(tab + 1);
    if (blob !== undefined) files.set(path, { path, blob });
  }
  return [...files.values()];
}
