import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenedCorpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { LIMITS } from '../../../src/codesearch/limits.ts';
import { compileRegexp } from '../../../src/codesearch/query/regexp/matcher.ts';
import type { SearchResults } from '../../../src/codesearch/query/results.ts';
import { createSearch } from '../../../src/codesearch/query/search.ts';
import { createTestRepository, type TestRepository } from '../../support/codesearch/repository.ts';
import { runs } from '../../support/runs.ts';

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
  'declared.dat': 'crate that git takes for binary\n',
  'text.bin': Buffer.from('crate\0that git takes for text\n'),
  '.gitattributes': '*.dat binary\n*.bin diff\n*.bin -text\nbinary.bin -diff\n',
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

describe('a search in texts that the index knows', () => {
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

  test('finds what git finds', async () => {
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        expect(await find(read, query)).toEqual(await find(listed, query));
      }),
      runs(40),
    );
  });

  test.each(['/(crate.?)+ [A-Z]/', 'crate count:3', '/crate|lift/', `content:${quote('a'.repeat(150))}`])(
    'finds what git finds with %s',
    async (query) => {
      expect(await find(read, query)).toEqual(await find(listed, query));
    },
  );

  test('goes on by git when a pattern takes too much work in the texts', async () => {
    const line = `crate${'ab'.repeat(400)}\n`;
    const [files, lines] = [40, 200];
    for (let at = 0; at < files; at += 1) source.write(`heavy/${at}.txt`, line.repeat(lines));
    source.write('heavy/last.txt', 'crate7\n');
    source.git('add', '-A');
    await read.refresh();
    await read.untilRead();
    const budget = { steps: LIMITS.regexpSteps };
    compileRegexp('crate\\w*\\d', true).exec(line, 0, budget);
    expect((LIMITS.regexpSteps - budget.steps) * lines * files).toBeGreaterThan(LIMITS.regexpStepsInTexts);
    const { matchCount, alert } = await find(read, '/crate\\w*\\d/ file:heavy');
    expect({ matchCount, alert }).toEqual({ matchCount: 1, alert: undefined });
  });
});
