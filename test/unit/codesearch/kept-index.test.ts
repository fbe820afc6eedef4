import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { analyzeFile } from '../../../src/codesearch/index/analyze-file.ts';
import { createFileIndex, type FileIndex } from '../../../src/codesearch/index/file-index.ts';
import { createKeptIndex } from '../../../src/codesearch/index/kept-index.ts';
import { ROLES } from '../../../src/codesearch/index/roles.ts';
import { SYMBOL_KINDS } from '../../../src/codesearch/index/symbols.ts';
import { LIMITS } from '../../../src/codesearch/limits.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';

const samples = {
  'src/queue.ts':
    '/** Runs jobs. */\nexport class Queue {\n  add(job: Job): void {\n    this.jobs.push(job);\n  }\n}\n',
  'lib/report.py':
    'import os\n\ndef write_report(path):\n    """Writes it."""\n    # to disk\n    return os.open(path)\n',
  'cmd/main.go':
    'package main\n\nimport "fmt"\n\n// Greet says hello.\nfunc Greet(name string) {\n\tfmt.Println(name)\n}\n',
  'docs/guide.md': '# Guide\n\nHow to begin.\n\n## Settings\n\nThere are none.\n',
  'src/long.ts': `export const ${'aLongName'.repeat(9)} = 1;\n`,
  'logo.bin': undefined,
};

describe('the kept index', () => {
  let folder: Awaited<ReturnType<typeof createTempDir>>;
  beforeEach(async () => {
    folder = await createTempDir();
  });
  afterEach(() => folder.remove());

  async function put(index: FileIndex, path: string, text: string | undefined): Promise<void> {
    const place = { repository: 'depot', path, blob: `blob of ${path}`, commit: undefined };
    index.put(place, await analyzeFile(path, text), true);
  }
  async function indexOfSamples(): Promise<FileIndex> {
    const index = createFileIndex();
    for (const [path, text] of Object.entries(samples)) await put(index, path, text);
    return index;
  }
  const save = (index: FileIndex): Promise<void> => createKeptIndex(folder.path).save(index.content(), () => true);
  const load = async (): Promise<FileIndex> => createFileIndex(await createKeptIndex(folder.path).load());
  const file = (): string => join(folder.path, 'files.index');

  /** The parts of the file, in their order. */
  function partsOf(content: Buffer): unknown[] {
    const parts: unknown[] = [];
    for (let at = 0; at < content.length; ) {
      const end = at + 8 + content.readUInt32LE(at);
      parts.push(deserialize(content.subarray(at + 8, end)));
      at = end;
    }
    return parts;
  }

  /** What an index says of its files and their terms. */
  function contentOf(index: FileIndex) {
    const files = [...index.all()].map(({ units, commentLines, importLines, trigrams, ...known }) => ({
      ...known,
      units: units.map(({ id, start, end, symbol }) => ({ id, start, end, symbol })),
      comments: Array.from({ length: known.lineCount + 1 }, (_, line) => commentLines.has(line)),
      imports: [...importLines],
      trigrams: trigrams === undefined ? undefined : [...trigrams],
    }));
    const terms = ['queue', 'job', 'greet', 'disk', 'set', 'logo', 'zeppelin'];
    const matches = index.find(terms, [1, 1, 1, 1, 1, 1, 1]);
    return {
      files,
      rarities: terms.map((term) => index.rarity([term])),
      matches: matches.map(({ document, score, found }) => [document.file.path, document.start, score, found]),
      definitions: ['Queue', 'add', 'write_report'].map((name) => index.definitions(name).map(({ symbol }) => symbol)),
    };
  }

  test('is made by code whose form INDEX_VERSION names: raise it together with this digest', async () => {
    const index = await indexOfSamples();
    const long = Array.from({ length: 130 }, (_, line) => `  step${line}();`).join('\n');
    await put(index, 'src/long-function.ts', `export function runAll(): void {\n${long}\n}\n`);
    await put(index, 'src/long-line.ts', `// ${'word '.repeat(500)}last\nexport const one = 1;\n`);
    await save(index);
    const { fileBytes, copiesAnalyzed } = LIMITS;
    const content = [ROLES, SYMBOL_KINDS, { fileBytes, copiesAnalyzed }, ...partsOf(readFileSync(file()))];
    expect(createHash('sha1').update(JSON.stringify(content)).digest('hex')).toBe(
      'e5342f9fe3524b5fdb0ddbacc050eebccb3bc6fd',
    );
  });

  test('is the same in the next process', async () => {
    const index = await indexOfSamples();
    await save(index);
    const next = await load();
    expect(contentOf(next)).toEqual(contentOf(index));
    expect(next.size()).toBe(Object.keys(samples).length);
    expect([next.unread(), next.unkept()]).toEqual([0, 0]);
  });

  test('can be changed and kept in the next process, time and again', async () => {
    const expected = await indexOfSamples();
    await save(expected);
    for (const round of [1, 2, 3]) {
      const index = await load();
      for (const each of [expected, index]) {
        each.remove('depot', 'lib/report.py');
        await put(each, 'src/queue.ts', `export function enqueue${round}(job: Job): void {\n  jobs.push(job);\n}\n`);
        await put(each, `src/crane${round}.ts`, 'export class Crane {\n  lift(crate: Crate): void {}\n}\n');
      }
      expect(index.unkept()).toBeGreaterThan(0);
      await save(index);
      const sorted = ({ files, ...rest }: ReturnType<typeof contentOf>) => ({
        ...rest,
        paths: files.map(({ path }) => path).toSorted(),
        matches: rest.matches.map(([path, start, score, found]) => [path, start, score, found]).toSorted(),
      });
      expected.content();
      expect(sorted(contentOf(await load()))).toEqual(sorted(contentOf(expected)));
    }
  });

  test('lacks the contents of files that the next process is to read again', async () => {
    const index = await indexOfSamples();
    const queue = index.get('depot', 'src/queue.ts');
    if (queue === undefined) throw new Error('the sample is not there');
    await createKeptIndex(folder.path).save(index.content(), (each) => each !== queue);
    const next = await load();
    expect([...next.all()].filter(({ blob }) => blob === '').map(({ path }) => path)).toEqual(['src/queue.ts']);
  });

  test('of another version counts as absent', async () => {
    await createKeptIndex(folder.path, 1).save((await indexOfSamples()).content(), () => true);
    expect(await createKeptIndex(folder.path).load()).toBeUndefined();
  });

  test('is absent at first', async () => {
    expect(await createKeptIndex(folder.path).load()).toBeUndefined();
  });

  test('counts as absent when its file is cut anywhere', async () => {
    await save(await indexOfSamples());
    const whole = readFileSync(file());
    for (let length = 0; length < whole.length; length += 37) {
      writeFileSync(file(), whole.subarray(0, length));
      expect(await createKeptIndex(folder.path).load()).toBeUndefined();
    }
  });

  test('counts as absent when one byte of its file changed', async () => {
    await save(await indexOfSamples());
    const whole = readFileSync(file());
    for (let at = 0; at < whole.length; at += 31) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      writeFileSync(file(), damaged);
      expect(await createKeptIndex(folder.path).load()).toBeUndefined();
    }
  });

  test('counts as absent when its file is something else', async () => {
    for (const content of ['x'.repeat(20_000), '', '{"terms": []}']) {
      writeFileSync(file(), content);
      expect(await createKeptIndex(folder.path).load()).toBeUndefined();
    }
  });

  test('stays as it was when it can not be written again, and leaves nothing beside it', async () => {
    const index = await indexOfSamples();
    await save(index);
    const { terms, files } = index.content();
    const broken = { ...terms, terms: [...terms.terms, Symbol('no text') as unknown as string] };
    const writing = createKeptIndex(folder.path).save({ terms: broken, files }, () => true);
    await expect(writing).rejects.toThrow('could not be cloned');
    expect(readdirSync(folder.path)).toEqual(['files.index']);
    expect((await load()).size()).toBe(index.size());
  });

  test('is loaded without what a crash left of its writing, and without the folder of an earlier form', async () => {
    await save(await indexOfSamples());
    writeFileSync(`${file()}.new`, 'half');
    mkdirSync(join(folder.path, 'index'));
    writeFileSync(join(folder.path, 'index/data.mdb'), 'words');
    expect((await load()).size()).toBe(Object.keys(samples).length);
    expect(readdirSync(folder.path)).toEqual(['files.index']);
  });

  test('has all lengths also when the last file has no terms', async () => {
    const index = await indexOfSamples();
    await save(index);
    const next = await load();
    for (const each of [index, next]) await put(each, 'x', undefined);
    await save(next);
    const last = await load();
    for (const each of [index, last]) await put(each, 'src/late.ts', 'export const queue = 1;\n');
    const found = (each: FileIndex) =>
      each.find(['queue'], [1]).map(({ document, score }) => [document.file.path, score]);
    expect(found(last)).toEqual(found(index));
  });

  test('has many terms and files in several parts', async () => {
    const index = createFileIndex();
    for (let at = 0; at < 1_100; at += 1) {
      const words = Array.from({ length: 50 }, (_, place) => `w${at}q${place}`).join(' ');
      await put(index, `src/part${at}.txt`, words);
    }
    await save(index);
    const next = await load();
    expect(next.size()).toBe(1_100);
    for (const at of [0, 999, 1_000, 1_099]) {
      const paths = next.findName(`w${at}q49`).map(({ path }) => path);
      expect(paths).toEqual([`src/part${at}.txt`]);
    }
  });

  test('is one file, readable by its owner only', async () => {
    await save(await indexOfSamples());
    expect(readdirSync(folder.path)).toEqual(['files.index']);
    expect(statSync(file()).mode & 0o077).toBe(0);
  });
});
