import { afterEach, expect, test } from 'vitest';
import { dmOf } from '../../src/local-slack/channels.ts';
import { people } from '../../src/local-slack/people.ts';
import { channels, type SettingsWorld, startSettingsWorld } from '../support/channels/settings-world.ts';
import { eventually } from '../support/eventually.ts';
import { one } from '../support/one.ts';
import { texts, visibleText } from '../support/world/world.ts';

const { ada, bob, gerd } = people;

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
  const answer = one(await world.answered(card.ts));
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
  await world.answered(elsewhere);
  await here.change(channels.team, { settings_answers: 'thread' });
  const again = await world.mention('and now?', { channel: channels.team, user: ada });
  await world.answered(again);
});

/** What `status` in a thread says to a person. */
async function statusFor(user: string, ts: string): Promise<string> {
  const { world } = here;
  const before = world.ephemeralsTo(user).length;
  await world.mention('status', { channel: channels.team, user, threadTs: ts });
  return eventually(() => {
    const told = world.ephemeralsTo(user)[before];
    if (told === undefined) throw new Error(`${user} was told nothing`);
    return JSON.stringify(told);
  });
}

/** The share URLs of all conversations, oldest first. */
function links(): string[] {
  return here.service.conversations.map(({ share_url: url }) => url ?? '');
}

test('a private answer has a conversation of its own, which only its asker continues and finds', async () => {
  here = await startSettingsWorld();
  const { world } = here;
  const ts = await world.mention('where is main?', { channel: channels.team, user: bob });
  await world.answered(ts);
  await here.change(channels.team, { settings_answers: 'private' });
  await world.mention('and who calls it?', { channel: channels.team, user: bob, threadTs: ts });
  expect(await sentTo(bob)).toContain('who calls it');
  await world.mention('and who tests it?', { channel: channels.team, user: ada, threadTs: ts });
  expect(await sentTo(ada)).toContain('who tests it');
  const [open = '', ofBob = '', ofAda = ''] = links();
  expect(links()).toHaveLength(3);
  expect(await statusFor(bob, ts)).toContain(ofBob);
  expect(await statusFor(ada, ts)).toContain(ofAda);
  world.slack.channels.get(channels.team)?.members?.push(gerd);
  const ofOther = await statusFor(gerd, ts);
  expect(ofOther).toContain(open);
  expect(ofOther).not.toContain(ofBob);
  expect(ofOther).not.toContain(ofAda);
});

test('while a private question runs, no one else gets its link, and the link gets no preview', async () => {
  here = await startSettingsWorld();
  const { world, service } = here;
  await here.change(channels.team, { settings_answers: 'private' });
  service.answerAfter(() => 3_000_000);
  const ts = await world.mention('where is main?', { channel: channels.team, user: bob });
  const question = await eventually(() => one(service.find('where is main?')));
  await eventually(async () => expect(await statusFor(bob, ts)).toContain(one(links())));
  expect(await statusFor(ada, ts)).not.toContain('/deepsearch/');
  service.answer(question);
  await sentTo(bob);
  for (const user of [ada, bob]) await world.shareLink(one(links()), { channel: channels.team, user });
  await eventually(async () => expect(await world.metrics()).toMatch(/event="link_preview".*outcome="nothing".* 2\n/));
  expect(world.slack.unfurls).toEqual([]);
});

test('a private answer has its follow-ups, votes and Share like any other, and they stay private', async () => {
  here = await startSettingsWorld();
  const { world, service } = here;
  await here.change(channels.team, { settings_answers: 'private' });
  await world.mention('where is main?', { channel: channels.team, user: bob });
  await sentTo(bob);
  await world.press('What calls it?', { user: bob });
  await eventually(() => expect(service.find('What calls it?')).toHaveLength(1));
  await eventually(() =>
    expect(texts(world.slack.messages.filter(({ channel }) => channel === dmOf(bob))).join()).toContain(
      'The answer to "What calls it?"',
    ),
  );
  await world.feedback('positive', { user: bob });
  await eventually(() => expect(world.ephemeralsTo(bob).map(visibleText).join()).toContain('Your vote is saved.'));
  await world.press('Share…', { user: bob });
  await eventually(async () => expect(JSON.stringify(await world.modal())).toContain('deepsearch:share_channel'));
  const shown = world.slack.messages.filter(
    ({ channel, bot_id: bot }) => channel === channels.team && bot !== undefined,
  );
  expect(texts(shown).join()).not.toMatch(/main\.ts|What calls it/);
});
