import { afterEach, expect, test } from 'vitest';
import { channels, type SettingsWorld, startSettingsWorld } from '../support/channels/settings-world.ts';
import { eventually } from '../support/eventually.ts';
import { dmOf } from '../support/fake-slack/channels.ts';
import { people } from '../support/fake-slack/fake-slack.ts';
import { one } from '../support/one.ts';
import { visibleText } from '../support/world/world.ts';

const { ada, bob } = people;

let here: SettingsWorld;

afterEach(async () => {
  await here.world.stop();
  await here.service.stop();
  expect(here.world.slack.violations).toEqual([]);
});

/** The answer that was sent to a person's direct messages. */
async function sentTo(user: string): Promise<string> {
  const { world } = here;
  const isCard = ({ channel, bot_id: bot, thread_ts: ts }: (typeof world.slack.messages)[number]) =>
    channel === dmOf(user) && bot !== undefined && ts === undefined;
  const card = await eventually(() => one(world.slack.messages.filter(isCard)));
  const answer = await eventually(() => one(world.answersIn(card.ts)));
  return visibleText(answer);
}

test('where answers are private, they go to the direct messages of their askers, with the access of the app too', async () => {
  here = await startSettingsWorld();
  await here.change(channels.team, { settings_answers: 'private' });
  const { world, service } = here;
  const ts = await world.mention('where is main?', { channel: channels.team, user: bob });
  expect(await sentTo(bob)).toMatch(/main\.ts[\s\S]*\/deepsearch\//);
  await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain('Answered privately'));
  expect(world.answersIn(ts)).toEqual([]);
  const shown = world.slack.requests.filter(({ args }) => args.channel === channels.team);
  expect(JSON.stringify(shown)).not.toMatch(/main\.ts|\/deepsearch\/0/);
  expect(world.ephemeralsTo(bob).map(visibleText).join()).not.toContain('will see it');
  expect(service.questions()).toHaveLength(1);
  // Other channels are as before, and so is this one after the setting is taken back.
  const elsewhere = await world.mention('where is it?');
  await eventually(() => expect(world.answersIn(elsewhere)).toHaveLength(1));
  await here.change(channels.team, { settings_answers: 'thread' });
  const again = await world.mention('and now?', { channel: channels.team, user: ada });
  await eventually(() => expect(world.answersIn(again)).toHaveLength(1));
});

test('the status of a thread links a private answer for its asker alone', async () => {
  here = await startSettingsWorld();
  const { world } = here;
  const ts = await world.mention('where is main?', { channel: channels.team, user: bob });
  await eventually(() => expect(world.answersIn(ts)).toHaveLength(1));
  const statusFor = async (user: string): Promise<string> => {
    const before = world.ephemeralsTo(user).length;
    await world.mention('status', { channel: channels.team, user, threadTs: ts });
    return eventually(() => {
      const told = world.ephemeralsTo(user)[before];
      if (told === undefined) throw new Error(`${user} was told nothing`);
      return JSON.stringify(told);
    });
  };
  expect(await statusFor(ada)).toContain('/deepsearch/');
  // The same conversation goes on with an answer that only bob sees.
  await here.change(channels.team, { settings_answers: 'private' });
  await world.mention('and who calls it?', { channel: channels.team, user: bob, threadTs: ts });
  expect(await sentTo(bob)).toContain('who calls it');
  await eventually(() => expect(here.service.conversations).toHaveLength(1));
  expect(await statusFor(ada)).not.toContain('/deepsearch/');
  expect(await statusFor(bob)).toContain('/deepsearch/');
});
