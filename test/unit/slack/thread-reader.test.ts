import { describe, expect, test } from 'vitest';
import { isAppError } from '../../../src/core/errors.ts';
import type { Heard } from '../../../src/core/heard.ts';
import type { Records } from '../../../src/core/ports.ts';
import { newThread, type Question, type Thread } from '../../../src/core/question.ts';
import { createLimiters } from '../../../src/limits/limiters.ts';
import { createSlackGate } from '../../../src/slack/calls/gate.ts';
import { createLibraryLogger } from '../../../src/slack/calls/library-logger.ts';
import { createThrough, type Through } from '../../../src/slack/calls/through.ts';
import { call, createWebClient, webClientOptions } from '../../../src/slack/calls/web-client.ts';
import { createThreadReader } from '../../../src/slack/threads/thread-reader.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';
import { createRecordingJournal } from '../../support/recording-journal.ts';

const identity = { teamId: 'T1', botUserId: 'UBOT', botId: 'BOURS' };
const place = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000001' };
const people = newThread(place, false);
const bound: Thread = { ...people, conversationId: 7 };

function at(seconds: number): string {
  return `${1_700_000_000 + seconds}.000001`;
}

function ask(overrides: Partial<Question> = {}): Question {
  return questionWith({ place, origin: 'mention', readsThread: true, messageTs: at(900), ...overrides });
}

/** A reader before a Slack that answers `conversations.replies` with `reply`. */
function begin(
  reply: Record<string, unknown>,
  known: Question[] = [],
  through: Through = (method, _urgency, run) => call(method, run),
) {
  const { journal } = createRecordingJournal();
  const calls: Record<string, string>[] = [];
  const stored = new Map<string, Heard>();
  const heard: Records<Heard> = {
    get: async (name) => stored.get(name),
    update: async (name, change) => {
      const changed = change(stored.get(name));
      stored.set(name, changed);
      return changed;
    },
  };
  const client = createWebClient('xoxb-test', {
    ...webClientOptions('http://127.0.0.1:9/api/', createLibraryLogger(journal)),
    fetch: async (_, init) => {
      calls.push(Object.fromEntries(new URLSearchParams(String(init?.body))));
      return Response.json(reply);
    },
  });
  const reader = createThreadReader({
    client,
    through,
    identity,
    read: async (text) => text.replace(/<@(\w+)>/g, '@$1'),
    readFile: async ({ name }) => (name === 'lost.txt' ? undefined : `content of ${name}`),
    heard,
    questions: { get: async (id) => known.find((each) => each.id === id) },
  });
  return { reader, calls, heard, stored };
}

function quoted(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').slice(2, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const root = { ts: place.threadTs, user: 'U1', text: 'the root', thread_ts: place.threadTs, reply_count: 5 };

describe('a page of a thread', () => {
  test('goes up to the question and leaves out the question itself', async () => {
    const messages = [root, { ts: at(5), user: 'U2', text: 'a reply' }, { ts: at(900), user: 'U1', text: 'asked' }];
    const { reader, calls } = begin({ ok: true, messages, has_more: false });
    const context = await reader.read(ask(), people);
    expect(calls).toMatchObject([{ channel: 'C1', ts: place.threadTs, latest: at(900), inclusive: 'true' }]);
    expect(context).toMatchObject({ messages: 2, total: 2, files: 0, unreadable: 0 });
    expect(quoted(context.text).map(({ from, text }) => [from, text])).toEqual([
      ['U1', 'the root'],
      ['U2', 'a reply'],
    ]);
  });

  test('that Slack makes shorter than the thread counts the rest', async () => {
    const messages = [
      { ...root, reply_count: 63 },
      { ts: at(5), user: 'U2', text: 'a reply' },
    ];
    const { reader } = begin({ ok: true, messages, has_more: true });
    const context = await reader.read(ask(), people);
    expect(context).toMatchObject({ messages: 2, total: 63 });
    expect(quoted(context.text).at(-1)).toEqual({ messagesLeftOut: 61 });
  });

  test('says which words are of programs, takes theirs from where they put them, and skips what is nobody’s', async () => {
    const messages = [
      {
        ...root,
        user: undefined,
        bot_id: 'BALERT',
        username: 'alertmanager',
        text: '',
        attachments: [{ title: 'Disk full', text: 'on db-1', fallback: 'x' }],
      },
      {
        ts: at(1),
        user: 'UX',
        bot_id: 'BX',
        bot_profile: { name: 'robo' },
        text: 'hi',
        blocks: [
          { type: 'section', text: { type: 'mrkdwn', text: 'hi and more' } },
          { type: 'context', elements: [] },
        ],
      },
      {
        ts: at(2),
        user: 'UBOT',
        bot_id: 'BOURS',
        text: 'Searching',
        blocks: [{ type: 'section', block_id: 'ds:q0123456789abcdef01234567:card:x1' }],
      },
      {
        ts: at(3),
        user: 'UBOT',
        bot_id: 'BOURS',
        text: 'begins',
        blocks: [
          { type: 'markdown', text: 'begins and ends' },
          { type: 'divider' },
          { type: 'section', text: { text: '*Sources*' } },
        ],
      },
      { ts: at(4), subtype: 'tombstone', user: 'USLACKBOT', text: 'This message was deleted.' },
      { ts: at(5), subtype: 'channel_join', user: 'U1', text: 'joined' },
      { ts: 'never', user: 'U1', text: 'odd' },
      'nonsense',
      { ts: at(6), user: 7, text: { not: 'text' }, blocks: 'no', files: [null, { id: 3 }], attachments: {} },
    ];
    const { reader } = begin({ ok: true, messages, has_more: false });
    const { text, total } = await reader.read(ask(), people);
    expect(quoted(text).map((line) => `${String(line.from)}: ${String(line.text)}`)).toEqual([
      'alertmanager (app): Disk full\non db-1',
      'robo (app): hi and more',
      'Deep Search (this app): begins and ends',
    ]);
    expect(total).toBe(3);
  });

  test('reads five files at most, those of the question first, and counts the others', async () => {
    const file = (name: string, more = {}) => ({
      id: name,
      name,
      mimetype: 'text/plain',
      mode: 'hosted',
      size: 3,
      url_private: 'https://files.slack.com/x',
      ...more,
    });
    const many = ['1.txt', '2.txt', '3.txt', '4.txt'].map((name) => file(name));
    const odd = [
      file('secret.pdf', { mimetype: 'application/pdf', filetype: 'pdf' }),
      file('theirs.txt', { file_access: 'check_file_info' }),
      file('drive.txt', { is_external: true, mode: 'external' }),
      file('gone', { mode: 'tombstone' }),
    ];
    const messages = [
      { ...root, files: many },
      { ts: at(5), user: 'U2', text: '', files: [file('5.txt'), ...odd] },
      {
        ts: at(900),
        user: 'U1',
        text: 'asked',
        files: [file('lost.txt'), file('own.ts', { mimetype: 'video/mp2t', filetype: 'typescript' })],
      },
    ];
    const { reader } = begin({ ok: true, messages, has_more: false });
    const context = await reader.read(ask(), people);
    expect(context).toMatchObject({ files: 4, unreadable: 6 });
    expect(quoted(context.text).flatMap(({ file: name }) => (name === undefined ? [] : [name]))).toEqual([
      '(file lost.txt, not read)',
      'own.ts',
      '5.txt',
      '1.txt',
      '2.txt',
    ]);
  });

  test.each(['missing_scope', 'not_in_channel', 'thread_not_found', 'channel_not_found', 'a_new_refusal'])(
    'that Slack refuses (%s) is said to be refused, with what was heard',
    async (error) => {
      const { reader, heard } = begin({ ok: false, error });
      await heard.update('T1:C1:1700000000.000001', () => ({
        version: 1,
        messages: [{ ts: at(3), userId: 'U3', text: 'overheard', files: [] }],
      }));
      const context = await reader.read(ask(), people);
      expect(context).toMatchObject({ refused: true, messages: 1, total: 1 });
      expect(context.text).toContain('overheard');
    },
  );

  test.each(['internal_error', 'ratelimited'])('that Slack can’t give now (%s) is asked for again', async (error) => {
    await expect(begin({ ok: false, error }).reader.read(ask(), people)).rejects.toThrow('conversations.replies');
  });
});

test('questions that find no room come again for their threads, each at a time of its own', async () => {
  const { journal } = createRecordingJournal();
  const gate = createSlackGate({ createLimiter: createLimiters({ journal }), now: Date.now, journal });
  const through = createThrough({ gate, teamId: 'T1', noting: (result) => result });
  const { reader, calls } = begin({ ok: true, messages: [root], has_more: false }, [], through);
  const readings = await Promise.allSettled(Array.from({ length: 12 }, () => reader.read(ask(), people)));
  const waits = readings.flatMap((reading) =>
    reading.status === 'rejected' && isAppError(reading.reason, 'rateLimited')
      ? [Math.round((reading.reason.retryAfterMs ?? 0) / 100)]
      : [],
  );
  expect(calls.length + waits.length).toBe(12);
  expect(waits.length).toBeGreaterThan(3);
  expect(new Set(waits).size).toBe(waits.length);
});

describe('what is not fetched', () => {
  test('a thread with a conversation, where the files are known', async () => {
    const { reader, calls } = begin({ ok: true, messages: [] });
    expect(await reader.read(ask({ files: [] }), bound)).toEqual({
      messages: 0,
      total: 0,
      files: 0,
      unreadable: 0,
      text: '',
    });
    expect(calls).toEqual([]);
  });

  test('what was said before something new in a thread of the app', async () => {
    const { reader, calls } = begin({ ok: true, messages: [] });
    const own: Thread = { ...bound, followsReplies: true };
    expect((await reader.read(ask({ files: [], fresh: true }), own)).text).toBe('');
    expect(calls).toEqual([]);
  });

  test('but something new in a thread of people is read with it', async () => {
    const { reader } = begin({ ok: true, messages: [root], has_more: false });
    expect(await reader.read(ask({ fresh: true }), bound)).toMatchObject({ messages: 1 });
  });
});

test('what was heard goes to one question, and again to the next when that one was never asked', async () => {
  const first = ask({ id: 'q1', files: [] });
  const asked = { ...first, upstream: { steps: 0, askedMs: 1 } };
  for (const [known, expected] of [
    [asked, 0],
    [first, 1],
  ] as const) {
    const { reader, heard } = begin({ ok: true, messages: [] }, [known]);
    await heard.update('T1:C1:1700000000.000001', () => ({
      version: 1,
      messages: [{ ts: at(3), userId: 'U3', text: 'overheard', files: [] }],
    }));
    expect(await reader.read(first, bound)).toMatchObject({ messages: 1 });
    expect(await reader.read(first, bound)).toMatchObject({ messages: 1 });
    expect(await reader.read(ask({ id: 'q2', files: [], messageTs: at(950) }), bound)).toMatchObject({
      messages: expected,
    });
  }
});

test('a question without a message of its own reads up to its card', async () => {
  const { messageTs: _, ...form } = ask({ card: { ts: at(50) }, origin: 'shortcut' });
  const messages = [root, { ts: at(49), user: 'U1', text: 'before' }, { ts: at(51), user: 'U1', text: 'after' }];
  const { reader, calls } = begin({ ok: true, messages, has_more: false });
  expect(await reader.read(form, people)).toMatchObject({ messages: 2 });
  expect(calls[0]).toMatchObject({ latest: at(50) });
});
