import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ACTIONS } from '../../src/render/ids.ts';
import { eventually } from '../support/eventually.ts';
import { dmOf } from '../support/fake-slack/channels.ts';
import { type FakeMessage, people } from '../support/fake-slack/fake-slack.ts';
import { one } from '../support/one.ts';
import { buttonOf } from '../support/payloads/surfaces.ts';
import { type RecordedService, startRecordedService } from '../support/world/recorded-service.ts';
import { buttonsOf, startWorld, visibleText, type World } from '../support/world/world.ts';

const { ada, bob, gerd } = people;
const question = 'where are payment retries configured?';
const next = 'what signs a gateway request?';
const dayMs = 24 * 60 * 60 * 1_000;
/** Words of the sample repository that only an answer has. */
const code = /retry-policy\.ts|signGatewayRequest|client\.ts/;

let service: RecordedService;
let world: World;

async function begin(options: { sharing?: boolean; stepDelayMs?: number } = {}): Promise<void> {
  service = await startRecordedService(options);
  world = await startWorld({
    service: { url: service.url, token: service.token },
    settings: { ACCOUNTS: 'preferred', ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}` },
  });
  const members = [ada, bob, gerd];
  for (const [id, name] of [
    ['C0TEAM', 'team'],
    ['C0OPS', 'ops'],
  ] as const) {
    world.slack.channels.set(id, { isPrivate: true, botIsMember: true, isArchived: false, name, members });
  }
  await connect(ada, 'ada');
  await connect(bob, 'bob');
}

beforeEach(() => {
  // Only the clock is fake, so that a test can let a day pass.
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true });
});

afterEach(async () => {
  await world.stop();
  await service.stop();
  vi.useRealTimers();
  expect(world.slack.violations).toEqual([]);
  expect(service.problems).toEqual([]);
});

/** Connects a person's account with the form for an access token. */
async function connect(user: string, username: string): Promise<void> {
  const { response } = await world.command('connect', { user });
  const reply = response as Parameters<typeof visibleText>[0];
  const button = one(buttonsOf(reply.blocks).filter(({ actionId }) => actionId === ACTIONS.connectByToken));
  const ephemeral = { channel: 'C0GENERAL', user, text: '' };
  const place = { ephemeral, responseUrl: world.slack.responseUrl(`connect-${user}?user=${user}&channel=C0GENERAL`) };
  await world.deliver(buttonOf({ ...button, value: button.value ?? '', user, place, label: button.label }));
  const form = await eventually(async () => {
    const view = await world.modal();
    expect(JSON.stringify(view.blocks)).toContain('"token"');
    return view;
  });
  await world.submit(form, { token: service.tokenOf(username) }, { user });
  await eventually(async () => expect(visibleText(await world.modal())).toContain(username));
}

function toldTo(user: string): string {
  return world.ephemeralsTo(user).map(visibleText).join('\n');
}

/** How often a person was asked who sees an answer. */
function timesAsked(user: string): number {
  return world.ephemeralsTo(user).filter((each) => visibleText(each).includes('will see it.')).length;
}

async function isAsked(user: string, times = 1): Promise<void> {
  await eventually(() => expect(timesAsked(user)).toBe(times));
}

function inThread(ts: string): string {
  return JSON.stringify(world.slack.inThread(ts));
}

/** The thread of an answer that was sent to a person's direct messages. */
async function sentTo(user: string): Promise<{ card: FakeMessage; answer: FakeMessage }> {
  const card = await eventually(() =>
    one(
      world.slack.messages.filter(
        (each) => each.channel === dmOf(user) && each.bot_id !== undefined && !each.thread_ts,
      ),
    ),
  );
  return { card, answer: await eventually(() => one(world.answersIn(card.ts))) };
}

async function isShown(ts: string, count = 1): Promise<string> {
  const answers = await eventually(() => {
    expect(world.answersIn(ts)).toHaveLength(count);
    return world.answersIn(ts);
  });
  return answers.map(visibleText).join('\n');
}

async function cardSays(ts: string, words: string): Promise<void> {
  await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain(words));
}

describe('the first answer with own access in a channel', () => {
  test('asks its asker privately who sees it, and shows no code before', async () => {
    await begin();
    const ts = await world.mention(question);
    await isAsked(ada);
    expect(toldTo(ada)).toContain('3 people here will see it.');
    expect(toldTo(ada)).toContain(question);
    expect(buttonsOf(world.ephemeralsTo(ada).at(-1)?.blocks).map(({ label }) => label)).toEqual([
      'Show here',
      'Only for me',
      'Always here',
    ]);
    await cardSays(ts, 'The person who asked chooses who sees it');
    expect(world.answersIn(ts)).toEqual([]);
    expect(inThread(ts)).not.toMatch(code);
    expect(toldTo(ada)).not.toMatch(code);
    expect(timesAsked(bob)).toBe(0);
    expect(service.asked().map(({ by }) => by)).toEqual(['ada']);
  });

  test('is shown in its thread, and later ones of this person there too, but not those of others or elsewhere', async () => {
    await begin();
    const ts = await world.mention(question, { channel: 'C0TEAM' });
    await world.pressPrivately('Show here');
    expect(await isShown(ts)).toMatch(code);
    await cardSays(ts, 'Answered in');
    await world.mention(next, { channel: 'C0TEAM', threadTs: ts });
    await isShown(ts, 2);
    expect(timesAsked(ada)).toBe(1);
    // Bob's question in the same thread uses Bob's access, so Bob is asked.
    await world.mention('how is the daily report built?', { channel: 'C0TEAM', threadTs: ts, user: bob });
    await isAsked(bob);
    expect(world.answersIn(ts)).toHaveLength(2);
    const elsewhere = await world.mention(next, { channel: 'C0TEAM' });
    await isAsked(ada, 2);
    expect(world.answersIn(elsewhere)).toEqual([]);
    expect(service.asked().map(({ by }) => by)).toEqual(['ada', 'ada', 'bob', 'ada']);
  });

  test('is shown in the whole channel after Always here, but asked about in another channel', async () => {
    await begin();
    const ts = await world.mention(question, { channel: 'C0TEAM' });
    await world.pressPrivately('Always here');
    await isShown(ts);
    await eventually(() => expect(toldTo(ada)).toContain('I show your answers in <#C0TEAM> from now on'));
    const again = await world.mention(next, { channel: 'C0TEAM' });
    expect(await isShown(again)).toMatch(code);
    expect(timesAsked(ada)).toBe(1);
    await world.mention(next, { channel: 'C0OPS' });
    await isAsked(ada, 2);
  });

  test('goes to the direct messages of its asker with Only for me, and the thread says only that', async () => {
    await begin();
    const ts = await world.mention(question);
    await world.pressPrivately('Only for me');
    const { answer } = await sentTo(ada);
    expect(visibleText(answer)).toMatch(code);
    expect(JSON.stringify(answer)).toContain('/deepsearch/');
    await cardSays(ts, 'Answered privately');
    expect(world.answersIn(ts)).toEqual([]);
    expect(inThread(ts)).not.toMatch(code);
    expect(inThread(ts)).not.toContain('/deepsearch/');
    expect(service.asked()).toHaveLength(1);
  });

  test('shows no steps on the card before, and no file in anything that was ever sent to the channel', async () => {
    await begin({ stepDelayMs: 150 });
    const ts = await world.mention(question);
    await cardSays(ts, 'Searching');
    await world.pressPrivately('Only for me');
    await cardSays(ts, 'Answered privately');
    const sent = world.slack.requests.filter((each) => JSON.stringify(each).includes('C0GENERAL'));
    expect(JSON.stringify(sent)).toContain('Searching');
    expect(JSON.stringify(sent)).not.toMatch(code);
    expect(JSON.stringify(sent)).not.toMatch(/Searching[^"]*step/);
  });

  test('shows the steps of the next question where the asker agreed', async () => {
    await begin({ stepDelayMs: 150 });
    const ts = await world.mention(question);
    await world.pressPrivately('Show here');
    await isShown(ts);
    await world.mention(next, { threadTs: ts });
    await isShown(ts, 2);
    expect(JSON.stringify(world.slack.requests)).toMatch(/Searching[^"]*step/);
  });

  test('lets other questions of the thread go on while its asker chooses', async () => {
    await begin();
    const ts = await world.mention(question);
    await isAsked(ada);
    await world.mention(next, { threadTs: ts, user: bob });
    await isAsked(bob);
    await world.pressPrivately('Show here', { user: bob });
    await isShown(ts);
    await world.pressPrivately('Show here');
    await isShown(ts, 2);
  });

  test('is chosen for once, by its asker only, also after a restart', async () => {
    await begin();
    const ts = await world.mention(question);
    await isAsked(ada);
    const asked = world.ephemeralsTo(ada).at(-1) ?? { channel: '', user: '', text: '' };
    const { label, ...button } = buttonsOf(asked.blocks)[0] ?? { label: '', actionId: '', blockId: '', value: '' };
    const place = { ephemeral: asked, responseUrl: world.slack.responseUrl(`bob?user=${bob}&channel=C0GENERAL`) };
    await world.deliver(buttonOf({ ...button, value: button.value ?? '', label, user: bob, place }));
    await eventually(() => expect(toldTo(bob)).toContain(`Only the person who asked (<@${ada}>) can do this.`));
    expect(world.answersIn(ts)).toEqual([]);
    await world.restart();
    await Promise.all([world.pressPrivately('Only for me'), world.pressPrivately('Only for me')]);
    await sentTo(ada);
    await world.pressPrivately('Show here');
    await eventually(() => expect(toldTo(ada)).toContain('You already chose who sees this answer.'));
    expect(world.answersIn(ts)).toEqual([]);
  });

  test('goes to its asker only after 24 hours, and a press then is told so', async () => {
    await begin();
    const ts = await world.mention(question);
    await isAsked(ada);
    vi.setSystemTime(Date.now() + dayMs + 60_000);
    await world.restart();
    await sentTo(ada);
    await cardSays(ts, 'Answered privately');
    await world.pressPrivately('Show here');
    await eventually(() => expect(toldTo(ada)).toContain('The 24 hours for this choice are over.'));
    expect(world.answersIn(ts)).toEqual([]);
  });

  test('is not shown where guests joined while its asker chose; a larger number of members is fine', async () => {
    await begin();
    const first = await world.mention(question, { channel: 'C0TEAM' });
    await world.pressPrivately('Always here');
    await isShown(first);
    world.slack.changePerson('U0NEW', {});
    world.slack.channels.get('C0TEAM')?.members?.push('U0NEW');
    const second = await world.mention(next, { channel: 'C0OPS' });
    await isAsked(ada, 2);
    world.slack.channels.get('C0OPS')?.members?.push(people.mia);
    vi.setSystemTime(Date.now() + 120_000);
    await world.pressPrivately('Show here');
    await eventually(() => expect(toldTo(ada)).toContain('so the answer is not shown there'));
    expect(world.answersIn(second)).toEqual([]);
  });

  test('is not asked about in direct messages, where its link is shown', async () => {
    await begin();
    const ts = await world.direct(question);
    const answer = await isShown(ts);
    expect(answer).toMatch(code);
    expect(inThread(ts)).toContain('/deepsearch/');
    expect(timesAsked(ada)).toBe(0);
  });

  test('is asked about in German where the asker reads German', async () => {
    await begin();
    await world.learnLanguage(gerd);
    await connect(gerd, 'gerd');
    const ts = await world.mention(question, { user: gerd });
    await world.pressPrivately('Nur für mich', { user: gerd });
    await sentTo(gerd);
    expect(toldTo(gerd)).toContain('3 Personen hier werden sie sehen.');
    await cardSays(ts, 'Privat beantwortet');
  });
});

describe('the share URL of an own conversation', () => {
  test('is shown in a channel if another account can open it, and so is its preview where the asker agreed', async () => {
    await begin({ sharing: true });
    const ts = await world.mention(question, { channel: 'C0TEAM' });
    await world.pressPrivately('Always here');
    await isShown(ts);
    const [url = ''] = /http[^|>"]*\/deepsearch\/[0-9a-f-]+/.exec(inThread(ts)) ?? [];
    expect(url).not.toBe('');
    await world.shareLink(url, { channel: 'C0OPS', user: bob });
    await world.shareLink(url, { channel: 'C0TEAM', user: bob });
    const unfurled = await eventually(() => one(world.slack.unfurls));
    expect(JSON.stringify(unfurled)).toContain('C0TEAM');
  });

  test('is shown nowhere in a channel if no other account can open it', async () => {
    await begin();
    const ts = await world.mention(question);
    await world.pressPrivately('Show here');
    await isShown(ts);
    await cardSays(ts, 'Answered in');
    expect(inThread(ts)).not.toContain('/deepsearch/');
    await world.mention('status', { threadTs: ts, user: bob });
    await eventually(() => expect(toldTo(bob)).toContain('In this thread'));
    expect(toldTo(bob)).not.toContain('/deepsearch/');
  });

  test('is shown to no one else after an answer of the conversation was kept private', async () => {
    await begin({ sharing: true });
    const ts = await world.mention(question);
    await world.pressPrivately('Only for me');
    const { card } = await sentTo(ada);
    await world.mention(next, { threadTs: ts });
    await isAsked(ada, 2);
    await world.pressPrivately('Show here');
    expect(await isShown(ts)).toMatch(code);
    expect(inThread(ts)).not.toContain('/deepsearch/');
    expect(inThread(card.ts)).toContain('/deepsearch/');
  });
});

describe('with the access of the app', () => {
  test('nothing is asked, and the link is shown as before', async () => {
    await begin();
    const ts = await world.mention(question, { user: gerd });
    await eventually(() => expect(world.answersIn(ts)).toHaveLength(1));
    expect(inThread(ts)).toContain('/deepsearch/');
    expect(timesAsked(gerd)).toBe(0);
    expect(service.asked().map(({ by }) => by)).toEqual(['app']);
  });
});
