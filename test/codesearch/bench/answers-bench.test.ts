import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHarbourRepository } from '../support/repository.ts';
import { firstSentence, isHedged, isRefusal, readPlace, relationsOf, visibleText } from './answers/answer-text.ts';
import { rankByGitGrep, rankByWordCounts, searchWords } from './answers/git-grep.ts';
import { type BenchQuestion, parseQuestions, readQuestions } from './answers/questions.ts';
import { findWrongGold } from './answers/repository.ts';
import { score, summarize } from './answers/scoring.ts';
import { groupBy, measuresTable, missesTable, spread } from './answers/tables.ts';

const blob = '/github.com/o/r@abc/-/blob/';
const COMMIT = 'a'.repeat(40);
const question: BenchQuestion = {
  id: 'r-01',
  part: 'tune',
  kind: 'explain',
  question: 'Where is the cap?',
  gold: [{ file: 'src/a.ts', lines: [10, 20], text: 'cap' }],
  fact: ['at most 30 s', '`CAP_MS`'],
};
const FILES: Record<string, string[]> = { 'src/a.ts': ['function cap(ms) {', '  delay(cap(ms));', '// cap(ms)'] };

function scoreOf(answer: string, sources: readonly string[], change: Partial<BenchQuestion> = {}) {
  const reference = { grep: { files: ['src/b.ts', 'src/a.ts'], ms: 3 }, readLines: (path: string) => FILES[path] };
  return score({ ...question, ...change }, 'r', { answer, sources, ms: 5 }, reference);
}

describe('the questions of the benchmark', () => {
  const sources = readQuestions();
  const questions = sources.flatMap((source) => source.questions);

  it('are at least 150 about eight repositories, each with both parts', () => {
    expect(questions.length).toBeGreaterThanOrEqual(150);
    expect(sources).toHaveLength(8);
    for (const source of sources) {
      const tune = source.questions.filter(({ part }) => part === 'tune').length;
      expect(Math.abs(tune / source.questions.length - 0.5)).toBeLessThan(0.05);
    }
  });

  it('are about the commits that the README names', () => {
    const readme = readFileSync('test/codesearch/bench/answers/README.md', 'utf8');
    const named = sources.map(({ repository, commit }) => `| ${repository} | \`${commit.slice(0, 10)}\` |`);
    expect(named.filter((row) => !readme.includes(row))).toEqual([]);
  });

  it('have ids and texts of which none occurs twice in a repository, and do not say their facts', () => {
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
    for (const source of sources) {
      expect(new Set(source.questions.map((one) => one.question)).size).toBe(source.questions.length);
    }
    const told = questions.filter(({ question: asked, fact = [] }) => fact.some((text) => asked.includes(text)));
    expect(told).toEqual([]);
  });

  it('include enough that have no answer, and enough in other languages', () => {
    const ofKind = (kind: string) => questions.filter((one) => one.kind === kind).length;
    expect(ofKind('none')).toBeGreaterThanOrEqual(16);
    expect(ofKind('language')).toBeGreaterThanOrEqual(8);
  });

  const source = { repository: 'o/r', commit: COMMIT, license: 'MIT', questions: [question] };
  const { gold: _gold, ...withoutGold } = question;
  const [place] = question.gold ?? [];

  it('are read in the form that is described', () => {
    expect(parseQuestions(source).questions).toEqual([question]);
  });

  it.each([
    ['an unknown field', { ...question, answer: 'x' }],
    ['lines that end before they begin', { ...question, gold: [{ ...place, lines: [2, 1] }] }],
    ['no gold for a question that has an answer', withoutGold],
    ['a gold for a question without an answer', { ...question, kind: 'none' }],
    ['a history question without a commit', { ...question, kind: 'history' }],
  ])('are refused with %s', (_name, wrong) => {
    expect(() => parseQuestions({ ...source, questions: [wrong] })).toThrow();
  });
});

describe('the check of gold places', () => {
  const repository = createHarbourRepository();
  afterAll(repository.remove);
  const gold = (file: string, lines: [number, number], text: string): BenchQuestion => ({
    ...question,
    gold: [{ file, lines, text }],
  });

  it('accepts a text that stands in the lines, and a commit of the history', () => {
    const commit = repository.git('rev-parse', 'HEAD~1').trim();
    expect(findWrongGold(repository.path, [{ ...gold('src/retry.ts', [3, 6], 'retryDelay'), commit }])).toEqual([]);
  });

  it.each([
    [gold('src/x.ts', [1, 1], 'x'), 'r-01: src/x.ts:1-1 does not exist'],
    [gold('src/config.ts', [5, 6], 'x'), 'r-01: src/config.ts:5-6 is beyond the end of the file'],
    [gold('src/retry.ts', [1, 3], 'withRetries'), 'r-01: src/retry.ts:1-3 lacks "withRetries"'],
    [{ ...gold('src/retry.ts', [3, 6], 'retryDelay'), commit: COMMIT }, `r-01: ${COMMIT} is not in the history`],
  ])('names what is wrong with %o', (wrong, problem) => {
    expect(findWrongGold(repository.path, [wrong])).toEqual([problem]);
  });
});

describe('the ranking by git grep', () => {
  const repository = createHarbourRepository();
  beforeAll(() => {
    repository.write('docs/über uns.md', 'Nothing about retrycapms and the delay\n');
    repository.git('add', '-A');
  });
  afterAll(repository.remove);

  it('takes the words of a question without stop words, and keeps names in one piece', () => {
    const words = searchWords('Where is the limit of grpc.max_size or --force-config decided? The limit!');
    expect(words).toEqual(['limit', 'grpc.max_size', 'force-config', 'decided']);
  });

  it('ranks files by different words, then by lines, then by path', () => {
    const counts = [{ b: 1, many: 9, a: 1, both: 1 }, { both: 1 }].map((one) => new Map(Object.entries(one)));
    expect(rankByWordCounts(counts)).toEqual(['both', 'many', 'a', 'b']);
  });

  it('counts lines in any capitals, also in files with odd names', () => {
    const files = ['docs/über uns.md', 'src/config.ts', 'src/retry.ts'];
    expect(rankByGitGrep(repository.path, 'What is RETRYCAPMS?')).toEqual(files);
    expect(rankByGitGrep(repository.path, 'Where is the xylophone?')).toEqual([]);
  });
});

describe('the text of an answer', () => {
  it.each([
    [`${blob}src/a.ts`, { path: 'src/a.ts' }],
    [`http://127.0.0.1:1${blob}src/a%20b.ts?L3`, { path: 'src/a b.ts', lines: [3, 3] }],
    ['/github.com/o/r/-/blob/src/a.ts?L3-L9', { path: 'src/a.ts', lines: [3, 9] }],
    ['/github.com/o/r/-/commit/abc1234', { commit: 'abc1234' }],
    ['https://example.com/', undefined],
  ])('links with %s to a place', (link, place) => {
    expect(readPlace(link)).toEqual(place);
  });

  it('is as long as what people read of it', () => {
    const answer = `**Run** \`npm test\` ([package.json:3](http://h${blob}package.json?L3)).\n\n\`\`\`json\n"test": "x"\n\`\`\``;
    expect(visibleText(answer)).toBe('Run npm test (package.json:3).\n\n\n"test": "x"');
    expect(firstSentence('Run `a.b` now. Then rest.')).toBe('Run `a.b` now.');
    expect(firstSentence('It is called in 1 place:\n\n- here\n- there')).toBe('It is called in 1 place: - here');
  });

  it.each([
    ['Nothing relevant was found for `a` and `b` in the 365 files. The nearest is x.', 'refused'],
    ['No file answers this.', 'refused'],
    ['This repository does not say anything about passwords.', 'refused'],
    ['I couldn’t find it.', 'refused'],
    ['Nothing in the 16 files mentions `kafka`.', 'refused'],
    ['I did not find anything about invoices.', 'refused'],
    ['I found nothing about “kafka” in the 16 files that were read. The nearest is x.', 'refused'],
    ['I’m not sure. The closest is [a](x).', 'hedged'],
    ['The closest match is `run`, a function in [a](x).', 'hedged'],
    ['The closest commits are these:', 'hedged'],
    ['I search in English, so I tried the names: `pLimit`.', 'hedged'],
    ['What do you want to know about the parser?', 'hedged'],
    ['No line that was read uses `x`, a function defined in a.ts, besides its definition.', 'sure'],
    ['`findNothing`, a function, is defined in a.ts. Nothing was found otherwise.', 'sure'],
    ['`closest` is in [a](x): “not sure”.', 'sure'],
    ['No limit applies: `x` is a function in a.ts.', 'sure'],
  ])('is with "%s" %s', (answer, claim) => {
    expect(isRefusal(answer) ? 'refused' : isHedged(answer) ? 'hedged' : 'sure').toBe(claim);
  });

  it('states relations by a sentence and by the list below it', () => {
    const link = (line: number) => `[a:${line}](http://h${blob}src/a.ts?L${line})`;
    const answer = `\`cap\` in ${link(1)} is called in 1 place: ${link(2)}\n\n**Called from**\n\n- ${link(3)} in \`f\`\n\nSee ${link(4)}.`;
    const lines = relationsOf(answer).map(({ names, place }) => [names, place.lines?.[0]]);
    expect(lines).toEqual([
      [['cap'], 2],
      [['cap'], 3],
    ]);
    expect(scoreOf(answer, []).unproven).toEqual(['cap src/a.ts:3']);
    expect(scoreOf(`\`cap\` is called at ${link(1)}`, []).unproven).toEqual(['cap src/a.ts:1']);
    expect(scoreOf(`\`delay\` is used in ${link(2)}`, []).unproven).toEqual([]);
  });
});

describe('the measures of an answer', () => {
  const link = (path: string) => `[${path}](http://h${blob}${path}?L1)`;

  it('give the rank of the first right one among the different files, those of the text first', () => {
    const sources = [`${blob}src/b.ts?L1`, `${blob}src/a.ts?L90`];
    expect(scoreOf(`It is in ${link('src/b.ts')}, also ${link('src/b.ts')}.`, sources).rank).toBe(2);
    expect(scoreOf(`It is in ${link('src/a.ts')}.`, sources).rank).toBe(1);
    expect(scoreOf('It is in b.', sources.slice(0, 1)).rank).toBe(Number.POSITIVE_INFINITY);
    expect(scoreOf('It is in b.', sources).grepRank).toBe(2);
  });

  it.each([
    ['the right file', `This is in ${link('src/a.ts')}.`, {}, false],
    ['another file', `This is in ${link('src/b.ts')}.`, {}, true],
    ['another file, but says the fact', `The cap is \`CAP_MS\` in ${link('src/b.ts')}.`, {}, false],
    ['another file, unsure', `I'm not sure. The closest is ${link('src/b.ts')}.`, {}, false],
    [
      'three places for a vague question',
      `${link('src/b.ts')}, ${link('src/a.ts')}`,
      { kind: 'vague' as const },
      false,
    ],
    ['a place for a question without an answer', link('src/b.ts'), { kind: 'none' as const, gold: undefined }, true],
    ['only words to a greeting', 'Hello!', { kind: 'smalltalk' as const, gold: undefined }, false],
  ])('take the first sentence with %s for confidently wrong or not', (_name, answer, change, wrong) => {
    expect(scoreOf(answer, [], change).confidentlyWrong).toBe(wrong);
  });

  it('count nothing that a refusal says or points to', () => {
    const refused = scoreOf('Nothing relevant was found for `CAP_MS`.', [`${blob}src/a.ts?L10`]);
    expect(refused).toMatchObject({ refused: true, factSaid: false, rank: Number.POSITIVE_INFINITY });
  });

  it('say whether the fact is said in any spelling, and whether the right commit is linked', () => {
    const answer = `It waits **At  most** 30\ns ([${COMMIT.slice(0, 8)}](http://h/github.com/o/r/-/commit/${COMMIT.slice(0, 8)})).`;
    expect(scoreOf(answer, [], { commit: COMMIT })).toMatchObject({ factSaid: true, commitLinked: true, rank: 1 });
    expect(scoreOf('It waits.', [], { commit: COMMIT })).toMatchObject({ factSaid: false, commitLinked: false });
    expect(scoreOf('It waits.', []).commitLinked).toBeUndefined();
    expect(scoreOf('Ada wrote it.', [], { kind: 'who', fact: ['Ada'] }).rank).toBe(1);
  });
});

describe('the tables of the benchmark', () => {
  const none: Partial<BenchQuestion> = { id: 'r-02', part: 'report', kind: 'none', gold: undefined, fact: undefined };
  const scores = [
    scoreOf(`CAP_MS in [a](http://h${blob}src/a.ts?L12)`, []),
    scoreOf(`It is in [b](http://h${blob}src/b.ts?L1).`, [`${blob}src/a.ts?L1`]),
    scoreOf('Nothing relevant was found.', []),
    scoreOf('It is there.', [`${blob}src/b.ts`], none),
    scoreOf('Nothing relevant was found.', [], none),
  ];

  it('give shares of the questions that have an answer, without those in other languages', () => {
    const language = scoreOf('It is there.', [], { kind: 'language' });
    expect(summarize([...scores, language])).toMatchObject({ questions: 6, first: 33, inThree: 67, facts: 33 });
    expect(summarize([language])).toMatchObject({ first: 0, wrongRefusals: 0 });
  });

  it('have one row per group', () => {
    const byPart = groupBy(scores, ({ part }) => part);
    const [head, , ...rows] = measuresTable('part', byPart).split('\n');
    expect(head?.split(' | ')).toHaveLength(rows[0]?.split(' | ').length ?? 0);
    expect(rows).toEqual([
      '| tune | 3 | 33 % (0 %) | 67 % (100 %) | 33 % | 33 % | 0 | 0 of 0 | 33 % | 0 of 0 | 11 | 27 | 5 ms (3 ms) | 5 ms |',
      '| report | 2 | – (–) | – (–) | – | 50 % | 0 | 1 of 2 | – | 0 of 0 | 12 | 27 | 5 ms (3 ms) | 5 ms |',
    ]);
  });

  it('leave some answers for printing, spread evenly', () => {
    const spreads = [0, 1, 2, 9].map((count) => spread(['a', 'b', 'c', 'd', 'e'], count).join(''));
    expect(spreads).toEqual(['', 'a', 'ad', 'abcde']);
  });

  it('name what was missed and why', () => {
    expect(missesTable(scores).split('\n').slice(2)).toEqual([
      '| r-01 | explain | Where is the cap? | not first, fact not said, confidently wrong | 2 | 2 |',
      '| r-01 | explain | Where is the cap? | refused | – | 2 |',
      '| r-02 | none | Where is the cap? | made up, confidently wrong | – | – |',
    ]);
  });
});
