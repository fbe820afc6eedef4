import { beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import type { SlackView } from '../../src/local-slack/views.ts';
import { eventually } from '../support/eventually.ts';
import { viewSubmissionOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, visibleText } from '../support/world/world.ts';

const channelMenu = 'deepsearch:share_channel';

const { world, service, beginWorld } = worldOfEachTest();

async function begin(settings: Record<string, string> = {}): Promise<void> {
  await beginWorld({ settings });
  service.answerEverything();
}

beforeEach(() => begin());

/** Asks a question in ada's direct messages and waits for the answer. */
async function answered(question = 'a private question?'): Promise<string> {
  const ts = await world.direct(question);
  await world.answered(ts);
  return ts;
}

async function form(): Promise<SlackView> {
  await world.press('Share…');
  return world.modal();
}

/** Chooses a channel and waits until the form shows its audience, or why the answer can't be shared there. */
async function choose(view: SlackView, channel: string): Promise<SlackView> {
  await world.choose(view, channelMenu, channel);
  return eventually(async () => {
    const now = await world.modal();
    expect(now.hash).not.toBe(view.hash);
    return now;
  });
}

function shown(view: SlackView): string {
  return JSON.stringify(view.blocks);
}

function confirmId(view: SlackView): string {
  return one(view.blocks.flatMap(({ block_id: id }) => (id?.startsWith('confirm:') ? [id] : [])));
}

/** The app's messages in a channel that are not in a thread. */
function roots(channel: string) {
  return world.slack.messages.filter(
    (each) => each.channel === channel && each.bot_id !== undefined && !each.thread_ts,
  );
}

describe('sharing a private answer', () => {
  test('posts it in the channel, after showing who would see it, without mention, follow-ups or link', async () => {
    await answered();
    let view = await form();
    expect(shown(view)).toContain('Choose a channel to see who can read the answer there.');
    view = await choose(view, 'C0GENERAL');
    expect(shown(view)).toContain('<#C0GENERAL>:* 3 people');
    expect(shown(view)).not.toContain('Share with them too');
    const delivery = await world.submit(view, { [channelMenu]: 'C0GENERAL' });
    expect(delivery).toMatchObject({ acknowledged: true, response: undefined });
    const card = await eventually(() => one(roots('C0GENERAL')));
    const answer = one(await world.answered(card.ts));
    expect(visibleText(card)).toMatch(/<@U0ADA> shared an answer:[\s\S]*a private question\?/);
    await eventually(() => expect(visibleText(card)).toContain('The answer is in the thread'));
    expect(visibleText(answer)).toContain('The answer to "a private question?"');
    expect(JSON.stringify(answer)).not.toContain('<@');
    expect(JSON.stringify([card, answer])).not.toContain(service.conversations[0]?.share_url ?? 'none');
    expect(buttonsOf(answer.blocks)).toEqual([]);
    expect(service.questions()).toHaveLength(1);
    await eventually(() => expect(world.toldTo(people.ada)).toContain('sharing your answer in <#C0GENERAL>'));
  });

  test('includes the link where the sharer chose that', async () => {
    await answered();
    const view = await choose(await form(), 'C0GENERAL');
    expect(shown(view)).toContain('even without access to the code');
    await world.submit(view, { [channelMenu]: 'C0GENERAL', with_link: ['with_link'] });
    const card = await eventually(() => one(roots('C0GENERAL')));
    const answer = one(await world.answered(card.ts));
    expect(visibleText(answer)).toContain(service.conversations[0]?.share_url ?? 'none');
  });

  test('makes a follow-up there, by mention, start a separate conversation', async () => {
    await answered();
    await world.submit(await choose(await form(), 'C0GENERAL'), { [channelMenu]: 'C0GENERAL' });
    const card = await eventually(() => one(roots('C0GENERAL')));
    await world.answered(card.ts);
    await world.reply(card.ts, 'nice', { user: people.bob });
    await world.mention('and why?', { threadTs: card.ts, user: people.bob });
    await world.answered(card.ts, 2);
    expect(service.conversations).toHaveLength(2);
    expect(service.questions()).toHaveLength(2);
  });

  test('posts it once, though the form is sent twice', async () => {
    await answered();
    const view = await choose(await form(), 'C0GENERAL');
    const entered = { [channelMenu]: 'C0GENERAL' };
    await Promise.all([world.submit(view, entered), world.submit(view, entered)]);
    const card = await eventually(() => one(roots('C0GENERAL')));
    await world.answered(card.ts);
    await eventually(() => expect(visibleText(card)).toContain('The answer is in the thread'));
    expect(roots('C0GENERAL')).toHaveLength(1);
  });

  test('requires a tick where guests would read it, and then posts it', async () => {
    await answered();
    const view = await choose(await form(), 'C0GUESTS');
    expect(shown(view)).toContain('<#C0GUESTS>:* 3 people, 1 guest');
    expect(shown(view)).toContain('Share with them too');
    await world.submit(view, { [channelMenu]: 'C0GUESTS', [confirmId(view)]: ['confirm'] });
    const card = await eventually(() => one(roots('C0GUESTS')));
    await world.answered(card.ts);
  });

  test('is neither offered nor accepted for a channel with another organization', async () => {
    await answered();
    const view = await form();
    expect(shown(view)).toContain('"exclude_external_shared_channels":true');
    const chosen = await choose(view, 'C0SHARED');
    expect(shown(chosen)).toContain('answers cannot be shared with them');
    expect(shown(chosen)).not.toContain('Share with them too');
    for (const each of [view, chosen]) {
      const delivery = await world.submit(each, { [channelMenu]: 'C0SHARED' });
      expect(JSON.stringify(delivery.response)).toContain('answers cannot be shared with them');
    }
    expect(roots('C0SHARED')).toEqual([]);
  });

  test('is refused for a channel that one person of another organization reads, in German as well', async () => {
    world.slack.channels.get('C0GENERAL')?.members?.push(people.olga);
    world.slack.changePerson(people.ada, { locale: 'de-DE' });
    await answered('eine private Frage?');
    await world.press('Teilen…');
    const chosen = await choose(await world.modal(), 'C0GENERAL');
    expect(shown(chosen)).toContain('Antworten dürfen nicht mit ihnen geteilt werden');
  });

  test('posts nothing where Slack does not say who a reader is', async () => {
    await answered();
    world.slack.changePerson('U0NEW', {});
    world.slack.omitFields('U0NEW', ['is_restricted']);
    world.slack.channels.get('C0GUESTS')?.members?.push('U0NEW');
    const view = await choose(await form(), 'C0GUESTS');
    expect(shown(view)).toContain('I cannot check who reads this channel');
    const delivery = await world.submit(view, { [channelMenu]: 'C0GUESTS' });
    expect(JSON.stringify(delivery.response)).toContain('I cannot check who reads this channel');
    expect(roots('C0GUESTS')).toEqual([]);
  });

  test('does not accept a tick for one guest after another guest replaced them', async () => {
    await answered();
    const view = await choose(await form(), 'C0GUESTS');
    const before = confirmId(view);
    Object.assign(world.slack.channels.get('C0GUESTS') ?? {}, { members: [people.ada, people.bob, people.uma] });
    // The app caches the members of a channel for a minute.
    await world.restart();
    const delivery = await world.submit(view, { [channelMenu]: 'C0GUESTS', [before]: ['confirm'] });
    expect(delivery.response).toMatchObject({ response_action: 'update' });
    expect(confirmId(await world.modal())).not.toBe(before);
    expect(roots('C0GUESTS')).toEqual([]);
  });

  test('shows the readers of a channel that were not shown yet before it posts there', async () => {
    await answered();
    const delivery = await world.submit(await form(), { [channelMenu]: 'C0GENERAL' });
    expect(delivery.response).toMatchObject({ response_action: 'update' });
    const view = await world.modal();
    expect(shown(view)).toContain('<#C0GENERAL>:* 3 people');
    expect(roots('C0GENERAL')).toEqual([]);
    await world.submit(view, { [channelMenu]: 'C0GENERAL' });
    await eventually(() => expect(roots('C0GENERAL')).toHaveLength(1));
  });

  test('does not accept a tick for fewer guests than there are', async () => {
    await answered();
    const view = await choose(await form(), 'C0GUESTS');
    const state = {
      values: {
        channel: { [channelMenu]: { selected_conversation: 'C0GUESTS' } },
        'confirm:C0GUESTS:0:0:0': { 'confirm:C0GUESTS:0:0:0': { selected_options: [{ value: 'confirm' }] } },
      },
    };
    const told = { ...world.slack.viewState.payloadOf(view), state };
    const delivery = await world.deliver(viewSubmissionOf({ view: told, user: people.ada }));
    expect(delivery.response).toMatchObject({ response_action: 'update' });
    expect(roots('C0GUESTS')).toEqual([]);
  });

  test('is refused where the app or the person is not a member, and in direct messages', async () => {
    await answered();
    world.slack.channels.set('C0BOBS', {
      isPrivate: true,
      botIsMember: true,
      isArchived: false,
      members: [people.bob],
    });
    const view = await form();
    for (const [channel, why] of [
      ['C0PRIVATE', 'I am not in this channel'],
      ['C0BOBS', 'You are not a member'],
      ['D0BOB', 'Choose a channel'],
    ] as const) {
      const delivery = await world.submit(view, { [channelMenu]: channel });
      expect(JSON.stringify(delivery.response)).toContain(why);
      expect(shown(await choose(await world.modal(), channel))).toContain(why);
    }
    expect(world.slack.messages.some(({ channel }) => channel !== 'D0ADA')).toBe(false);
  });

  test('is refused to another person, whatever the form says', async () => {
    await answered();
    const view = await form();
    const state = { values: { channel: { [channelMenu]: { selected_conversation: 'C0GENERAL' } } } };
    const told = { ...world.slack.viewState.payloadOf(view), state };
    const delivery = await world.deliver(viewSubmissionOf({ view: told, user: people.bob }));
    expect(JSON.stringify(delivery.response)).toContain('Only the person who asked');
    expect(roots('C0GENERAL')).toEqual([]);
  });

  test('is offered in direct messages only', async () => {
    const ts = await world.mention('in public?');
    await world.answered(ts);
    expect(world.answersIn(ts).flatMap(({ blocks }) => buttonsOf(blocks).map(({ label }) => label))).not.toContain(
      'Share…',
    );
  });

  test('offers another try where it failed, which shows again who would see it, to the sharer alone', async () => {
    await begin({ PATIENCE_SECONDS: '1' });
    await answered();
    let isDown = true;
    service.scriptFaults((call) => (isDown && call === 'read' ? { status: 503 } : undefined));
    const view = await choose(await form(), 'C0GUESTS');
    await world.submit(view, { [channelMenu]: 'C0GUESTS', [confirmId(view)]: ['confirm'] });
    const card = await eventually(() => one(roots('C0GUESTS')));
    const end = one(await world.answered(card.ts));
    expect(buttonsOf(end.blocks).map(({ label }) => label)).toEqual(['Share…']);
    isDown = false;
    await world.press('Share…', { user: people.bob, threadTs: card.ts });
    await eventually(async () => expect(shown(await world.modal())).toContain('Only the person who asked'));
    await world.closeModal(await world.modal());
    await world.press('Share…', { threadTs: card.ts });
    const again = await choose(await eventually(() => one(world.slack.openViews)), 'C0GUESTS');
    expect(shown(again)).toContain('Share with them too');
    await world.submit(again, { [channelMenu]: 'C0GUESTS', [confirmId(again)]: ['confirm'] });
    const second = await eventually(() => one(roots('C0GUESTS').filter(({ ts }) => ts !== card.ts)));
    const answer = one(await world.answered(second.ts));
    expect(visibleText(answer)).toContain('The answer to "a private question?"');
  });

  test('ends visibly where the conversation is gone by then, and cannot be tried again', async () => {
    await answered();
    // Until the question is closed, its answer is stored, and the app could share it without the service.
    await eventually(async () =>
      expect(await world.metrics()).toMatch(/event="question_closed",outcome="answered"} 1/),
    );
    const view = await choose(await form(), 'C0GENERAL');
    service.remove(service.conversations[0]?.id ?? 0);
    await world.submit(view, { [channelMenu]: 'C0GENERAL' });
    const card = await eventually(() => one(roots('C0GENERAL')));
    const end = await eventually(() => one(world.slack.inThread(card.ts)));
    expect(visibleText(end)).toContain('was deleted');
    expect(buttonsOf(end.blocks)).toEqual([]);
    expect(service.questions()).toEqual([]);
  });
});

describe('where the operator opened a channel with other organizations,', () => {
  beforeEach(async () => {
    await begin({ OPEN_CHANNELS: 'C0SHARED' });
  });

  test('sharing names them, and shares once that was confirmed', async () => {
    await answered();
    const view = await choose(await form(), 'C0SHARED');
    expect(shown(view)).not.toContain('exclude_external_shared_channels');
    expect(shown(view)).toContain('people from 1 other organization');
    expect(shown(view)).toContain('Share with them too');
    await world.submit(view, { [channelMenu]: 'C0SHARED', [confirmId(view)]: ['confirm'] });
    const card = await eventually(() => one(roots('C0SHARED')));
    await world.answered(card.ts);
  });
});

describe('where a setting does not allow all channels,', () => {
  beforeEach(async () => {
    await begin({ ALLOWED_CHANNELS: 'C0PUBLIC' });
  });

  test('nothing is shared into the others', async () => {
    await answered();
    const view = await choose(await form(), 'C0GENERAL');
    const delivery = await world.submit(view, { [channelMenu]: 'C0GENERAL' });
    expect(JSON.stringify(delivery.response)).toContain('not turned on for this channel');
    expect(roots('C0GENERAL')).toEqual([]);
  });
});
