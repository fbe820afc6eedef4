import { beforeEach, describe, expect, test } from 'vitest';
import { otherTeamId, people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import {
  botPostOf,
  fileShareOf,
  mentionOf,
  messageChangedOf,
  messageOf,
  threadBroadcastOf,
} from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(async () => {
  await beginWorld();
  service.answerEverything();
});
const mention = `<@${team.botUserId}>`;

/**
 * The questions that were asked, without quotes, once there are `count`. Asks one more question last and waits for its answer,
 * so that a question too many would be there as well.
 */
async function asked(count: number): Promise<string[]> {
  const texts = () => service.questions().map(({ question }) => question.split('\n')[0] ?? '');
  const others = () => texts().filter((text) => text !== 'last?');
  await eventually(() => expect(others().length).toBeGreaterThanOrEqual(count));
  const ts = await world.mention('last?', { user: people.gerd });
  await world.answered(ts);
  return others();
}

/** A thread of the app with one answer. */
async function answered(text = 'first?'): Promise<string> {
  const ts = await world.mention(text);
  await world.answered(ts);
  return ts;
}

describe('one post as two kinds of events', () => {
  const both = (channel: string, channelType: 'channel' | 'group' | 'mpim') => {
    const ts = world.slack.say(channel, people.ada, `${mention} where?`);
    return [
      mentionOf({ user: people.ada, text: 'where?', ts, channel }),
      messageOf({ user: people.ada, text: `${mention} where?`, ts, channel, channelType }),
    ] as const;
  };

  test.each([
    ['C0GENERAL', 'channel', 'mention first'],
    ['C0GENERAL', 'channel', 'message first'],
    ['C0GENERAL', 'channel', 'both at once'],
    ['G0GROUP', 'mpim', 'mention first'],
    ['G0GROUP', 'mpim', 'message first'],
    ['G0GROUP', 'mpim', 'both at once'],
  ] as const)('in %s (%s), %s, is one question', async (channel, channelType, order) => {
    const [asMention, asMessage] = both(channel, channelType);
    if (order === 'both at once') await Promise.all([world.deliver(asMention), world.deliver(asMessage)]);
    else
      for (const each of order === 'mention first' ? [asMention, asMessage] : [asMessage, asMention]) {
        expect((await world.deliver(each)).acknowledged).toBe(true);
      }
    expect(await asked(1)).toEqual(['where?']);
  });

  test('a command word in a group is followed once', async () => {
    const ts = world.slack.say('G0GROUP', people.ada, `${mention} help`);
    await Promise.all([
      world.deliver(mentionOf({ user: people.ada, text: 'help', ts, channel: 'G0GROUP' })),
      world.deliver(
        messageOf({ user: people.ada, text: `${mention} help`, ts, channel: 'G0GROUP', channelType: 'mpim' }),
      ),
    ]);
    expect(await asked(0)).toEqual([]);
    await eventually(() => expect(world.ephemeralsTo(people.ada)).toHaveLength(1));
  });

  test('a mention in a group that arrives only as a message is a question, and replies are follow-ups', async () => {
    const ts = world.slack.say('G0GROUP', people.ada, `${mention} where?`);
    const where = { channel: 'G0GROUP', channelType: 'mpim' as const };
    await world.deliver(messageOf({ user: people.ada, text: `${mention} where?`, ts, ...where }));
    await world.answered(ts);
    await world.reply(ts, 'and then?', { user: people.bob, ...where });
    expect(await asked(2)).toEqual(['where?', 'and then?']);
  });
});

describe('one post that Slack reports several times', () => {
  test('under other event ids, as retries and at the same time, is one question', async () => {
    const ts = world.slack.say('C0GENERAL', people.ada, `${mention} where?`);
    const told = mentionOf({ user: people.ada, text: 'where?', ts });
    const again = [told, { ...told, event_id: 'EvA' }, { ...told, event_id: 'EvB', event_time: 1_700_000_400 }];
    await Promise.all(again.map((each) => world.deliver(each)));
    await world.answered(ts);
    await world.deliver({ ...told, event_id: 'EvC' });
    expect(await asked(1)).toEqual(['where?']);
  });

  test('as a mention in an edit, or with a preview, asks nothing more', async () => {
    const ts = await answered();
    await world.edit(ts, 'first, in other words?');
    const before = one(world.slack.messages.filter((message) => message.ts === ts));
    const after = { ...before, attachments: [{ from_url: 'https://example.com', fallback: 'Example' }] };
    await world.deliver(messageChangedOf({ before, after, ts: '1800000000.000001' }));
    expect(await asked(1)).toEqual(['first?']);
  });
});

describe('an unusual event', () => {
  test('with a reply that was also sent to the channel, or with a file, is a follow-up', async () => {
    const ts = await answered();
    const root = one(world.slack.messages.filter((message) => message.ts === ts));
    const broadcast = world.slack.say('C0GENERAL', people.bob, 'for all?', ts);
    await world.deliver(threadBroadcastOf({ user: people.bob, text: 'for all?', ts: broadcast, threadTs: ts, root }));
    await world.answered(ts, 2);
    const withFile = world.slack.say('C0GENERAL', people.ada, 'and this?', ts);
    await world.deliver(fileShareOf({ user: people.ada, text: 'and this?', ts: withFile, threadTs: ts, files: [] }));
    expect(await asked(3)).toEqual(['first?', 'for all?', 'and this?']);
  });

  test('of an app installed for a whole organization contains the id of the organization', async () => {
    const ts = world.slack.say('C0GENERAL', people.ada, `${mention} where?`);
    const told = mentionOf({ user: people.ada, text: 'where?', ts });
    const authorizations = [
      { enterprise_id: 'E0ORG', team_id: team.id, user_id: team.botUserId, is_bot: true, is_enterprise_install: true },
    ];
    const delivery = await world.deliver({ ...told, enterprise_id: 'E0ORG', authorizations });
    expect(delivery.acknowledged).toBe(true);
    await world.answered(ts);
    await world.deliver(told);
    expect(await asked(1)).toEqual(['where?']);
  });

  test('of a channel shared with others gets no answer there', async () => {
    for (const [user, more] of [
      [people.ada, {}],
      [people.olga, { user_team: otherTeamId, source_team: otherTeamId }],
    ] as const) {
      const ts = world.slack.say('C0SHARED', user, `${mention} where?`);
      const told = mentionOf({ user, text: 'where?', ts, channel: 'C0SHARED', more });
      await world.deliver({ ...told, is_ext_shared_channel: true });
      await eventually(() => expect(world.ephemeralsTo(user).map(visibleText).join()).toContain('not asked'));
      expect(world.slack.inThread(ts)).toEqual([]);
    }
    expect(await asked(0)).toEqual([]);
  });
});

/** The fake Slack counts a NUL in any call as a violation. */
describe('a NUL character', () => {
  test('in a thread, in its files and names is quoted as U+FFFD', async () => {
    world.slack.changePerson(people.bob, { name: 'b\0b' });
    const root = world.slack.say('C0GENERAL', people.bob, 'the log\0 says this');
    world.slack.addFile(root, { name: 'a\0.txt', text: 'all is well' });
    const ts = await world.mention('why\0?', { threadTs: root });
    await world.answered(root);
    const question = one(service.questions()).question;
    expect(question).toMatch(/^why\ufffd\?/);
    expect(question).toContain('the log\ufffd says this');
    expect(question).toContain('a\ufffd.txt');
    expect(question).not.toContain('\0');
    await world.edit(ts, 'why\0 not?');
  });

  test('in any part of an answer appears in no message', async () => {
    service.answerAfter(() => 0, {
      title: 'About\0',
      answer: '# A\0\n\nText \0 `code\0`\n\n```\n\0\n```\n\n| a\0 |\n|---|\n| \0 |\n\n[l\0](https://x.example/\0)',
      sources: [{ type: 'Repository', link: '/github.com/acme/app\0', label: 'acme\0' }],
      suggested_followups: ['What\0?', '\0'],
    });
    const ts = await world.direct('where?');
    await world.answered(ts);
    expect(JSON.stringify(world.slack.inThread(ts))).not.toContain('\\u0000');
    await world.press('What ?');
    await world.answered(ts, 2);
  });

  test('in a failure of the service appears in no message', async () => {
    service.answerAfter(() => 0, { status: 'failed', error: { kind: 'Other', title: 'No\0', message: 'be\0cause' } });
    const ts = await world.direct('where?');
    await world.answered(ts);
  });
});

describe('a message of an app', () => {
  test.each([
    ['without a subtype', {}],
    ['of a workflow', { user: undefined, bot_id: 'B0FLOW', subtype: 'bot_message', workflow_id: 'Wf1' }],
    ['with a profile only', { bot_id: undefined, app_id: undefined }],
    ['of the app itself', { user: team.botUserId, bot_id: team.botId }],
    ['while it is still written', { streaming_state: 'in_progress' }],
  ])('%s asks nothing, in threads, by mention or in direct messages', async (_, more) => {
    const ts = await answered();
    const spoken = { user: people.robo, more };
    await world.deliver(botPostOf({ ...spoken, text: 'done', ts: '1800000000.000001', threadTs: ts }));
    await world.deliver(
      botPostOf({ ...spoken, text: 'done', ts: '1800000000.000002', channel: 'D0ADA', channelType: 'im' }),
    );
    const profile = { bot_id: 'B0ROBO', bot_profile: { id: 'B0ROBO', name: 'robo' } };
    await world.deliver(
      mentionOf({ ...spoken, text: 'where?', ts: '1800000000.000003', more: { ...profile, ...more } }),
    );
    expect(await asked(1)).toEqual(['first?']);
  });
});
