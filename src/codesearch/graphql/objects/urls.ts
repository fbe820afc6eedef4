import { directoryPath, encodePath, filePath, repositoryPath } from '../../addresses.ts';

/** Path of the page of a file or folder, or of the content alone; an empty revision means the default branch. */
export function entryUrl(name: string, revision: string, kind: 'blob' | 'tree' | 'raw', path: string): string {
  const commit = revision === '' ? undefined : revision;
  if (path === '') return repositoryPath(name, commit);
  if (kind === 'tree') return directoryPath(name, path, commit);
  return kind === 'blob'
    ? filePath({ repository: name, path, commit })
    : `${repositoryPath(name, commit)}/-/raw/${encodePath(path)}`;
}

type HostKind = 'github' | 'gitlab' | 'bitbucketServer' | 'other';

/** The host that a name like `github.com/org/name` names; without a host, kind `other` and an empty address. */
export function codeHostOf(name: string): { kind: HostKind; address: string; path: string } {
  const [, host, path] = /^([^/]+\.[^/]+)\/(.+)$/.exec(name) ?? [];
  if (host === undefined || path === undefined) return { kind: 'other', address: '', path: name };
  const [kind = 'other'] = (['github', 'gitlab'] as const).filter((known) => host.includes(known));
  const own = host.includes('bitbucket') ? 'bitbucketServer' : kind;
  return { kind: own, address: `https://${host}/`, path };
}

/** Pages on the host a repository was cloned from; none for hosts whose addresses are not known. */
export function externalUrls(
  name: string,
  place: { commit: string; path?: string; kind?: 'blob' | 'tree' } | undefined,
) {
  const { kind, address, path } = codeHostOf(name);
  if (kind !== 'github' && kind !== 'gitlab') return [];
  const dash = kind === 'gitlab' ? '/-' : '';
  const end =
    place === undefined
      ? ''
      : place.path === undefined
        ? `${dash}/commit/${place.commit}`
        : `${dash}/${place.kind ?? 'blob'}/${place.commit}/${encodePath(place.path)}`;
  return [{ url: `${address}${encodePath(path)}${end}`, serviceKind: kind.toUpperCase(), serviceType: kind }];
}
