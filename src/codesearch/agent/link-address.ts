/** A link of an answer, taken apart. Whether there is such a thing is not checked yet. */
export type LinkTarget =
  | { kind: 'repository'; repository: string }
  | { kind: 'file'; repository: string; revision: string | undefined; path: string; lines: Lines | undefined }
  | { kind: 'folder'; repository: string; path: string }
  | { kind: 'commit'; repository: string; commit: string };

/** First and last line, from 1. */
export interface Lines {
  start: number;
  end: number;
}

/**
 * Reads the address of a link as models write it: as they are told (`/repository/-/blob/path?L4-7`), as code hosts write it
 * (`https://host/org/name/blob/main/path#L4-L7`), or shorter (`repository/path:4-7`, and `path:4-7` with one repository). Of
 * several repositories that fit, the one with the longest name counts. Undefined for everything else.
 */
export function readLinkAddress(address: string, repositories: readonly string[]): LinkTarget | undefined {
  const isWeb = /^https?:\/\//i.test(address);
  const { place, lines } = splitLines(address.trim().replace(/^https?:\/\//i, ''));
  const path = decode(place)?.replace(/^(?:\.?\/)+/, '');
  if (path === undefined || path === '' || /^[a-z][a-z\d+.-]*:/i.test(path)) return undefined;
  const repository = repositories.filter((name) => beginsWith(path, name)).sort((a, b) => b.length - a.length)[0];
  if (repository === undefined) {
    const [only] = repositories;
    if (repositories.length !== 1 || only === undefined || isWeb) return undefined;
    return { kind: 'file', repository: only, revision: undefined, path, lines };
  }
  const [, at, rest = ''] = /^(?:@([^/]+))?(?:\/+(.*))?$/s.exec(path.slice(repository.length)) ?? [];
  if (rest === '') return at === undefined && lines === undefined ? { kind: 'repository', repository } : undefined;
  const [, dash, view = '', inside = ''] = /^(-\/)?(blob|raw|blame|tree|commit)\/(.+)$/s.exec(rest) ?? [];
  if (view === '') return { kind: 'file', repository, revision: at, path: rest, lines };
  if (view === 'commit') return { kind: 'commit', repository, commit: inside };
  // A code host names the branch behind the view.
  const [, branch, below = ''] = dash === undefined ? (/^([^/]+)\/(.+)$/s.exec(inside) ?? []) : ['', at, inside];
  if (below === '') return undefined;
  if (view === 'tree') return { kind: 'folder', repository, path: below.replace(/\/+$/, '') };
  return { kind: 'file', repository, revision: branch, path: below, lines };
}

/** Lines stand at the end, as `?L4-7`, `#L4-L7`, `#4` or `:4-7`; other parameters and fragments are left out. */
function splitLines(address: string): { place: string; lines: Lines | undefined } {
  const column = '(?:[:C]\\d+)?';
  const pattern = new RegExp(`^(.*?)(?:[?#](?:.*&)?L?|:L?)(\\d{1,7})${column}(?:[-–]L?(\\d{1,7})${column})?=?$`, 'is');
  const [, place, first, second = first] = pattern.exec(address) ?? [];
  if (place === undefined) return { place: address.replace(/[?#].*$/s, ''), lines: undefined };
  const [one, other] = [Number(first), Number(second)];
  return { place: place.replace(/[?#].*$/s, ''), lines: { start: Math.min(one, other), end: Math.max(one, other) } };
}

function beginsWith(path: string, repository: string): boolean {
  const start = path.slice(0, repository.length).toLowerCase();
  return start === repository.toLowerCase() && ['', '/', '@'].includes(path.charAt(repository.length));
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
