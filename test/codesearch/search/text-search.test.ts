import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import type { SearchResults } from '../../../src/codesearch/query/results.ts';
import { createSearch } from '../../../src/codesearch/query/search.ts';
import { runs } from '../../support/runs.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

const LINES = [
  'export const liftCrate = 1;',
  'LIFTCRATE liftcrate LiftCrate',
  'return len(crates), nil',
  'der Straße ſtand der Kelvin \u212a, İstanbul ı',
  'größe = "GRÖSSE" + crane.größe',
  'a+b*c?(d)[e]{f}\\g|h^i$j.k',
  '\tif (craneK) { retry("crate") }\r',
  'λ → ΛΣσς 😀 crate😀crate',
  '',
  'aaaaaaaaaaaaaaaaaaaaaaaaab',
  'foo-bar_baz/qux.ts:12',
];

const FILES: Record<string, string | Buffer> = {
  'README.md': 'A crate.\n',
  'end.ts': 'no line end crate',
  'empty.ts': '',
  'latin1.ts': Buffer.from('crate gr\xfcn\nlift\xe9 liftCrate\n', 'latin1'),
  'late-nul.ts': Buffer.concat([Buffer.alloc(9_000, 'crate\n'), Buffer.from('a\0crate\n')]),
  'binary.bin': Buffer.from('crate\0crate\n'),
  'bom.ts': '\ufeffexport const liftCrate = 2;\n',
  'declared.dat': 'crate that an attribute names binary\n',
  '.gitattributes': '*.dat binary\n*.bin diff\n',
  'long.js': `${'x'.repeat(150_000)}liftCrate${'y'.repeat(10)} crate\ncrate\n`,
};
for (let at = 0; at < 60; at += 1) {
  const lines = LINES.filter((_, line) => ((at * 2_654_435_761) >>> (line + 3)) % 2 === 1);
  FILES[`src/${at % 7}/part${at}.ts`] = `${lines.join('\n')}\n`;
}

const words = fc
  .oneof(
    fc.constantFrom(
      'crate',
      'liftCrate',
      'LIFT',
      'größe',
      'kelvin',
      'straße',
      'aab',
      '], nil',
      'ſtand',
      'ı',
      'σς',
      '😀c',
      '.ts',
      'part1',
    ),
    fc.nat(LINES.length - 1).chain((line) => {
      const text = LINES[line] ?? '';
      return fc
        .tuple(fc.nat(text.length), fc.integer({ min: 1, max: 12 }))
        .map(([from, length]) => text.slice(from, from + length));
    }),
  )
  .filter((text) => text.trim() !== '' && !/\p{Surrogate}/u.test(text));
const expressions = fc.constantFrom(
  'lift[A-Z]\\w+',
  '(lift|retry).*crate',
  'crate\\b',
  '^export const \\w+ = \\d;$',
  '^$',
  'gr.(ö|ü)n?ß?e',
  '(a+)+b',
  'crates?',
  'K\\)',
  'len\\(\\w+\\), nil$',
  '\\bcrate\\s',
  'crate.$',
  'no line end \\w+$',
  '(?i)LIFTcrate',
);
const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
const term = fc.oneof(
  words.map((text) => `content:${quote(text)}`),
  expressions.map((source) => `/${source}/`),
);
const queries = fc
  .tuple(
    term,
    fc.option(fc.tuple(fc.constantFrom('AND', 'OR', 'AND NOT'), term)),
    fc.boolean(),
    fc.constantFrom('', 'type:file', 'type:path'),
  )
  .map(([first, other, isCaseSensitive, type]) =>
    [
      type,
      isCaseSensitive ? 'case:yes' : '',
      'count:all',
      other === null ? first : `(${first} ${other[0]} ${other[1]})`,
    ]
      .filter((part) => part !== '')
      .join(' '),
  );

describe('a search in texts', () => {
  let source: TestRepository;
  let listed: OpenedCorpus;
  let read: OpenedCorpus;

  beforeAll(async () => {
    source = createTestRepository(FILES);
    source.commit('Begin');
    listed = await openCorpus([source.path]);
    read = await openCorpus([source.path]);
    await read.read(60_000);
  });
  afterAll(async () => {
    await listed.close();
    await read.close();
    source.remove();
  });

  async function find(corpus: OpenedCorpus, query: string): Promise<Omit<SearchResults, 'elapsedMilliseconds'>> {
    const { elapsedMilliseconds: _, ...found } = await createSearch(corpus)({
      query,
      viewer: { username: 'ada', canRead: () => true },
    });
    return found;
  }

  /** What the index knows only takes away a doubt: a long line is not searched whole, unless the index says that it lacks the pattern. */
  async function expectSame(query: string): Promise<void> {
    const { limitHit: isDoubtedBefore, ...before } = await find(listed, query);
    const { limitHit: isDoubted, ...after } = await find(read, query);
    expect(after).toEqual(before);
    expect(isDoubtedBefore || !isDoubted).toBe(true);
  }

  test('finds the same before and after the index knows them', async () => {
    await fc.assert(fc.asyncProperty(queries, expectSame), runs(40));
  });

  test('says that more may match where a line was cut, until the index knows that it has no match', async () => {
    expect(await find(listed, 'content:"n \u212a"')).toMatchObject({ matchCount: 30, limitHit: true });
    expect(await find(read, 'content:"n \u212a"')).toMatchObject({ matchCount: 30, limitHit: false });
  });

  test.each(['/(crate.?)+ [A-Z]/', 'crate count:3', '/crate|lift/', `content:${quote('a'.repeat(150))}`])(
    'finds the same before and after the index knows them with %s',
    expectSame,
  );

  test('finds each line that has a word or a match, as a plain scan of the lines does', async () => {
    const isThere: [string, (line: string) => boolean][] = [
      ['crate', (line) => /crate/iu.test(line)],
      ['case:yes liftCrate', (line) => line.includes('liftCrate')],
      ['kelvin', (line) => /kelvin/iu.test(line)],
      ['größe', (line) => /größe/iu.test(line)],
      ['/^$/', (line) => line === ''],
      ['/len\\(\\w+\\), nil$/', (line) => /len\(\w+\), nil$/iu.test(line)],
      ['/(lift|retry).*crate/', (line) => /(lift|retry).*crate/iu.test(line)],
    ];
    for (const [query, has] of isThere) {
      const { results } = await find(read, `type:file file:^src/ count:all ${query}`);
      const found = results.flatMap((result) =>
        result.kind === 'file' ? result.lineMatches.map(({ lineNumber }) => `${result.path}:${lineNumber}`) : [],
      );
      const expected = Object.entries(FILES)
        .filter(([path]) => path.startsWith('src/'))
        .flatMap(([path, text]) =>
          String(text)
            .replace(/\n$/, '')
            .split('\n')
            .flatMap((line, at) => (has(line) ? [`${path}:${at}`] : [])),
        );
      // A match of no characters is not shown.
      if (query !== '/^$/') expect({ query, found: found.toSorted() }).toEqual({ query, found: expected.toSorted() });
    }
  });

  test('takes a file for binary by its content, not by its attributes', async () => {
    const { results } = await find(read, 'type:file crate (file:dat$ OR file:bin$)');
    expect(results.map((result) => result.kind === 'file' && result.path)).toEqual(['declared.dat']);
  });

  test('says that there may be more in a line that is too long to be read whole', async () => {
    expect(await find(read, 'file:long liftcrate')).toMatchObject({ matchCount: 0, limitHit: true });
    expect(await find(read, 'file:long /^crate/')).toMatchObject({ matchCount: 1 });
  });

  test('lets other work proceed, and ends in time, for a pattern that takes long in every line', async () => {
    const line = `${'ab'.repeat(2_000)}\n`;
    for (let at = 0; at < 40; at += 1) source.write(`heavy/${at}.txt`, line.repeat(200));
    source.git('add', '-A');
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 20);
    const startMs = performance.now();
    const found = await find(listed, '/(a|b)*a(a|b){100}c/ file:heavy timeout:500ms');
    clearInterval(timer);
    expect(found.matchCount).toBe(0);
    if (found.alert === undefined) return;
    expect(found.alert.kind).toBe('timed-out');
    expect(turns).toBeGreaterThan(1);
    expect(performance.now() - startMs).toBeLessThan(10_000);
  });
});
