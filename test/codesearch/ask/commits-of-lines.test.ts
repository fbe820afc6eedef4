import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readWrittenAnswer } from '../../../src/codesearch/agent/answer.ts';
import { createReadTools } from '../../../src/codesearch/agent/read-tools.ts';
import { createReadable } from '../../../src/codesearch/agent/readable.ts';
import { createSearchTools } from '../../../src/codesearch/agent/search-tools.ts';
import { type Corpus, type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { createSearch } from '../../../src/codesearch/query/search.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { askCorpus } from '../support/ask.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

const functionNamed = (name: string): string =>
  `/** Says ${name}. */\nexport function ${name}(crane: string) {\n  const x = crane + '${name}';\n  return x;\n}\n`;

let source: TestRepository;
/** Of the tests that only ask, one for the whole group. */
let corpus: OpenedCorpus;

async function open(path: string): Promise<void> {
  corpus = await openCorpus([path]);
  await corpus.read(60_000);
}

async function close(): Promise<void> {
  await corpus.close();
  source.remove();
}

async function withCorpus<T>(path: string, use: (corpus: OpenedCorpus) => Promise<T>) {
  const corpus = await openCorpus([path]);
  try {
    await corpus.read(60_000);
    return await use(corpus);
  } finally {
    await corpus.close();
  }
}

const answerOf = async (corpus: Corpus, question: string): Promise<string> =>
  (await askCorpus(corpus, question)).answer;

const blame = (corpus: Corpus): Promise<string> =>
  createReadTools(createReadable(corpus, () => true)).blame({ path: 'src/a.ts' });

function searchTools(corpus: Corpus, readable = createReadable(corpus, () => true)) {
  const viewer = { username: 'ada', canRead: () => true };
  return createSearchTools({ readable, search: createSearch(corpus), viewer, signal: new AbortController().signal });
}

describe('of a file with staged changes', () => {
  /** The staged lines move those of Alice to where HEAD has those of Olga. */
  beforeAll(async () => {
    source = createTestRepository({ 'src/a.ts': functionNamed('alpha') });
    source.commit('Write alpha', { author: 'Alice' });
    source.write('src/a.ts', functionNamed('alpha') + functionNamed('omega'));
    source.commit('Write omega', { author: 'Olga', date: '2024-04-01T10:00:00Z' });
    source.write('src/a.ts', functionNamed('fresh') + functionNamed('alpha') + functionNamed('omega'));
    source.git('add', '-A');
    await open(source.path);
  });
  afterAll(close);

  test.each(['Who wrote `alpha`?', 'Why was `alpha` last changed?'])(
    '%s gets no author of its lines',
    async (question) => {
      const answer = await answerOf(corpus, question);
      expect(answer).toContain('src/a.ts');
      expect(answer).not.toMatch(/commits to `alpha`|last changed .* by Olga/);
    },
  );

  test('the model is refused', async () => {
    await expect(blame(corpus)).rejects.toThrow('This file has staged changes');
  });
});

describe('of a history of many commits', () => {
  afterEach(() => source.remove());
  const TEXT = 'the crane must not be overloaded';

  /** Each commit adds one more use of `alpha`, and one more line with a text; the first is of 2010. */
  function createHistory(commits: number): void {
    source = createTestRepository();
    const stream = Array.from({ length: commits }, (_, at) => {
      const content = `${functionNamed('alpha')}${`alpha('${TEXT}');\n`.repeat(at)}${at === 0 ? `// ${TEXT}\n` : ''}`;
      const who = `Ada <a@example.org> ${Date.UTC(2010, 0, 1 + at) / 1_000} +0000`;
      const change = `M 100644 inline src/a.ts\ndata ${content.length}\n${content}`;
      return `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata 4\nCall\n${change}\n`;
    });
    execFileSync('git', ['-C', source.path, 'fast-import', '--quiet'], { input: stream.join('') });
    source.git('reset', '-q', '--hard');
  }

  test('the first commit of a name is told when all commits that changed it are known', async () => {
    createHistory(60);
    await withCorpus(source.path, async (corpus) => {
      const ofName = await answerOf(corpus, 'When was `alpha` added?');
      expect(ofName).toContain('first came in on 2010-01-01');
      expect(await answerOf(corpus, `When was "${TEXT}" added?`)).toMatch(/first came in on 2010-01-01/);
    });
  });

  test('no first commit is told when there are more', async () => {
    createHistory(140);
    await withCorpus(source.path, async (corpus) => {
      const ofName = await answerOf(corpus, 'When was `alpha` added?');
      expect(ofName).toContain('was last added or removed');
      expect(ofName).not.toContain('first came');
      const ofText = await answerOf(corpus, `When was "${TEXT}" added?`);
      expect(ofText).toContain('was last added or removed');
      expect(ofText).not.toContain('first came');
    });
  });
});

const OLDEST = 'at or before 2024-05-01: this clone has no older history';

/** Opens a shallow clone of a history of two commits, and with a depth of 2 of one more. The tests of a group only ask. */
function useShallowClone(depth: 1 | 2): void {
  let folder: Awaited<ReturnType<typeof createTempDir>>;
  beforeAll(async () => {
    folder = await createTempDir();
    const clone = join(folder.path, 'shallow');
    source = createTestRepository({ 'src/a.ts': functionNamed('alpha') });
    source.commit('Write alpha', { author: 'Alice' });
    source.write('src/b.ts', functionNamed('beta'));
    source.commit('Mention the ballast in beta', { author: 'Bob', date: '2024-05-01T10:00:00Z' });
    if (depth === 2) {
      source.write('src/a.ts', functionNamed('alpha').replace("+ 'alpha'", "+ 'ALPHA'"));
      source.commit('Speak up', { author: 'Cleo', date: '2024-06-01T10:00:00Z' });
    }
    source.git('clone', '-q', '--depth', `${depth}`, `file://${source.path}`, clone);
    await open(clone);
  });
  afterAll(async () => {
    await close();
    await folder.remove();
  });
}

describe('of a shallow clone of one commit', () => {
  useShallowClone(1);

  test.each([
    'When was `alpha` added?',
    'Who wrote `alpha`?',
    'Who wrote `src/a.ts`?',
    'When was `src/a.ts` last changed?',
    'When was "Says alpha" added?',
  ])('%s gets neither the date nor the author of its oldest commit', async (question) => {
    const answer = await answerOf(corpus, question);
    expect(answer).toContain(OLDEST);
    expect(answer).not.toContain('Bob');
    expect(answer).not.toContain('ballast');
  });

  test('its oldest commit itself is told with its author', async () => {
    const answer = await answerOf(corpus, 'What changed recently?');
    expect(answer).toContain('Mention the ballast in beta.');
    expect(answer).toContain('2024-05-01, Bob: Mention the ballast in beta');
  });
});

describe('of a shallow clone of two commits', () => {
  useShallowClone(2);

  test('lines and commits that are newer are told with their author', async () => {
    const byName = await answerOf(corpus, 'Who wrote `alpha`?');
    expect(byName).toContain('are by Cleo (1) of 1 commit. This clone has no older history.');
    expect(await answerOf(corpus, 'What changed last in `alpha`?')).toContain('2024-06-01, Cleo: Speak up');
  });

  test('the model is told that there is no older history', async () => {
    const lines = (await blame(corpus)).split('\n');
    expect(lines[0]).toMatch(new RegExp(`^1-2: commit [0-9a-f]{12} ${OLDEST}$`));
    expect(lines[1]).toMatch(/^3: commit [0-9a-f]{12}, 2024-06-01, Cleo: Speak up$/);
    expect(await searchTools(corpus).commits({ changes: 'alpha' })).toContain('has no history before commit');
    expect(await searchTools(corpus).commits({ message: 'ballast' })).not.toContain('has no history before');
  });
});

describe('of a repository that changes meanwhile', () => {
  afterEach(() => source.remove());

  /** The commit of the links to a file in an answer, with their lines. */
  const linksTo = (path: string, answer: string) =>
    [...answer.matchAll(/@([0-9a-f]{40})\/-\/blob\/([^?)]+)\?L(\d+)-(\d+)/g)]
      .filter(([, , file]) => file === path)
      .map(([, commit = '', , start, end]) => ({ commit, start: Number(start), end: Number(end) }));
  const linesAt = (commit: string, path: string, start: number, end: number): string[] =>
    source
      .git('show', `${commit}:${path}`)
      .split('\n')
      .slice(start - 1, end);

  test('a link names the commit that has its lines, also when HEAD moves while files are listed', async () => {
    source = createTestRepository({ 'src/a.ts': functionNamed('alpha') });
    source.commit('Begin');
    await withCorpus(source.path, async (corpus) => {
      source.write('src/b.ts', functionNamed('beta'));
      source.commit('Write beta');
      const [repository] = corpus.repositories;
      if (repository === undefined) throw new Error('no repository');
      const { head } = repository;
      let isMoved = false;
      repository.head = async () => {
        if (!isMoved) {
          isMoved = true;
          source.write('src/a.ts', functionNamed('fresh') + functionNamed('alpha'));
          source.commit('Write fresh');
        }
        return head();
      };
      const { answer } = await askCorpus(corpus, 'Where is `alpha` defined?');
      const [link] = linksTo('src/a.ts', answer);
      expect(link).toBeDefined();
      expect(link === undefined ? [] : linesAt(link.commit, 'src/a.ts', link.start, link.end)[0]).toContain('alpha');
    });
  });

  test('no commit is named while HEAD moves at each listing', async () => {
    source = createTestRepository({ 'src/a.ts': functionNamed('alpha') });
    source.commit('Begin');
    await withCorpus(source.path, async (corpus) => {
      source.write('src/a.ts', functionNamed('beta') + functionNamed('alpha'));
      source.commit('Write beta');
      const [repository] = corpus.repositories;
      if (repository === undefined) throw new Error('no repository');
      const { head } = repository;
      let moved = 0;
      repository.head = async () => {
        moved += 1;
        source.write('src/c.ts', functionNamed(`gamma${moved}`));
        source.commit('Write gamma');
        return head();
      };
      await corpus.refresh();
      // For two listings, and once for the messages of the commits.
      expect(moved).toBe(3);
      expect(corpus.index.get(repository.name, 'src/a.ts')?.commit).toBeUndefined();
      repository.head = head;
      await corpus.refresh();
      expect(corpus.index.get(repository.name, 'src/a.ts')?.commit).toBe(source.git('rev-parse', 'HEAD').trim());
    });
  });

  test('a link of the model leads to the lines that it found', async () => {
    source = createTestRepository({ 'src/a.ts': functionNamed('alpha'), 'src/b.ts': functionNamed('beta') });
    const first = source.commit('Begin');
    await withCorpus(source.path, async (corpus) => {
      const readable = createReadable(corpus, () => true);
      const tools = searchTools(corpus, readable);
      expect(await tools.text({ text: 'crane + alpha' })).toContain('No file matches');
      expect(await tools.text({ text: "crane + 'alpha'" })).toContain('src/a.ts');
      expect(await tools.symbols({ name: 'beta' })).toContain('src/b.ts:2');
      for (const path of ['a', 'b']) source.write(`src/${path}.ts`, `${functionNamed('fresh')}// ${path}\n`);
      source.commit('Write fresh');
      await corpus.refresh();
      const links = ['a', 'b'].map((path) => `[it](/${corpus.repositories[0]?.name}/-/blob/src/${path}.ts?L2-3)`);
      const { answer } = await readWrittenAnswer(`# Both\n\n${links.join(' and ')}`, readable);
      for (const path of ['src/a.ts', 'src/b.ts']) {
        expect(linksTo(path, answer)).toEqual([{ commit: first, start: 2, end: 3 }]);
      }
    });
  });

  test('a link of the model leads to the lines that it read', async () => {
    source = createTestRepository({ 'src/a.ts': functionNamed('alpha') });
    const first = source.commit('Begin');
    await withCorpus(source.path, async (corpus) => {
      const readable = createReadable(corpus, () => true);
      const read = await createReadTools(readable).file({ path: 'src/a.ts', start: 2, end: 5 });
      const [, address = ''] = /link: (\S+)/.exec(read) ?? [];
      source.write('src/a.ts', functionNamed('fresh') + functionNamed('alpha'));
      source.commit('Write fresh');
      await corpus.refresh();
      // Another question finds the file as it is now.
      const other = await readWrittenAnswer(
        `# Alpha\n\nSee [it](${address}).`,
        createReadable(corpus, () => true),
      );
      expect(linksTo('src/a.ts', other.answer)[0]?.commit).toBe(source.git('rev-parse', 'HEAD').trim());
      const written = await readWrittenAnswer(`# Alpha\n\n\`alpha\` is here: [it](${address})`, readable);
      expect(linksTo('src/a.ts', written.answer)).toEqual([{ commit: first, start: 2, end: 5 }]);
      source.git('rm', '-q', 'src/a.ts');
      source.commit('Remove alpha');
      await corpus.refresh();
      const later = await readWrittenAnswer(`# Alpha\n\n\`alpha\` was here: [it](${address})`, readable);
      expect(linksTo('src/a.ts', later.answer)).toEqual([{ commit: first, start: 2, end: 5 }]);
    });
  });
});
