import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import type { PatternType } from '../../../src/codesearch/query/ast.ts';
import type { FileMatch, SearchResult, SearchResults } from '../../../src/codesearch/query/results.ts';
import { createSearch, type Search, type SearchRequest } from '../../../src/codesearch/query/search.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

const FILES = {
  'README.md': '# Depot\n\nThe depot keeps parcels. A parcel is a parcel.\n',
  'src/parcel.ts':
    'export function sendParcel(parcel: string) {\n  return parcel + parcel;\n}\nexport class Depot {}\n',
  'src/queue.ts': "import { sendParcel } from './parcel.ts';\n\nexport const QUEUE = [sendParcel];\n",
  'lib/tool.go': 'package tool\n\nfunc Parcel() int { return 1 }\n\nfunc queue() {}\n',
  'data/umlaut.txt': 'Größe und GRÖSSE, größe\nnaïve (a+b) [c] $HOME\n',
  'docs/odd name [1].md': 'parcel -dash\n',
  'blob.bin': Buffer.from([0, 1, 2, 0x70, 0x61, 0x72, 0x63, 0x65, 0x6c, 0]),
};

let corpus: OpenedCorpus;
let depot: TestRepository;
let other: TestRepository;
let search: Search;
let second: string;
const everyone = { username: 'alice', canRead: () => true };

async function run(query: string, options: Partial<SearchRequest> = {}): Promise<SearchResults> {
  return search({ query, viewer: everyone, ...options });
}

const files = ({ results }: SearchResults): FileMatch[] =>
  results.filter((result): result is FileMatch => result.kind === 'file');
const pathsOf = (results: SearchResults): string[] => files(results).map(({ path }) => path);
const ofType = (results: SearchResults): string[] => results.results.map((result) => nameOf(result));

function nameOf(result: SearchResult): string {
  if (result.kind === 'repository') return `repo ${result.repository}`;
  return result.kind === 'commit' ? `commit ${result.message.split('\n')[0]}` : `file ${result.path}`;
}

beforeAll(async () => {
  depot = createTestRepository(FILES);
  depot.origin('https://example.org/acme/depot.git');
  depot.commit('Send parcels\n\nThe first parcel left the depot.', { date: '2024-01-01T10:00:00Z' });
  depot.git('tag', 'v1');
  depot.write('src/queue.ts', "import { sendParcel } from './parcel.ts';\n\nexport const QUEUE = [];\n");
  depot.write('src/late.ts', 'export const late = 1;\n');
  second = depot.commit('Empty the queue', { author: 'Grace Hopper', date: '2024-06-01T10:00:00Z' });
  depot.write('src/staged.ts', 'export const staged = "parcel";\n');
  depot.git('add', 'src/staged.ts');
  depot.write('src/unstaged.ts', 'export const unstaged = "parcel";\n');
  other = createTestRepository({ 'main.py': 'def deliver():\n    return "parcel"\n' });
  other.origin('https://example.org/acme/other.git');
  other.commit('Deliver');
  corpus = await openCorpus([depot.path, other.path]);
  search = createSearch(corpus);
});

afterAll(() => {
  depot.remove();
  other.remove();
});

describe('searching files', () => {
  test('spec 4: matchCount is the number of matches, not of lines, in any capitals', async () => {
    const found = await run('file:README parcel');
    expect(found.matchCount).toBe(3);
    expect(files(found)[0]?.lineMatches).toEqual([
      {
        line: 'The depot keeps parcels. A parcel is a parcel.',
        lineNumber: 2,
        ranges: [
          { start: 16, length: 6 },
          { start: 27, length: 6 },
          { start: 39, length: 6 },
        ],
      },
    ]);
    expect(found).toMatchObject({ resultCount: 1, limitHit: false, missing: [], timedout: [], alert: undefined });
  });

  test('searches the staged state by default, and names the commit of HEAD', async () => {
    const found = await run('repo:depot content:"= \\"parcel"');
    expect(pathsOf(found)).toEqual(['src/staged.ts']);
    expect(files(found)[0]).toMatchObject({ commit: second, revision: '', repository: 'example.org/acme/depot' });
  });

  test.each<[string, string[]]>([
    ['repo:depot@v1 QUEUE sendParcel', []],
    ['repo:depot@v1 content:"[sendParcel]"', ['src/queue.ts']],
    ['repo:depot rev:HEAD content:"[sendParcel]"', []],
    ['repo:depot rev:v1:HEAD file:late', ['src/late.ts']],
    ['file:^src/.*\\.ts$ parcel', ['src/parcel.ts', 'src/queue.ts', 'src/staged.ts']],
    ['file:src/ -file:queue parcel', ['src/parcel.ts', 'src/staged.ts']],
    ['lang:go parcel', ['lib/tool.go']],
    ['lang:typescript -file:. parcel', []],
    ['-lang:typescript -lang:markdown parcel type:file', ['lib/tool.go', 'main.py']],
    ['file:README case:yes Parcel', []],
    ['case:yes sendParcel file:parcel', ['src/parcel.ts']],
    ['/send\\w+\\(parcel/', ['src/parcel.ts']],
    ['/^func \\w+\\(\\)/', ['lib/tool.go']],
    ['/class|QUEUE/ file:src', ['src/parcel.ts', 'src/queue.ts']],
    ['größe', ['data/umlaut.txt']],
    ['/GR.SSE/ case:yes', ['data/umlaut.txt']],
    ['/na.ve \\(a\\+b\\)/', ['data/umlaut.txt']],
    ['"(a+b) [c] $HOME"', ['data/umlaut.txt']],
    ['content:"-dash"', ['docs/odd name [1].md']],
    ['sendParcel AND QUEUE', ['src/queue.ts']],
    ['sendParcel OR "package tool"', ['lib/tool.go', 'src/parcel.ts', 'src/queue.ts']],
    ['sendParcel NOT QUEUE', ['src/parcel.ts']],
    ['sendParcel -QUEUE', ['src/parcel.ts']],
    ['(file:go parcel) OR (file:queue sendParcel)', ['lib/tool.go', 'src/queue.ts']],
    ['file:src/ NOT parcel', ['src/late.ts']],
    ['file:src', ['src/late.ts', 'src/parcel.ts', 'src/queue.ts', 'src/staged.ts']],
    ['type:path queue', ['src/queue.ts']],
    ['odd name', ['docs/odd name [1].md']],
    ['sendParcel patternType:regexp ^import', []],
    ['patternType:regexp ^import from', ['src/queue.ts']],
    ['patternType:keyword queue import', ['src/queue.ts']],
    ['context:global fork:yes archived:no sendParcel file:queue', ['src/queue.ts']],
    ['repo:other parcel', ['main.py']],
    ['-repo:depot parcel', ['main.py']],
  ])('%s finds %j', async (query, expected) => {
    const found = await run(query);
    expect(found.alert).toBeUndefined();
    expect(pathsOf(found)).toEqual(expected);
  });

  test('counts a file found by its path, and a repository found by its name, once each', async () => {
    expect(ofType(await run('depot'))).toEqual(['repo example.org/acme/depot', 'file README.md', 'file src/parcel.ts']);
    const named = await run('type:path parcel');
    expect(named.matchCount).toBe(1);
    expect(files(named)[0]?.pathMatches).toEqual([{ start: 4, length: 6 }]);
  });

  test('lists repositories for a query that has only filters for them', async () => {
    expect(ofType(await run('repo:acme'))).toEqual(['repo example.org/acme/depot', 'repo example.org/acme/other']);
    expect(ofType(await run('type:repo depot'))).toEqual(['repo example.org/acme/depot']);
  });

  test('a file that two alternatives find is one result with the matches of both', async () => {
    const found = await run('(file:README keeps) OR (file:README.md (keeps OR depot))');
    expect(found.resultCount).toBe(1);
    expect(found.matchCount).toBe(3);
  });

  const words = [
    'parcel',
    'Parcel',
    'queue',
    'depot',
    'return',
    'a',
    'e',
    '(',
    '[',
    '\\',
    '.',
    '$',
    '-',
    'ü',
    'ö',
    ' ',
  ];
  const counted = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));

  test('counts what a plain scan of all texts counts', async () => {
    const texts = Object.entries({
      ...FILES,
      'src/queue.ts': "import { sendParcel } from './parcel.ts';\n\nexport const QUEUE = [];\n",
      'src/late.ts': 'export const late = 1;\n',
      'src/staged.ts': 'export const staged = "parcel";\n',
    }).flatMap(([path, text]) => (typeof text === 'string' ? [[path, text] as const] : [[path, ''] as const]));
    const scan = (word: string, isCaseSensitive: boolean): number => {
      const fold = (text: string) => (isCaseSensitive ? text : text.toLowerCase());
      return texts.reduce((sum, [path, text]) => {
        const inText = text.split('\n').reduce((amount, line) => amount + fold(line).split(fold(word)).length - 1, 0);
        return sum + (inText > 0 ? inText : fold(path).includes(fold(word)) ? 1 : 0);
      }, 0);
    };
    await fc.assert(
      fc.asyncProperty(counted, fc.boolean(), async (word, isCaseSensitive) => {
        const quoted = word.replace(/["\\]/g, '\\$&');
        const query = `repo:depot type:file content:"${quoted}" ${isCaseSensitive ? 'case:yes' : ''}`;
        expect((await run(query)).matchCount).toBe(scan(word, isCaseSensitive));
      }),
      { numRuns: 15 },
    );
  });
});

describe('symbols', () => {
  // Without it, a search on a slow machine finds those of the files that are read by then.
  beforeAll(() => corpus.read(60_000));

  test.each<[string, string[]]>([
    ['type:symbol parcel', ['sendParcel', 'Parcel']],
    ['type:symbol /^Depot$/', ['Depot']],
    ['type:symbol repo:depot@v1 queue', ['queue', 'QUEUE']],
  ])('%s finds %j', async (query, names) => {
    const found = files(await run(query)).flatMap(({ symbols }) => symbols.map(({ name }) => name));
    expect(found.sort()).toEqual([...names].sort());
  });
});

describe('commits', () => {
  test('type:commit searches messages and shows where they match', async () => {
    const found = await run('type:commit parcel');
    expect(ofType(found)).toEqual(['commit Send parcels']);
    expect(found.matchCount).toBe(2);
    expect(found.results[0]).toMatchObject({
      author: { name: 'Ada Byron', email: 'a@example.org' },
      highlights: [
        { line: 0, character: 5, length: 6 },
        { line: 2, character: 10, length: 6 },
      ],
    });
  });

  test.each<[string, string[]]>([
    ['type:commit author:grace', ['Empty the queue']],
    ['type:commit repo:depot -author:grace', ['Send parcels']],
    ['type:commit repo:depot committer:@example.org>$', ['Empty the queue', 'Send parcels']],
    ['type:commit repo:depot after:2024-03-01', ['Empty the queue']],
    ['type:commit repo:depot before:2024-03-01', ['Send parcels']],
    ['type:commit repo:depot message:first', ['Send parcels']],
    ['type:commit repo:depot@v1 author:.', ['Send parcels']],
    ['type:commit queue NOT parcel', ['Empty the queue']],
  ])('%s finds %j', async (query, subjects) => {
    const found = await run(query);
    expect(found.alert).toBeUndefined();
    expect(ofType(found)).toEqual(subjects.map((subject) => `commit ${subject}`));
  });
});

describe('select', () => {
  test.each<[string, string[]]>([
    ['parcel select:repo', ['repo example.org/acme/depot', 'repo example.org/acme/other']],
    ['sendParcel select:file', ['file src/parcel.ts', 'file src/queue.ts']],
    ['type:commit queue select:file', []],
  ])('%s gives %j', async (query, expected) => {
    expect(ofType(await run(query))).toEqual(expected);
  });
});

describe('limits', () => {
  test('count: ends the search, and limitHit says that there is more', async () => {
    const cut = await run('parcel count:2 file:README');
    expect([cut.matchCount, cut.limitHit]).toEqual([2, true]);
    const exact = await run('parcel count:3 file:README');
    expect([exact.matchCount, exact.limitHit]).toEqual([3, false]);
    expect((await run('parcel count:all file:README')).limitHit).toBe(false);
  });

  test('a deadline ends the search with an alert that names the repositories', async () => {
    const late = await run('parcel timeout:1ms');
    expect(late.alert?.kind).toBe('timed-out');
    expect(late.timedout).toEqual(['example.org/acme/depot', 'example.org/acme/other']);
  });

  test('the end of the request ends the search', async () => {
    const reason = new Error('gone');
    await expect(run('parcel', { signal: AbortSignal.abort(reason) })).rejects.toThrow(reason);
  });

  test('a request that ends during its search leaves the place to the next search of its user', async () => {
    const viewer = { username: 'leaver', canRead: () => true };
    const request = new AbortController();
    const left = run('parcel', { viewer, signal: request.signal, onResult: () => request.abort(new Error('left')) });
    const next = run('file:README parcel', { viewer });
    await expect(left).rejects.toThrow('left');
    expect((await next).matchCount).toBe(3);
  });

  test('a NUL is no query', async () => {
    await expect(run('a\0b')).rejects.toMatchObject({ kind: 'badRequest' });
  });

  test('searches of one user run one after another, and too many are refused', async () => {
    let running = 0;
    let most = 0;
    const viewer = { username: 'busy', canRead: () => true };
    const onResult = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
    };
    const all = await Promise.allSettled(Array.from({ length: 30 }, () => run('file:README', { viewer, onResult })));
    expect(most).toBe(1);
    const refused = all.filter((one) => one.status === 'rejected');
    expect(refused.length).toBe(9);
    expect(refused[0]).toMatchObject({ reason: { kind: 'busy' } });
  });

  test('a repository that the viewer can not read is not searched and not named', async () => {
    const viewer = { username: 'bob', canRead: (name: string) => !name.endsWith('other') };
    expect(JSON.stringify(await run('parcel', { viewer }))).not.toContain('acme/other');
    expect((await run('repo:other parcel', { viewer })).alert?.kind).toBe('no-repositories');
  });
});

describe('a search that finds nothing for a reason says so', () => {
  test.each<[string, string, PatternType?]>([
    ['/(/', 'invalid-pattern'],
    ['repo:nowhere parcel', 'no-repositories'],
    ['repo:depot@nosuch parcel', 'revision-not-found'],
    ['/((a+)+)+$/ file:README', 'none'],
    ['repohasfile:x parcel', 'unsupported-filter'],
    ['author:ada', 'invalid-filter'],
  ])('%s: %s', async (query, kind) => {
    const found = await run(query);
    expect(found.alert?.kind ?? 'none').toBe(kind);
    expect(found.matchCount).toBe(0);
  });

  test('a revision that one of several repositories has is searched there, and missing elsewhere', async () => {
    const found = await run('rev:v1 sendParcel');
    expect(found.matchCount).toBeGreaterThan(0);
    expect(found.missing).toEqual(['example.org/acme/other']);
    expect(found.alert).toBeUndefined();
  });

  test('a pattern that takes other engines for ever is matched', async () => {
    depot.write('hostile.txt', `${'a'.repeat(60)}!\n`);
    depot.git('add', 'hostile.txt');
    try {
      expect(await run('file:hostile /^(a|a|aa)+$/')).toMatchObject({ matchCount: 0, alert: undefined });
    } finally {
      depot.git('rm', '-q', '-f', 'hostile.txt');
    }
  });
});
