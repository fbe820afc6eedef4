import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rankByGitGrep, rankByWordCounts, searchWords } from '../../bench/answers/git-grep.ts';
import { findWrongGold } from '../../bench/answers/package-repository.ts';
import { type BenchQuestion, parseQuestions, readQuestions } from '../../bench/answers/questions.ts';
import { isRefusal, readPointer, score, summarize } from '../../bench/answers/scoring.ts';
import { groupBy, measuresTable, missesTable, spread } from '../../bench/answers/tables.ts';
import { createHarbourRepository } from '../../support/codesearch/repository.ts';

const blob = '/github.com/o/r/-/blob/';
const question: BenchQuestion = {
  id: 'r-01',
  part: 'tune',
  kind: 'plain',
  question: 'Where is the cap?',
  gold: [{ file: 'src/a.ts', lines: [10, 20], text: 'cap' }],
};
const grep = { files: ['src/b.ts', 'src/a.ts'], ms: 3 };

function scoreOf(answer: string, sources: readonly string[], asked: BenchQuestion = question, commit?: string) {
  return score(asked, 'r', { answer, sources, ms: 5 }, grep, commit);
}

describe('the questions of the benchmark', () => {
  const packages = readQuestions();
  const questions = packages.flatMap((source) => source.questions);

  it('are at least 80 about at least four packages, each with both parts', () => {
    expect(questions.length).toBeGreaterThanOrEqual(80);
    expect(packages.length).toBeGreaterThanOrEqual(4);
    for (const source of packages) {
      const tune = source.questions.filter(({ part }) => part === 'tune').length;
      expect(Math.abs(tune / source.questions.length - 0.5)).toBeLessThan(0.1);
    }
  });

  it('are about the releases that the README names', () => {
    const readme = readFileSync('test/bench/answers/README.md', 'utf8');
    const releases = packages.map((source) => `| ${source.package} ${source.history.at(-1)?.version} |`);
    expect(releases.filter((release) => !readme.includes(release))).toEqual([]);
  });

  it('have ids and texts of which none occurs twice', () => {
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
    expect(new Set(questions.map((one) => one.question)).size).toBe(questions.length);
  });

  it('include at least eight that the packages do not answer, in both parts alike', () => {
    const none = questions.filter(({ gold }) => gold === 'none');
    expect(none.length).toBeGreaterThanOrEqual(8);
    expect(none.filter(({ part }) => part === 'tune')).toHaveLength(none.length / 2);
  });

  const source = {
    package: 'p',
    origin: 'https://github.com/o/p.git',
    license: 'MIT',
    without: [],
    history: [
      { version: '1.0.0', date: '2024-01-01T00:00:00Z' },
      { version: '1.1.0', date: '2024-02-01T00:00:00Z' },
    ],
    questions: [question],
  };

  it('are read in the form that is described', () => {
    expect(parseQuestions(source).questions).toEqual([question]);
  });

  it.each([
    ['an unknown field', { questions: [{ ...question, answer: 'x' }] }],
    [
      'lines that end before they begin',
      { questions: [{ ...question, gold: [{ file: 'a', lines: [2, 1], text: 'x' }] }] },
    ],
    ['no gold for a question that has an answer', { questions: [{ ...question, gold: 'none' }] }],
    ['a gold for a question without an answer', { questions: [{ ...question, kind: 'none' }] }],
    ['a history question without a release', { questions: [{ ...question, kind: 'history' }] }],
    ['a release that is not in the history', { questions: [{ ...question, kind: 'history', release: '2.0.0' }] }],
    ['releases in the wrong order', { history: source.history.toReversed() }],
  ])('are refused with %s', (_name, change) => {
    expect(() => parseQuestions({ ...source, ...change })).toThrow();
  });
});

describe('the check of gold places', () => {
  const repository = createHarbourRepository();
  afterAll(repository.remove);
  const gold = (file: string, lines: [number, number], text: string): BenchQuestion => ({
    ...question,
    gold: [{ file, lines, text }],
  });

  it('accepts a text that stands in the lines', () => {
    expect(
      findWrongGold(repository.path, [gold('src/retry.ts', [3, 6], 'retryDelay'), { ...question, gold: 'none' }]),
    ).toEqual([]);
  });

  it.each([
    ['a file that does not exist', gold('src/x.ts', [1, 1], 'x'), 'r-01: src/x.ts:1-1 does not exist'],
    [
      'lines beyond the end',
      gold('src/config.ts', [5, 6], 'x'),
      'r-01: src/config.ts:5-6 is beyond the end of the file',
    ],
    [
      'lines without the text',
      gold('src/retry.ts', [1, 3], 'withRetries'),
      'r-01: src/retry.ts:1-3 lacks "withRetries"',
    ],
  ])('names %s', (_name, wrong, problem) => {
    expect(findWrongGold(repository.path, [wrong])).toEqual([problem]);
  });
});

describe('the ranking by git grep', () => {
  it('takes the words of a question without stop words, and keeps names in one piece', () => {
    expect(searchWords('Where is the limit of grpc.max_size or --force-config decided? The limit!')).toEqual([
      'limit',
      'grpc.max_size',
      'force-config',
      'decided',
    ]);
  });

  it('ranks files by different words, then by lines, then by path', () => {
    const counts = [
      new Map([
        ['b', 1],
        ['many', 9],
        ['a', 1],
        ['both', 1],
      ]),
      new Map([['both', 1]]),
    ];
    expect(rankByWordCounts(counts)).toEqual(['both', 'many', 'a', 'b']);
  });

  describe('in a repository', () => {
    const repository = createHarbourRepository();
    beforeAll(() => {
      repository.write('docs/über uns.md', 'Nothing about retrycapms and the delay\n');
      repository.git('add', '-A');
    });
    afterAll(repository.remove);

    it('counts lines in any capitals, also in files with odd names', () => {
      expect(rankByGitGrep(repository.path, 'What is RETRYCAPMS?')).toEqual([
        'docs/über uns.md',
        'src/config.ts',
        'src/retry.ts',
      ]);
      expect(rankByGitGrep(repository.path, 'Where is the delay of retryCapMs?')[0]).toBe('src/retry.ts');
    });

    it('is empty when no file holds a word', () => {
      expect(rankByGitGrep(repository.path, 'Where is the xylophone?')).toEqual([]);
    });
  });
});

describe('the measures of an answer', () => {
  it.each([
    [`${blob}src/a.ts`, { path: 'src/a.ts' }],
    [`${blob}src/a.ts?L3`, { path: 'src/a.ts', lines: [3, 3] }],
    [`http://127.0.0.1:1${blob}src/a%20b.ts?L3-9`, { path: 'src/a b.ts', lines: [3, 9] }],
    [`/github.com/o/r@main/-/blob/src/a.ts?L3-L9`, { path: 'src/a.ts', lines: [3, 9] }],
    ['/github.com/o/r/-/commit/abc', undefined],
    ['https://example.com/', undefined],
  ])('read %s as a pointer', (link, pointer) => {
    expect(readPointer(link)).toEqual(pointer);
  });

  it('give the rank of the first right file among the different files of the sources', () => {
    const sources = [`${blob}src/b.ts?L1`, `${blob}src/b.ts?L9`, `${blob}src/a.ts?L90`];
    expect(scoreOf('It is in b.', sources)).toMatchObject({
      refused: false,
      fileRank: 2,
      linesLinked: false,
      grepRank: 2,
    });
    expect(scoreOf('It is in b.', sources.slice(0, 2)).fileRank).toBeUndefined();
  });

  it.each([
    ['a source that overlaps the gold lines', 'It is there.', [`${blob}src/a.ts?L20-30`], true],
    ['a link of the answer that overlaps them', `See [a](http://h${blob}src/a.ts?L1-10).`, [], true],
    ['a link to lines beside them', `See [a](http://h${blob}src/a.ts?L21-30).`, [`${blob}src/a.ts?L1-9`], false],
    ['a link to the whole file', `See [a](http://h${blob}src/a.ts).`, [`${blob}src/a.ts`], false],
    ['a link to the same lines of another file', `See [a](http://h${blob}lib/src/a.ts?L10).`, [], false],
  ])('count right lines by %s', (_name, answer, sources, linesLinked) => {
    expect(scoreOf(answer, sources).linesLinked).toBe(linesLinked);
  });

  it('count nothing that a refusal points to', () => {
    const refused = scoreOf('Nothing relevant was found for `cap`.', [`${blob}src/a.ts?L10`]);
    expect(refused).toMatchObject({ refused: true, linesLinked: false });
    expect(refused.fileRank).toBeUndefined();
  });

  it('say for a history question whether the right commit is linked', () => {
    const history: BenchQuestion = { ...question, kind: 'history', release: '1.0.0' };
    const link = '/github.com/o/r/-/commit/abc';
    expect(scoreOf('It changed.', [link], history, 'abc').commitLinked).toBe(true);
    expect(scoreOf(`It changed in [x](http://h${link}).`, [], history, 'abc').commitLinked).toBe(true);
    expect(scoreOf('It changed.', [link], history, 'abd').commitLinked).toBe(false);
    expect(scoreOf('It changed.', [link]).commitLinked).toBeUndefined();
  });

  it.each([
    ['Nothing relevant was found for `a` and `b` in the 365 files. The nearest is x.', true],
    ['No file answers this.', true],
    ['This repository does not say anything about passwords.', true],
    ['I couldn’t find it.', true],
    ['No line that was read uses `x`, a function defined in a.ts, besides its definition.', false],
    ['`findNothing`, a function, is defined in a.ts. Nothing was found otherwise.', false],
    ['The section “Not found” of README.md describes this.', false],
    ['No limit applies: `x` is a function in a.ts.', false],
  ])('take "%s" for a refusal or not', (answer, refusal) => {
    expect(isRefusal(answer)).toBe(refusal);
  });
});

describe('the tables of the benchmark', () => {
  const none: BenchQuestion = { ...question, id: 'r-02', part: 'report', kind: 'none', gold: 'none' };
  const scores = [
    scoreOf('It is there.', [`${blob}src/a.ts?L12`]),
    scoreOf('It is there.', [`${blob}src/b.ts?L12`, `${blob}src/a.ts?L1`]),
    scoreOf('Nothing relevant was found.', []),
    scoreOf('It is there.', [], none),
    scoreOf('Nothing relevant was found.', [], none),
  ];

  it('give shares of the questions that have an answer, and count refusals', () => {
    expect(summarize(scores)).toEqual({
      questions: 5,
      fileFirst: 33,
      fileInFive: 67,
      lines: 33,
      grepFirst: 0,
      grepInFive: 100,
      commits: '0 of 0',
      honestRefusals: '1 of 2',
      wrongRefusals: 1,
      p50Ms: 5,
      p95Ms: 5,
      grepP50Ms: 3,
    });
  });

  it('have one row per group', () => {
    expect(
      measuresTable(
        'part',
        groupBy(scores, ({ part }) => part),
      ).split('\n'),
    ).toEqual([
      '| part | questions | right file first | right file among five | right lines linked | right commit | honest refusals | wrong refusals | p50 | p95 |',
      '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
      '| tune | 3 | 33 % (0 %) | 67 % (100 %) | 33 % | 0 of 0 | 0 of 0 | 1 | 5 ms (3 ms) | 5 ms |',
      '| report | 2 | – (–) | – (–) | – | 0 of 0 | 1 of 2 | 0 | 5 ms (3 ms) | 5 ms |',
    ]);
  });

  it.each([
    [0, []],
    [1, ['a']],
    [2, ['a', 'd']],
    [5, ['a', 'b', 'c', 'd', 'e']],
    [9, ['a', 'b', 'c', 'd', 'e']],
  ])('leave %s of five answers for printing, spread evenly', (count, kept) => {
    expect(spread(['a', 'b', 'c', 'd', 'e'], count)).toEqual(kept);
  });

  it('name what was missed and why', () => {
    expect(missesTable(scores).split('\n').slice(2)).toEqual([
      '| r-01 | plain | Where is the cap? | 2 | 2 | no |',
      '| r-01 | plain | Where is the cap? | refused | 2 | no |',
      '| r-02 | none | Where is the cap? | made up | – | – |',
    ]);
  });
});
