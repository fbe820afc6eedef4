import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { fromColumns, toColumns } from './file-columns.ts';
import type { IndexContent, IndexedFile } from './file-index.ts';

/**
 * Names the form of the kept index. Raise it when the index holds something else of the same file, because of how files are analyzed or
 * because of `LIMITS`: then everything is read again. test/unit/codesearch/kept-index.test.ts fails until then.
 */
const INDEX_VERSION = 7;

/** So many files, or terms, are written in one go. */
const FILES_PER_PART = 1_000;
const TERMS_PER_PART = 50_000;
/** A part begins with its length in bytes and its checksum. */
const HEAD_BYTES = 8;
const PRIVATE_FILE = 0o600;

/** The index in a file, so that a service that starts again does not read all files again. */
export type KeptIndex = ReturnType<typeof createKeptIndex>;

/** Keeps the index in the file `files.index` of a data directory. */
export function createKeptIndex(directory: string, version = INDEX_VERSION) {
  const path = join(directory, 'files.index');
  const newPath = `${path}.new`;

  return {
    /** What was kept last; undefined when it is absent, damaged or of another version. */
    async load(): Promise<IndexContent | undefined> {
      let file: FileHandle | undefined;
      try {
        // What a crash left of the writing, and the folder where an earlier form was.
        for (const old of [newPath, join(directory, 'index')]) await rm(old, { recursive: true, force: true });
        file = await open(path);
        const { size } = await file.stat();
        if ((await readPart(file, size)) !== version) return undefined;
        return await readContent(file, size);
      } catch {
        return undefined;
      } finally {
        await file?.close();
      }
    },
    /**
     * Files that `isComplete` is false for are read again by the next process. Throws what the file system says, for example of a full
     * disk; what was kept before then stays.
     */
    async save(content: IndexContent, isComplete: (file: IndexedFile) => boolean): Promise<void> {
      try {
        const file = await open(newPath, 'w', PRIVATE_FILE);
        try {
          for (const part of partsOf(content, version, isComplete)) {
            await writePart(file, part);
            // Requests get their turn between the parts.
            await breathe();
          }
        } finally {
          await file.close();
        }
        await rename(newPath, path);
      } catch (error) {
        await rm(newPath, { force: true }).catch(() => {});
        throw error;
      }
    },
    /** Forgets what was kept: the next process reads everything. */
    remove: (): Promise<void> => rm(path, { force: true }),
  };
}

function* partsOf(
  { terms: { terms, starts, postings, lengths }, files }: IndexContent,
  version: number,
  isComplete: (file: IndexedFile) => boolean,
): Generator<unknown> {
  yield version;
  yield { files: files.length, terms: terms.length };
  yield starts;
  yield postings;
  yield lengths;
  for (let at = 0; at < terms.length; at += TERMS_PER_PART) yield terms.slice(at, at + TERMS_PER_PART);
  for (let at = 0; at < files.length; at += FILES_PER_PART) {
    yield toColumns(files.slice(at, at + FILES_PER_PART), isComplete);
  }
}

/** What follows the version. The checksums stand for the form of each part. */
async function readContent(file: FileHandle, fileBytes: number): Promise<IndexContent> {
  const read = async <Part>(): Promise<Part> => (await readPart(file, fileBytes)) as Part;
  const counts = await read<{ files: number; terms: number }>();
  const starts = await read<Uint32Array>();
  const postings = await read<Uint32Array>();
  const lengths = await read<Uint32Array>();
  const terms: string[] = [];
  while (terms.length < counts.terms) for (const term of await read<string[]>()) terms.push(term);
  const files: IndexedFile[] = [];
  while (files.length < counts.files) {
    for (const each of fromColumns(await read<ReturnType<typeof toColumns>>())) files.push(each);
  }
  return { terms: { terms, starts, postings, lengths }, files };
}

async function writePart(file: FileHandle, value: unknown): Promise<void> {
  const content = serialize(value);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(content.length);
  head.writeUInt32LE(crc32(content), 4);
  await file.appendFile(head);
  await file.appendFile(content);
}

/** Throws when the part is not what was written. */
async function readPart(file: FileHandle, fileBytes: number): Promise<unknown> {
  const head = await readBytes(file, HEAD_BYTES);
  const length = head.readUInt32LE();
  if (length > fileBytes) throw new Error('the part is longer than the file');
  const content = await readBytes(file, length);
  if (crc32(content) !== head.readUInt32LE(4)) throw new Error('the checksum differs');
  return deserialize(content);
}

async function readBytes(file: FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read);
    if (bytesRead === 0) throw new Error('the file ends too early');
    read += bytesRead;
  }
  return buffer;
}
