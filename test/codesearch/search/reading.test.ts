import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createInvestigate } from '../../../src/codesearch/ask/investigate.ts';
import { openRepository, type Repository } from '../../../src/codesearch/git/repository.ts';
import { analyzeFile } from '../../../src/codesearch/index/analyze-file.ts';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { createFileIndex } from '../../../src/codesearch/index/file-index.ts';
import { createFileReader } from '../../../src/codesearch/index/file-reader.ts';
import { LIMITS } from '../../../src/codesearch/limits.ts';
import { createSearch } from '../../../src/codesearch/query/search.ts';
import { eventually } from '../../support/eventually.ts';
import { startAgentWorld } from '../support/agent-world.ts';
import { askCorpus } from '../support/ask.ts';
import { callsTools, says } from '../support/model-server.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

const manyFiles = 450;

let source: TestRepository;
let repository: Repository;

beforeEach(() => {
  source = createTestRepository({
    'docs/guide.md': '# Guide\n\nThe crane lifts a crate.\n',
    'src/crane.ts': '/** Lifts a crate. */\nexport function liftCrate(crate: string): string {\n  return crate;\n}\n',
    'src/ship.ts': 'export function sail(): void {}\n',
  });
  source.commit('Begin');
});
afterEach(() => source.remove());

/** A reader with its index, and the paths that it read, in their order. */
function createSubject() {
  const index = createFileIndex();
  const read: string[] = [];
  const failures: unknown[] = [];
  const put: typeof index.put = (place, analyzed, isRead) => {
    if (isRead) read.push(place.path);
    return index.put(place, analyzed, isRead);
  };
  const reader = createFileReader({ ...index, put }, (error) => failures.push(error));
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

test('the limit of analyzed copies holds also after changes', async () => {
  const limits: { copiesAnalyzed: number } = LIMITS;
  const { copiesAnalyzed } = LIMITS;
  limits.copiesAnalyzed = 2;
  try {
    const copy = 'export function copied(): void {}\n';
    for (let at = 0; at < 6; at += 1) source.write(`src/copy${at}.ts`, copy);
    source.commit('Copy');
    const corpus = await openCorpus([source.path]);
    await corpus.read(60_000);
    expect(corpus.index.definitions('copied')).toHaveLength(2);
    source.write('src/ship.ts', copy);
    for (const { file } of corpus.index.definitions('copied').slice(1)) source.write(file.path, '');
    source.commit('Copy once more');
    await corpus.refresh();
    expect(corpus.index.definitions('copied')).toHaveLength(2);
    await corpus.close();
  } finally {
    limits.copiesAnalyzed = copiesAnalyzed;
  }
});

describe('while files are not read yet', () => {
  /** A corpus that has listed its files and does not go on by itself. */
  async function listedOnly(): Promise<OpenedCorpus> {
    return { ...(await openCorpus([source.path])), refresh: async () => new Map() };
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
    expect(answer).toContain('in the 0 files read so far.');
    expect(steps).toContainEqual(expect.stringMatching(/^Searching 0 files read so far of /));
    await corpus.close();
  });

  test('a model and its answer are told that there may be more', async () => {
    const corpus = await listedOnly();
    const world = await startAgentWorld(corpus);
    world.server.script(callsTools([{ name: 'find_symbols', input: { name: 'zeppelin' } }]), says('There is none.'));
    const { finding } = await world.ask('Where is the zeppelin?');
    expect(world.server.textOf(1)).toContain('No definition has this in its name.\nThe search ended early');
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
    expect(await corpus.refresh({ signal: AbortSignal.abort() })).toEqual(new Map());
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
