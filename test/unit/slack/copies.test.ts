import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question/question.ts';
import { people, team } from '../../../src/local-slack/people.ts';
import { createOutbound } from '../../../src/service/outbound.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import type { SlackContext } from '../../../src/slack/context.ts';
import { createMessenger } from '../../../src/slack/messages/messenger.ts';
import { type FakeSlack, startFakeSlack } from '../../support/fake-slack/fake-slack.ts';
import { createUnlimitedSlackApi } from '../../support/fake-slack/unlimited-slack-api.ts';
import { questionWith, someAnswer } from '../../support/lifecycle/sample-questions.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

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
