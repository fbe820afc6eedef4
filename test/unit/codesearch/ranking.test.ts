import { describe, expect, test } from 'vitest';
import { analyzeFile } from '../../../src/codesearch/index/analyze-file.ts';
import type { Corpus } from '../../../src/codesearch/index/corpus.ts';
import { createFileIndex } from '../../../src/codesearch/index/file-index.ts';
import { stem } from '../../../src/codesearch/index/stem.ts';
import { createTextIndex, weigh } from '../../../src/codesearch/index/text-index.ts';
import { CONFIDENCE } from '../../../src/codesearch/search/constants.ts';
import { answerability, confidence, coverage } from '../../../src/codesearch/search/coverage.ts';
import { createInvestigation } from '../../../src/codesearch/search/investigation.ts';
import { queryWords } from '../../../src/codesearch/search/query-terms.ts';
import { parseQuestion } from '../../../src/codesearch/search/questions/question.ts';
import { zipfOf } from '../../../src/codesearch/search/questions/speech.ts';
import { phrasesIn, relatedStems } from '../../../src/codesearch/search/questions/thesaurus.ts';
import { fuse, rankPassages } from '../../../src/codesearch/search/rank.ts';
import { lookUp, rankVerbatim } from '../../../src/codesearch/search/verbatim.ts';

async function indexOf(files: Record<string, string>) {
  const index = createFileIndex();
  for (const [path, text] of Object.entries(files)) {
    index.put({ repository: 'r', path, blob: path, commit: undefined }, await analyzeFile(path, text), true);
  }
  const lines = async ({ path }: { path: string }) => (files[path] ?? '').split('\n');
  return { index, reader: { lines, preload: async () => {} } };
}

/** Ranks what is in files for a question without texts to look up. */
async function rank(files: Record<string, string>, text: string) {
  const { index, reader } = await indexOf(files);
  const investigation = {
    ...createInvestigation({ repositories: [], index } as unknown as Corpus, async () => {}),
    ...reader,
  };
  const question = parseQuestion(text);
  return rankPassages(queryWords(question, index), [], question, investigation);
}

describe('the text index', () => {
  const documents = ['a', 'b', 'c'].map((name) => ({ id: 0, name }));
  const [a, b, c] = documents;
  function filled() {
    const index = createTextIndex<{ id: number; name: string }>();
    if (a !== undefined) index.add(a, weigh({ symbol: ['queue'], body: ['job', 'job'] }));
    if (b !== undefined) index.add(b, weigh({ body: ['queue', 'job', 'crane'] }));
    if (c !== undefined) index.add(c, weigh({ body: ['ship'] }));
    return index;
  }
  const names = (found: readonly { document: { name: string }; score: number }[]): string[] =>
    found.toSorted((x, y) => y.score - x.score).map(({ document }) => document.name);

  test('ranks a term in a name before the same term in a text', () => {
    expect(names(filled().find(['queue'], [1]))).toEqual(['a', 'b']);
  });

  test('says which terms a document has', () => {
    expect(
      filled()
        .find(['ship', 'crane', 'job'], [1, 1, 1])
        .map(({ document, found }) => [document.name, found]),
    ).toEqual([
      ['c', 0b001],
      ['b', 0b110],
      ['a', 0b100],
    ]);
  });

  test('takes a rare term for more than a common one', () => {
    const index = filled();
    expect(index.rarity(['ship'])).toBeGreaterThan(index.rarity(['job']));
    expect(index.rarity(['ship', 'job'])).toBeLessThan(index.rarity(['job']));
    expect(index.rarity(['zeppelin'])).toBeGreaterThan(index.rarity(['ship']));
  });

  test('forgets removed documents and finds the others, also after it has freed their place', () => {
    const index = filled();
    if (a !== undefined && b !== undefined) index.remove([a, b]);
    expect(index.size()).toBe(1);
    expect(names(index.find(['queue', 'job', 'ship'], [1, 1, 1]))).toEqual(['c']);
    expect([...index.documentsWith('ship')]).toEqual([c]);
    expect(index.has('crane')).toBe(false);
  });
});

test('a document that two rankings have near the top comes before the first one of a single ranking', () => {
  const fused = fuse([
    ['x', 'y', 'z'],
    ['w', 'y'],
  ]);
  expect([...fused].sort((one, other) => other[1] - one[1])[0]?.[0]).toBe('y');
});

describe('the words of a question', () => {
  test('weigh less the more people say them', () => {
    expect(zipfOf('the')).toBeGreaterThan(7);
    expect(zipfOf('semaphore')).toBeLessThan(3);
    expect(zipfOf('xyzzy')).toBe(0);
  });

  test('lead with a name, and none of them is required', async () => {
    const { index } = await indexOf({ 'src/a.ts': 'export function retryDelay() {\n  return decided;\n}\n' });
    const words = queryWords(parseQuestion('How was it decided what retryDelay does with a zeppelin?'), index);
    const heaviest = words.filter(({ isKnown }) => isKnown)[0];
    expect(heaviest?.word).toBe('retryDelay');
    expect(words.find(({ word }) => word === 'zeppelin')).toMatchObject({ isKnown: false, terms: new Map() });
  });

  test('stand for other forms and related words that the repository has', async () => {
    const { index } = await indexOf({ 'a.ts': 'panic(link(), abort())' });
    const words = queryWords(parseQuestion('panicked linkers cancel'), index);
    expect(words.flatMap(({ terms }) => [...terms.keys()])).toEqual(
      expect.arrayContaining([stem('panic'), stem('link'), stem('abort')]),
    );
  });

  test('are covered by a text in part', async () => {
    const { index } = await indexOf({ 'a.ts': 'socket(); // pools\nport' });
    const words = queryWords(parseQuestion('socket pools'), index);
    expect(coverage('const socket = 1', words)).toBeGreaterThan(0.2);
    expect(coverage('const socket = pool()', words)).toBeCloseTo(1);
    expect(coverage('nothing', words)).toBe(0);
  });

  test('say what an answer is about: nouns and verbs, without words that describe and those of a phrase', async () => {
    const { index } = await indexOf({ 'a.ts': 'worker(); parallel()' });
    const words = queryWords(parseQuestion('Where do usable workers compute side by side?'), index);
    const told = words.map(({ word, isNeeded, isNoun }) => `${word}: ${isNeeded} ${isNoun}`);
    expect(told.sort()).toEqual([
      'compute: true false',
      'side by side: true false',
      'side: false true',
      'usable: false false',
      'workers: true true',
    ]);
  });

  test('are found with more certainty by a noun itself than by a related word; of verbs any will do', async () => {
    const { index } = await indexOf({ 'a.ts': 'connection(); abort()' });
    const noun = queryWords(parseQuestion('the socket'), index);
    const verb = queryWords(parseQuestion('How does it cancel?'), index);
    expect([noun, verb].map((words) => words.map(({ isNoun }) => isNoun))).toEqual([[true], [false]]);
    expect(confidence(new Map([[0, 0.5]]), noun)).toBeCloseTo(0.5);
    expect(confidence(new Map([[0, 0.5]]), verb)).toBeCloseTo(1);
    expect(confidence(new Map(), verb)).toBe(0);
  });

  test('make a question answerable in part where only other units have them, and not where nothing has them', async () => {
    const { index } = await indexOf({ 'a.ts': 'connection(); abort()' });
    const [known = [], unknown = []] = ['the connection', 'the captcha'].map((text) =>
      queryWords(parseQuestion(text), index),
    );
    expect(answerability(new Map([[0, 1]]), known)).toBeCloseTo(1);
    expect(answerability(new Map(), known)).toBeCloseTo(CONFIDENCE.elsewhere);
    expect(answerability(new Map(), unknown)).toBe(0);
  });

  test('make a question less answerable the less people say them in everyday English', async () => {
    const { index } = await indexOf({ 'a.ts': 'connection(); abort()' });
    const [everyday = 0, technical = 0] = ['the connection of friends', 'the connection of Kerberos'].map((text) => {
      const words = queryWords(parseQuestion(text), index);
      return answerability(new Map([[words.findIndex(({ word }) => word === 'connection'), 1]]), words);
    });
    expect(technical).toBeLessThan(0.5);
    expect(everyday).toBeGreaterThan(0.8);
  });

  test('that only describe make a question answerable where they are', async () => {
    const { index } = await indexOf({ 'a.ts': 'usable();' });
    const words = queryWords(parseQuestion('How usable is it?'), index);
    expect(answerability(new Map(), words)).toBe(0);
    expect(answerability(new Map([[0, 1]]), words)).toBe(1);
  });

  test('have related words by the thesaurus, phrases too', () => {
    expect(relatedStems(stem('delay'))).toContain(stem('backoff'));
    expect(phrasesIn('How many run side by side?').map(({ phrase }) => phrase)).toEqual(['side by side']);
    expect(phrasesIn('How many run?')).toEqual([]);
  });

  test('get the longest of several phrases within each other, once', () => {
    expect(phrasesIn('Why does it go round in circles?').map(({ phrase }) => phrase)).toEqual(['round in circles']);
  });

  test('have related words from every entry of the thesaurus', () => {
    const mixed = phrasesIn('What is done by itself and by itself?').map(({ phrase }) => phrase);
    expect(mixed).toEqual(['by itself']);
    expect(relatedStems(stem('connection'))).toEqual(expect.arrayContaining([stem('socket'), stem('session')]));
  });
});

describe('a text that a question quotes', () => {
  const files = {
    'src/limit.ts':
      'const idleTimeout = 3;\nfunction check(n) {\n  throw new Error("Too many boats (" + n + ") in the harbour");\n}\n',
    'src/use.ts':
      "import { idleTimeout } from './limit.ts';\n\nexport function wait() {\n  return idleTimeout * 2;\n}\n",
    'README.md': '# Boats\n\nSet `IDLE_TIMEOUT` to wait longer.\n',
  };

  test('is found where its words are joined in another way', async () => {
    const { index, reader } = await indexOf(files);
    const { hits } = await lookUp('--idle-timeout', index, reader);
    expect(hits.map(({ file, line }) => `${file.path}:${line}`).sort()).toEqual([
      'README.md:3',
      'src/limit.ts:1',
      'src/use.ts:1',
      'src/use.ts:4',
    ]);
  });

  test('is found by its longest part where its words differ', async () => {
    const { index, reader } = await indexOf(files);
    const { hits } = await lookUp('Too many boats that Anna and Ben sent into the harbour', index, reader);
    expect(hits.map(({ file, line, run }) => [file.path, line, run])).toEqual([['src/limit.ts', 3, 3]]);
  });

  test.each([
    ['Too many boats (12) in the harbour', 'fail("Too many boats (" + n + ") in the harbour")', 7],
    ['expected exactly 5 fields, found 6', "fmt.Errorf('expected exactly %d fields, found %d: %s', 1, 2, fields)", 6],
    [
      'expected exactly 5 fields, found 6',
      ['`expected exactly $', '{wanted} fields, found $', '{this.fields.length}`'].join(''),
      6,
    ],
    ['took 250 ms and 3 tries', 'f"took {} ms and {} tries"', 6],
    ['HTTP 404 while reading', 'log("HTTP " + response.status.code() + " while reading")', 4],
    ['port 8080 is taken', 'throw new Error("port 8080 is taken")', 4],
    ['host 8080 is taken', 'throw new Error("host " + this.options.server.address().port + " is taken")', 4],
    ['12 tests failed', '`$' + '{tests.filter((test) => test.failed).length} tests failed`', 3],
    ['listening on 127.0.0.1:8080 now', 'print("listening on %s now")', 4],
    ['cannot open /var/lib/boats/7.db', 'fail(f"cannot open {path}")', 3],
    ['cannot open C:\\\\boats\\\\7.db: it is locked', 'fail("cannot open %s: it is locked", path)', 6],
    ['no crane at https://harbour.example/cranes?at=4', "throw new Error('no crane at ' + url)", 4],
    ['commit 3f9a7c21d is unknown', 'print("commit %s is unknown")', 4],
    ['see docs/cranes.md for more', 'print("see docs/cranes.md for more")', 6],
    ['boats of Anna and Ben sank', 'fail("boats of " + owners.join() + " sank")', 6],
    ['no such boat: Black Pearl', 'fail(`no such boat: $' + '{name}`)', 5],
    ['request timed out after 30004ms', 'fail("request timed out after " + elapsed + "ms")', 5],
    [
      'request timed out after 3ms (total=10, idle=0)',
      'fail("request timed out after " + elapsed + "ms (total=" + total + ", idle=" + idle + ")")',
      10,
    ],
    ['Connection reset by peer', 'export class Connection {}', undefined],
    ['error while frobnicating widgets', 'try { go() } catch (error) {}', undefined],
    ['import failed: unknown', "import { readFile } from 'fs'", undefined],
    ['error: permission denied', 'console.log(`error $' + '{error.message}`)', undefined],
    ['GET /zeppelin/pages/1 HTTP/1.1', 'function get(key) {}', undefined],
    ['read/write timeout and/or error', 'type Timeout = { error: number }', undefined],
    ['a/b.zz c/d.zz e/f.zz failed', 'const failed = a;', undefined],
    ['port 8080 is taken', 'throw new Error("port 9090 is taken")', undefined],
    ['expected 2 got 3', 'fail("expected string or object, got: nothing")', undefined],
    ['status 404', 'log("the status of the request")', undefined],
  ])('with numbers, %j, is found in %s', async (text, line, run) => {
    const { index, reader } = await indexOf({ 'src/a.ts': `// 404 and 8080\n\n${line}\n` });
    const { hits } = await lookUp(text, index, reader);
    expect(hits.map((hit) => [hit.line, hit.run])).toEqual(run === undefined ? [] : [[3, run]]);
  });

  test('is not found by a few common words of it', async () => {
    const { index, reader } = await indexOf(files);
    expect((await lookUp('the wait for zeppelins', index, reader)).hits).toEqual([]);
  });

  test('ranks its use before its import and before documents', async () => {
    const { index, reader } = await indexOf(files);
    const ranked = rankVerbatim([await lookUp('idleTimeout', index, reader)], ({ file }) =>
      file.role === 'docs' ? 0.5 : 1,
    );
    expect([...ranked.keys()].map(({ file, start }) => `${file.path}:${start}`)[0]).toBe('src/use.ts:3');
  });

  test('is worth the less the more places it has', async () => {
    const uses = (count: number): string => 'moor(idleTimeout);\n'.repeat(count);
    const worth = async (count: number): Promise<number> => {
      const { index, reader } = await indexOf({ 'src/a.ts': uses(count) });
      return Math.max(...rankVerbatim([await lookUp('idleTimeout', index, reader)], () => 1).values());
    };
    const [few, many] = [await worth(2), await worth(400)];
    expect(many).toBeLessThan(few / 2);
  });

  test('is found in files with very many places of it, while others get their turn', async () => {
    const text = '"feature": 1,\n'.repeat(30_000);
    const analyzed = await analyzeFile('data.json', text);
    const index = createFileIndex();
    for (let at = 0; at < 5; at += 1) {
      index.put({ repository: 'r', path: `data${at}.json`, blob: 'b', commit: undefined }, analyzed, true);
    }
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const lines = async (): Promise<string[]> => text.split('\n');
    const literal = await lookUp('feature', index, { lines, preload: async () => {} });
    clearInterval(timer);
    expect(literal.hits).toHaveLength(5 * 1_000);
    expect(turns).toBeGreaterThan(1);
    expect(rankVerbatim([literal], () => 1).size).toBeGreaterThan(5);
  });

  test('is found as a whole behind very many places of a part of it', async () => {
    const text = `${'const harbour = 1;\n'.repeat(1_200)}throw new Error('no boats in the harbour');\n`;
    const { index, reader } = await indexOf({ 'src/many.ts': text });
    const { hits } = await lookUp('no boats in the harbour', index, reader);
    expect(hits.map(({ line, run }) => [line, run])).toEqual([[1_201, 5]]);
  });
});

describe('of units with the same words', () => {
  const body = Array.from({ length: 70 }, () => "  'idle timeout',").join('\n');
  const says = '  let idle = timeout;\n  return idle;\n';

  test.each<[string, Record<string, string>, string]>([
    [
      'a test in a source file of Rust comes after what it tests',
      {
        'src/a.rs': `mod tests {\n  fn test_idle_timeout() {\n${says}  }\n}\n`,
        'src/b.rs': `fn begin() {\n${says}}\n`,
      },
      'src/b.rs',
    ],
    [
      'a long list comes after a function',
      { 'src/a.js': `const idleTimeout = [\n${body}\n];\n`, 'src/b.js': `function begin() {\n${says}}\n` },
      'src/b.js',
    ],
    [
      'rules for contributors come after a document about the code',
      { 'CODE_OF_CONDUCT.md': '# Idle timeout\n\nThe idle timeout.\n', 'docs/z.md': '# Begin\n\nThe idle timeout.\n' },
      'docs/z.md',
    ],
    [
      'a translation of the readme comes after it',
      { 'README.de.md': '# Idle timeout\n\nThe idle timeout.\n', 'README.md': '# Begin\n\nThe idle timeout.\n' },
      'README.md',
    ],
    [
      'a source file called history is no list of changes',
      { 'docs/a.md': '# Begin\n\nThe idle timeout.\n', 'src/history.js': `function begin() {\n${says}}\n` },
      'src/history.js',
    ],
  ])('%s', async (_, files, first) => {
    const [best] = (await rank(files, 'How does the idle timeout work?')).passages;
    expect(best?.file.path).toBe(first);
  });
});

test('of one file only the best passages come before those of others', async () => {
  const crane = (name: string): string =>
    `export function ${name}Crane(crane: Crane) {\n  crane.lift();\n  return crane.${name};\n}\n`;
  const files = {
    'src/a.ts': ['north', 'south', 'east', 'west', 'inner', 'outer'].map(crane).join('\n'),
    'docs/b.md': '# Harbor\n\nThere is a crane.\n',
  };
  const { passages } = await rank(files, 'How does the crane lift?');
  const paths = passages.map(({ file }) => file.path);
  expect(paths).toEqual([...Array(4).fill('src/a.ts'), 'docs/b.md', ...Array(2).fill('src/a.ts')]);
});

describe('that an answer is certain', () => {
  const certaintyIn = async (text: string): Promise<number> =>
    (await rank({ 'src/a.ts': text }, 'Where does the zeppelin get its gondola?')).certainty;

  test('follows from all specific words in one unit', async () => {
    const text = 'export function moor() {\n  const zeppelin = hangar();\n  return zeppelin.gondola;\n}\n';
    expect(await certaintyIn(text)).toBe(Number.POSITIVE_INFINITY);
  });

  test('does not follow from one of them in each of two units', async () => {
    const text =
      'export function moor() {\n  const zeppelin = 1;\n  return zeppelin;\n}\n\nexport function lift() {\n  const gondola = 1;\n  return gondola;\n}\n';
    expect(await certaintyIn(text)).toBeLessThan(2);
  });
});

test('very many units that match are ranked', async () => {
  const { index } = await indexOf({ 'src/one.ts': 'export const value = 1;\n' });
  const [unit] = index.find(['valu'], [1]);
  if (unit === undefined) throw new Error('the file is not found');
  const matches = Array.from({ length: 130_000 }, (_, id) => ({ ...unit, document: { ...unit.document, id } }));
  const investigation = {
    ...createInvestigation({ repositories: [], index } as unknown as Corpus, async () => {}),
    ...{ find: () => matches, preload: async () => {}, lines: async () => ['export const value = 1;'] },
  };
  const question = parseQuestion('How is the value set?');
  const words = queryWords(question, index);
  expect((await rankPassages(words, [], question, investigation)).passages.length).toBeGreaterThan(0);
});

test.each([
  ['Who raises "Too many boats" and --force or `go on`?', ['Too many boats', '--force', 'go on']],
  ['What is grpc.idle_ms, NODE_GYP_X and make-fetch-happen for?', ['make-fetch-happen', 'grpc.idle_ms', 'NODE_GYP_X']],
  ['What leads to \'Duplicate "x" in "y"\'?', ['Duplicate "x" in "y"']],
  ["Who's there, and isn't it late?", []],
])('the texts to look up in %j are %j', (question, literals) => {
  expect(parseQuestion(question).literals).toEqual(literals);
});
