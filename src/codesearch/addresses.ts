/** A file at a commit; without one, the file with staged changes. */
export interface FilePlace {
  repository: string;
  path: string;
  /** Full commit id, or another revision. */
  commit?: string | undefined;
}

/** Path of a file, or of lines in it, relative to the service. */
export function filePath(file: FilePlace, start?: number, end?: number): string {
  const path = `${repositoryPath(file.repository, file.commit)}/-/blob/${encodePath(file.path)}`;
  return start === undefined ? path : `${path}?L${lineRange(start, end)}`;
}

/** `path`, `path:10` or `path:10-20`. */
export function fileLabel({ path }: Pick<FilePlace, 'path'>, start?: number, end?: number): string {
  return start === undefined ? path : `${path}:${lineRange(start, end)}`;
}

function lineRange(start: number, end = start): string {
  return end === start ? String(start) : `${start}-${end}`;
}

export function directoryPath(repository: string, path: string, revision?: string): string {
  return `${repositoryPath(repository, revision)}/-/tree/${encodePath(path)}`;
}

export function commitPath(repository: string, id: string): string {
  return `${repositoryPath(repository)}/-/commit/${id}`;
}

/** Path of a repository, at a branch, tag or commit if one is given. */
export function repositoryPath(repository: string, revision?: string): string {
  return revision === undefined
    ? `/${encodePath(repository)}`
    : `/${encodePath(repository)}@${encodeRevision(revision)}`;
}

/** Keeps the slashes of a branch name, unless a part is `-`, which would look like the end of the name. */
function encodeRevision(revision: string): string {
  return revision.split('/').includes('-') ? encodePath(revision).replaceAll('/', '%2F') : encodePath(revision);
}

/** Encodes characters that break Markdown links or URLs, such as parentheses; keeps slashes. */
export function encodePath(path: string): string {
  return path
    .split('/')
    .map((segment) =>
      encodeURIComponent(segment).replace(
        /[()'*!]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join('/');
}
