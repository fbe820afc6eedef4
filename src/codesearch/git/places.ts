import { readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LIMITS } from '../limits.ts';

/** The folders that a repository reads its commits from, as real paths. */
export interface Places {
  /** Its git directory; of a further work tree, that of the first one. */
  gitDirectory: string;
  /** Its objects and branches, and the objects of others that it borrows. */
  contents: string[];
}

/** Finds the places of a repository; a link or an entry of `alternates` may lead into another one. */
export async function findPlaces(commonDirectory: string): Promise<Places> {
  const objects = [join(commonDirectory, 'objects')];
  // The list grows while it is read: borrowed objects may borrow too.
  for (const folder of objects) {
    const listed = await readFile(join(folder, 'info/alternates'), 'utf8').catch(() => '');
    for (const line of listed.split('\n')) {
      const borrowed = resolve(folder, unquoted(line.trim()));
      const isNew = line.trim() !== '' && !line.startsWith('#') && !objects.includes(borrowed);
      if (isNew && objects.length < LIMITS.alternates) objects.push(borrowed);
    }
  }
  const contents = [...objects, ...objects.map((folder) => join(folder, 'pack')), join(commonDirectory, 'refs')];
  return {
    gitDirectory: await realpathOf(commonDirectory),
    contents: await Promise.all(contents.map(realpathOf)),
  };
}

/** Whether one of two repositories shows what is in the other. */
export function overlap(a: Places, b: Places): boolean {
  const isIn = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}/`);
  return (
    a.gitDirectory === b.gitDirectory ||
    a.contents.some((one) => b.contents.some((other) => isIn(one, other) || isIn(other, one)))
  );
}

const realpathOf = (path: string): Promise<string> => realpath(path).catch(() => path);

/** git writes paths with odd characters in quotation marks. */
function unquoted(path: string): string {
  if (!path.startsWith('"')) return path;
  try {
    return String(JSON.parse(path));
  } catch {
    return path;
  }
}
