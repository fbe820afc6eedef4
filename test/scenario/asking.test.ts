import { beforeEach, describe, expect, test } from 'vitest';
import { people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import type { Quirks } from '../support/fake-service/fake-service.ts';
import { mentionOf, messageOf, pressOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { texts, visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

async function begin(quirks: Quirks = {}, settings: Record<string, string> = {}): Promise<void> {
  await beginWorld({ quirks, settings });
}

beforeEach(() => begin());

describe('the command /deepsearch', () => {
  test('posts a card that restates the question, and the answer in its thread', async () => {
    const delivery = await world.command('where is main?');
    expect(delivery).toMatchObject({ acknowledged: true, response: undefined });
    const card = await eventually(() => {
      const root = world.slack.messages[0];
      expect(root).toBeDefined();
      return root;
    });
    expect(card?.channel).toBe('C0GENERAL');
    expect(card?.thread_ts).toBeUndefined();
    expect(visibleText(card ?? { text: '' })).toMatch(/<@U0ADA> asked:[\s\S]*where is main\?/);
    const question = await eventually(() => one(service.find('where is main?')));
    service.answer(question);
    const answers = await eventually(() => {
      const found = world.answersIn(card?.ts ?? '');
      expect(found).toHaveLength(1);
      return found;
    });
    const shown = answers.map(visibleText).join('\n');
    expect(shown).toContain(`<@${people.ada}>`);
    expect(shown).toContain('The answer to "where is main?"');
    expect(shown).toContain(`${service.url}/github.com/acme/app/-/blob/src/main.ts?L1-3`);
    expect(shown).toContain('What calls it?');
    await eventually(() => expect(visibleText(world.slack.messages[0] ?? { text: '' })).toMatch(/Answered in/));
    expect(JSON.stringify(world.slack.messages[0]?.blocks)).not.toContain('"button"');
  });

  test('explains how to use it privately, alone or with help', async () => {
    for (const text of ['', '  ', 'help', 'Help']) {
      const delivery = await world.command(text);
      expect(delivery.response).toMatchObject({ response_type: 'ephemeral' });
      expect(JSON.stringify(delivery.response)).toContain('/deepsearch');
    }
    expect(world.slack.messages).toEqual([]);
    expect(service.calls).toEqual([]);
  });

  test('refuses a text over 10,000 characters and gives it back', async () => {
    const text = 'a'.repeat(10_001);
    const delivery = await world.command(text);
    expect(delivery.response).toMatchObject({ response_type: 'ephemeral' });
    expect(JSON.stringify(delivery.response)).toMatch(/10,000/);
    expect(JSON.stringify(delivery.response)).toContain('aaaa');
    expect(service.calls).toEqual([]);
  });

  test('joins a public channel that the app is not in', async () => {
    service.answerEverything();
    await world.command('in public?', { channel: 'C0PUBLIC' });
    const root = await eventually(() => one(world.slack.messages.filter(({ thread_ts: ts }) => ts === undefined)));
    await world.answered(root.ts);
  });

  test('privately tells the asker where it cannot post, and the asker can ask again there or in a direct message', async () => {
    service.answerEverything();
    await world.command('is it private?', { channel: 'C0PRIVATE' });
    const told = await eventually(() => one(world.slack.responses));
    const buttons = JSON.stringify(told.body);
    expect(buttons).toContain('/invite');
    expect(buttons).toContain('is it private?');
    expect(service.calls).toEqual([]);
    const value = /"value":"(q[0-9a-f]{24})"/.exec(buttons)?.[1];
    await world.deliver(
      pressOf({
        actionId: 'deepsearch:ask_in_dm',
        value,
        user: people.ada,
        channel: 'C0PRIVATE',
        messageTs: '1.1',
        responseUrl: world.slack.responseUrl('again'),
      }),
    );
    const root = await eventually(() =>
      one(world.slack.messages.filter(({ channel, thread_ts: ts }) => channel === 'D0ADA' && !ts)),
    );
    await world.answered(root.ts);
    const channel = world.slack.channels.get('C0PRIVATE');
    if (channel) channel.botIsMember = true;
    await world.deliver(
      pressOf({
        actionId: 'deepsearch:ask_here',
        value,
        user: people.ada,
        channel: 'C0PRIVATE',
        messageTs: '1.1',
        responseUrl: world.slack.responseUrl('again'),
      }),
    );
    await eventually(() => {
      const here = world.slack.messages.find(({ channel: at, thread_ts: ts }) => at === 'C0PRIVATE' && !ts);
      expect(world.answersIn(here?.ts ?? '')).toHaveLength(1);
    });
  });

  test('counts as one question when Slack repeats it with the same trigger', async () => {
    service.answerEverything();
    await Promise.all([
      world.command('once?', { triggerId: 'same.trigger' }),
      world.command('once?', { triggerId: 'same.trigger' }),
    ]);
    await eventually(() => expect(world.slack.messages).toHaveLength(2));
    expect(service.find('once?')).toHaveLength(1);
  });
});

describe('a mention', () => {
  test('outside of threads gets its card and its answer in the thread below', async () => {
    service.answerEverything();
    const ts = await world.mention('where is <https://example.com|the parser> &amp; `Map&lt;K,V&gt;`?');
    await world.answered(ts);
    expect(service.questions().map(({ question }) => question)).toEqual([
      'where is the parser (https://example.com) & `Map<K,V>`?',
    ]);
    expect(visibleText(world.card(ts) ?? { text: '' })).not.toContain('asked:');
  });

  test('in a thread of the app is a follow-up of its conversation, like a plain reply there', async () => {
    service.answerEverything();
    const ts = await world.mention('first?');
    await world.answered(ts);
    await world.reply(ts, 'second?', { user: people.bob });
    await world.answered(ts, 2);
    await world.mention('third?', { threadTs: ts });
    await world.answered(ts, 3);
    expect(service.conversations).toHaveLength(1);
    expect(service.questions().map(({ question }) => question)).toEqual(['first?', 'second?', 'third?']);
  });

  test('that begins with "new" in a thread of the app starts another conversation, which later replies continue', async () => {
    service.answerEverything();
    const ts = await world.mention('first?');
    await world.answered(ts);
    await world.mention('new second?', { threadTs: ts });
    await world.answered(ts, 2);
    await world.reply(ts, 'third?');
    await world.answered(ts, 3);
    expect(service.conversations.map(({ questions }) => questions.map(({ question }) => question))).toEqual([
      ['first?'],
      ['second?', 'third?'],
    ]);
  });

  test('outside of threads may begin with the word new as part of the question', async () => {
    service.answerEverything();
    await world.mention('new users cannot log in, why?');
    await eventually(() => expect(service.find('new users cannot log in, why?')).toHaveLength(1));
  });

  test('in a thread of people is answered there, and plain replies are not', async () => {
    service.answerEverything();
    const root = world.slack.say('C0GENERAL', people.ada, 'hello all');
    await world.mention('what is this?', { threadTs: root });
    await world.answered(root);
    await world.reply(root, 'thanks, and now lunch');
    await world.mention('and this?', { threadTs: root });
    await world.answered(root, 2);
    // That messages of people are sent too is tested in threads.test.ts.
    expect(service.questions().map(({ question }) => question.split('\n')[0])).toEqual(['what is this?', 'and this?']);
  });

  test('without text explains privately how to use the app', async () => {
    await world.mention('');
    await eventually(() => expect(world.slack.ephemerals).toHaveLength(1));
    expect(world.slack.messages.filter(({ bot_id: botId }) => botId !== undefined)).toEqual([]);
  });
});

describe('a direct message', () => {
  test('is answered in its thread, and replies there are follow-ups', async () => {
    service.answerEverything();
    const ts = await world.direct('first?');
    await world.answered(ts);
    await world.direct('second?', { threadTs: ts });
    await world.answered(ts, 2);
    expect(service.conversations).toHaveLength(1);
  });
});

describe('a follow-up button', () => {
  test('asks the follow-up for the person who pressed it, once', async () => {
    service.answerEverything();
    const ts = await world.mention('first?');
    await world.answered(ts);
    const deliveries = await Promise.all([
      world.press('What calls it?', { user: people.bob }),
      world.press('What calls it?', { user: people.ada }),
    ]);
    expect(deliveries.every(({ acknowledged }) => acknowledged)).toBe(true);
    await world.answered(ts, 2);
    expect(service.find('What calls it?')).toHaveLength(1);
    expect(service.conversations).toHaveLength(1);
    const said = texts(world.slack.inThread(ts)).join('\n');
    expect(said).toMatch(/<@U0(BOB|ADA)> asked:[\s\S]*What calls it\?/);
    await eventually(() => expect(world.slack.responses.length + world.slack.ephemerals.length).toBe(1));
  });
});

describe('no question is started', () => {
  test('by bots, edits, unfurls, joins, talk between others, and repeated deliveries', async () => {
    service.answerEverything();
    const ts = await world.mention('first?');
    await world.answered(ts);
    const before = world.slack.messages.length;
    const channel = 'C0GENERAL';
    const spoken = { user: people.bob, text: 'something', threadTs: ts, channel };
    const odd: Record<string, unknown>[] = [
      { bot_id: 'B0OTHER' },
      { subtype: 'bot_message', bot_id: 'B0OTHER', user: undefined },
      { user: team.botUserId, bot_id: team.botId },
      { user: 'USLACKBOT' },
      { edited: { user: people.bob, ts: '2.2' } },
      { subtype: 'channel_join' },
      { subtype: 'message_changed', hidden: true, user: undefined, message: { text: 'something', user: people.bob } },
      { subtype: 'message_deleted', hidden: true, user: undefined },
      { subtype: 'message_replied', hidden: true },
      { text: `<@${people.ada}> what do you think?` },
      { text: '' },
      { ts: 17 },
      { channel: undefined },
    ];
    for (const more of odd) {
      // Later than the last question, which would quote what was said before it.
      const ownTs = `${Math.floor(Date.now() / 1000) + 3_600}.999${odd.indexOf(more)}`;
      expect((await world.deliver(messageOf({ ...spoken, ts: ownTs, more }))).acknowledged).toBe(true);
    }
    await world.deliver(
      mentionOf({ ...spoken, ts: `${Math.floor(Date.now() / 1000)}.777`, more: { edited: { ts: '1' } } }),
    );
    await world.deliver(messageOf({ user: people.bob, text: 'chatter', ts: '1.5', channel }));
    await world.deliver(messageOf({ user: people.bob, text: 'elsewhere', ts: '1.7', threadTs: '1.6', channel }));
    const repeated = mentionOf({ user: people.ada, text: 'first?', ts, channel });
    await Promise.all([world.deliver(repeated), world.deliver(repeated), world.deliver(repeated)]);
    await world.deliver(messageOf({ user: people.ada, text: `<@${team.botUserId}> first?`, ts, channel }));
    // Each event above was handled before `deliver` returned. One more question proves that nothing is pending.
    await world.reply(ts, 'last?');
    await eventually(() => expect(service.find('last?')).toHaveLength(1));
    await world.answered(ts, 2);
    expect(service.questions().map(({ question }) => question)).toEqual(['first?', 'last?']);
    expect(world.slack.messages.length).toBe(before + 3);
  });
});

describe('a thread with several questions', () => {
  test('runs them one at a time, in order, loses none, and shows their positions', async () => {
    const ts = await world.mention('q1?');
    await eventually(() => one(service.find('q1?')));
    for (const text of ['q2?', 'q3?', 'q4?']) await world.reply(ts, text);
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toMatch(/queue|waiting|before|after/i));
    for (const text of ['q1?', 'q2?', 'q3?', 'q4?']) {
      const question = await eventually(() => one(service.find(text)));
      expect(service.questions().filter(({ status }) => status === 'processing')).toEqual([question]);
      service.answer(question);
    }
    await world.answered(ts, 4);
    const said = world.answersIn(ts).map(visibleText);
    expect(said.map((text) => /answer to "(q\d)\?"/.exec(text)?.[1])).toEqual(['q1', 'q2', 'q3', 'q4']);
    expect(service.conversations).toHaveLength(1);
  });
});

describe('a service with other habits', () => {
  const kinds: Quirks[] = [
    { createStatus: 200, answersAtOnce: true, listEnvelope: 'array' },
    { followUpReturns: 'conversation', listEnvelope: 'nodes' },
    { cancelReturns: 'nothing', failsAs: 'failed' },
  ];
  test.each(kinds)('is asked and understood: %j', async (quirks) => {
    await begin(quirks);
    const ts = await world.mention('first?');
    const question = await eventually(() => one(service.find('first?')));
    if (!quirks.answersAtOnce) service.answer(question);
    await world.answered(ts);
    await world.reply(ts, 'second?');
    const second = await eventually(() => one(service.find('second?')));
    if (quirks.answersAtOnce) {
      await world.answered(ts, 2);
      return;
    }
    await world.press('Cancel', { threadTs: ts });
    await eventually(() => expect(second.error?.kind).toBe('Cancelled'));
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toMatch(/Cancelled by <@U0ADA>/));
  });
});
