import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRepository, type Repository } from '../../../src/codesearch/git/repository.ts';
import { analyzeFile } from '../../../src/codesearch/index/analyze-file.ts';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { createFileIndex } from '../../../src/codesearch/index/file-index.ts';
import { createFileReader } from '../../../src/codesearch/index/file-reader.ts';
import { createKeptIndex, type KeptIndex } from '../../../src/codesearch/index/kept-index.ts';
import { LIMITS } from '../../../src/codesearch/limits.ts';
import { createSearch } from '../../../src/codesearch/query/search.ts';
import { createInvestigate } from '../../../src/codesearch/search/investigate.ts';
import { startAgentWorld } from '../../support/codesearch/agent-world.ts';
import { askCorpus } from '../../support/codesearch/ask.ts';
import { callsTools, says } from '../../support/codesearch/model-server.ts';
import { createTestRepository, type TestRepository } from '../../support/codesearch/repository.ts';
import { startTestService } from '../../support/codesearch/service.ts';
import { eventually } from '../../support/eventually.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';

const manyFiles = 450;

let source: TestRepository;
let first: string;
let repository: Repository;

beforeEach(() => {
  source = createTestRepository({
    'docs/guide.md': '# Guide\n\nThe crane lifts a crate.\n',
    'src/crane.ts': '/** Lifts a crate. */\nexport function liftCrate(crate: string): string {\n  return crate;\n}\n',
    'src/ship.ts': 'export function sail(): void {}\n',
  });
  first = source.commit('Begin');
});
afterEach(() => source.remove());

/** A reader with its index, and the paths that it read, in their order. */
function createSubject(kept?: Kept) {
  const index = createFileIndex();
  const read: string[] = [];
  const failures: unknown[] = [];
  const put: typeof index.put = (place, analyzed, isRead) => {
    if (isRead) read.push(place.path);
    return index.put(place, analyzed, isRead);
  };
  const reader = createFileReader({ ...index, put }, (error) => failures.push(error), kept);
  async function list(): Promise<void> {
    const files = await repository.files();
    for (const { path, blob } of files) {
      if (index.get(repository.name, path)?.blob === blob) continue;
      const place = { repository: repository.name, path, blob, commit: undefined };
      index.put(place, await analyzeFile(path, undefined), false);
    }
    const unread = files.filter(({ path }) => index.get(repository.name, path)?.isRead !== true);
    await reader.plan(repository, unread);
  }
  /** Commits a further file and reads it. */
  async function readLate(): Promise<void> {
    source.write('src/late.ts', 'export const late = 1;\n');
    source.commit('Late');
    await list();
    await reader.read();
  }
  return { index, reader, read, failures, list, readLate };
}

type Kept = Pick<KeptIndex, 'save' | 'remove'>;

/** Notes which files are kept as read, each time. */
function createNotes(): Kept & { saved: string[][] } {
  const saved: string[][] = [];
  return {
    saved,
    save: async ({ files }, isComplete) => {
      saved.push(files.filter(isComplete).map(({ path }) => path));
    },
    remove: async () => {},
  };
}

describe('the reader of files', () => {
  beforeEach(async () => {
    repository = await openRepository(source.path);
  });

  test('reads source code before documents, and counts what it has not read', async () => {
    const { index, reader, read, list } = createSubject();
    await list();
    expect(index.unread()).toBe(3);
    await reader.read();
    expect(read.at(-1)).toBe('docs/guide.md');
    expect(read.toSorted()).toEqual(['docs/guide.md', 'src/crane.ts', 'src/ship.ts']);
    expect(index.unread()).toBe(0);
  });

  test('reads many files in threads', async () => {
    for (let at = 0; at < manyFiles; at += 1)
      source.write(`src/part${at}.ts`, `export function part${at}(): void {}\n`);
    source.commit('Add many');
    const { index, reader, read, list, failures } = createSubject();
    await list();
    await reader.read();
    expect(failures).toEqual([]);
    expect(read).toHaveLength(manyFiles + 3);
    expect(index.definitions(`part${manyFiles - 1}`)).toHaveLength(1);
  });

  test('reads a file that a question names before the others, once', async () => {
    const { index, reader, read, list } = createSubject();
    await list();
    const ship = index.get(repository.name, 'src/ship.ts');
    await reader.readFirst(repository, ship === undefined ? [] : [ship]);
    expect(read).toEqual(['src/ship.ts']);
    expect(index.unread()).toBe(2);
    await reader.read();
    expect(read).toHaveLength(3);
  });

  test('has nothing left to read when a question named the last file', async () => {
    const { index, reader, read, list } = createSubject();
    await list();
    await reader.readFirst(repository, [...index.all()]);
    await reader.read();
    expect(read).toHaveLength(3);
  });

  test('leaves out a file that changed since it was planned', async () => {
    const { index, reader, read, list } = createSubject();
    await list();
    index.remove(repository.name, 'src/ship.ts');
    await reader.read();
    expect(read.toSorted()).toEqual(['docs/guide.md', 'src/crane.ts']);
  });

  test('keeps what was read when all is read, but not what the time limit of the analysis has cut', async () => {
    const limits: { analysisMs: number } = LIMITS;
    const { analysisMs } = LIMITS;
    try {
      source.write('src/long.ts', 'export const long = 1;\n'.repeat(12_000));
      source.commit('Add a long file');
      const kept = createNotes();
      const { index, reader, list } = createSubject(kept);
      await list();
      limits.analysisMs = 1;
      await reader.read();
      await eventually(() => expect(kept.saved).toHaveLength(1));
      expect(index.unread()).toBe(0);
      expect(kept.saved[0]).not.toContain('src/long.ts');
      await reader.close();
      expect(kept.saved).toHaveLength(1);
    } finally {
      limits.analysisMs = analysisMs;
    }
  });

  test('keeps what is read while it keeps what was read before', async () => {
    const kept = createNotes();
    let goOn = (): void => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const save: KeptIndex['save'] = async (content, isComplete) => {
      await kept.save(content, isComplete);
      await gate;
    };
    const { reader, list, readLate } = createSubject({ ...kept, save });
    await list();
    await reader.read();
    await eventually(() => expect(kept.saved).toHaveLength(1));
    await readLate();
    expect(kept.saved).toHaveLength(1);
    goOn();
    await eventually(() => expect(kept.saved).toHaveLength(2));
    expect(kept.saved[1]).toContain('src/late.ts');
    await reader.close();
  });

  test('keeps nothing for a small change before it is closed', async () => {
    for (let at = 0; at < 30; at += 1) source.write(`src/part${at}.ts`, `export const part${at} = 1;\n`);
    source.commit('Add some');
    const kept = createNotes();
    const { reader, list, readLate } = createSubject(kept);
    await list();
    await reader.read();
    await eventually(() => expect(kept.saved).toHaveLength(1));
    await readLate();
    await reader.close();
    expect(kept.saved.map((paths) => paths.includes('src/late.ts'))).toEqual([false, true]);
  });

  test('keeps the index again after many files are gone', async () => {
    const kept = createNotes();
    const { index, reader, list } = createSubject(kept);
    await list();
    await reader.read();
    await eventually(() => expect(kept.saved).toHaveLength(1));
    index.remove(repository.name, 'src/ship.ts');
    await reader.read();
    await eventually(() => expect(kept.saved).toHaveLength(2));
    expect(kept.saved[1]).not.toContain('src/ship.ts');
    await reader.close();
  });

  test('goes on without keeping when the disk is full', async () => {
    let tried = 0;
    const save = (): Promise<void> => {
      tried += 1;
      return Promise.reject(new Error('the disk is full'));
    };
    const { reader, read, failures, list, readLate } = createSubject({ ...createNotes(), save });
    await list();
    await reader.read();
    await eventually(() => expect(failures).toEqual([new Error('the disk is full')]));
    await readLate();
    await reader.close();
    expect(read).toContain('src/late.ts');
    expect(failures).toHaveLength(1);
    expect(tried).toBe(1);
  });

  test('goes on when the file that must go can neither be written nor removed', async () => {
    const [full, locked] = [new Error('the disk is full'), new Error('the disk is read-only')];
    const kept = { save: () => Promise.reject(full), remove: () => Promise.reject(locked) };
    const { reader, read, failures, list, readLate } = createSubject(kept);
    await list();
    reader.keepSoon();
    await reader.read();
    await eventually(() => expect(failures).toEqual([locked, full]));
    await readLate();
    expect(read).toContain('src/late.ts');
    await reader.close();
  });

  test('keeps what was read when it is closed', async () => {
    const kept = createNotes();
    const { index, reader, list } = createSubject(kept);
    await list();
    const ship = index.get(repository.name, 'src/ship.ts');
    await reader.readFirst(repository, ship === undefined ? [] : [ship]);
    await reader.close();
    expect(kept.saved).toEqual([['src/ship.ts']]);
  });

  test('has nothing to do in a repository without files', async () => {
    const { reader, read } = createSubject();
    await reader.plan(repository, []);
    await reader.read();
    expect(read).toEqual([]);
  });

  test('reads nothing more once it is closed', async () => {
    const { reader, read, list, failures } = createSubject();
    await list();
    await reader.close();
    await reader.read();
    expect(read).toEqual([]);
    expect(failures).toEqual([]);
  });
});

describe('the index of an earlier process', () => {
  let folder: Awaited<ReturnType<typeof createTempDir>>;
  beforeEach(async () => {
    folder = await createTempDir();
  });
  afterEach(() => folder.remove());

  /** Opens the corpus, reads it and closes it; returns how many files were read, and the places of a definition. */
  async function run(paths: readonly string[], name: string) {
    const corpus = await openCorpus(paths, undefined, createKeptIndex(folder.path));
    const toRead = corpus.index.unread();
    await corpus.read(60_000);
    const found = corpus.index.definitions(name).map(({ file }) => [file.path, file.commit]);
    await corpus.close();
    return { toRead, found };
  }

  test('is taken, so that only what changed is read', async () => {
    expect(await run([source.path], 'liftCrate')).toMatchObject({ toRead: 3, found: [['src/crane.ts', first]] });
    expect(await run([source.path], 'liftCrate')).toMatchObject({ toRead: 0, found: [['src/crane.ts', first]] });
    source.write('src/ship.ts', 'export function sailFaster(): void {}\n');
    const now = source.commit('Sail faster');
    expect(await run([source.path], 'sailFaster')).toMatchObject({ toRead: 1, found: [['src/ship.ts', now]] });
    expect(await run([source.path], 'sail')).toMatchObject({ toRead: 0, found: [] });
  });

  test('loses the files of a repository that is not served any more, also on the disk and before the stop', async () => {
    const other = createTestRepository({ 'src/secret.ts': 'export function openVault(): void {}\n' });
    try {
      other.commit('Begin');
      await run([source.path, other.path], 'openVault');
      const corpus = await openCorpus([source.path], undefined, createKeptIndex(folder.path));
      await corpus.read(60_000);
      expect(corpus.index.definitions('openVault')).toEqual([]);
      expect([...new Set([...corpus.index.all()].map(({ repository: own }) => own))]).toEqual([
        corpus.repositories[0]?.name,
      ]);
      await eventually(() =>
        expect(readFileSync(join(folder.path, 'files.index'), 'latin1')).not.toContain('openvault'),
      );
      await corpus.close();
      expect(readFileSync(join(folder.path, 'files.index'), 'latin1')).not.toMatch(/vault/i);
    } finally {
      other.remove();
    }
  });

  test('is removed when a repository is not served any more and the file can not be written', async () => {
    const other = createTestRepository({ 'src/secret.ts': 'export function openVault(): void {}\n' });
    try {
      other.commit('Begin');
      await run([source.path, other.path], 'openVault');
      const problems: unknown[] = [];
      const kept = createKeptIndex(folder.path);
      const save = (): Promise<void> => Promise.reject(new Error('the disk is full'));
      const corpus = await openCorpus([source.path], (error) => problems.push(error), { ...kept, save });
      await corpus.read(60_000);
      await eventually(() => expect(problems).toEqual([new Error('the disk is full')]));
      expect(readdirSync(folder.path)).toEqual([]);
      await corpus.close();
    } finally {
      other.remove();
    }
  });

  test('holds the limit of analyzed copies over starts', async () => {
    const limits: { copiesAnalyzed: number } = LIMITS;
    const { copiesAnalyzed } = LIMITS;
    limits.copiesAnalyzed = 2;
    try {
      for (let at = 0; at < 6; at += 1) source.write(`src/copy${at}.ts`, 'export function copied(): void {}\n');
      source.commit('Copy');
      for (const start of [1, 2, 3]) {
        const { found } = await run([source.path], 'copied');
        expect({ start, count: found.length }).toEqual({ start, count: 2 });
      }
    } finally {
      limits.copiesAnalyzed = copiesAnalyzed;
    }
  });

  test('is made again after its file was damaged', async () => {
    await run([source.path], 'liftCrate');
    writeFileSync(join(folder.path, 'files.index'), 'something else');
    expect(await run([source.path], 'liftCrate')).toMatchObject({ toRead: 3 });
    expect(await run([source.path], 'liftCrate')).toMatchObject({ toRead: 0 });
  });
});

describe('while files are not read yet', () => {
  /** A corpus that has listed its files and does not go on by itself. */
  async function listedOnly(): Promise<OpenedCorpus> {
    return { ...(await openCorpus([source.path])), refresh: async () => 0 };
  }

  test('an answer says how many they are', async () => {
    const corpus = await listedOnly();
    const { answer } = await askCorpus(corpus, 'How is a crate lifted?');
    expect(answer).toContain('3 of 3 files are not read yet, so this may lack something.');
    await corpus.read(60_000);
    const later = await askCorpus(corpus, 'How is a crate lifted?');
    expect(later.answer).not.toContain('not read yet');
    expect(later.answer).toContain('liftCrate');
    await corpus.close();
  });

  test('nothing is said of those that are not read', async () => {
    const corpus = await listedOnly();
    const steps: string[] = [];
    const { answer } = await createInvestigate(corpus)(
      'Where is the zeppelin moored?',
      [],
      async (step) => {
        steps.push(step);
      },
      () => true,
    );
    expect(answer).toContain('in the 0 files read so far,');
    expect(steps).toContainEqual(expect.stringMatching(/^Searching 0 files read so far of /));
    await corpus.close();
  });

  test('a model and its answer are told that there may be more', async () => {
    const corpus = await listedOnly();
    const world = await startAgentWorld(corpus);
    world.server.script(callsTools([{ name: 'find_symbols', input: { name: 'zeppelin' } }]), says('There is none.'));
    const { finding } = await world.ask('Where is the zeppelin?');
    expect(world.server.textOf(1)).toContain('No definition has this in its name. The search ended early');
    expect(finding.answer).toBe(
      'There is none.\n\n3 of 3 files are not read yet, so this may lack something. Ask again in a few minutes.',
    );
    await world.close();
    await corpus.close();
  });

  test('a question about a file of them gets its definitions', async () => {
    const corpus = await listedOnly();
    const { answer } = await askCorpus(corpus, 'What is in src/crane.ts?');
    expect(answer).toContain('liftCrate');
    expect(answer).toContain('2 of 3 files are not read yet');
    await corpus.close();
  });
});

describe('a refresh while files are read', () => {
  // More than are read at once.
  const names = Array.from({ length: 6 }, (_, at) => `part${at}`);
  let sources: TestRepository[];
  let corpus: OpenedCorpus;
  let goOn: () => void;

  beforeEach(async () => {
    sources = names.map((name) => {
      const own = createTestRepository({ 'crane.ts': `export function ${name}Crane(): void {}\n` });
      own.origin(`https://example.org/org/${name}.git`);
      own.commit('Begin');
      return own;
    });
    corpus = await openCorpus(sources.map(({ path }) => path));
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    for (const { blobs } of corpus.repositories.slice(1)) {
      const { sizes } = blobs;
      blobs.sizes = async (ids) => {
        await gate;
        return sizes(ids);
      };
    }
    await corpus.read(0);
    await eventually(() => expect(corpus.index.unread()).toBeLessThan(names.length));
  });
  afterEach(async () => {
    goOn();
    await corpus.untilRead();
    await corpus.close();
    for (const own of sources) own.remove();
  });

  test('lists what changed after another refresh began to wait', async () => {
    const waiting = corpus.refresh();
    const [first] = sources;
    first?.write('late.ts', 'export const late = 1;\n');
    first?.commit('Late');
    await corpus.refresh({ waitMs: 0 });
    const [repository] = corpus.repositories;
    expect(corpus.index.get(repository?.name ?? '', 'late.ts')).toBeDefined();
    goOn();
    await waiting;
  });

  test('ends with the signal', async () => {
    expect(await corpus.refresh({ signal: AbortSignal.abort() })).toBe(0);
  });

  test('lets a search for symbols find what is read, and say that there may be more', async () => {
    const found = await createSearch(corpus)({
      query: 'type:symbol Crane timeout:2s',
      viewer: { username: 'ada', canRead: () => true },
    });
    expect(found).toMatchObject({ limitHit: true, timedout: [], alert: undefined });
    expect(found.matchCount).toBeGreaterThan(0);
    expect(found.matchCount).toBeLessThan(names.length);
  });
});

test('a notice that fails after the last file is read is a problem of the service, not its end', async () => {
  const limits: { filesReadBeforeStart: number } = LIMITS;
  const { filesReadBeforeStart } = LIMITS;
  limits.filesReadBeforeStart = 0;
  // More than the service reads before it listens: this takes threads, which have to start first.
  for (let at = 0; at < 2 * manyFiles; at += 1) source.write(`src/part${at}.ts`, `export const part${at} = ${at};\n`);
  source.commit('Add many');
  const failure = new Error('the log is closed');
  const service = await startTestService({
    repos: [source.path],
    onNotice: (text) => {
      if (text.startsWith('All ')) throw failure;
    },
  });
  try {
    await eventually(async () => expect(service.problems).toEqual([failure]));
  } finally {
    limits.filesReadBeforeStart = filesReadBeforeStart;
    await service.stop();
  }
});
