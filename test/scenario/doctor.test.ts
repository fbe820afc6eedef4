import { beforeEach, describe, expect, test } from 'vitest';
import type { SlackMessage } from '../../src/local-slack/messages.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { serviceToken } from '../support/fake-service/fake-service.ts';
import { messageOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';

const { ada, bob, gerd } = people;

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(async () => {
  await beginWorld({ settings: { ADMINS: `${ada},${gerd}` } });
});
/** The doctor's message, as long as it stands in Slack. */
function doctorMessage(): SlackMessage {
  return one(world.slack.messages.filter(({ text }) => /\bdoctor-[0-9a-f]{16}\b/.test(text)));
}

/** Slack sends the app the event of its own message. */
async function deliverOwn({ channel, text, ts }: SlackMessage): Promise<void> {
  const spoken = { channel, text, ts, user: team.botUserId, channelType: 'im' as const };
  await world.deliver(messageOf({ ...spoken, more: { bot_id: team.botId } }));
}

/** The report that a person gets, as text. */
async function report(): Promise<string> {
  return eventually(() => JSON.stringify(one(world.slack.responses).body.blocks));
}

describe('/deepsearch doctor', () => {
  test('checks everything for the people in ADMINS, and only they see it', async () => {
    const { response } = await world.command('doctor');
    expect(JSON.stringify(response)).toContain('I am checking Slack, the service and the storage.');
    const message = await eventually(doctorMessage);
    expect(world.slack.channels.get(message.channel)).toMatchObject({ isIm: true, members: [ada] });
    await deliverOwn(message);
    const lines = await report();
    expect(lines).toContain('*pass* · Events: Slack sent the event of a message that the doctor posted.');
    expect(lines).toContain('*pass* · Bot token: Slack accepts it: bot U0BOT in workspace T0FAKE.');
    expect(lines).toContain('*warn* · Delivery: Signed requests: not checked');
    expect(one(world.slack.responses)).toMatchObject({ body: { response_type: 'ephemeral' } });
    expect(lines).not.toContain(team.botToken);
    expect(lines).not.toContain(serviceToken);
    // The message is deleted, and nothing was asked.
    expect(world.slack.messages).toEqual([]);
    expect(world.slack.deleted.map(({ ts }) => ts)).toEqual([message.ts]);
    expect(service.questions()).toEqual([]);
  });

  test('says so when no event comes, takes no message of a person for its own, and deletes its message all the same', async () => {
    await world.command('doctor');
    const { text, channel } = await eventually(doctorMessage);
    const said = await world.direct(text, { user: ada, channel });
    expect(await report()).toContain("*fail* · Events: No event of the doctor's message came within 10 s.");
    expect(world.slack.messages.filter(({ ts }) => ts !== said).map(({ text: left }) => left)).not.toContain(text);
  });

  test('says so when Slack does not let it post', async () => {
    world.slack.fault('chat.postMessage', { error: 'messages_tab_disabled' });
    await world.command('doctor');
    expect(await report()).toContain('*fail* · Events: chat.postMessage: messages_tab_disabled.');
  });

  test('is refused to others, admins of the workspace too, and checks nothing for them', async () => {
    world.slack.changePerson(bob, { is_admin: true });
    const callsBefore = world.slack.calls.length;
    const { response } = await world.command('doctor', { user: bob });
    expect(JSON.stringify(response)).toContain('Only the people in the setting `ADMINS` can use this.');
    const calls = world.slack.calls.slice(callsBefore);
    for (const method of ['auth.test', 'chat.postMessage', 'agents.sessions.setStatus']) {
      expect(calls).not.toContain(method);
    }
    expect(world.slack.responses).toEqual([]);
  });

  test('is in the help of the people in ADMINS, in their language, and in no other', async () => {
    const help = async (user: string): Promise<string> =>
      JSON.stringify((await world.command('help', { user })).response);
    expect(await help(ada)).toContain('`/deepsearch doctor`: checks Slack, the service and the storage');
    expect(await help(bob)).not.toContain('doctor');
    await world.learnLanguage(gerd);
    expect(await help(gerd)).toContain('`/deepsearch doctor`: prüft Slack, den Dienst und den Speicher');
  });
});
