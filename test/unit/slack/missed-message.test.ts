import { describe, expect, it } from 'vitest';
import { type Attendance, withHandled, withHolder, withSearched, withStart } from '../../../src/core/attendance.ts';
import { mostThreadsAttended } from '../../../src/core/settings.ts';
import { readContent } from '../../../src/slack/content/message-content.ts';
import {
  inReadingOrder,
  mayConcernApp,
  readPage,
  repliedSince,
  toChange,
  toDeletion,
  toEvent,
  toTs,
} from '../../../src/slack/missed/catch-up.ts';
import { addresseeOf } from '../../../src/slack/routing.ts';

const bot = 'U0BOT';
const identity = { teamId: 'T1', botUserId: bot, botId: 'B0BOT' };
const said = { type: 'message', user: 'U1', ts: '1700000000.000100', text: `<@${bot}> where?`, team: 'T1' };

describe('what a start knows of the time before it', () => {
  const stored: Attendance = { version: 1, lastMs: 500, threads: [] };

  it('is nothing at the first start, and a gap since the last delivery later', () => {
    expect(withStart(undefined, 900)).toEqual({ version: 1, lastMs: 900, threads: [] });
    expect(withStart(stored, 900).gap).toEqual({ fromMs: 500, openedMs: 900 });
  });

  it('stays until the search of the newest start is complete, also when deliveries are handled meanwhile', () => {
    const first = withHandled(withStart(stored, 900), 950, []);
    const second = withStart(first, 990);
    expect(second).toMatchObject({ lastMs: 950, gap: { fromMs: 500, openedMs: 990 } });
    expect(withSearched(second, 'a', 900, true).gap).toEqual({ fromMs: 500, openedMs: 990 });
    expect(withSearched(second, 'a', 990, false).gap).toEqual({ fromMs: 500, openedMs: 990 });
    expect(withSearched(second, 'a', 990, true)).not.toHaveProperty('gap');
  });

  it('is searched by one copy, and by another one once the lease is over', () => {
    const held = withHolder(withStart(stored, 900), 'a', 1_000, 30);
    expect(withHolder(held, 'b', 1_029, 30)).toBe(held);
    expect(withSearched(held, 'b', 900, true)).toBe(held);
    expect(withHolder(held, 'b', 1_030, 30).gap?.holder).toEqual({ id: 'b', untilMs: 1_060 });
  });

  it('keeps the threads with the newest messages', () => {
    const thread = (at: number) => ({ channelId: 'C1', threadTs: `${at}`, atMs: at });
    const many = Array.from({ length: mostThreadsAttended + 5 }, (_, at) => thread(at));
    const { threads } = withHandled({ ...stored, threads: many }, 1, [{ ...thread(7), atMs: 10_000 }]);
    expect(threads).toHaveLength(mostThreadsAttended);
    expect(threads[0]).toMatchObject({ threadTs: '7', atMs: 10_000 });
    expect(threads.filter(({ threadTs }) => threadTs === '7')).toHaveLength(1);
  });
});

describe('a missed message', () => {
  it.each([
    ['a mention in a channel', 'C1', said, 'app'],
    ['a mention by the id of its bot', 'C1', { ...said, text: '<@B0BOT> where?' }, 'app'],
    ['a mention that an edit added', 'C1', { ...said, edited: { user: 'U1', ts: '1700000009.000100' } }, 'app'],
    ['a direct message', 'D1', { ...said, text: 'where?' }, 'app'],
    ['a reply', 'C1', { ...said, text: 'and?', thread_ts: '1700000000.000001' }, 'thread'],
  ])('becomes the event that Slack would have sent: %s', (_, channelId, message, addressee) => {
    const [read] = readPage([message, { text: 'no ts' }, null]);
    if (read === undefined) throw new Error('unread');
    expect(mayConcernApp(read, channelId, identity)).toBe(true);
    const event = toEvent(read, channelId, identity);
    expect(event).toMatchObject({ channel: channelId, text: message.text, team: 'T1' });
    expect(
      addresseeOf(
        {
          isMention: event.type === 'app_mention',
          channelType: String(event.channel_type),
          userId: message.user,
          text: readContent(message, identity)?.text ?? '',
          ts: message.ts,
          threadTs: 'thread_ts' in message ? message.thread_ts : undefined,
          edited: event.edited !== undefined,
        },
        bot,
      ),
    ).toBe(addressee);
  });

  it.each([
    ['what people say to each other', { ...said, text: 'hello all' }],
    ['the id of the app in code', { ...said, text: `what is \`<@${bot}>\`?` }],
    ['a message of a program', { ...said, bot_id: 'B1' }],
    ['a message of the app', { ...said, user: bot }],
    ['a notice of Slack', { type: 'message', ts: said.ts, subtype: 'channel_name', text: `<@${bot}>` }],
  ])('is not %s', (_, message) => {
    expect(readPage([message]).some((each) => mayConcernApp(each, 'C1', identity))).toBe(false);
  });

  it('may be gone or changed', () => {
    expect(toDeletion('C1', '2.1', '1.1', 'U1')).toMatchObject({
      subtype: 'message_deleted',
      deleted_ts: '2.1',
      previous_message: { user: 'U1', thread_ts: '1.1' },
    });
    const [edited] = readPage([{ ...said, edited: { user: 'U1', ts: '1700000009.000100' } }]);
    expect(edited && toChange(edited, 'C1')).toMatchObject({ subtype: 'message_changed', ts: '1700000009.000100' });
  });
});

describe('the order of reading', () => {
  it('begins with the channels where people last asked, and ends with direct messages where no one did', () => {
    const asked = [
      { channelId: 'D2', atMs: 5 },
      { channelId: 'C2', atMs: 9 },
      { channelId: 'C2', atMs: 1 },
    ];
    expect(inReadingOrder(['D1', 'C1', 'C2'], asked)).toEqual(['C2', 'D2', 'C1', 'D1']);
  });

  it('takes only threads with a reply since then', () => {
    const roots = readPage([
      { ...said, ts: '1.000000', latest_reply: '4.000000' },
      { ...said, ts: '2.000000', latest_reply: '6.000000' },
      { ...said, ts: '3.000000' },
    ]);
    expect(repliedSince(roots, toTs(5_000)).map(({ ts }) => ts)).toEqual(['2.000000']);
  });
});
