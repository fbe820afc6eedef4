import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mapConversation } from '../../../src/service/generation-2/deep-search.ts';
import { conversationSchema, summariesSchema } from '../../../src/service/generation-2/schemas.ts';

const reading = {
  baseHref: 'https://code.example.com',
  withAbsoluteLinks: (markdown: string) => markdown.toUpperCase(),
  sourcesOf: (markdown: string) => (markdown === '' ? [] : [{ url: 'https://code.example.com/x', label: markdown }]),
};

function map(fields: Record<string, unknown>) {
  return mapConversation(conversationSchema.parse({ name: 'users/~self/conversations/140', ...fields }), reading);
}

const asked = (text: string, answer?: unknown) => ({ input: [{ question: { text } }], answer });

/** The last question of a conversation with this state. */
function last(state: unknown, fields: Record<string, unknown> = {}) {
  return map({ state, questions: [{ ...asked('q'), ...fields }] }).questions.at(-1);
}

describe('the state of a conversation', () => {
  test.each([
    [{ processing: {} }, 'processing'],
    [{ completed: {} }, 'completed'],
    [{ canceled: {} }, 'cancelled'],
    [{ cancelled: {} }, 'cancelled'],
    [{ error: {} }, 'failed'],
    [{ error: 'words' }, 'failed'],
    [{ processing: null, completed: {} }, 'completed'],
    [{ error: null, processing: {} }, 'processing'],
    ['STATE_PROCESSING', 'processing'],
    ['STATE_COMPLETED', 'completed'],
    ['STATE_CANCELED', 'cancelled'],
    ['STATE_CANCELLED', 'cancelled'],
    ['STATE_ERROR', 'failed'],
    ['STATE_FAILED', 'failed'],
    ['STATE_UNSPECIFIED', 'processing'],
    ['completed', 'completed'],
    [{}, 'processing'],
    [null, 'processing'],
    [undefined, 'processing'],
    [{ pending: {} }, 'processing'],
    [7, 'processing'],
    [[], 'processing'],
  ])('%j is read as %s of its last question', (state, expected) => {
    expect(last(state)?.state).toBe(expected);
  });

  test.each([
    ['completed', 'failed', 'completed'],
    ['error', 'failed', 'failed'],
    ['canceled', 'failed', 'cancelled'],
    ['processing', 'processing', 'processing'],
  ])('(%s) tells of an earlier question without an answer only whether it may still run', (state, expected, last) => {
    const questions = [asked('one', 'There.'), asked('two'), asked('three', ''), asked('four', 'So far.')];
    const mapped = map({ state: { [state]: {} }, questions }).questions;
    expect(mapped.map((question) => [question.ordinal, question.state])).toEqual([
      [0, 'completed'],
      [1, expected],
      [2, expected],
      [3, last],
    ]);
    expect(mapped[1]?.error).toEqual(expected === 'failed' ? { cause: 'service', title: '', message: '' } : undefined);
    expect(mapped[0]).not.toHaveProperty('error');
  });
});

describe('an error', () => {
  const retryTime = '2026-03-05T10:00:00Z';
  const retryAtMs = Date.UTC(2026, 2, 5, 10);
  test.each([
    [
      { code: 'ERROR_TOKEN_LIMIT_EXCEEDED', message: 'Long' },
      { cause: 'tooLong', message: 'Long' },
    ],
    [
      { code: 'ERROR_QUOTA_EXCEEDED', message: 'Full', retryTime },
      { cause: 'limited', message: 'Full', retryAtMs },
    ],
    [
      { code: 'ERROR_ENTITLEMENT_EXCEEDED', retry_time: retryTime },
      { cause: 'limited', message: 'ERROR_ENTITLEMENT_EXCEEDED', retryAtMs },
    ],
    [
      { code: 'ERROR_QUOTA_EXCEEDED', message: 'Full' },
      { cause: 'limited', message: 'Full' },
    ],
    [
      { code: 'ERROR_QUOTA_EXCEEDED', message: 'Full', retryTime: 'soon' },
      { cause: 'limited', message: 'Full' },
    ],
    [
      { code: 'ERROR_INTERNAL', message: 'Oops', retryTime },
      { cause: 'service', message: 'Oops' },
    ],
    [{ code: 'ERROR_UNSPECIFIED' }, { cause: 'service', message: 'ERROR_UNSPECIFIED' }],
    [
      { code: 'ERROR_NEW', message: 'New' },
      { cause: 'service', message: 'New' },
    ],
    [{ message: 'Words' }, { cause: 'service', message: 'Words' }],
    [{ code: 5 }, { cause: 'service', message: '' }],
    [
      { code: 'ERROR_QUOTA_EXCEEDED', retryTime: { seconds: 5 } },
      { cause: 'limited', message: 'ERROR_QUOTA_EXCEEDED' },
    ],
    [{}, { cause: 'service', message: '' }],
  ])('%j is read as %j', (error, expected) => {
    expect(last({ error })?.error).toEqual({ title: '', ...expected });
  });

  test('leaves the answer beside it', () => {
    const question = last({ error: { code: 'ERROR_TOKEN_LIMIT_EXCEEDED' } }, { answer: 'So far.' });
    expect(question).toMatchObject({ state: 'failed', answer: 'SO FAR.', error: { cause: 'tooLong' } });
    expect(question?.sources).toHaveLength(1);
  });
});

describe('an answer', () => {
  const block = (text: string) => ({ markdown: { text } });
  test.each([
    ['Text.', 'TEXT.'],
    [[block('One.')], 'ONE.'],
    [[block('One.'), block('Two.')], 'ONE.\n\nTWO.'],
    [[block('One.'), { chart: { data: [1] } }, 'text', null, 5, { markdown: 5 }, block('Two.')], 'ONE.\n\nTWO.'],
    [[block('One.'), block(''), { markdown: {} }, { markdown: null }], 'ONE.'],
    [[{ chart: {} }], undefined],
    [[], undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%j is read as %j', (answer, expected) => {
    expect(last({ completed: {} }, { answer })?.answer).toBe(expected);
  });

  test('tells that it has blocks of other kinds', () => {
    const hasMore = (answer: unknown) => last({ completed: {} }, { answer })?.hasMore;
    expect([{ chart: {} }, { artifact: { id: 1 } }].map((other) => hasMore([block('One.'), other]))).toEqual([
      true,
      true,
    ]);
    expect([[block('One.'), block('')], 'One.', undefined].map(hasMore)).toEqual([undefined, undefined, undefined]);
  });

  test('has its links as sources', () => {
    expect(last({ completed: {} }, { answer: 'x' })).toMatchObject({
      sources: [{ url: 'https://code.example.com/x', label: 'x' }],
      citedOnly: true,
    });
  });
});

describe('a question', () => {
  test.each([
    [[{ question: { text: 'Where?' } }], 'Where?'],
    [[{ question: { text: 'One' } }, { image: { uri: 'data:x' } }, { question: { text: 'two' } }], 'One\n\ntwo'],
    [[{ image: { uri: 'data:x' } }], ''],
    [null, ''],
    [undefined, ''],
  ])('with the input %j has the text %j', (input, text) => {
    expect(map({ questions: [{ input }] }).questions[0]?.text).toBe(text);
  });

  test.each([
    [{ suggestedFollowups: [' And why? ', '', 'And why?'] }, ['And why?']],
    [{ suggested_followups: ['And how?'] }, ['And how?']],
    [{ suggestedFollowups: 'none' }, []],
    [{ suggestedFollowups: [5] }, []],
    [{}, []],
  ])('with %j has the follow-ups %j', (fields, followUps) => {
    expect(last({ completed: {} }, fields)?.followUps).toEqual(followUps);
  });

  test('has nothing of what this generation does not tell', () => {
    const question = last({ completed: {} }, { answer: 'x', id: 5, stats: { tool_calls: 3 }, status: 'failed' });
    expect(Object.keys(question ?? {}).sort()).toEqual(
      ['answer', 'citedOnly', 'followUps', 'ordinal', 'sources', 'state', 'text'].sort(),
    );
  });
});

describe('a conversation', () => {
  test.each([
    ['users/~self/conversations/140', 140],
    ['users/-/conversations/140', 140],
    ['users/12/conversations/140', 140],
    ['users/@ada/conversations/140', 140],
    ['users/ada@example.com/conversations/abc123', 'abc123'],
    ['140', 140],
    ['users/1/conversations/9007199254740991', 9007199254740991],
    ['users/1/conversations/9007199254740993', '9007199254740993'],
    ['users/1/conversations/007', '007'],
    ['users/1/conversations/1e3', '1e3'],
  ])('with the name %s has the id %j', (name, id) => {
    expect(map({ name }).id).toBe(id);
  });

  test('gives its title to its first question', () => {
    const questions = [asked('one'), asked('two')];
    expect(map({ title: 'T', questions }).questions.map(({ title }) => title)).toEqual(['T', undefined]);
    expect(map({ title: '', questions }).questions[0]).not.toHaveProperty('title');
  });

  test.each([
    ['https://code.example.com/deepsearch/140', 'https://code.example.com/deepsearch/140'],
    ['/deepsearch/140', 'https://code.example.com/deepsearch/140'],
    ['javascript:alert(1)', undefined],
    ['', undefined],
    [null, undefined],
  ])('with the address %s has the share address %s', (url, shareUrl) => {
    expect(map({ url }).shareUrl).toBe(shareUrl);
  });

  test.each([
    ['2026-03-05T09:00:00Z', Date.UTC(2026, 2, 5, 9)],
    ['2026-03-05T09:00:00.123Z', Date.UTC(2026, 2, 5, 9, 0, 0, 123)],
    ['2026-03-05T09:00:00.123456Z', Date.UTC(2026, 2, 5, 9, 0, 0, 123)],
    ['2026-03-05T09:00:00.123456789Z', Date.UTC(2026, 2, 5, 9, 0, 0, 123)],
    ['yesterday', undefined],
    ['', undefined],
  ])('created at %s has the time %s', (createTime, createdMs) => {
    expect(map({ createTime }).createdMs).toBe(createdMs);
  });

  test('is the same in both spellings of its fields', () => {
    const camelCase = {
      createTime: '2026-03-05T09:00:00Z',
      state: { error: { code: 'ERROR_QUOTA_EXCEEDED', retryTime: '2026-03-05T10:00:00Z' } },
      questions: [{ ...asked('q'), createTime: '2026-03-05T09:00:00Z', suggestedFollowups: ['And?'] }],
    };
    const snakeCase = {
      create_time: '2026-03-05T09:00:00Z',
      state: { error: { code: 'ERROR_QUOTA_EXCEEDED', retry_time: '2026-03-05T10:00:00Z' } },
      questions: [{ ...asked('q'), create_time: '2026-03-05T09:00:00Z', suggested_followups: ['And?'] }],
    };
    expect(map(snakeCase)).toEqual(map(camelCase));
    expect(map({ ...snakeCase, createTime: null })).toEqual(map(camelCase));
  });

  test('is read around the field conversation too, and with null like a missing field', () => {
    const bare = { name: 'users/~self/conversations/140' };
    const nulls = { state: null, createTime: null, title: null, questions: null, url: null };
    expect(conversationSchema.parse({ conversation: bare })).toEqual(conversationSchema.parse(bare));
    expect(conversationSchema.parse({ ...bare, ...nulls })).toEqual(conversationSchema.parse(bare));
  });
});

describe('a page of the list', () => {
  const summary = { name: 'users/1/conversations/140', createTime: '2026-03-05T09:00:00Z', updateTime: '' };
  test.each([
    [{}, [], ''],
    [{ conversationSummaries: [summary], nextPageToken: 't' }, [140], 't'],
    [{ conversation_summaries: [summary], next_page_token: 't' }, [140], 't'],
    [{ conversationSummaries: null, nextPageToken: null }, [], ''],
    [{ conversationSummaries: [{ name: 'x/y' }] }, ['y'], ''],
  ])('%j is read', (body, ids, nextPageToken) => {
    const page = summariesSchema.parse(body);
    expect(page.conversationSummaries.map(({ name }) => name)).toEqual(ids);
    expect(page.nextPageToken).toBe(nextPageToken);
  });
});

test('a reply of any shape is either refused by the schema or mapped, and never another error', () => {
  const names = ['name', 'state', 'questions', 'input', 'question', 'text', 'answer', 'markdown', 'url', 'title'];
  const more = ['create_time', 'createTime', 'error', 'code', 'retryTime', 'conversation', '__proto__', 'constructor'];
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 0, -1, 1e21, '', 'x', 'STATE_COMPLETED', 'a/b', '2026-03-05T09:00:00Z'),
      fc.string(),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.array(fc.tuple(fc.constantFrom(...names, ...more), tie('json')), { maxLength: 6 }).map(Object.fromEntries),
    ),
  }));
  fc.assert(
    fc.property(json, fc.boolean(), (value, isNamed) => {
      const body =
        isNamed && typeof value === 'object' && value !== null ? { ...value, name: 'users/1/conversations/2' } : value;
      const parsed = conversationSchema.safeParse(body);
      if (parsed.success) expect(mapConversation(parsed.data, reading).questions).toBeInstanceOf(Array);
    }),
    { numRuns: 1_000 },
  );
});
