import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question/question.ts';
import { people, team } from '../../../src/local-slack/people.ts';
import { cardMarker, markerBlockId, partMarker } from '../../../src/render/ids.ts';
import { createOutbound } from '../../../src/service/outbound.ts';
import type { Identity } from '../../../src/slack/api/slack-api.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import type { SlackContext } from '../../../src/slack/context.ts';
import { createMessenger } from '../../../src/slack/messages/messenger.ts';
import { sendPrivately } from '../../../src/slack/messages/private-messages.ts';
import { type FakeSlack, startFakeSlack } from '../../support/fake-slack/fake-slack.ts';
import { createUnlimitedSlackApi } from '../../support/fake-slack/unlimited-slack-api.ts';
import { questionWith, someAnswer, someMs } from '../../support/lifecycle/sample-questions.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const full: Identity = { teamId: 'T1', botUserId: 'UBOT', botId: 'BOURS' };

const outbound = createOutbound({});
afterAll(() => outbound.close());

/** A messenger with a Slack that gives the scripted reply to each call of a method. */
function begin(replies: Record<string, Record<string, unknown>>, identity = full) {
  const { log, lines } = createRecordingLog();
  const calls: { method: string; args: URLSearchParams }[] = [];
  let nowMs = someMs;
  const client = createWebClient('xoxb-test', {
    ...webClientOptions('http://127.0.0.1:9/api/', createLibraryLogger(log)),
    fetch: async (url, init) => {
      const method = String(url).replace(/^.*\/api\//, '');
      calls.push({ method, args: new URLSearchParams(String(init?.body)) });
      return Response.json(replies[method] ?? { ok: false, error: 'unknown_method' });
    },
  });
  const rooms: (string | undefined)[] = [];
  const s = only<SlackContext>({
    slack: createUnlimitedSlackApi(client, identity, (method, { channelId }) => {
      if (method === 'chat.postMessage') rooms.push(channelId);
    }),
    outbound,
    slackApiUrl: 'http://127.0.0.1:9/api/',
    format: 'markdown',
    log,
    now: () => nowMs,
    people: only({
      person: async (userId) => ({
        userId,
        name: userId,
        kind: 'member',
        locale: userId === 'UGERMAN' ? 'de-DE' : undefined,
      }),
    }),
  });
  return {
    s,
    messenger: createMessenger(s),
    calls,
    rooms,
    lines,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('searching for a message of the app', () => {
  const question = questionWith({ card: { intentMs: someMs }, delivery: { round: 0, posted: [], intentMs: someMs } });
  const blocks = [{ type: 'context', block_id: markerBlockId(cardMarker(question), 'x') }];
  const found = (message: Record<string, unknown>, identity?: Identity) =>
    begin(
      { 'conversations.replies': { ok: true, messages: [{ ts: '2.2', blocks, ...message }] } },
      identity,
    ).messenger.findCard(question);

  it.each<[string, Record<string, unknown>]>([
    ['by the app', { user: 'UBOT', bot_id: 'BOURS' }],
    ['by its user', { user: 'UBOT' }],
    ['by its user, where the app has another id there', { user: 'UBOT', bot_id: 'BOTHER' }],
    ['by its app', { bot_id: 'BOURS' }],
    ['without an author', {}],
  ])('finds a message %s', async (_, message) => {
    expect(await found(message)).toBe('2.2');
  });

  it.each<[string, Record<string, unknown>]>([
    ['a person', { user: 'U1' }],
    ['another app', { user: 'U2', bot_id: 'BOTHER' }],
    ['another app without a user', { bot_id: 'BOTHER' }],
  ])('ignores a message of %s, even with the marker', async (_, message) => {
    expect(await found(message)).toBeUndefined();
  });

  it('compares the user where the app does not know its id', async () => {
    const nameless: Identity = { teamId: 'T1', botUserId: 'UBOT' };
    expect(await found({ bot_id: 'BSOME' }, nameless)).toBe('2.2');
    expect(await found({ user: 'U1', bot_id: 'BSOME' }, nameless)).toBeUndefined();
  });

  it('reports a refusal for lack of permission, waits a minute, and counts the message as not posted', async () => {
    const forbidden = { ok: false, error: 'missing_scope', needed: 'channels:history' };
    const { messenger, lines, pass } = begin({ 'conversations.replies': forbidden });
    for (const find of [() => messenger.findCard(question), () => messenger.findPart(question, 0)]) {
      await expect(find()).rejects.toMatchObject({ kind: 'unauthorized', code: 'missing_scope' });
    }
    pass(60_001);
    expect(await messenger.findCard(question)).toBeUndefined();
    expect(await messenger.findPart(question, 0)).toBeUndefined();
    expect(lines.map(({ event }) => event)).toEqual(new Array(4).fill('advance_not_allowed'));
  });

  it('removes from the channel what an ended process posted for a thread that is gone', async () => {
    const strays = [
      { ts: '3.1', user: 'UBOT', blocks },
      { ts: '3.2', user: 'UBOT', text: 'about another question' },
      { ts: '3.3', user: 'UBOT', files: [{ id: 'F1', name: `deepsearch-${question.id}.md` }] },
      { ts: '3.4', user: 'U1', blocks },
    ];
    const { messenger, calls } = begin({
      'conversations.replies': { ok: false, error: 'thread_not_found' },
      'conversations.history': { ok: true, messages: strays },
      'chat.delete': { ok: true },
      'files.delete': { ok: true },
    });
    await expect(messenger.findCard(question)).rejects.toMatchObject({
      kind: 'undeliverable',
      code: 'thread_not_found',
    });
    const deleted = calls.flatMap(({ args }) => args.get('ts') ?? args.get('file') ?? []);
    expect(deleted.filter((id) => id !== question.place.threadTs)).toEqual(['3.1', 'F1']);
  });

  it('does not know what became of a message that it could not remove', async () => {
    const { messenger } = begin({
      'chat.postMessage': { ok: true, ts: '3.1', message: { ts: '3.1' } },
      'chat.delete': { ok: false, error: 'internal_error' },
    });
    const failure = { kind: 'unavailable', outcomeUnknown: true };
    await expect(messenger.postCard(question, { kind: 'starting' })).rejects.toMatchObject(failure);
  });

  it('finds none in a channel that the app has not joined yet, so that the app posts and joins', async () => {
    const notJoined = { ok: false, error: 'not_in_channel' };
    const { messenger } = begin({ 'conversations.history': notJoined, 'conversations.replies': notJoined });
    const { threadTs: _, ...place } = question.place;
    expect(await messenger.findCard({ ...question, place })).toBeUndefined();
    expect(await messenger.findPart(question, 0)).toBeUndefined();
  });

  it('fails each time with a refused token', async () => {
    const { messenger, pass } = begin({ 'conversations.replies': { ok: false, error: 'token_revoked' } });
    pass(3_600_000);
    await expect(messenger.findPart(question, 0)).rejects.toMatchObject({ kind: 'unauthorized' });
  });

  it('finds the part itself, not another one', async () => {
    const part = { user: 'UBOT', blocks: [{ type: 'context', block_id: markerBlockId(partMarker(question, 1), 'x') }] };
    const { messenger } = begin({ 'conversations.replies': { ok: true, messages: [{ ts: '3.3', ...part }] } });
    expect(await messenger.findPart(question, 1)).toBe('3.3');
    expect(await messenger.findPart(question, 0)).toBeUndefined();
  });
});

describe('posting a message', () => {
  it('uses room in the channel once, however often the form is refused', async () => {
    const { messenger, rooms } = begin({ 'chat.postMessage': { ok: false, error: 'invalid_blocks' } });
    await expect(messenger.postCard(questionWith(), { kind: 'starting' })).rejects.toMatchObject({
      kind: 'unrenderable',
    });
    expect(rooms).toEqual(['C1', undefined, undefined]);
  });
});

describe('a private message', () => {
  it.each<[string, Partial<Question>, string | null]>([
    ['nothing was posted there', {}, null],
    ['there is a card', { card: { ts: '1.1' } }, '1700000000.000001'],
    ['there is only an answer', { delivery: { round: 0, posted: ['1.1'] } }, '1700000000.000001'],
  ])(
    'about a question that began its thread is in the thread where Slack shows it: %s',
    async (_, change, threadTs) => {
      const { messenger, calls } = begin({ 'chat.postEphemeral': { ok: true } });
      await messenger.notifyPrivately(questionWith(change), 'U2', { kind: 'answeredBeforeCancel' });
      expect(calls.at(-1)?.args.get('thread_ts')).toBe(threadTs);
    },
  );

  it.each([
    ['the asker of an English question', 'U1', 'en-US', 'The answer arrived'],
    ['another reader of it, who reads German', 'UGERMAN', 'en-US', 'Die Antwort kam an'],
    ['another reader of a German question', 'U2', 'de-DE', 'The answer arrived'],
  ])('is in the language of %s', async (_, userId, locale, words) => {
    const { messenger, calls } = begin({ 'chat.postEphemeral': { ok: true } });
    await messenger.notifyPrivately(questionWith({ askerId: 'U1', locale }), userId, { kind: 'answeredBeforeCancel' });
    expect(calls.at(-1)?.args.get('text')).toContain(words);
  });

  it('unfurls no links where it is sent as a direct message', async () => {
    const { s, calls } = begin({
      'chat.postEphemeral': { ok: false, error: 'user_not_in_channel' },
      'chat.postMessage': { ok: true, ts: '1.1' },
    });
    await sendPrivately(s, { channelId: 'C1', userId: 'U1' }, { kind: 'nothingToCancel' });
    const sent = calls.at(-1);
    expect(sent?.method).toBe('chat.postMessage');
    expect(Object.fromEntries(sent?.args ?? [])).toMatchObject({
      channel: 'U1',
      unfurl_links: 'false',
      unfurl_media: 'false',
    });
  });
});

const { log } = createRecordingLog();
const channelId = 'C0COPIES';
const mayPost = async () => {};

describe('removing copies', () => {
  let slack: FakeSlack;
  let serial = 0;
  const outbound = createOutbound({});

  beforeAll(async () => {
    slack = await startFakeSlack();
    slack.channels.set(channelId, { isPrivate: false, botIsMember: true, isArchived: false });
  });
  afterAll(async () => {
    await outbound.close();
    await slack.stop();
  });

  function createParts() {
    const client = createWebClient(team.botToken, webClientOptions(slack.url, createLibraryLogger(log)));
    return createMessenger(
      only<SlackContext>({
        slack: createUnlimitedSlackApi(client, { teamId: team.id, botUserId: team.botUserId, botId: team.botId }),
        outbound,
        slackApiUrl: slack.url,
        format: 'markdown',
        log,
        now: Date.now,
        people: only({ person: async (userId) => ({ userId, name: userId, kind: 'member' }) }),
      }),
    );
  }

  /** A new question, in a thread that a person began. */
  function ask(): Question {
    serial += 1;
    const threadTs = slack.say(channelId, people.ada, `question ${serial}`);
    return questionWith({
      id: `q${String(serial).padStart(24, '0')}`,
      place: { teamId: team.id, channelId, threadTs },
      acceptedMs: Date.now(),
      phase: 'closed',
      outcome: { kind: 'answered', answer: someAnswer },
    });
  }

  const sent = () => ({ state: 'intended' as const, intentMs: Date.now() });

  const timestamps = (threadTs: string | undefined) =>
    slack.messages.filter(({ thread_ts: ts, bot_id: bot }) => ts === threadTs && bot !== undefined).map(({ ts }) => ts);

  it('deletes the newer of two cards and of two parts, and nothing else', async () => {
    const messenger = createParts();
    const question = ask();
    const other = { ...ask(), place: question.place };
    const card = await messenger.postCard(question, { kind: 'starting' });
    const part = await messenger.prepare(question).postPart(question, 0, mayPost);
    const otherCard = await messenger.postCard(other, { kind: 'starting' });
    await messenger.postCard(question, { kind: 'starting' });
    await messenger.prepare(question).postPart(question, 0, mayPost);
    const named = { ...question, card: { ts: card.ts }, delivery: { round: 0, posted: [part.ts] } };
    expect(await messenger.removeCopies(named)).toBe(2);
    expect(timestamps(question.place.threadTs)).toEqual([card.ts, part.ts, otherCard.ts]);
    expect(await messenger.removeCopies(named)).toBe(0);
  });

  it('keeps the card that the question names, because people have seen it change, though it is the newer one', async () => {
    const messenger = createParts();
    const question = ask();
    await messenger.postCard(question, { kind: 'starting' });
    const card = await messenger.postCard(question, { kind: 'starting' });
    expect(await messenger.removeCopies({ ...question, card: { ts: card.ts } })).toBe(1);
    expect(timestamps(question.place.threadTs)).toEqual([card.ts]);
  });

  it('leaves no other card where a person deleted the one that the question names', async () => {
    const messenger = createParts();
    const question = ask();
    await messenger.postCard(question, { kind: 'starting' });
    const part = await messenger.prepare(question).postPart(question, 0, mayPost);
    const deleted = { ts: '1700000000.000001', gone: true };
    const named = { ...question, card: deleted, delivery: { round: 0, posted: [part.ts] } };
    expect(await messenger.removeCopies(named)).toBe(1);
    expect(timestamps(question.place.threadTs)).toEqual([part.ts]);
  });

  it('deletes a card that came after the question ended without one', async () => {
    const messenger = createParts();
    const question = ask();
    const part = await messenger.prepare(question).postPart(question, 0, mayPost);
    await messenger.postCard(question, { kind: 'starting' });
    const named = { ...question, card: { gone: true }, delivery: { round: 0, posted: [part.ts] } };
    expect(await messenger.removeCopies(named)).toBe(1);
    expect(timestamps(question.place.threadTs)).toEqual([part.ts]);
  });

  it('keeps the oldest where the question names none', async () => {
    const messenger = createParts();
    const question = ask();
    const first = await messenger.postCard(question, { kind: 'starting' });
    await messenger.postCard(question, { kind: 'starting' });
    expect(await messenger.removeCopies({ ...question, card: {} })).toBe(1);
    expect(timestamps(question.place.threadTs)).toEqual([first.ts]);
  });

  it('finds the copy of a card that begins a thread in the channel', async () => {
    const messenger = createParts();
    const { threadTs: _, ...place } = ask().place;
    const question = { ...ask(), place, beginsThread: true, origin: 'command' as const };
    const card = await messenger.postCard(question, { kind: 'starting' });
    const copy = await messenger.postCard(question, { kind: 'starting' });
    const inThread = { ...question, place: { ...place, threadTs: card.ts }, card: { ts: card.ts } };
    const part = await messenger.prepare(inThread).postPart(inThread, 0, mayPost);
    expect(await messenger.removeCopies({ ...inThread, delivery: { round: 0, posted: [part.ts] } })).toBe(1);
    expect(slack.messages.map(({ ts }) => ts)).not.toContain(copy.ts);
    expect(slack.messages.map(({ ts }) => ts)).toEqual(expect.arrayContaining([card.ts, part.ts]));
  });

  it('deletes the newer of two files', async () => {
    const messenger = createParts();
    const question = ask();
    await messenger.attachAnswer(question, mayPost);
    const [first] = timestamps(question.place.threadTs);
    await messenger.attachAnswer(question, mayPost);
    expect(await messenger.removeCopies(question)).toBe(1);
    expect(timestamps(question.place.threadTs)).toEqual([first]);
  });

  it.each([
    ['ratelimited', { kind: 'rateLimited', outcomeUnknown: true }],
    ['fatal_error', { outcomeUnknown: true }],
    ['channel_not_found', { outcomeUnknown: true }],
    ['missing_scope', undefined],
  ])('knows that a file may be there where the search for it fails with %s', async (error, failure) => {
    const messenger = createParts();
    const question = ask();
    slack.fault('conversations.replies', { error });
    const attached = messenger.attachAnswer({ ...question, delivery: { ...question.delivery, file: sent() } }, mayPost);
    await (failure === undefined ? attached : expect(attached).rejects.toMatchObject(failure));
    expect(timestamps(question.place.threadTs)).toHaveLength(1);
  });

  it('counts a copy that a person deleted in the meantime as removed', async () => {
    const messenger = createParts();
    const question = ask();
    await messenger.postCard(question, { kind: 'starting' });
    await messenger.postCard(question, { kind: 'starting' });
    slack.fault('chat.delete', { error: 'message_not_found' });
    expect(await messenger.removeCopies(question)).toBe(1);
  });

  it('fails where Slack cannot be reached, so that it is tried again', async () => {
    const messenger = createParts();
    const question = ask();
    await messenger.postCard(question, { kind: 'starting' });
    await messenger.postCard(question, { kind: 'starting' });
    slack.fault('chat.delete', { status: 503 });
    await expect(messenger.removeCopies(question)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
