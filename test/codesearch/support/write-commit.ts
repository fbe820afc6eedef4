import { createHash } from 'node:crypto';
import {
  appendFileSync,
  type BigIntStats,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';

interface CommitDetails {
  message: string;
  author: string;
  email: string;
  date: string;
}

interface Entry {
  path: string;
  mode: '100644' | '100755' | '120000';
  oid: string;
  stats: BigIntStats;
}

/**
 * Writes what `git add -A` and `git commit` write: objects, the index, the branch and its log. Starting git from a large test worker
 * costs more than all of this. Returns the commit's id, or undefined, with nothing but objects written, where only git knows what to do.
 */
export function writeCommit(path: string, { message, author, email, date }: CommitDetails): string | undefined {
  const own = join(path, '.git');
  const person = personOf(author, email, date);
  const branch = /^ref: (refs\/heads\/[\w/-]+)\n$/.exec(textOf(join(own, 'HEAD')))?.[1];
  if (!isPlain(own) || person === undefined || branch === undefined || message.includes('\0')) return undefined;
  const parent = textOf(join(own, branch)).trim();
  const before = parent === '' ? undefined : readObject(own, parent);
  if (parent !== '' && before === undefined) return undefined;
  const entries = listEntries(own, path);
  if (entries === undefined || entries.length === 0) return undefined;
  const tree = writeTree(own, entries, '');
  // Git refuses to commit nothing.
  if (before?.startsWith(`tree ${tree}\n`)) return undefined;

  const text = tidy(message);
  const parents = parent === '' ? '' : `parent ${parent}\n`;
  const body = `tree ${tree}\n${parents}author ${person}\ncommitter ${person}\n\n${text}`;
  const oid = writeObject(own, 'commit', Buffer.from(body));
  replaceFile(join(own, 'index'), indexOf(entries));
  const subject = `commit${parent === '' ? ' (initial)' : ''}: ${text.split('\n', 1)[0]?.trim()}`;
  for (const log of ['HEAD', branch]) {
    const file = join(own, 'logs', log);
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, `${parent || '0'.repeat(40)} ${oid} ${person}\t${subject}\n`);
  }
  mkdirSync(dirname(join(own, branch)), { recursive: true });
  replaceFile(join(own, branch), `${oid}\n`);
  return oid;
}

/** Whether the repository is as a test begins it: no merge under way, no packed branches, no setting that changes what is committed. */
function isPlain(own: string): boolean {
  const special = ['MERGE_HEAD', 'packed-refs', 'shallow', 'info/attributes', 'info/grafts', 'index.lock'];
  const config = textOf(join(own, 'config'));
  return (
    config !== '' &&
    !special.some((name) => existsSync(join(own, name))) &&
    [...config.matchAll(/^\s*\[(\w+)/gm)].every(([, section = '']) => PLAIN_SECTIONS.has(section)) &&
    !/autocrlf|eol|attributes|excludes|fsmonitor|sparse|symlinks|worktree|hookspath = (?!\/dev\/null)|bare = true/i.test(
      config,
    )
  );
}

const PLAIN_SECTIONS: ReadonlySet<string> = new Set(['core', 'gc', 'maintenance', 'remote', 'branch']);

/** The text of a file; empty where there is none. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** "Name <mail> seconds zone"; undefined for what git may read in another way. */
function personOf(author: string, email: string, date: string): string | undefined {
  const zone = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|([+-]\d\d):(\d\d))$/.exec(date);
  const seconds = Date.parse(date) / 1_000;
  if (zone === null || !(seconds >= 0) || !/^[\p{L}\d](?:[\p{L}\d -]*[\p{L}\d])?$/u.test(author)) return undefined;
  return `${author} <${email}> ${seconds} ${zone[1] ?? '+00'}${zone[2] ?? '00'}`;
}

/** The message as `git commit -m` keeps it. */
function tidy(message: string): string {
  const lines = message.split('\n').map((line) => line.replace(/[ \t\r]+$/, ''));
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '')}\n`;
}

/** The files and links of the work tree in the order of the index; undefined when git would not simply add all of them. */
function listEntries(own: string, root: string): Entry[] | undefined {
  const entries: Entry[] = [];
  for (const folders = ['']; ; ) {
    const folder = folders.pop();
    if (folder === undefined) break;
    for (const found of readdirSync(join(root, folder), { withFileTypes: true })) {
      const { name } = found;
      if (name === '.git' && folder === '') continue;
      if (['.git', '.gitattributes', '.gitignore'].includes(name)) return undefined;
      const path = `${folder}${name}`;
      const place = join(root, path);
      if (found.isDirectory()) folders.push(`${path}/`);
      else if (!found.isFile() && !found.isSymbolicLink()) return undefined;
      else {
        const stats = lstatSync(place, { bigint: true });
        const isLink = found.isSymbolicLink();
        const content = isLink ? Buffer.from(readlinkSync(place)) : readFileSync(place);
        const mode = isLink ? '120000' : (stats.mode & 0o100n) === 0n ? '100644' : '100755';
        entries.push({ path, mode, oid: writeObject(own, 'blob', content), stats });
      }
    }
  }
  return entries.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

/** Writes the tree of a folder and those below it. The entries are those below the folder. */
function writeTree(own: string, entries: readonly Entry[], folder: string): string {
  const below = new Map<string, Entry[]>();
  for (const entry of entries) {
    const [name = '', ...rest] = entry.path.slice(folder.length).split('/');
    const key = rest.length > 0 ? `${name}/` : name;
    const siblings = below.get(key);
    if (siblings === undefined) below.set(key, [entry]);
    else siblings.push(entry);
  }
  // Git sorts a folder as if its name ended with a slash; these keys do.
  const keys = [...below.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const parts = keys.flatMap((key) => {
    const [first] = below.get(key) ?? [];
    const isFolder = key.endsWith('/');
    const mode = isFolder ? '40000' : (first?.mode ?? '');
    const oid = isFolder ? writeTree(own, below.get(key) ?? [], folder + key) : (first?.oid ?? '');
    return [Buffer.from(`${mode} ${key.replace(/\/$/, '')}\0`), Buffer.from(oid, 'hex')];
  });
  return writeObject(own, 'tree', Buffer.concat(parts));
}

function writeObject(own: string, type: 'blob' | 'tree' | 'commit', content: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const oid = sha1(whole).toString('hex');
  const path = join(own, 'objects', oid.slice(0, 2), oid.slice(2));
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, deflateSync(whole, { level: 1 }), { mode: 0o444 });
  }
  return oid;
}

/** The content of a commit; undefined when git has packed it. */
function readObject(own: string, oid: string): string | undefined {
  const path = join(own, 'objects', oid.slice(0, 2), oid.slice(2));
  if (!existsSync(path)) return undefined;
  const whole = inflateSync(readFileSync(path)).toString('utf8');
  return whole.slice(whole.indexOf('\0') + 1);
}

/** The index file, version 2. */
function indexOf(entries: readonly Entry[]): Buffer {
  const parts = entries.map(({ path, mode, oid, stats }) => {
    const name = Buffer.from(path);
    // At least one NUL follows the name, and as many as make the length a multiple of 8.
    const entry = Buffer.alloc(Math.ceil((62 + name.length + 1) / 8) * 8);
    const { ctimeNs, mtimeNs, dev, ino, uid, gid, size } = stats;
    const nano = 1_000_000_000n;
    const times = [ctimeNs / nano, ctimeNs % nano, mtimeNs / nano, mtimeNs % nano];
    [...times, dev, ino, BigInt(`0o${mode}`), uid, gid, size].forEach((value, at) => {
      entry.writeUInt32BE(Number(value & 0xffff_ffffn), at * 4);
    });
    entry.write(oid, 40, 'hex');
    entry.writeUInt16BE(Math.min(name.length, 0xfff), 60);
    name.copy(entry, 62);
    return entry;
  });
  const header = Buffer.from('DIRC\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(entries.length, 8);
  const content = Buffer.concat([header, ...parts]);
  return Buffer.concat([content, sha1(content)]);
}

/** A git process that reads the file meanwhile gets all of the old or of the new content. */
function replaceFile(path: string, content: Buffer | string): void {
  writeFileSync(`${path}.lock`, content);
  renameSync(`${path}.lock`, path);
}

function sha1(content: Buffer): Buffer {
  return createHash('sha1').update(content).digest();
}
