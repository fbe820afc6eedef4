import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { viewSubmissionOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const patient = { timeoutMs: 45_000 };

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

function errorsIn(response: unknown): string {
  return JSON.stringify((response as { errors?: unknown } | undefined)?.errors ?? 'no errors');
}

/** The root messages of the app in a channel. */
function roots(channel: string) {
  return world.slack.messages.filter(
    (each) => each.channel === channel && each.bot_id !== undefined && !each.thread_ts,
  );
}

describe('the shortcut on a message', () => {
  test('opens a form with the message as people see it, and asks in its thread with the text of the thread', async () => {
    service.answerEverything();
    const ts = world.slack.say('C0GENERAL', people.bob, 'Why does <@U0ADA> see <https://e.org/x|this &amp; that>?');
    expect(await world.shortcut('deepsearch:ask_about', { message: ts })).toMatchObject({ acknowledged: true });
    const form = await world.modal();
    const prefilled = form.blocks[0]?.element?.initial_value;
    expect(prefilled).toBe('Why does @ada see this & that (https://e.org/x)?');
    const delivery = await world.submit(form, { question: 'Why is that?' });
    expect(delivery).toMatchObject({ acknowledged: true, response: undefined });
    expect(world.slack.openViews).toEqual([]);
    await world.answered(ts);
    expect(visibleText(world.card(ts) ?? { text: '' })).toMatch(/<@U0ADA> asked:[\s\S]*Why is that\?/);
    const asked = one(service.questions()).question;
    expect(asked).toContain('Why is that?');
    expect(asked).toContain('this & that');
  });

  test('asks in the thread where the message is a reply', async () => {
    service.answerEverything();
    const root = world.slack.say('C0GENERAL', people.ada, 'root');
    const reply = world.slack.say('C0GENERAL', people.bob, 'a reply', root);
    await world.shortcut('deepsearch:ask_about', { message: reply });
    await world.submit(await world.modal());
    await world.answered(root);
  });

  test('can show the answer only to the asker', async () => {
    service.answerEverything();
    const ts = world.slack.say('C0GENERAL', people.bob, 'a secret?');
    await world.shortcut('deepsearch:ask_about', { message: ts });
    await world.submit(await world.modal(), { where: 'privately' });
    const root = await eventually(() => one(roots('D0ADA')));
    await world.answered(root.ts);
    expect(world.slack.inThread(ts)).toEqual([]);
  });

  test('reads the thread of the message for an answer that only the asker sees', async () => {
    service.answerEverything();
    const root = world.slack.say('C0GENERAL', people.bob, 'the build is red');
    const ts = world.slack.say('C0GENERAL', people.bob, 'is it the cache?', root);
    await world.shortcut('deepsearch:ask_about', { message: ts });
    await world.submit(await world.modal(), { where: 'privately' });
    const asked = await eventually(() => one(service.questions()));
    expect(asked.question).toContain('the build is red');
    const card = await eventually(() => one(roots('D0ADA')));
    await world.answered(card.ts);
    await eventually(() => expect(visibleText(one(roots('D0ADA')))).toContain('read 2 messages'));
    expect(world.slack.inThread(root).filter(({ bot_id: botId }) => botId !== undefined)).toEqual([]);
  });

  test('does not read the thread privately where its asker may not ask, and the card says so', async () => {
    const ts = world.slack.say('C0GUESTS', people.bob, 'the build is red');
    await world.shortcut('deepsearch:ask_about', { message: ts });
    await world.submit(await world.modal(), { question: 'why is it?', where: 'privately' });
    expect((await eventually(() => one(service.questions()))).question).toBe('why is it?');
    await eventually(() =>
      expect(visibleText(one(roots('D0ADA')))).toContain('The thread it is about could not be read'),
    );
  });

  describe('a thread in a private channel that its asker leaves after the question was asked privately', () => {
    async function askAndLeave() {
      Object.assign(world.slack.channels.get('C0PRIVATE') ?? {}, { botIsMember: true });
      const ts = world.slack.say('C0PRIVATE', people.bob, 'the build is red');
      await world.shortcut('deepsearch:ask_about', { message: ts });
      await world.submit(await world.modal(), { question: 'why is it?', where: 'privately' });
      const question = await eventually(() => one(service.questions()));
      expect(question.question).toContain('the build is red');
      Object.assign(world.slack.channels.get('C0PRIVATE') ?? {}, { members: [people.bob] });
      return question;
    }

    function shownToAda() {
      return world.slack.messages.filter(({ channel }) => channel === 'D0ADA').map(visibleText);
    }

    async function expectAskedWithoutThread() {
      const asked = await eventually(() => {
        expect(service.questions()).toHaveLength(2);
        return service.questions();
      }, patient);
      expect(asked[1]?.question).toBe('why is it?');
      await eventually(() => expect(shownToAda().join()).toContain('The thread it is about could not be read'));
    }

    test('is not read again when the question continues after a limit', async () => {
      const question = await askAndLeave();
      service.quota(100, 100, new Date(Date.now() + 1_500));
      service.fail(question, 'RateLimitExceeded');
      await expectAskedWithoutThread();
    });

    test('is not read when the asker tries again', async () => {
      service.fail(await askAndLeave(), 'InternalError');
      const [card] = roots('D0ADA');
      await eventually(() => expect(world.answersIn(card?.ts ?? '')).toHaveLength(1));
      await world.press('Try again');
      await expectAskedWithoutThread();
    });
  });

  test('fills the form with what the blocks and attachments of a message without text say', async () => {
    const ts = world.slack.say('C0GENERAL', people.bob, 'x');
    const message = one(world.slack.messages.filter((each) => each.ts === ts));
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '*Alert* of <@U0ADA>' } }];
    Object.assign(message, { text: '', blocks, attachments: [{ title: 'Disk full', text: 'on db-1 &amp; db-2' }] });
    await world.shortcut('deepsearch:ask_about', { message: ts });
    const form = await world.modal();
    expect(form.blocks[0]?.element?.initial_value).toBe('*Alert* of @ada\nDisk full\non db-1 & db-2');
  });

  test('fills the form with a message that only forwards another one, as a quote', async () => {
    const ts = world.slack.say('C0GENERAL', people.bob, '');
    const attachments = [{ is_share: true, author_name: 'Ben', text: 'why does it fail?\nsee the log' }];
    Object.assign(one(world.slack.messages.filter((each) => each.ts === ts)), { text: '', attachments });
    await world.shortcut('deepsearch:ask_about', { message: ts });
    const form = await world.modal();
    expect(form.blocks[0]?.element?.initial_value).toBe(
      'Forwarded message from Ben:\n> why does it fail?\n> see the log',
    );
  });

  test('cuts a very long message, and says so', async () => {
    const ts = world.slack.say('C0GENERAL', people.bob, `${'long '.repeat(1_000)}end`);
    await world.shortcut('deepsearch:ask_about', { message: ts });
    const form = await world.modal();
    expect(form.blocks[0]?.element?.initial_value).toHaveLength(3_000);
    expect(JSON.stringify(form.blocks)).toContain('its first 3,000 characters');
  });

  test('says in the form that the app is not in the channel, and leaves an answer in direct messages', async () => {
    service.answerEverything();
    const ts = world.slack.say('C0PRIVATE', people.bob, 'over here?');
    await world.shortcut('deepsearch:ask_about', { message: ts });
    const form = await world.modal();
    const refused = await world.submit(form);
    expect(errorsIn(refused.response)).toContain('I am not where this message was posted');
    await world.submit(form, { where: 'privately' });
    const root = await eventually(() => one(roots('D0ADA')));
    await world.answered(root.ts);
    expect(service.questions()).toHaveLength(1);
  });
});

describe('the global shortcut', () => {
  test('asks in a channel, as a card outside of threads', async () => {
    service.answerEverything();
    await world.shortcut('deepsearch:ask');
    await world.submit(await world.modal(), { question: 'where is main?', channel: 'C0GENERAL' });
    const root = await eventually(() => one(roots('C0GENERAL')));
    expect(visibleText(root)).toMatch(/<@U0ADA> asked:[\s\S]*where is main\?/);
    await world.answered(root.ts);
    await world.reply(root.ts, 'and who calls it?');
    await world.answered(root.ts, 2);
    expect(service.conversations).toHaveLength(1);
  });

  test('asks privately, in the language of the asker', async () => {
    service.answerEverything();
    await world.learnLanguage(people.gerd);
    await world.shortcut('deepsearch:ask', { user: people.gerd });
    const form = await world.modal();
    expect(form.title?.text).toBe('Deep Search fragen');
    await world.submit(form, { question: 'wo ist main?', where: 'privately' }, { user: people.gerd });
    const root = await eventually(() => one(roots('D0GERD')));
    expect(visibleText(root)).toContain('hat gefragt');
  });

  test('asks one question, though its form is sent twice', async () => {
    service.answerEverything();
    await world.shortcut('deepsearch:ask');
    const form = await world.modal();
    const entered = { question: 'once?', channel: 'C0GENERAL' };
    await Promise.all([world.submit(form, entered), world.submit(form, entered)]);
    await world.submit(form, entered);
    const root = await eventually(() => one(roots('C0GENERAL')));
    await world.answered(root.ts);
    expect(service.questions()).toHaveLength(1);
  });

  test('says in the form what is missing or not allowed, and accepts it once it is right', async () => {
    service.answerEverything();
    await world.shortcut('deepsearch:ask');
    const form = await world.modal();
    const sent = async (entered: Record<string, string>, user: string = people.ada) =>
      errorsIn((await world.submit(form, { question: 'may I?', ...entered }, { user })).response);
    expect(await sent({ question: '   ' })).toContain('Write a question.');
    expect(await sent({})).toContain('Choose a channel');
    expect(await sent({ channel: 'C0PRIVATE' })).toContain('I am not in this channel');
    expect(await sent({ channel: 'C0SHARED' })).toContain('People from other organizations in this channel');
    await world.learnLanguage(people.gerd);
    expect(await sent({ channel: 'C0GUESTS' }, people.gerd)).toContain('Du bist nicht in diesem Channel');
    expect(await sent({ channel: 'D0BOB' })).toContain('You are not a member');
    expect(await sent({ where: 'privately' }, people.mia)).toContain('Guests');
    expect(service.calls).toEqual([]);
    expect(world.slack.messages).toEqual([]);
    expect(await sent({ channel: 'C0PUBLIC' })).toBe('"no errors"');
    await eventually(() => expect(service.questions()).toHaveLength(1));
  });

  test('says privately that it came too late for Slack', async () => {
    world.slack.expireTriggers();
    expect(await world.shortcut('deepsearch:ask')).toMatchObject({ acknowledged: true });
    await eventually(() => expect(world.toldTo(people.ada)).toContain('did not open the form in time'));
  });

  test('says in the form that nothing was sent while Slack does not identify people, and keeps the text', async () => {
    await world.shortcut('deepsearch:ask');
    const form = await world.modal();
    world.slack.fault('conversations.info', { status: 503 }, 10);
    const delivery = await world.submit(form, { question: 'now?', channel: 'C0GENERAL' });
    expect(delivery.acknowledged).toBe(true);
    expect(errorsIn(delivery.response)).toContain('nothing was sent');
    expect(world.slack.openViews).toHaveLength(1);
    expect(service.calls).toEqual([]);
  });
});

describe.skipIf(!hasRedisServer())('with storage frozen', () => {
  test('the form says that nothing was sent without waiting for storage, and is accepted once storage works again', async () => {
    const redis = await startRedisServer(['--appendonly', 'no']);
    try {
      await beginWorld({ settings: { REDIS_URL: redis.url } });
      service.answerEverything();
      await world.shortcut('deepsearch:ask');
      const form = await world.modal();
      const entered = { question: 'in the end?', channel: 'C0GENERAL' };
      redis.pause();
      const refused = await world.submit(form, entered);
      expect(errorsIn(refused.response)).toContain('nothing was sent');
      expect(world.slack.openViews).toHaveLength(1);
      redis.resume();
      await eventually(async () => expect((await world.readyz()).status).toBe(200), patient);
      await eventually(async () => expect((await world.submit(form, entered)).response).toBeUndefined(), patient);
      const root = await eventually(() => one(roots('C0GENERAL')), patient);
      await eventually(() => expect(world.answersIn(root.ts)).toHaveLength(1), patient);
      expect(service.questions()).toHaveLength(1);
    } finally {
      redis.resume();
      await world.stopApp();
      await redis.stop();
    }
  });
});

test('no content of a form breaks the app, or asks anything where the sender has no access', async () => {
  const anything = fc.oneof(fc.string(), fc.constant(null), fc.integer(), fc.constantFrom('__proto__', 'constructor'));
  const channel = fc.oneof(
    fc.constantFrom('C0GUESTS', 'C0PRIVATE', 'D0BOB', 'G0GROUP', 'C0NOWHERE', '../x'),
    fc.string(),
  );
  const state = fc.oneof(
    fc.jsonValue(),
    fc.record({
      values: fc.oneof(
        fc.jsonValue(),
        fc.record(
          {
            question: fc.record({ question: fc.oneof(fc.record({ value: anything }), fc.jsonValue()) }),
            where: fc.record({
              where: fc.record({
                selected_option: fc.record({ value: fc.constantFrom('channel', 'thread', 'nowhere') }),
              }),
            }),
            channel: fc.record({ channel: fc.record({ selected_conversation: channel }) }),
          },
          { requiredKeys: [] },
        ),
      ),
    }),
  );
  const metadata = fc.oneof(
    fc.string(),
    channel.map((id) => `${id} 1700000000.000001`),
    fc.constant('q0123456789abcdef01234567.0:edit'),
  );
  const form = fc.constantFrom('deepsearch:ask_form', 'deepsearch:edit_follow_up', 'deepsearch:share_form');
  await fc.assert(
    fc.asyncProperty(form, fc.string(), metadata, state, async (callbackId, id, privateMetadata, entered) => {
      const view = { type: 'modal', id, callback_id: callbackId, private_metadata: privateMetadata, state: entered };
      const delivery = await world.deliver(viewSubmissionOf({ view, user: people.gerd }));
      expect(delivery).toMatchObject({ acknowledged: true, error: undefined });
      // The person sees each refusal. An empty acknowledgement would close the form.
      expect(delivery.response).toMatchObject({ response_action: expect.stringMatching(/^(errors|update)$/) });
    }),
    { numRuns: 150 },
  );
  expect(world.slack.messages).toEqual([]);
  expect(service.calls).toEqual([]);
});
