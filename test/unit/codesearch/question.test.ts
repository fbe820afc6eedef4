import { describe, expect, test } from 'vitest';
import type { QuestionRecord } from '../../../src/codesearch/conversations/records.ts';
import { emptyStats } from '../../../src/codesearch/conversations/records.ts';
import { stem } from '../../../src/codesearch/index/stem.ts';
import { parseQuestionInContext } from '../../../src/codesearch/search/questions/carry-over.ts';
import { intentOf } from '../../../src/codesearch/search/questions/intent.ts';
import { parseQuestion } from '../../../src/codesearch/search/questions/question.ts';

describe('the intent of a question', () => {
  test.each([
    ['where is retryDelay defined?', 'define'],
    ['Where do we validate tokens?', 'define'],
    ['How does the job queue work?', 'how'],
    ['what happens when a job fails?', 'how'],
    ['what calls withRetries?', 'usage'],
    ['Where is `JobQueue` used?', 'usage'],
    ['who uses the queue', 'usage'],
    ['which files deal with retries?', 'files'],
    ['list all the classes', 'files'],
    ['when was the retry delay changed?', 'history'],
    ['why was the cap added?', 'history'],
    ['what changed recently?', 'history'],
    ['who wrote src/retry.ts?', 'authors'],
    ['when is ERR_TOO_LATE thrown?', 'usage'],
    ['what is --force-process-config good for?', 'what'],
    ['since when can a queue be paused?', 'history'],
    ['who maintains the queue', 'authors'],
    ['what options does the queue take?', 'options'],
    ['Which environment variables are used?', 'options'],
    ['Which env variables are read?', 'options'],
    ['Can you list the environment variables?', 'options'],
    ['Tell me which environment variables are used', 'options'],
    ['Does the server read any environment variables?', 'options'],
    ['How many environment variables are there?', 'options'],
    ['environment variables?', 'options'],
    ['what happens when environment variables are missing?', 'how'],
    ['show how environment variables are expanded', 'how'],
    ['which environment variable name is looked up for a nested key?', 'general'],
    ['how do I configure the retries?', 'options'],
    ['how are nested keys named when the configuration is saved?', 'how'],
    ['how is retryDelay tested?', 'tests'],
    ['which tests cover the queue', 'tests'],
    ['where are the tests for the queue?', 'tests'],
    ['and its tests?', 'tests'],
    ['where are the queue tests?', 'tests'],
    ["where are the queue's tests?", 'tests'],
    ['show me the queue tests', 'tests'],
    ['Which tests should I run after changing the queue?', 'tests'],
    ['Which tests ensure that the queue stops?', 'tests'],
    ['Which test file covers the queue?', 'tests'],
    ['find tests related to the queue', 'tests'],
    ['how do we test this?', 'tests'],
    ['Is it covered in the tests?', 'tests'],
    ['What makes my tests panic with "no boats"?', 'what'],
    ['When it is switched off, say for our unit tests, what happens to it?', 'how'],
    ['Does it matter whether it is set while running the tests?', 'general'],
    ['where is the test server started?', 'define'],
    ['Which setting is wrong when I get "no boats"?', 'general'],
    ['In which format do timestamps arrive if I pass them as arguments?', 'general'],
    ['We list one host in the settings; does it find the others?', 'general'],
    ['which command line flags are there?', 'options'],
    ['What are the available command line flags of the queue?', 'options'],
    ['What option is there for the timeout?', 'options'],
    ['Could you list which files define routes?', 'files'],
    ['Which release has the cap?', 'history'],
    ['In what version of TLS is the handshake done?', 'what'],
    ['who calls it and who wrote it?', 'authors'],
    ['who calls joinPath to work out where a file is written?', 'usage'],
    ['Which version of the table of widths is used, and where is it?', 'usage'],
    ['in which version was the cap introduced?', 'history'],
    ['How is it found out which file is new?', 'how'],
    ['In the pipeline, why is the flag tested before sending?', 'why'],
    ['Is there a test helper to split the network?', 'general'],
    ['what is this repository about?', 'about'],
    ['How is the code organized?', 'about'],
    ['why do delays double?', 'why'],
    ['what is a JobQueue?', 'what'],
    ['what happens at midnight when the hour does not exist?', 'how'],
    ['what kinds of job queues are there?', 'files'],
    ['retry delay', 'general'],
  ])('is found in "%s" as "%s"', (question, intent) => {
    expect(intentOf(question)).toBe(intent);
  });
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
      intent: 'define',
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
    expect(question.intent).toBe('define');
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
