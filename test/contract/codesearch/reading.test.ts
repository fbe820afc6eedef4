import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openIndexFolder } from '../../../src/codesearch/data-directory.ts';
import { openRepository, type Repository } from '../../../src/codesearch/git/repository.ts';
import { analyzeFile } from '../../../src/codesearch/index/analyze-file.ts';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { createFileIndex } from '../../../src/codesearch/index/file-index.ts';
import { createFileReader } from '../../../src/codesearch/index/file-reader.ts';
import { createKeptAnalyses } from '../../../src/codesearch/index/kept-analyses.ts';
import { LIMITS } from '../../../src/codesearch/limits.ts';
import { createSearch } from '../../../src/codesearch/query/search.ts';
import { createInvestigate } from '../../../src/codesearch/search/investigate.ts';
import { startAgentWorld } from '../../support/codesearch/agent-world.ts';
import { callsTools, says } from '../../support/codesearch/model-server.ts';
import { createTestRepository, type TestRepository } from '../../support/codesearch/repository.ts';
import { startTestService } from '../../support/codesearch/service.ts';
import { eventually } from '../../support/eventually.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';

const manyFiles = 450;

let source: TestRepository;
let repository: Repository;

beforeEach(async () => {
  source = createTestRepository({
    'docs/guide.md': '# Guide\n\nThe crane lifts a crate.\n',
    'src/crane.ts': '/** Lifts a crate. */\nexport function liftCrate(crate: string): string {\n  return crate;\n}\n',
    'src/ship.ts': 'export function sail(): void {}\n',
  });
  source.commit('Begin');
  repository = await openRepository(source.path);
});
afterEach(() => source.remove());

/** A reader with its index, and what it did: the paths in the order of reading, and how many contents came from git. */
function createSubject() {
  const index = createFileIndex();
  const read: string[] = [];
  const failures: unknown[] = [];
  let fromGit = 0;
  const counted: Repository = {
    ...repository,
    blobs: {
      ...repository.blobs,
      async *stream(sizes) {
        fromGit += sizes.size;
        yield* repository.blobs.stream(sizes);
      },
    },
  };
  const put: typeof index.put = (place, analyzed, isRead) => {
    if (isRead) read.push(place.path);
    index.put(place, analyzed, isRead);
  };
  const reader = createFileReader({ ...index, put }, (error) => failures.push(error));
  async function list(): Promise<void> {
    const files = await repository.files();
    for (const { path, blob } of files) {
      const place = { repository: repository.name, path, blob, commit: undefined };
      index.put(place, await analyzeFile(path, undefined), false);
    }
    await reader.plan(counted, files);
  }
  return { index, reader, read, failures, list, fromGit: () => fromGit };
}

describe('the reader of files', () => {
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

  test('takes from an earlier process what has not changed, and reads the rest', async () => {
    const folder = await createTempDir();
    try {
      const first = createSubject();
      first.reader.use(createKeptAnalyses(openIndexFolder(folder.path)));
      await first.list();
      await first.reader.read();
      await first.reader.close();
      expect(first.fromGit()).toBe(3);

      source.write('src/ship.ts', 'export function sailFaster(): void {}\n');
      source.commit('Sail faster');
      const second = createSubject();
      second.reader.use(createKeptAnalyses(openIndexFolder(folder.path)));
      await second.list();
      await second.reader.read();
      await second.reader.close();
      expect(second.fromGit()).toBe(1);
      expect(second.index.definitions('sailFaster')).toHaveLength(1);
      expect(second.index.definitions('liftCrate')).toHaveLength(1);
    } finally {
      await folder.remove();
    }
  });

  test('does not keep what the time limit of the analysis has cut', async () => {
    const folder = await createTempDir();
    const limits: { analysisMs: number } = LIMITS;
    const { analysisMs } = LIMITS;
    try {
      source.write('src/long.ts', 'export const long = 1;\n'.repeat(12_000));
      source.commit('Add a long file');
      repository = await openRepository(source.path);
      const { index, reader, list } = createSubject();
      const kept = createKeptAnalyses(openIndexFolder(folder.path));
      const put: string[] = [];
      reader.use({ ...kept, put: ({ path }) => put.push(path) });
      await list();
      limits.analysisMs = 1;
      await reader.read();
      await reader.close();
      expect(put).toEqual([]);
      expect(index.unread()).toBe(0);
    } finally {
      limits.analysisMs = analysisMs;
      await folder.remove();
    }
  });

  test('goes on without keeping when the disk is full', async () => {
    const folder = await createTempDir();
    try {
      const { reader, read, failures, list } = createSubject();
      const kept = createKeptAnalyses(openIndexFolder(folder.path));
      reader.use({ ...kept, written: () => Promise.reject(new Error('the disk is full')) });
      await list();
      await reader.read();
      await reader.close();
      expect(read).toHaveLength(3);
      expect(failures).toEqual([new Error('the disk is full')]);
    } finally {
      await folder.remove();
    }
  });

  test('reads what is planned while it removes what is kept of files that are gone', async () => {
    const folder = await createTempDir();
    try {
      const { reader, read, list } = createSubject();
      const kept = createKeptAnalyses(openIndexFolder(folder.path));
      let tidied = 0;
      const tidy = async (): Promise<void> => {
        tidied += 1;
        if (tidied > 1) return;
        source.write('src/late.ts', 'export const late = 1;\n');
        source.git('add', '-A');
        repository = await openRepository(source.path);
        await list();
      };
      reader.use({ ...kept, tidy });
      await list();
      await reader.read();
      await reader.close();
      expect(tidied).toBe(2);
      expect(read).toContain('src/late.ts');
    } finally {
      await folder.remove();
    }
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

describe('while files are not read yet', () => {
  /** A corpus that has listed its files and does not go on by itself. */
  async function listedOnly(): Promise<OpenedCorpus> {
    return { ...(await openCorpus([source.path])), refresh: async () => 0 };
  }
  const ask = (corpus: OpenedCorpus, question: string) =>
    createInvestigate(corpus)(
      question,
      [],
      async () => {},
      () => true,
    );

  test('an answer says how many they are', async () => {
    const corpus = await listedOnly();
    const { answer } = await ask(corpus, 'How is a crate lifted?');
    expect(answer).toContain('3 of 3 files are not read yet, so this may lack something.');
    await corpus.read(60_000, undefined);
    const later = await ask(corpus, 'How is a crate lifted?');
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
    const { answer } = await ask(corpus, 'What is in src/crane.ts?');
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
      own.git('remote', 'add', 'origin', `https://example.org/org/${name}.git`);
      own.commit('Begin');
      return own;
    });
    corpus = await openCorpus(sources.map(({ path }) => path));
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const kept = {
      get: () => undefined,
      put: () => {},
      written: () => gate,
      tidy: async () => {},
      close: async () => {},
    };
    await corpus.read(0, kept);
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
