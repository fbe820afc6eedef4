import { createHash } from 'node:crypto';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openIndexFolder } from '../../../src/codesearch/data-directory.ts';
import { analyzeFile } from '../../../src/codesearch/index/analyze-file.ts';
import { createKeptAnalyses } from '../../../src/codesearch/index/kept-analyses.ts';
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

describe('kept analyses', () => {
  let folder: Awaited<ReturnType<typeof createTempDir>>;
  beforeEach(async () => {
    folder = await createTempDir();
  });
  afterEach(() => folder.remove());

  const fileOf = (path: string, blob = 'b1') => ({ path, blob });
  async function keep(paths: readonly string[]): Promise<void> {
    const kept = createKeptAnalyses(openIndexFolder(folder.path));
    for (const path of paths) kept.put(fileOf(path), await analyzeFile(path, 'const one = 1;\n'));
    await kept.written();
    await kept.close();
  }

  test('are made by code whose form ANALYSIS_VERSION names: raise it together with this digest', async () => {
    const analyzed = [];
    for (const [path, text] of Object.entries(samples)) analyzed.push(await analyzeFile(path, text));
    expect(createHash('sha1').update(JSON.stringify(analyzed)).digest('hex')).toBe(
      '12c8b372c2f9214a8d0f1a7faa4604259d52d700',
    );
  });

  test('are there for the next process, for the same path and content only', async () => {
    await keep(['a.ts', 'x'.repeat(4_000)]);
    const kept = createKeptAnalyses(openIndexFolder(folder.path));
    expect(kept.get(fileOf('a.ts'))).toEqual(await analyzeFile('a.ts', 'const one = 1;\n'));
    expect(kept.get(fileOf('x'.repeat(4_000)))).toBeDefined();
    expect(kept.get(fileOf('a.ts', 'b2'))).toBeUndefined();
    expect(kept.get(fileOf('b.ts'))).toBeUndefined();
    await kept.close();
  });

  test('of another version are dropped', async () => {
    await keep(['a.ts']);
    const other = createKeptAnalyses(openIndexFolder(folder.path), 0);
    expect(other.get(fileOf('a.ts'))).toBeUndefined();
    await other.close();
    const kept = createKeptAnalyses(openIndexFolder(folder.path));
    expect(kept.get(fileOf('a.ts'))).toBeUndefined();
    await kept.close();
  });

  test('of files that are gone are removed once they are many', async () => {
    await keep(['a.ts', 'b.ts', 'c.ts']);
    const kept = createKeptAnalyses(openIndexFolder(folder.path));
    await kept.tidy([fileOf('a.ts'), fileOf('b.ts')]);
    expect(kept.get(fileOf('c.ts'))).toBeDefined();
    await kept.tidy([fileOf('a.ts')]);
    expect(kept.get(fileOf('a.ts'))).toBeDefined();
    expect(kept.get(fileOf('c.ts'))).toBeUndefined();
    await kept.close();
  });

  test.each([
    ['cut', (file: string) => truncateSync(file, Math.trunc(statSync(file).size / 2))],
    ['cut within its first page', (file: string) => truncateSync(file, 100)],
    ['not LMDB’s', (file: string) => writeFileSync(file, 'x'.repeat(20_000))],
  ])('in a file that is %s are made again, and end no process', async (_, damage) => {
    await keep(Array.from({ length: 200 }, (_, index) => `${index}.ts`));
    damage(join(folder.path, 'index/data.mdb'));
    await keep(['a.ts']);
    const kept = createKeptAnalyses(openIndexFolder(folder.path));
    expect(kept.get(fileOf('a.ts'))).toBeDefined();
    expect(kept.get(fileOf('0.ts'))).toBeUndefined();
    await kept.close();
  });

  test.each([[{ role: 'source' }], ['text'], [null], [{ role: 'source', lineCount: 1, symbols: {}, units: [] }]])(
    'of another form count as absent: %j',
    async (record) => {
      await keep(['a.ts', 'b.ts']);
      const root = openIndexFolder(folder.path);
      const analyses = root.openDB<unknown, string>({ name: 'analyses', compression: true, encoding: 'msgpack' });
      const [key = ''] = analyses.getKeys();
      await analyses.put(key, record);
      await root.close();
      const kept = createKeptAnalyses(openIndexFolder(folder.path));
      const found = ['a.ts', 'b.ts'].filter((path) => kept.get(fileOf(path)) !== undefined);
      expect(found).toHaveLength(1);
      await kept.close();
    },
  );

  test('are readable by their owner only', async () => {
    await keep(['a.ts']);
    expect(statSync(join(folder.path, 'index')).mode & 0o077).toBe(0);
    expect(statSync(join(folder.path, 'index/data.mdb')).mode & 0o077).toBe(0);
  });
});
