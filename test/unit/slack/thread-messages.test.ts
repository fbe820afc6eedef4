import { describe, expect, test } from 'vitest';
import type { Answer, Question } from '../../../src/core/question/question.ts';
import { prepareAnswer } from '../../../src/render/answer.ts';
import { readContent, readFiles } from '../../../src/slack/content/message-content.ts';
import { readPage, type ThreadMessage } from '../../../src/slack/threads/thread-reader.ts';
import { answered, exampleAnswer } from '../render/example.ts';

const identity = { teamId: 'T1', botUserId: 'UBOT', botId: 'BOURS' };
const ts = '1700000000.000001';
const card = 'ds:q0123456789abcdef01234567:card';

/** Reads one message. A person wrote it, unless a test says otherwise. */
function read(message: Record<string, unknown>): ThreadMessage | undefined {
  return readPage([{ ts, user: 'U1', text: 'said', ...message }], identity, ts).messages[0];
}

function textOf(message: Record<string, unknown>): string | undefined {
  return read(message)?.text;
}

const section = (text: unknown, more = {}) => ({ type: 'section', text, ...more });

describe('the author of a message', () => {
  test.each<[string, Record<string, unknown>, ThreadMessage['author']]>([
    ['a person', {}, { userId: 'U1' }],
    ['the app by its user', { user: 'UBOT' }, 'app'],
    ['the app by its bot', { user: 'UELSE', bot_id: 'BOURS' }, 'app'],
    ['a program with a profile', { bot_id: 'B1', bot_profile: { name: 'robo' }, username: 'x' }, { program: 'robo' }],
    ['a program with a name', { bot_id: 'B1', bot_profile: {}, username: 'alerts' }, { program: 'alerts' }],
    ['a program with an odd profile', { bot_id: 'B1', bot_profile: 'x', username: 'alerts' }, { program: 'alerts' }],
    ['a program without a name', { bot_id: 'B1', username: '' }, { program: 'a program' }],
    ['something without a user', { user: undefined }, { program: 'a program' }],
  ])('is %s', (_, message, author) => {
    expect(read(message)?.author).toEqual(author);
  });

  test('is not the app where neither of them has a bot', () => {
    const { messages } = readPage([{ ts, user: 'U1', text: 'said' }], { teamId: 'T1', botUserId: 'UBOT' }, ts);
    expect(messages[0]?.author).toEqual({ userId: 'U1' });
  });
});

describe('a message', () => {
  test.each([[undefined], ['file_share'], ['thread_broadcast'], ['bot_message'], ['me_message']])(
    'of kind %j is read as said by a person or program',
    (subtype) => {
      expect(textOf({ subtype })).toBe('said');
    },
  );

  test.each([['channel_join'], ['channel_topic'], ['tombstone'], ['pinned_item'], ['a_kind_of_tomorrow']])(
    'of kind %j is left out',
    (subtype) => {
      expect(read({ subtype })).toBeUndefined();
    },
  );

  test.each<[string, unknown]>([
    ['without a time', { user: 'U1', text: 'said' }],
    ['with an odd time', { ts: 'x1700000000.000001', user: 'U1', text: 'said' }],
    ['with a time and more characters', { ts: `${ts}x`, user: 'U1', text: 'said' }],
    ['without text and files', { ts, user: 'U1', text: '' }],
    ['with a text of another type', { ts, user: 'U1', text: 7 }],
    ['that is not an object', 'said'],
  ])('%s is left out', (_, message) => {
    expect(readPage([message], identity, ts)).toMatchObject({ messages: [] });
  });

  test('without text is kept for its file', () => {
    const files = [{ id: 'F1', name: 'a.png', mimetype: 'image/png', size: 3 }];
    expect(read({ text: '', files })).toEqual({
      ts,
      author: { userId: 'U1' },
      text: '',
      forwards: [],
      files: [{ id: 'F1', name: 'a.png', type: 'image/png', bytes: 3 }],
    });
  });

  test('that is a card of the app is left out, but not another author’s message that looks like one', () => {
    for (const block_id of [card, `${card}:x1`]) {
      expect(read({ user: 'UBOT', blocks: [section({ text: 'Searching' }, { block_id })] })).toBeUndefined();
      expect(read({ blocks: [section({ text: 'Searching' }, { block_id })] })?.text).toBe('said');
    }
    for (const block_id of [`x${card}`, `${card}s`, 'ds:q01:card', undefined]) {
      expect(read({ user: 'UBOT', blocks: [section({ text: 'Here' }, { block_id })] })?.text).toBe('said');
    }
  });
});

describe('the text', () => {
  const program = { user: undefined, bot_id: 'B1', text: '' };

  test.each<[string, string, Record<string, unknown>]>([
    [
      'of a person is their text, whatever their blocks say',
      'said',
      { blocks: [section({ text: 'much, much more' })] },
    ],
    [
      'of a program is that of its blocks',
      'one\ntwo',
      { ...program, blocks: [section({ text: 'one' }), section('two')] },
    ],
    [
      'of a program is its plain text where that says more',
      'all of it',
      { ...program, text: 'all of it', blocks: [section('one')] },
    ],
    [
      'of a program is its plain text where that says as much',
      'one',
      { ...program, text: 'one', blocks: [section('two')] },
    ],
    [
      'leaves out blocks that are no sections',
      'one',
      { ...program, blocks: [{ type: 'context', text: 'beside' }, section('one'), { type: 'divider' }, section('')] },
    ],
    [
      'leaves out blocks of an odd shape',
      'one',
      { ...program, blocks: ['odd', section(7), section({ text: 8 }), section('one')] },
    ],
    [
      'of an attachment is its heading, title and text',
      'Alert\nDisk full\non db-1',
      { ...program, attachments: [{ pretext: 'Alert', title: 'Disk full', text: 'on db-1', fallback: 'x' }] },
    ],
    [
      'of an attachment is its title alone',
      'Disk full',
      { ...program, attachments: [{ title: 'Disk full', fallback: 'x' }] },
    ],
    [
      'of an attachment is its text alone',
      'on db-1',
      { ...program, attachments: [{ text: 'on db-1', fallback: 'x' }] },
    ],
    [
      'of an attachment with none of them is its fallback',
      'Alert!',
      { ...program, attachments: [{ fallback: 'Alert!' }] },
    ],
    [
      'of a person without text are those of what they passed on',
      'on db-1',
      { text: '', attachments: [{ text: 'on db-1', fallback: 'x' }] },
    ],
    [
      'of a block with fields are those too',
      'one\ntwo\nthree',
      { ...program, blocks: [section({ text: 'one' }, { fields: [{ text: 'two' }, 7, { text: 'three' }] })] },
    ],
    [
      'of a program are those of its rich text',
      'Disk &lt;full&gt; on <https://e.org|db-1>, <@U1> <#C1> <!here> <!subteam^S1> 🔥\n• one\n• two',
      {
        ...program,
        blocks: [
          {
            type: 'rich_text',
            elements: [
              {
                type: 'rich_text_section',
                elements: [
                  { type: 'text', text: 'Disk <full> on ' },
                  { type: 'link', url: 'https://e.org', text: 'db-1' },
                  { type: 'text', text: ', ' },
                  { type: 'user', user_id: 'U1' },
                  { type: 'text', text: ' ' },
                  { type: 'channel', channel_id: 'C1' },
                  { type: 'text', text: ' ' },
                  { type: 'broadcast', range: 'here' },
                  { type: 'text', text: ' ' },
                  { type: 'usergroup', usergroup_id: 'S1' },
                  { type: 'text', text: ' ' },
                  { type: 'emoji', name: 'fire' },
                ],
              },
              {
                type: 'rich_text_list',
                elements: [
                  { type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }, { type: 'color' }] },
                  { type: 'rich_text_section', elements: [{ type: 'text', text: 'two' }] },
                ],
              },
            ],
          },
        ],
      },
    ],
    [
      'of odd rich text are what can be read of it',
      '&gt; one\n```\nhttps://e.org\n```',
      {
        ...program,
        blocks: [
          { type: 'rich_text', elements: 'odd' },
          {
            type: 'rich_text',
            elements: [7, null, { type: 'rich_text_section', elements: [{ type: 'text', text: 8 }] }],
          },
          { type: 'rich_text', elements: [{ type: 'rich_text_quote', elements: [{ type: 'text', text: 'one' }] }] },
          {
            type: 'rich_text',
            elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'link', url: 'https://e.org' }] }],
          },
        ],
      },
    ],
    [
      'of blocks come before those of attachments',
      'one\ntwo',
      { ...program, attachments: [{ text: 'two' }], blocks: [section('one')] },
    ],
  ])('%s', (_, text, message) => {
    expect(textOf(message)).toBe(text);
  });

  const readWords = (raw: unknown): string | undefined => readContent(raw, identity)?.text;

  test('of a person and of a program are read, but not what is no message', () => {
    expect(readWords({ ts, user: 'U1', text: 'said' })).toBe('said');
    expect(readWords({ ts, ...program, blocks: [section({ text: 'one' })] })).toBe('one');
    for (const odd of [undefined, 'said']) expect(readWords(odd) ?? '').toBe('');
  });

  /** The messages of an answer as Slack returns them: it turns Markdown into other blocks. */
  function messagesOf(changes: Partial<Answer>, more: Partial<Question>, format: 'markdown' | 'mrkdwn') {
    const question = answered(changes, more);
    const { parts, render } = prepareAnswer(question, exampleAnswer(changes));
    const paragraph = (text: string) => ({
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
    });
    return Array.from({ length: parts }, (_, part) => {
      const { text, blocks = [] } = render(question, part, { format });
      const returned = blocks.flatMap((block): object[] => {
        if (block.type !== 'markdown') return [block];
        const [first = '', ...others] = block.text.split('\n\n---\n\n').map(paragraph);
        return [first, ...others.flatMap((other) => [{ type: 'divider' }, other])] as object[];
      });
      return textOf({ user: 'UBOT', text, blocks: returned }) ?? '';
    });
  }

  test.each<[string, Partial<Answer>, Partial<Question>]>([
    ['with sources', {}, {}],
    ['in German', {}, { locale: 'de-DE' }],
    ['without sources', { sources: [] }, {}],
    ['that only cites', { citedOnly: true }, { locale: 'de-DE' }],
    ['that cites nothing', { citedOnly: true, sources: [] }, {}],
    ['with a file', {}, { delivery: { round: 0, posted: [], file: { state: 'attached' } } }],
    ['without follow-ups', { followUps: [] }, {}],
    ['that was asked on', {}, { usedFollowUps: [{ index: 0, byUserId: 'U2' }] }],
    ['that was shared', { followUps: [] }, { origin: 'shared' }],
  ])('of an answer of the app %s end above its sources, and at no line within it', (_, changes, more) => {
    const markdown = 'It begins here.\n\n---\n\nIt ends here.';
    for (const format of ['markdown', 'mrkdwn'] as const) {
      const [said = ''] = messagesOf({ markdown, ...changes }, more, format);
      expect(said).toContain('It begins here.');
      expect(said).toMatch(/It ends here\.$/);
    }
  });

  test('of an answer of the app in several messages are all of it', () => {
    const markdown = Array.from({ length: 400 }, (_, at) => `Paragraph ${at} ${'x'.repeat(60)}`).join('\n\n');
    const said = messagesOf({ markdown }, {}, 'mrkdwn');
    expect(said.length).toBeGreaterThan(1);
    expect(said.join('\n').match(/Paragraph \d+/g)).toHaveLength(400);
    expect(said.at(-1)).toMatch(/x$/);
  });

  test('of deeply nested rich text are read up to a fixed depth', () => {
    const nested = (depth: number): object =>
      depth === 0
        ? { type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] }
        : { type: 'rich_text_list', elements: [nested(depth - 1)] };
    const said = (depth: number) => textOf({ ...program, blocks: [{ type: 'rich_text', elements: [nested(depth)] }] });
    expect(said(3)).toBe('    • one');
    expect(said(9)).toBe(`${'  '.repeat(8)}• one`);
    expect(said(10)).toBeUndefined();
    expect(said(2_000)).toBeUndefined();
  });
});

describe('a page of a thread', () => {
  const said = (text: string, more = {}) => ({ ts, user: 'U1', text, ...more });

  test('has as many replies as Slack counts on its first message', () => {
    expect(
      readPage([said('root', { reply_count: 5 }), said('reply', { reply_count: 9 })], identity, ts).replyCount,
    ).toBe(5);
    expect(readPage([said('root'), said('reply', { reply_count: 9 })], identity, ts)).not.toHaveProperty('replyCount');
    expect(readPage([said('root', { reply_count: 'many' })], identity, ts)).not.toHaveProperty('replyCount');
    expect(readPage([], identity, ts)).toMatchObject({ messages: [] });
    const later = said('later', { ts: '1700000009.000001', reply_count: 9 });
    expect(readPage([later], identity, ts)).not.toHaveProperty('replyCount');
  });

  test('counts replies on a first message that is not quoted', () => {
    const root = said('', { subtype: 'tombstone', reply_count: 5 });
    expect(readPage([root, said('reply')], identity, ts)).toMatchObject({
      messages: [{ text: 'reply' }],
      replyCount: 5,
    });
  });
});

describe('a file', () => {
  const file = { id: 'F1', name: 'a.log', mimetype: 'text/plain', mode: 'hosted', size: 3, url_private: 'https://x' };
  const one = (change: Record<string, unknown>) => readFiles([{ ...file, ...change }])[0];

  test('is read with its name, kind, size and address', () => {
    expect(readFiles([file])).toEqual([{ id: 'F1', name: 'a.log', type: 'text/plain', bytes: 3, url: 'https://x' }]);
  });

  test('is called by its title or id where it has no name, and has no size where the size is odd', () => {
    expect(one({ name: '', title: 'A log' })?.name).toBe('A log');
    expect(one({ name: 7, title: undefined })?.name).toBe('F1');
    expect(one({ size: -1, mimetype: undefined })).toMatchObject({ bytes: 0, type: '' });
  });

  test.each<[string, Record<string, unknown>]>([
    ['a text', {}],
    ['a text of some kind', { mimetype: 'TEXT/x-python' }],
    ['JSON', { mimetype: 'application/json' }],
    ['a kind of JSON', { mimetype: 'application/vnd.api+json; charset=utf-8' }],
    ['a script', { mimetype: 'application/x-sh' }],
    ['a snippet of any name', { mode: 'snippet', mimetype: '' }],
    ['of a type that Slack knows as text', { mimetype: 'video/mp2t', filetype: 'typescript' }],
    ['without further information', { file_access: undefined, is_external: undefined }],
  ])('that is %s is readable', (_, change) => {
    expect(one(change)?.url).toBe('https://x');
  });

  test.each<[string, Record<string, unknown>]>([
    ['a picture', { mimetype: 'image/png' }],
    ['only named like a kind of text', { mimetype: 'image/text/plain' }],
    ['of a type that only resembles JSON', { mimetype: 'application/jsonish' }],
    ['outside of Slack', { is_external: true }],
    ['outside of Slack by its mode', { mode: 'external' }],
    ['hidden by Slack’s limit', { mode: 'hidden_by_limit' }],
    ['hidden from the app', { file_access: 'check_file_info' }],
    ['without an address', { url_private: undefined }],
    ['of no kind', { mimetype: undefined }],
  ])('that is %s is only listed by name', (_, change) => {
    expect(one(change)).toMatchObject({ id: 'F1', name: 'a.log', url: undefined });
  });

  test('that is deleted or of an odd shape is left out', () => {
    expect(readFiles([{ ...file, mode: 'tombstone' }, { ...file, id: '' }, 'odd', null, file])).toHaveLength(1);
    for (const odd of [undefined, null, {}, 'files']) expect(readFiles(odd)).toEqual([]);
  });

  test('is one of ten at most', () => {
    const many = Array.from({ length: 11 }, (_, index) => ({ ...file, id: `F${index}` }));
    expect(readFiles(many).map(({ id }) => id)).toEqual(many.slice(0, 10).map(({ id }) => id));
  });
});
