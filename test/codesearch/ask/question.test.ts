import { describe, expect, test } from 'vitest';
import { parseQuestionInContext } from '../../../src/codesearch/ask/question/carry-over.ts';
import { kindOf } from '../../../src/codesearch/ask/question/kind.ts';
import { isForeign } from '../../../src/codesearch/ask/question/language.ts';
import { pastedMessage } from '../../../src/codesearch/ask/question/pasted.ts';
import { parseQuestion } from '../../../src/codesearch/ask/question/question.ts';
import { emptyStats, type QuestionRecord } from '../../../src/codesearch/conversations/records.ts';
import { stem } from '../../../src/codesearch/index/stem.ts';

describe('the kind of a question', () => {
  test.each([
    ['hi there', 'smalltalk'],
    ['thanks a lot, that worked!', 'smalltalk'],
    ['👍', 'smalltalk'],
    ['hi, how do i run the tests?', 'howTo'],
    ['pls how to build it on windows', 'howTo'],
    ['what is the command to run a single test?', 'howTo'],
    ['can i use it without a token?', 'howTo'],
    ['where is retryDelay defined?', 'where'],
    ['Where do we validate tokens?', 'where'],
    ['How does the job queue work?', 'explain'],
    ['what happens when a job fails?', 'explain'],
    ['what calls withRetries?', 'callers'],
    ['Where is `JobQueue` used?', 'callers'],
    ['who uses the queue', 'callers'],
    ['who calls joinPath to work out where a file is written?', 'callers'],
    ['when is ERR_TOO_LATE thrown?', 'callers'],
    ['which files deal with retries?', 'list'],
    ['list all the classes', 'list'],
    ['what exceptions are there', 'list'],
    ['when was the retry delay changed?', 'history'],
    ['why was the cap added?', 'history'],
    ['what changed recently?', 'history'],
    ['since when can a queue be paused?', 'history'],
    ['in which version was the cap introduced?', 'history'],
    ['who wrote src/retry.ts?', 'who'],
    ['who maintains the queue', 'who'],
    ['who can I ask about retries?', 'who'],
    ['who calls it and who wrote it?', 'who'],
    ['what options does the queue take?', 'option'],
    ['Which environment variables are used?', 'option'],
    ['what is the default timeout', 'option'],
    ['which node version do i need', 'option'],
    ['how many retries are there?', 'option'],
    ['which command line flags are there?', 'option'],
    ['how is retryDelay tested?', 'tests'],
    ['which tests cover the queue', 'tests'],
    ["where are the queue's tests?", 'tests'],
    ['What makes my tests panic with "no boats"?', 'explain'],
    ['where is the test server started?', 'where'],
    ['what is this repository about?', 'about'],
    ['How is the code organized?', 'about'],
    ['why do delays double?', 'why'],
    ['retry delay', 'explain'],
  ])('"%s" is %s', (question, kind) => {
    expect(kindOf(question)).toBe(kind);
  });
});

test.each([
  ['ValueError: no boat at pier 7', 'no boat at pier 7'],
  [
    'why this?\n```\nTraceback (most recent call last):\n  File "a.py", line 3, in <module>\nharbor.exc.TooLate: the ship left 3 h ago\n```',
    'the ship left 3 h ago',
  ],
  [
    'Exception in thread "main" java.lang.IllegalStateException: crane 4 is busy\n\tat Crane.lift(Crane.java:10)',
    'crane 4 is busy',
  ],
  ['I get "the pier is closed today" when mooring', 'the pier is closed today'],
  ['Who wrote "the pier is closed today"?', undefined],
  ['How are errors handled?', undefined],
])('the message in %j is %j', (text, message) => {
  const found = pastedMessage(text);
  expect(found?.isShown === true ? found.text : undefined).toBe(message);
});

test.each([
  ['Wo wird die Verzögerung berechnet?', true],
  ['Où est-ce que les tâches sont stockées ?', true],
  ['¿Cómo se ejecutan las pruebas?', true],
  ['リトライの遅延はどこで計算されますか', true],
  ['where is the delay computed?', false],
  ['retryDelay', false],
  ['die retries in the queue', false],
])('whether %j is in another language: %s', (text, isIt) => {
  expect(isForeign(text)).toBe(isIt);
});

describe('understanding a question', () => {
  test('distinguishes code names and paths from words', () => {
    const question = parseQuestion(
      'Does `withRetries` in src/retry.ts call sleep() or JobQueue.enqueue for retry_cap?',
    );
    expect(question.identifiers).toEqual(['withRetries', 'sleep', 'JobQueue.enqueue', 'retry_cap']);
    expect(question.paths).toEqual(['src/retry.ts']);
  });

  test('reads ordinary words, abbreviations and sentence ends as no code', () => {
    const question = parseQuestion('Where are retries handled, e.g. after an outage? In the queue.');
    expect(question.identifiers).toEqual([]);
    expect(question.paths).toEqual([]);
    expect(question.subjects.map(({ word }) => word)).toEqual(['retries', 'handled', 'outage', 'queue']);
  });

  test.each(['-', '_', '-_', ':', '@'])('takes no longer for a long run of "%s"', (mark) => {
    // Would take longer than any test may, if a run could be matched in many ways.
    expect(parseQuestion(`What does this do?\n\\${mark.repeat(88 / mark.length)}/\n`).paths).toEqual([]);
  });

  test('looks up names and switches as they are written', () => {
    const text = 'Is --max-old or -v8 in @scope/pkg, npm:node-fetch, src/a_b.ts: or ERR_X, HTTP and well-known?';
    expect(parseQuestion(text).literals.toSorted()).toEqual(
      ['--max-old', '-v8', '@scope/pkg', 'ERR_X', 'HTTP', 'npm:node-fetch', 'src/a_b.ts', 'well-known'].toSorted(),
    );
  });

  test('prefers a whole name to its parts', () => {
    const [whole, ...parts] = parseQuestion('where is retryDelay?').subjects;
    expect(whole).toMatchObject({ stem: 'retrydelay' });
    expect(parts.every((part) => part.weight < (whole?.weight ?? 0))).toBe(true);
  });

  test('gives quoted context less weight than the question', () => {
    const subjects = parseQuestion(
      'How are jobs ordered?\n\n> Ada: the crane waited\n> Bob: since the outage',
    ).subjects;
    const weights = new Map(subjects.map(({ word, weight }) => [word, weight]));
    expect(weights.get('ordered')).toBe(1);
    expect(weights.get('crane')).toBeLessThan(0.3);
  });

  test('still asks a question that is only a quote', () => {
    expect(parseQuestion('> where is retryDelay?').identifiers).toEqual(['retryDelay']);
  });

  test.each(['', '???', '`', '``', '> ', '```', 'a'.repeat(5_000), '🚢', '))((', 'constructor __proto__ toString'])(
    'never throws for %j',
    (text) => {
      expect(() => parseQuestion(text)).not.toThrow();
    },
  );
});

describe('understanding a question in its context', () => {
  const before: QuestionRecord = {
    id: 1,
    text: 'where is retryDelay defined?',
    createdMs: 0,
    updatedMs: 0,
    status: 'completed',
    turns: [],
    stats: emptyStats(),
    focus: {
      symbols: ['retryDelay', 'withRetries'],
      files: [
        { repository: 'r', path: 'src/retry.ts' },
        { repository: 'r', path: 'src/config.ts' },
      ],
      words: ['retryDelay'],
      kind: 'where',
    },
  };

  test.each(['and where is it used?', 'how does that work?', 'is there a test for it?', 'why?'])(
    'combines "%s" with the answer before',
    (text) => {
      const question = parseQuestionInContext(text, [before]);
      expect(question.continues).toBe(true);
      expect(question.identifiers).toContain('retryDelay');
    },
  );

  test('takes nothing from the answer before for a complete question', () => {
    const question = parseQuestionInContext('How does the JobQueue order its work?', [before]);
    expect(question.continues).toBe(false);
    expect(question.identifiers).toEqual(['JobQueue']);
  });

  test('keeps the kind of question for "what about X" and changes its subject', () => {
    const question = parseQuestionInContext('what about the queue?', [before]);
    expect(question.kind).toBe('where');
    expect(question.subjects.find(({ stem: own }) => own === stem('queue'))?.weight).toBe(1);
    expect(question.identifiers).toEqual([]);
  });

  test.each([
    ['what is in the second file?', 'src/config.ts'],
    ['who wrote the second one?', 'src/config.ts'],
    ['who wrote that file?', 'src/retry.ts'],
  ])('reads a place of the answer before in "%s"', (text, path) => {
    expect(parseQuestionInContext(text, [before]).paths).toEqual([path]);
  });
});
