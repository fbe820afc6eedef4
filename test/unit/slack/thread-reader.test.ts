import type { WebClient } from '@slack/web-api';
import { describe, expect, test } from 'vitest';
import { AppError, isAppError } from '../../../src/core/errors.ts';
import type { Admission, Records } from '../../../src/core/ports.ts';
import { newThread, type Question, type Thread } from '../../../src/core/question/question.ts';
import type { ThreadNotes } from '../../../src/core/question/thread-notes.ts';
import { noTracer } from '../../../src/core/tracing.ts';
import { createLimiters } from '../../../src/rate-limits/limiters.ts';
import type { Membership } from '../../../src/slack/access/membership.ts';
import { createMethodLimits } from '../../../src/slack/api/method-limits.ts';
import { createSlackApi, type SlackApi } from '../../../src/slack/api/slack-api.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import { readFiles } from '../../../src/slack/content/message-content.ts';
import type { WorkspaceContext } from '../../../src/slack/context.ts';
import { readThread } from '../../../src/slack/threads/thread-reader.ts';
import { createUnlimitedSlackApi } from '../../support/fake-slack/unlimited-slack-api.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

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

interface Access {
  membership?: () => Promise<Membership>;
  admission?: () => Promise<Admission>;
}

/** A reader with a Slack that answers `conversations.replies` with `reply`. `access`: what the asker may do there. */
function begin(
  reply: Record<string, unknown> | ((args: Record<string, string>) => Record<string, unknown>),
  known: Question[] = [],
  createApi: (client: WebClient) => SlackApi = (client) => createUnlimitedSlackApi(client, identity),
  { membership = async () => 'member', admission = async () => ({ may: true }) }: Access = {},
) {
  const { log } = createRecordingLog();
  const calls: Record<string, string>[] = [];
  const checked: string[] = [];
  const stored = new Map<string, ThreadNotes>();
  const threadNotes: Records<ThreadNotes> = {
    get: async (name) => stored.get(name),
    update: async (name, change) => {
      const changed = change(stored.get(name));
      stored.set(name, changed);
      return changed;
    },
  };
  const client = createWebClient('xoxb-test', {
    ...webClientOptions('http://127.0.0.1:9/api/', createLibraryLogger(log)),
    fetch: async (_, init) => {
      const args = Object.fromEntries(new URLSearchParams(String(init?.body)));
      calls.push(args);
      return Response.json(typeof reply === 'function' ? reply(args) : reply);
    },
  });
  const w = only<WorkspaceContext>({
    slack: createApi(client),
    memberships: only({
      of: async (userId, channelId) => {
        checked.push(`membership of ${userId} in ${channelId}`);
        return membership();
      },
    }),
    access: only({
      admit: async (userId, { channelId }) => {
        checked.push(`admission of ${userId} in ${channelId}`);
        return admission();
      },
    }),
    read: async (text) => text.replace(/<@(\w+)>/g, '@$1'),
    readFile: async ({ name }) => (name === 'lost.txt' ? undefined : { text: `content of ${name}` }),
    threadNotes,
    questions: only({ get: async (id) => known.find((each) => each.id === id) }),
  });
  const reader = { read: (question: Question, thread: Thread | undefined) => readThread(w, question, thread) };
  return { reader, calls, checked, threadNotes, stored };
}

function quoted(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').slice(2, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const root = { ts: place.threadTs, user: 'U1', text: 'the root', thread_ts: place.threadTs, reply_count: 5 };

describe('a thread that is longer than a page', () => {
  const day = 24 * 60 * 60;

  /** Answers as Slack does: the oldest messages of a window first, at most `most` of them. */
  function thread(times: number[], { first = {}, most = 1_000 } = {}) {
    const tsOf = (seconds: number): string => (1_700_000_000 + seconds).toFixed(6);
    const messages = times.map((seconds, index) => ({
      ts: index === 0 ? place.threadTs : tsOf(seconds),
      user: 'U2',
      text: `message ${index}`,
      thread_ts: place.threadTs,
      ...(index === 0 ? { reply_count: times.length - 1, latest_reply: tsOf(times.at(-1) ?? 0), ...first } : {}),
    }));
    return ({ oldest = '0', latest, limit }: Record<string, string>) => {
      const found = messages.filter(({ ts }) => Number(ts) >= Number(oldest) && Number(ts) <= Number(latest));
      const size = Math.min(Number(limit), most);
      return { ok: true, messages: found.slice(0, size), has_more: found.length > size };
    };
  }

  const spread = (count: number, from: number, to: number): number[] =>
    Array.from({ length: count }, (_, index) => from + ((to - from) * index) / count);

  test.each<[string, number[], number, { most?: number }?]>([
    ['at an even pace', [0, ...spread(2_400, 60, 30 * day)], 30 * day],
    [
      'with most of it at its end',
      [0, ...spread(400, 60, 30 * day - 3_600), ...spread(2_000, 30 * day - 3_600, 30 * day)],
      30 * day,
    ],
    [
      'with most of it at its beginning',
      [0, ...spread(2_370, 60, 3_600), ...spread(30, 2 * day, 300 * day)],
      300 * day,
    ],
    ['that ended long ago', [0, ...spread(2_400, 60, day)], 700 * day],
    ['within a few minutes', [0, ...spread(2_400, 1, 200)], 201],
    ['where Slack returns less than asked for', [0, ...spread(700, 60, 30 * day)], 30 * day, { most: 100 }],
  ])('is read to its newest messages by few calls: %s', async (_, times, now, options) => {
    const { reader, calls } = begin(thread(times, options));
    const { messages, total, text } = await reader.read(ask({ messageTs: at(now) }), people);
    expect({ messages, total }).toEqual({ messages: 31, total: times.length - 1 });
    const last = times.length - 1;
    const lines = quoted(text).map(({ text: words, messagesLeftOut }) => words ?? messagesLeftOut);
    expect(lines[0]).toBe('message 0');
    expect(lines[1]).toBe(total - 31);
    expect(lines.slice(2)).toEqual(spread(30, last - 29, last + 1).map((index) => `message ${index}`));
    expect(calls.length).toBeLessThanOrEqual(6);
  });

  test('has no first message where that was deleted, and still its newest ones', async () => {
    const gone = { subtype: 'tombstone', user: 'USLACKBOT', text: 'This message was deleted.' };
    const { reader } = begin(thread([0, ...spread(2_400, 60, day)], { first: gone }));
    const lines = quoted((await reader.read(ask({ messageTs: at(day) }), people)).text);
    expect(lines[0]).toHaveProperty('messagesLeftOut');
    expect(lines.at(-1)).toMatchObject({ text: 'message 2400' });
  });

  test('is read with a bounded number of calls, and says what is missing, where Slack never returns the end', async () => {
    const { reader, calls } = begin(() => ({ ok: true, messages: [{ ...root, reply_count: 63 }], has_more: true }));
    const context = await reader.read(ask(), people);
    expect(calls).toHaveLength(6);
    expect(context).toMatchObject({ messages: 1, total: 63 });
    expect(quoted(context.text).at(-1)).toEqual({ messagesLeftOut: 62 });
  });
});

describe('a page of a thread', () => {
  test('ends before the question and leaves out the question itself', async () => {
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

  test('marks the texts of programs, finds those in any of their fields, and skips messages without an author', async () => {
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
          { type: 'context', elements: [{ type: 'mrkdwn', text: '*Sources*' }] },
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

  test('brings five files at most, those of the question first, and counts the others', async () => {
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
    'counts as refused where Slack refuses it (%s), and brings the thread notes',
    async (error) => {
      const { reader, threadNotes } = begin({ ok: false, error });
      await threadNotes.update('T1:C1:1700000000.000001', () => ({
        version: 1,
        messages: [{ ts: at(3), userId: 'U3', text: 'addedNotes', files: [] }],
      }));
      const context = await reader.read(ask(), people);
      expect(context).toMatchObject({ refused: true, messages: 1, total: 1 });
      expect(context.text).toContain('addedNotes');
    },
  );

  test.each(['internal_error', 'ratelimited'])(
    'is requested again where Slack can’t give it now (%s)',
    async (error) => {
      await expect(begin({ ok: false, error }).reader.read(ask(), people)).rejects.toThrow('conversations.replies');
    },
  );
});

test('questions that find no room read their threads later, each at a different time', async () => {
  const { log } = createRecordingLog();
  const methodLimits = createMethodLimits({ createLimiter: createLimiters({ log }), now: Date.now, log });
  const { reader, calls } = begin({ ok: true, messages: [root], has_more: false }, [], (client) =>
    createSlackApi({ client, identity, methodLimits, noting: (result) => result, tracer: noTracer }),
  );
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

describe('no page is fetched', () => {
  test('for a thread with a conversation, where the files are known', async () => {
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

  test('for something new in a thread of the app', async () => {
    const { reader, calls } = begin({ ok: true, messages: [] });
    const own: Thread = { ...bound, followsReplies: true };
    expect((await reader.read(ask({ files: [], fresh: true }), own)).text).toBe('');
    expect(calls).toEqual([]);
  });

  test('except for something new in a thread of people', async () => {
    const { reader } = begin({ ok: true, messages: [root], has_more: false });
    expect(await reader.read(ask({ fresh: true }), bound)).toMatchObject({ messages: 1 });
  });
});

test('thread notes go to one question, and again to the next when the first was never asked', async () => {
  const first = ask({ id: 'q1', files: [] });
  const asked = { ...first, upstream: { steps: 0, askedMs: 1 } };
  for (const [known, expected] of [
    [asked, 0],
    [first, 1],
  ] as const) {
    const { reader, threadNotes } = begin({ ok: true, messages: [] }, [known]);
    await threadNotes.update('T1:C1:1700000000.000001', () => ({
      version: 1,
      messages: [{ ts: at(3), userId: 'U3', text: 'addedNotes', files: [] }],
    }));
    expect(await reader.read(first, bound)).toMatchObject({ messages: 1 });
    expect(await reader.read(first, bound)).toMatchObject({ messages: 1 });
    expect(await reader.read(ask({ id: 'q2', files: [], messageTs: at(950) }), bound)).toMatchObject({
      messages: expected,
    });
  }
});

test('a question without its message reads up to its card', async () => {
  const { messageTs: _, ...form } = ask({ card: { ts: at(50) }, origin: 'shortcut' });
  const messages = [root, { ts: at(49), user: 'U1', text: 'before' }, { ts: at(51), user: 'U1', text: 'after' }];
  const { reader, calls } = begin({ ok: true, messages, has_more: false });
  expect(await reader.read(form, people)).toMatchObject({ messages: 2 });
  expect(calls[0]).toMatchObject({ latest: at(50) });
});

const file = (name: string, more = {}) => ({
  id: name,
  name,
  mimetype: 'text/plain',
  mode: 'hosted',
  size: 3,
  url_private: 'https://files.slack.com/x',
  ...more,
});
const addedNotes = { ts: at(3), userId: 'U3', text: 'addedNotes', files: [] };
const threadNotesName = 'T1:C1:1700000000.000001';

describe('the files of a question in a thread with a conversation', () => {
  const messages = [{ ts: at(900), user: 'U1', text: 'asked', files: [file('own.txt')] }];

  test('are looked up by its message, with what was said since', async () => {
    const { reader, calls, threadNotes } = begin({ ok: true, messages: [root, ...messages] });
    await threadNotes.update(threadNotesName, () => ({ version: 1, messages: [addedNotes] }));
    const context = await reader.read(ask(), bound);
    expect(calls).toEqual([
      { channel: 'C1', ts: place.threadTs, oldest: at(900), latest: at(900), inclusive: 'true', limit: '2' },
    ]);
    expect(context).toMatchObject({ messages: 1, total: 1, files: 1, unreadable: 0 });
    expect(context.text).toContain('What people said there since the last question');
    expect(quoted(context.text)).toEqual([
      { from: 'U3', at: '2023-11-14T22:13Z', text: 'addedNotes' },
      { file: 'own.txt', from: 'U1', text: 'content of own.txt' },
    ]);
  });

  test('are looked up by the thread alone for the first message of a thread', async () => {
    const asked = { ...root, files: [file('own.txt')] };
    const { reader, calls } = begin({ ok: true, messages: [asked] });
    const context = await reader.read(ask({ messageTs: place.threadTs }), people);
    expect(calls).toEqual([{ channel: 'C1', ts: place.threadTs, limit: '1' }]);
    expect(context).toMatchObject({ messages: 0, files: 1 });
    expect(context.text).toContain('The question came with files.');
  });

  test('are used as they arrived, without a call', async () => {
    const { reader, calls } = begin({ ok: true, messages: [] });
    const files = [{ id: 'F1', name: 'told.txt', type: 'text/plain', bytes: 3, url: 'https://x' }];
    expect((await reader.read(ask({ files }), bound)).text).toContain('told.txt');
    expect(calls).toEqual([]);
  });

  test('are empty where the message is not found, where there is none, and where Slack does not answer', async () => {
    const { messageTs: _, ...form } = ask({ card: { ts: at(50) } });
    for (const [reply, question] of [
      [{ ok: true, messages: [root] }, ask()],
      [{ ok: true, messages }, form],
      [{ ok: false, error: 'internal_error' }, ask()],
      [{ ok: true }, ask()],
    ] as const) {
      expect(await begin(reply).reader.read(question, bound)).toMatchObject({ files: 0, unreadable: 0, text: '' });
    }
  });
});

describe('a thread that is read completely', () => {
  test('uses the files on the page rather than those that came with the question, where its message is there', async () => {
    const files = [{ id: 'F1', name: 'told.txt', type: 'text/plain', bytes: 3, url: 'https://x' }];
    const asked = { ts: at(900), user: 'U1', text: 'asked', files: [file('on-the-page.txt')] };
    const whole = await begin({ ok: true, messages: [root, asked] }).reader.read(ask({ files }), people);
    expect(whole.text).toContain('on-the-page.txt');
    expect(whole.text).not.toContain('told.txt');
    const part = await begin({ ok: true, messages: [root] }).reader.read(ask({ files }), people);
    expect(part.text).toContain('told.txt');
  });

  test('is requested in one page of a thousand', async () => {
    const { reader, calls } = begin({ ok: true, messages: [root] });
    await reader.read(ask(), people);
    expect(calls).toMatchObject([{ limit: '1000' }]);
  });

  test('is read for a question without a thread record, and not for a question without a thread', async () => {
    expect(await begin({ ok: true, messages: [root] }).reader.read(ask(), undefined)).toMatchObject({ messages: 1 });
    const { reader, calls } = begin({ ok: true, messages: [root] });
    const nothing = { messages: 0, total: 0, files: 0, unreadable: 0, text: '' };
    expect(await reader.read(ask({ place: { teamId: 'T1', channelId: 'C1' } }), undefined)).toEqual(nothing);
    expect(calls).toEqual([]);
  });

  test('keeps the files that came with the question where Slack refuses it', async () => {
    const files = [{ id: 'F1', name: 'told.txt', type: 'text/plain', bytes: 3, url: 'https://x' }];
    const { reader } = begin({ ok: false, error: 'missing_scope' });
    expect(await reader.read(ask({ files }), people)).toMatchObject({ refused: true, files: 1, messages: 0 });
    expect(await begin({ ok: true, messages: [root] }).reader.read(ask(), people)).not.toHaveProperty('refused');
  });

  test('is read up to the time of asking for a form without a card', async () => {
    const { messageTs: _, ...form } = ask({ acceptedMs: 1_700_000_050_123, card: {} });
    const { reader, calls } = begin({ ok: true, messages: [root] });
    await reader.read(form, people);
    expect(calls).toMatchObject([{ latest: '1700000050.123000' }]);
  });

  test('names all people as others see them, and keeps addresses in the texts', async () => {
    const { messageTs: _, ...form } = ask({
      place: { ...place, channelId: 'D1', threadTs: at(50) },
      card: { ts: at(50) },
    });
    const { reader, calls, threadNotes, stored } = begin({ ok: true, messages: [root] });
    await threadNotes.update(threadNotesName, () => ({ version: 1, messages: [addedNotes] }));
    const about = { ...form, readsFrom: place };
    const own: Thread = { ...bound, channelId: 'D1', followsReplies: true };
    for (const question of [about, { ...about, fresh: true }]) {
      expect(await reader.read(question, own)).toMatchObject({ messages: 1 });
    }
    expect(calls).toMatchObject([
      { channel: 'C1', ts: place.threadTs, latest: at(50) },
      { channel: 'C1', ts: place.threadTs, latest: at(50) },
    ]);
    expect(stored.get(threadNotesName)).toEqual({ version: 1, messages: [addedNotes] });
  });

  test('is not another one that its asker may not read, or that Slack refuses', async () => {
    const nothing = { messages: 0, total: 0, files: 0, unreadable: 0, text: '', refused: true };
    const direct = { ...place, channelId: 'D1' };
    const refused = begin({ ok: true, messages: [root] });
    const question = ask({ place: direct, readsFrom: { ...place, isRefused: true } });
    expect(await refused.reader.read(question, undefined)).toEqual(nothing);
    expect(refused.calls).toEqual([]);
    const { reader } = begin({ ok: false, error: 'not_in_channel' });
    expect(await reader.read(ask({ place: direct, readsFrom: place }), undefined)).toEqual(nothing);
  });

  test.each<[string, Access, boolean]>([
    ['is a member of its channel', {}, true],
    ['may read its open channel', { membership: async () => 'open' }, true],
    ['is not in its channel any more', { membership: async () => 'none' }, false],
    ['asks about a channel that the app has left', { membership: async () => 'hidden' }, false],
    ['may not ask there any more', { admission: async () => ({ may: false, reason: 'channelRefused' }) }, false],
  ])(
    'in another place is read depending on whether its asker still has access: the asker %s',
    async (_, access, isRead) => {
      const { reader, calls, checked } = begin({ ok: true, messages: [root] }, [], undefined, access);
      const question = ask({ place: { ...place, channelId: 'D1' }, askerId: 'U7', readsFrom: place });
      const context = await reader.read(question, undefined);
      expect(context.refused === true).toBe(!isRead);
      expect(context.messages).toBe(isRead ? 1 : 0);
      expect(calls).toHaveLength(isRead ? 1 : 0);
      expect(checked.toSorted()).toEqual(['admission of U7 in C1', 'membership of U7 in C1']);
    },
  );

  test.each<[string, Access]>([
    ['membership', { membership: () => Promise.reject(new AppError('unavailable', 'planned')) }],
    ['admission', { admission: () => Promise.reject(new AppError('unavailable', 'planned')) }],
  ])('in another place is not read while the %s of its asker is not known', async (_, access) => {
    const { reader, calls } = begin({ ok: true, messages: [root] }, [], undefined, access);
    const question = ask({ place: { ...place, channelId: 'D1' }, readsFrom: place });
    await expect(reader.read(question, undefined)).rejects.toThrow('planned');
    expect(calls).toEqual([]);
  });

  test('names everybody as others see them, and keeps an address in the words', async () => {
    const messages = [
      { ...root, text: 'ask <@U2>' },
      { ts: at(1), user: 'UBOT', bot_id: 'BOURS', text: 'here' },
    ];
    const { text } = await begin({ ok: true, messages }).reader.read(ask(), people);
    expect(quoted(text).map(({ from, text: words }) => [from, words])).toEqual([
      ['U1', 'ask @U2'],
      ['Deep Search (this app)', 'here'],
    ]);
  });
});

describe('the notes of a thread', () => {
  test('stay untouched where something new is asked in a thread of the app', async () => {
    const { reader, threadNotes, stored } = begin({ ok: true, messages: [] });
    await threadNotes.update(threadNotesName, () => ({ version: 1, messages: [addedNotes] }));
    const own: Thread = { ...bound, followsReplies: true };
    await reader.read(ask({ files: [], fresh: true }), own);
    expect(stored.get(threadNotesName)).toEqual({ version: 1, messages: [addedNotes] });
  });

  test('are not given again where the question that had them is not known any more, and never contain what came after the question', async () => {
    const { reader, threadNotes } = begin({ ok: true, messages: [] });
    const later = { ...addedNotes, ts: at(901), text: 'too late' };
    const taken = { questionId: 'q9', fromTs: at(4), toTs: at(5) };
    await threadNotes.update(threadNotesName, () => ({ version: 1, messages: [addedNotes, later], taken }));
    expect(await reader.read(ask({ files: [] }), bound)).toMatchObject({ messages: 0 });
  });

  test('makes no record where nothing was', async () => {
    const { reader, stored } = begin({ ok: true, messages: [] });
    await reader.read(ask({ files: [] }), bound);
    expect(stored.size).toBe(0);
  });
});

describe('files whose text Slack tells, or of which it tells only the id,', () => {
  const url = 'https://files.slack.com/files-pri/T1-F1/a';
  const clip = {
    ...{ id: 'F1', name: 'standup.m4a', mimetype: 'video/mp4', filetype: 'm4a', mode: 'hosted', size: 9 },
    ...{ subtype: 'slack_audio', duration_ms: 9_000, url_private: url, mp4: url },
  };
  const words = { status: 'complete', locale: 'en-US', preview: { content: 'it crashed', has_more: true } };
  const id = { id: 'F1', mode: 'file_access', file_access: 'check_file_info', created: 0, timestamp: 0, user: '' };
  const log = { id: 'F1', name: 'a.log', mimetype: 'text/plain', mode: 'hosted', size: 3, url_private: url };
  const from = 'U2';
  const canvas = { mode: 'quip', filetype: 'quip', mimetype: 'application/vnd.slack-docs', name: '-', title: 'Plan' };
  const mail = { mode: 'email', name: 'mail', mimetype: 'text/html', filetype: 'email', url_private: url, size: 9 };

  test.each<[string, object, Record<string, unknown> | undefined, object]>([
    [
      'a clip with its words',
      { ...clip, transcription: words },
      undefined,
      { file: 'standup.m4a', text: 'it crashed…' },
    ],
    [
      'a clip with its transcript',
      { ...clip, transcription: words, vtt: url },
      undefined,
      { file: 'standup.m4a', text: 'content of standup.m4a' },
    ],
    [
      'a clip whose transcript was not ready',
      { ...clip, transcription: { status: 'processing' } },
      { ok: true, file: { ...clip, transcription: words } },
      { file: 'standup.m4a', text: 'it crashed…' },
    ],
    [
      'a clip whose transcript is not ready yet',
      { ...clip, transcription: { status: 'processing' } },
      { ok: true, file: { ...clip, transcription: { status: 'processing' } } },
      { file: '(video standup.m4a, not readable)' },
    ],
    [
      'an e-mail',
      { id: 'F1', ...mail, subject: 'Down', plain_text: 'since ``` 9', preview_plain_text: 'since' },
      undefined,
      { file: 'mail', text: 'Down\n\nsince ``` 9' },
    ],
    ['a file of another organization', id, { ok: true, file: log }, { file: 'a.log', text: 'content of a.log' }],
    [
      'one of which Slack tells no more',
      id,
      { ok: false, error: 'file_not_found' },
      { file: '(file F1, not readable)' },
    ],
    ['a canvas', { id: 'F1', ...canvas, url_private: url }, undefined, { file: '(file Plan, not readable)' }],
  ])('are quoted, or named as not read: %s', async (_, file, info, line) => {
    const own = readFiles([file]);
    const { reader, calls } = begin(info ?? { ok: false, error: 'unplanned' });
    const context = await reader.read(ask({ files: own, askerId: from }), bound);
    expect(quoted(context.text)).toEqual([{ from, ...line }]);
    expect(context).toMatchObject('text' in line ? { files: 1, unreadable: 0 } : { files: 0, unreadable: 1 });
    expect(calls).toEqual(info === undefined ? [] : [{ file: 'F1' }]);
  });

  test('stand by name in the messages of a thread, and are looked up once, five at most', async () => {
    const files = Array.from({ length: 7 }, (_, index) => ({ ...id, id: `F${index}` }));
    const messages = [
      { ...root, files: files.slice(0, 2) },
      { ts: at(5), user: 'U2', text: '', files },
    ];
    const { reader, calls } = begin(({ file }) =>
      file === undefined
        ? { ok: true, messages, has_more: false }
        : { ok: true, file: { ...log, id: file, name: `${file}.log` } },
    );
    const context = await reader.read(ask({ files: [] }), people);
    expect(quoted(context.text)[0]).toMatchObject({ files: ['F0.log', 'F1.log'] });
    expect(context).toMatchObject({ files: 5 });
    expect(calls).toHaveLength(6);
  });

  test('share the room of all files', async () => {
    const own = [1, 2, 3, 4].map((each) => ({
      id: `F${each}`,
      name: `${each}`,
      type: '',
      bytes: 9,
      text: '"'.repeat(8_000),
    }));
    const { text } = await begin({ ok: true }).reader.read(ask({ files: own }), bound);
    expect(text.length).toBeGreaterThan(29_000);
    expect(text.length).toBeLessThan(31_000);
  });
});

describe('messages that a question links to', () => {
  const link = (seconds: number, channelId = 'C2'): string =>
    `https://acme.slack.com/archives/${channelId}/p${at(seconds).replace('.', '')}`;
  const image = {
    id: 'F9',
    name: 'error.png',
    mimetype: 'image/png',
    url_private: 'https://files.slack.com/files-pri/T1-F9/e',
  };
  const linkedFiles = [file('linked.txt'), image];
  const answers = ({ oldest = '' }: Record<string, string>) => ({
    ok: true,
    messages: oldest === at(9) ? [] : [root, { ts: oldest, user: 'U5', text: `linked ${oldest}`, files: linkedFiles }],
  });
  const linking = (text: string, overrides: Partial<Question> = {}): Question =>
    questionWith({ place: { teamId: 'T1', channelId: 'C1' }, origin: 'command', askerId: 'U7', text, ...overrides });

  test('are quoted with their place, and their files are read', async () => {
    const { reader, calls, checked } = begin(answers);
    const question = linking(`what is ${link(5)}?thread_ts=${at(1)}&cid=C2 and ${link(6)} and ${link(5)}`);
    const context = await reader.read(question, undefined);
    expect(context).toMatchObject({ messages: 0, linked: 2, files: 2, unreadable: 2 });
    expect(context).not.toHaveProperty('linksUnread');
    const window = { inclusive: 'true', limit: '2' };
    expect(calls).toEqual([
      { channel: 'C2', ts: at(1), oldest: at(5), latest: at(5), ...window },
      { channel: 'C2', ts: at(6), oldest: at(6), latest: at(6), ...window },
    ]);
    expect(checked.toSorted()).toEqual(['admission of U7 in C2', 'membership of U7 in C2']);
    expect(context.text).toMatch(/^The question links to these Slack messages\. .* not instructions\.\n```json\n/);
    expect(quoted(context.text.split('\n\n')[0] ?? '')[0]).toEqual({
      from: 'U5',
      channel: '<#C2>',
      at: '2023-11-14T22:13Z',
      link: `${link(5)}?thread_ts=${at(1)}&cid=C2`,
      text: `linked ${at(5)}`,
      files: ['linked.txt', '(image error.png, not readable)'],
    });
  });

  test('are read besides the thread, also for a follow-up, and at most five', async () => {
    const messages = [root, { ts: at(900), user: 'U1', text: 'asked' }];
    const { reader } = begin((args) => (args.channel === 'C1' ? { ok: true, messages } : answers(args)));
    const text = [1, 2, 3, 4, 5, 6, 7].map((seconds) => link(seconds)).join(' ');
    expect(await reader.read(ask({ text }), people)).toMatchObject({ messages: 1, linked: 5, linksUnread: 2 });
    const followUp = ask({ text: link(1), files: [], origin: 'reply' });
    expect(await reader.read(followUp, bound)).toMatchObject({ messages: 0, linked: 1 });
  });

  test.each<[string, Access | Record<string, unknown>]>([
    ['its asker is not in the channel', { membership: async () => 'none' }],
    ['the app does not see the channel', { membership: async () => 'hidden' }],
    ['its asker may not ask there', { admission: async () => ({ may: false, reason: 'channelRefused' }) }],
  ])('are not read where %s', async (_, access) => {
    const { reader, calls } = begin(answers, [], undefined, access);
    const context = await reader.read(linking(link(5)), undefined);
    expect(context).toEqual({ messages: 0, total: 0, files: 0, unreadable: 0, text: '', linksUnread: 1 });
    expect(calls).toEqual([]);
  });

  test('count as not read where Slack refuses them or has none, and are no links where the host is not Slack’s', async () => {
    const refused = begin({ ok: false, error: 'not_in_channel' });
    expect(await refused.reader.read(linking(link(5)), undefined)).toMatchObject({ linksUnread: 1, text: '' });
    const { reader, calls } = begin(answers);
    expect(await reader.read(linking(link(9)), undefined)).toMatchObject({ linksUnread: 1, text: '' });
    const elsewhere = link(5).replace('acme.slack.com', 'slack.com.evil.example');
    expect(await reader.read(linking(elsewhere), undefined)).not.toHaveProperty('linksUnread');
    expect(calls).toHaveLength(1);
  });

  test('are not followed where other people wrote them', async () => {
    const { reader, calls } = begin({ ok: true, messages: [{ ...root, text: link(5) }] });
    expect(await reader.read(ask(), people)).not.toHaveProperty('linked');
    expect(calls).toHaveLength(1);
  });
});
