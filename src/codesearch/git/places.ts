import { readdir, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { LIMITS } from '../limits.ts';
import { GitError } from './git.ts';

/** The folders that a repository reads its commits from, as real paths. */
export interface Places {
  /** Its git directory; of a further work tree, that of the first one. */
  gitDirectory: string;
  /** Its objects and branches, and the objects of others that it borrows. */
  contents: string[];
  /** Where links in these folders lead: to a pack, an index or a part of the objects. */
  links: string[];
}

/**
 * Finds the places of a repository; a link or an entry of `alternates` may lead into another one. Throws {@link GitError}
 * where it can't read what git may read: a place that is overlooked would show a closed repository.
 */
export async function findPlaces(commonDirectory: string): Promise<Places> {
  const objects = [await realpathOf(join(commonDirectory, 'objects'))];
  // The list grows while it is read: borrowed objects may borrow too.
  for (const folder of objects) {
    for (const entry of await readAlternates(folder)) {
      // Not by `resolve`: git takes `..` behind a link as the folder above the link's target.
      const borrowed = await realpathOf(isAbsolute(entry) ? entry : `${folder}/${entry}`);
      if (objects.includes(borrowed)) continue;
      if (objects.length > LIMITS.alternates) {
        throw new GitError(`${commonDirectory} borrows objects of more than ${LIMITS.alternates} folders.`);
      }
      objects.push(borrowed);
    }
  }
  const packs = objects.map((folder) => join(folder, 'pack'));
  const links = (await Promise.all([commonDirectory, ...objects, ...packs].map(linksIn))).flat();
  return {
    gitDirectory: await realpathOf(commonDirectory),
    contents: await Promise.all([...objects, ...packs, join(commonDirectory, 'refs')].map(realpathOf)),
    links: await Promise.all(links.map(realpathOf)),
  };
}

/** Whether one of two repositories shows what is in the other. */
export function overlap(a: Places, b: Places): boolean {
  const isIn = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}/`);
  return (
    a.gitDirectory === b.gitDirectory ||
    a.links.some((one) => isIn(one, b.gitDirectory)) ||
    b.links.some((one) => isIn(one, a.gitDirectory)) ||
    a.contents.some((one) => b.contents.some((other) => isIn(one, other) || isIn(other, one)))
  );
}

/** As bytes: a name that is no UTF-8 would lead nowhere. */
async function linksIn(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch(() => []);
  const links = entries.filter((entry) => entry.isSymbolicLink());
  return links.map(({ name }) => Buffer.concat([Buffer.from(`${folder}/`), name]));
}

const realpathOf = (path: string | Buffer): Promise<string> => realpath(path).catch(() => String(path));

/** The folders that one folder of objects borrows from, as git reads its list: lines are not trimmed. */
async function readAlternates(folder: string): Promise<string[]> {
  const file = join(folder, 'info/alternates');
  const bytes = await readFile(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code)))
      return Buffer.alloc(0);
    throw new GitError(`${file} can't be read.`, { cause: error });
  });
  const lines = bytes.toString('latin1').split('\n');
  const paths = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return paths.map((line) => {
    const path = decoded(line.startsWith('"') ? unquoted(line) : line);
    if (path === undefined)
      throw new GitError(`${file} has a line that can't be read: ${JSON.stringify(line.slice(0, 200))}`);
    return path;
  });
}

const QUOTED = /^"((?:[^"\\]|\\(?:[abtnvfr"\\]|[0-3][0-7]{2}))*)"$/;
const ESCAPES = new Map(Object.entries({ a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' }));

/**
 * Reads a path as git quotes it: with the escapes of C, and bytes in octal. Undefined for every other line that begins with a
 * quotation mark: git takes such a line as it is, or goes on behind the second mark, perhaps in the next line.
 */
function unquoted(line: string): string | undefined {
  return QUOTED.exec(line)?.[1]?.replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES.get(code) ?? code),
  );
}

/** The text of bytes, each given as a character; undefined where it is no UTF-8 or no path. */
function decoded(bytes: string | undefined): string | undefined {
  const text = Buffer.from(bytes ?? '\0', 'latin1').toString('utf8');
  return text.includes('\0') || Buffer.from(text).toString('latin1') !== bytes ? undefined : text;
}
