import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mapConversation, mapQuestion } from '../../../src/service/generation-1/deep-search.ts';
import { conversationSchema, followUpSchema, questionSchema } from '../../../src/service/generation-1/schemas.ts';

const BASE = 'https://code.example.com';

function map(fields: Record<string, unknown>, base = BASE) {
  const raw = questionSchema.parse({ id: 1, question: 'where?', status: 'completed', ...fields });
  return mapQuestion(raw, base, (answer) => answer.toUpperCase());
}

function mapWhole(fields: Record<string, unknown>) {
  return mapConversation(conversationSchema.parse({ id: 7, questions: [], ...fields }), BASE, (answer) => answer);
}

describe('the state of a question', () => {
  test.each([
    ['pending', undefined, 'pending'],
    ['processing', undefined, 'processing'],
    ['completed', undefined, 'completed'],
    ['failed', undefined, 'failed'],
    ['cancelled', undefined, 'cancelled'],
    ['canceled', undefined, 'cancelled'],
    ['dreaming', undefined, 'processing'],
    ['completed', null, 'completed'],
    ['completed', {}, 'completed'],
    ['completed', { kind: 'Cancelled', title: 'Cancelled' }, 'cancelled'],
    ['processing', { kind: 'Cancelled' }, 'cancelled'],
    ['completed', { kind: 'Canceled' }, 'cancelled'],
    ['completed', { kind: 'InternalError', title: 'Oops', message: 'x' }, 'failed'],
    ['processing', { kind: 'SomethingNew' }, 'failed'],
    ['pending', { message: 'only words' }, 'failed'],
  ])('%s with error %j is read as %s', (status, error, state) => {
    expect(map({ status, error }).state).toBe(state);
  });

  test('has the message of the service where it failed', () => {
    expect(
      map({ error: { kind: 'TokenLimitExceeded', title: 'Too long', message: 'Start again', details: {} } }).error,
    ).toEqual({
      cause: 'tooLong',
      title: 'Too long',
      message: 'Start again',
    });
    expect(map({ status: 'failed' }).error).toEqual({ cause: 'service', title: '', message: '' });
    expect(map({ error: { kind: 'Cancelled' } })).not.toHaveProperty('error');
  });
});

test('a question without details maps only to what it has', () => {
  expect(map({ status: 'processing' })).toEqual({
    id: 1,
    text: 'where?',
    state: 'processing',
    steps: 0,
    sources: [],
    followUps: [],
  });
});

test('null is read like a missing field', () => {
  const nulls = Object.fromEntries(
    [
      'conversation_id',
      'created_at',
      'title',
      'answer',
      'turns',
      'sources',
      'stats',
      'suggested_followups',
      'error',
    ].map((name) => [name, null]),
  );
  expect(map(nulls)).toEqual(map({}));
});

describe('the steps of a question', () => {
  const turns = (count: number) => Array.from({ length: count }, () => ({ role: 'assistant', reasoning: 'r' }));
  test.each([
    [undefined, 3, 3],
    [{ tool_calls: 5 }, 3, 3],
    [{ tool_calls: 5 }, 0, 5],
    [{ tool_calls: 0 }, 2, 2],
  ])('with the stats %j and %i turns are %i', (stats, count, steps) => {
    expect(map({ stats, turns: [{ role: 'user', reasoning: 'q' }, ...turns(count)] }).steps).toBe(steps);
  });

  test.each([
    [['one', 'two\nlines'], 'two'],
    [['one', ' \n'], 'one'],
    [['one', undefined], 'one'],
    [['\n  first line\r\nsecond'], 'first line'],
    [[], undefined],
    [['x'.repeat(301)], `${'x'.repeat(299)}…`],
    [['👍'.repeat(300)], '👍'.repeat(300)],
  ])('end with the last step of %j', (reasonings, lastStep) => {
    const work = reasonings.map((reasoning) => ({ role: 'assistant', reasoning }));
    expect(map({ turns: [{ role: 'user', reasoning: 'q' }, ...work] }).lastStep).toBe(lastStep);
  });
});

describe('the sources of a question', () => {
  const only = (source: Record<string, unknown>, base = BASE) => map({ sources: [source] }, base).sources;

  test.each([
    [{ link: '/github.com/o/r/-/blob/a.go?L1' }, 'github.com/o/r'],
    [{ link: '/github.com/o/r@v1.2/-/blob/a.go' }, 'github.com/o/r'],
    [{ link: '/github.com/o/r%40v1/-/tree/x' }, 'github.com/o/r'],
    [{ link: 'https://code.example.com/o/r/-/blob/a.go' }, 'o/r'],
    [{ link: '/o/r', type: 'Repository' }, 'o/r'],
    [{ link: '/o/r', type: 'File' }, undefined],
    [{ link: 'https://elsewhere.example/o/r/-/blob/a' }, undefined],
    [{ link: '/o/r/-/blob/a', metadata: { repoName: 'real/name' } }, 'real/name'],
    [{ link: '/o/r/-/blob/a', metadata: { repoName: '' } }, 'o/r'],
    [{ link: '/%zz/-/blob/a' }, '%zz'],
  ])('have for %j the repository %s', (source, repository) => {
    expect(only(source)[0]?.repository).toBe(repository);
  });

  test('are complete below a path prefix', () => {
    expect(only({ link: '/o/r/-/blob/a.go?L3' }, 'https://example.com/code')).toEqual([
      { url: 'https://example.com/code/o/r/-/blob/a.go?L3', label: 'o/r/-/blob/a.go', repository: 'o/r' },
    ]);
  });

  test('are called by their path where they have no title, and by the whole address on another host', () => {
    expect(only({ link: '/o/r/-/blob/a%20b.go?L3#x' })[0]?.label).toBe('o/r/-/blob/a b.go');
    expect(only({ link: 'https://elsewhere.example/o/r' })[0]?.label).toBe('https://elsewhere.example/o/r');
    expect(only({ link: '/o/r', label: '' })[0]?.label).toBe('o/r');
  });

  test('leave out one of another scheme, even where it contains a web address', () => {
    expect(only({ link: "javascript:location='https://evil.example'" })).toEqual([]);
  });

  test('leave out white space around an address', () => {
    expect(only({ link: ' https://elsewhere.example/a \n' })[0]?.url).toBe('https://elsewhere.example/a');
    expect(only({ link: ' /o/r/-/blob/a.go' })[0]?.url).toBe('https://code.example.com/o/r/-/blob/a.go');
  });

  test('lose a revision that contains the revision mark only after its last mark', () => {
    expect(only({ link: '/o/r@a@b/-/blob/a.go' })[0]?.repository).toBe('o/r@a');
  });

  test('contain the same address once, and nothing that is no web address', () => {
    const links = ['/a', 'https://code.example.com/a', 'javascript:alert(1)', 'mailto:a@b.c', '', null, '/b'];
    expect(map({ sources: links.map((link) => ({ link, label: 'l' })) }).sources.map(({ url }) => url)).toEqual([
      'https://code.example.com/a',
      'https://code.example.com/b',
    ]);
  });
});

test('follow-ups are trimmed, and contain no blanks and no duplicates', () => {
  expect(map({ suggested_followups: [' a ', '', 'b', 'a'] }).followUps).toEqual(['a', 'b']);
});

test('counters of 0 are left out', () => {
  const mapped = map({ stats: { time_millis: 0, tool_calls: 0, credits: 0 } });
  expect(mapped).not.toHaveProperty('durationMs');
  expect(mapped).not.toHaveProperty('credits');
});

describe('a conversation', () => {
  test.each([
    [{ total_quota: 5, quota_limit: -1 }, undefined],
    [{ total_quota: 5, quota_limit: 0 }, undefined],
    [{ total_quota: 5 }, undefined],
    [null, undefined],
    [
      { total_quota: 5, quota_limit: 10 },
      { used: 5, limit: 10 },
    ],
    [
      { total_quota: 5, quota_limit: 10, reset_time: 'never' },
      { used: 5, limit: 10 },
    ],
  ])('with the quota %j has the quota %j', (quota_usage, quota) => {
    expect(mapWhole({ quota_usage }).quota).toEqual(quota);
  });

  const createdAt = '2026-02-01T10:00:00Z';
  const resetTime = '2026-02-02T00:00:00Z';
  test.each([
    ['the quota, until it resets', { total_quota: 10, quota_limit: 10, reset_time: resetTime }, resetTime],
    ['a quota that has room again', { total_quota: 0, quota_limit: 10, reset_time: resetTime }, undefined],
    ['a quota that tells no time', { total_quota: 10, quota_limit: 10 }, undefined],
    ['something other than a quota', null, undefined],
  ])('says that a question is limited by %s', (_, quota_usage, retryAt) => {
    const limited = {
      id: 1,
      question: 'q',
      status: 'completed',
      created_at: createdAt,
      error: { kind: 'RateLimitExceeded' },
    };
    const [question] = mapWhole({ quota_usage, questions: [limited] }).questions;
    expect(question?.error).toMatchObject({ cause: 'limited' });
    expect(question?.error?.retryAtMs).toBe(retryAt === undefined ? undefined : Date.parse(retryAt));
  });

  test.each([
    ['https://code.example.com/deepsearch/t', 'https://code.example.com/deepsearch/t'],
    ['/deepsearch/t', 'https://code.example.com/deepsearch/t'],
    ['javascript:alert(1)', undefined],
    ['', undefined],
    [null, undefined],
  ])('with the share address %j has the address %s', (share_url, shareUrl) => {
    expect(mapWhole({ share_url }).shareUrl).toBe(shareUrl);
  });

  test('gives its title to the first question without a title', () => {
    const questions = [1, 2].map((id) => ({ id, question: 'q', status: 'completed' }));
    expect(mapWhole({ title: 'T', questions }).questions.map(({ title }) => title)).toEqual(['T', undefined]);
    expect(mapWhole({ title: '', questions }).questions[0]).not.toHaveProperty('title');
  });

  test('keeps the title that the first question has', () => {
    const questions = [{ id: 1, question: 'q', status: 'completed', title: 'Own' }];
    expect(mapWhole({ title: 'T', questions }).questions[0]?.title).toBe('Own');
    expect(mapWhole({ title: '', questions }).questions[0]?.title).toBe('Own');
  });
});

describe('the shape of a reply', () => {
  test('must have the right type in each field that is used', () => {
    for (const wrong of [
      { id: '1/2' },
      { id: 1.5 },
      { status: 1 },
      { question: null },
      { answer: {} },
      { sources: {} },
    ]) {
      expect(questionSchema.safeParse({ id: 1, question: 'q', status: 's', ...wrong }).success).toBe(false);
    }
  });

  test('may have unknown fields', () => {
    const known = { id: 1, question: 'q', status: 'completed' };
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().map((name) => `x_${name}`),
          fc.jsonValue(),
        ),
        (extra) => {
          expect(questionSchema.parse({ ...extra, ...known })).toEqual(known);
          expect(followUpSchema.parse({ ...extra, ...known })).toEqual(known);
          expect(followUpSchema.parse({ ...extra, id: 7, questions: [{ ...extra, ...known }] })).toEqual(known);
        },
      ),
    );
  });
});
