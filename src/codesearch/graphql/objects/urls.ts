import { nameFromRemote } from '../../git/repository.ts';

/** Paths of pages, relative to the address of the service. */
export function repositoryUrl(name: string, revision = ''): string {
  return `/${encodePath(name)}${revision === '' ? '' : `@${encodePath(revision)}`}`;
}

export function commitUrl(name: string, revision: string): string {
  return `${repositoryUrl(name)}/-/commit/${encodePath(revision)}`;
}

export function entryUrl(name: string, revision: string, kind: 'blob' | 'tree', path: string): string {
  const repository = repositoryUrl(name, revision);
  return path === '' ? repository : `${repository}/-/${kind}/${encodePath(path)}`;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
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

/** The name of the repository that an address of `git clone` stands for. */
export function nameOfCloneUrl(address: string): string | undefined {
  return nameFromRemote(address);
}
