import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { overflowOf, viewSubmissionOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, visibleText } from '../support/world/world.ts';

/** The menu entry under an answer that opens its first follow-up in a form. */
const editOrAskPrivately = 'Edit or ask privately: What calls it?';

const { world, service, beginWorld } = worldOfEachTest();

async function begin(settings: Record<string, string> = {}): Promise<void> {
  await beginWorld({ settings });
  service.answerEverything();
}

beforeEach(() => begin());

/** A thread with one answer, and the answer's last message. */
async function answered(question = 'how?') {
  const ts = await world.mention(question);
  const last = one(await world.answered(ts));
  return { ts, last };
}

function labels(message: Parameters<typeof visibleText>[0]): string[] {
  return buttonsOf(message.blocks).map(({ label }) => label);
}

describe('a suggested follow-up', () => {
  test('shows who asked it once it was asked, and the other stays', async () => {
    const { ts, last } = await answered();
    expect(labels(last)).toEqual(['What calls it?', 'Where is it tested?']);
    const body = visibleText(last);
    await world.press('What calls it?', { user: people.bob });
    await eventually(() => expect(visibleText(last)).toContain('<@U0BOB> asked: What calls it?'));
    expect(labels(last)).toEqual(['Where is it tested?']);
    // The rest of the answer does not change.
    expect(visibleText(last)).toContain(body.split('\n')[1]);
    await world.answered(ts, 2);
    await world.press('Where is it tested?', { user: people.ada, threadTs: ts });
    await world.answered(ts, 3);
  });

  test('is asked once when two people press it at the same time, and the second is told who asked it', async () => {
    const { ts } = await answered();
    await Promise.all([
      world.press('What calls it?', { user: people.bob }),
      world.press('What calls it?', { user: people.ada }),
    ]);
    await world.answered(ts, 2);
    expect(service.find('What calls it?')).toHaveLength(1);
    await eventually(() =>
      expect(`${world.toldTo(people.ada)}${world.toldTo(people.bob)}`).toMatch(/already asked by <@U0(ADA|BOB)>/),
    );
  });

  test('is asked although the answer cannot be updated', async () => {
    const { ts, last } = await answered();
    world.slack.fault('chat.update', { error: 'edit_window_closed' }, 20);
    await world.press('What calls it?', { user: people.bob });
    await world.answered(ts, 2);
    expect(last.edits).toBe(0);
  });

  test('of a long answer is on its last message, which keeps its content in an update', async () => {
    const ts = await world.mention('first?');
    await world.answered(ts);
    service.answerAfter(() => 0, { answer: 'One paragraph of many words.\n\n'.repeat(800) });
    await world.reply(ts, 'long?');
    const parts = await eventually(() => {
      const found = world.answersIn(ts).slice(1);
      expect(found.at(-1)?.blocks?.some(({ type }) => type === 'actions')).toBe(true);
      expect(found.length).toBeGreaterThan(1);
      return found;
    });
    const before = parts.map((part) => part.blocks?.filter(({ type }) => type === 'markdown'));
    await world.press('What calls it?', { user: people.bob, threadTs: ts });
    await eventually(() => expect(visibleText(parts.at(-1) ?? { text: '' })).toContain('<@U0BOB> asked:'));
    expect(parts.map((part) => part.blocks?.filter(({ type }) => type === 'markdown'))).toEqual(before);
  });
});

describe('where the app was taken out of a private channel', () => {
  /** Asks in a private channel, calls `open`, and removes the app from the channel. Returns the result of `open`. */
  async function hidden<Opened>(open: () => Promise<Opened>): Promise<Opened> {
    const crew = { isPrivate: true, botIsMember: true, isArchived: false, members: [people.ada, people.bob] };
    world.slack.channels.set('C0CREW', crew);
    const ts = await world.mention('how?', { channel: 'C0CREW' });
    await world.answered(ts);
    const opened = await open();
    crew.botIsMember = false;
    // The app caches channels and their members for a minute. A restart clears the cache.
    await world.restart();
    return opened;
  }

  test('an edited follow-up is not asked, and the form says that the answer is gone', async () => {
    const form = await hidden(async () => {
      await world.overflow(editOrAskPrivately, { user: people.bob });
      return world.modal();
    });
    const { response } = await world.submit(form, { question: 'What calls it in tests?' }, { user: people.bob });
    expect(JSON.stringify(response)).toContain('has expired');
    await world.direct('last?');
    await eventually(() => expect(service.find('last?')).toHaveLength(1));
    expect(service.find('What calls it in tests?')).toEqual([]);
  });

  test('a button asks nothing, and the person who pressed it is told how to add the app', async () => {
    await hidden(async () => {});
    const said = world.slack.messages.length;
    await world.press('What calls it?', { user: people.bob });
    const told = await eventually(() => one(world.slack.messages.slice(said)));
    expect(told.channel).toBe('D0BOB');
    expect(visibleText(told)).toContain('/invite');
    expect(service.find('What calls it?')).toEqual([]);
  });
});

describe('the button "Edit first"', () => {
  test('opens a form with the follow-up, and asks the edited text in the thread', async () => {
    const { ts, last } = await answered();
    await world.overflow(editOrAskPrivately, { user: people.bob });
    const form = await world.modal();
    expect(form.blocks[0]?.element?.initial_value).toBe('What calls it?');
    await world.submit(form, { question: 'What calls it in tests?' }, { user: people.bob });
    await world.answered(ts, 2);
    expect(service.find('What calls it in tests?')).toHaveLength(1);
    expect(service.conversations).toHaveLength(1);
    await eventually(() => expect(visibleText(last)).toContain('<@U0BOB> asked: What calls it?'));
  });

  test('says who asked a follow-up that was asked in the meantime, and asks nothing', async () => {
    const { ts } = await answered();
    await world.overflow(editOrAskPrivately, { user: people.ada });
    const form = await world.modal();
    await world.press('What calls it?', { user: people.bob });
    const delivery = await world.submit(form, { question: 'Mine instead?' }, { user: people.ada });
    expect(JSON.stringify(delivery.response)).toContain('bob asked this follow-up in the meantime');
    await world.answered(ts, 2);
    expect(service.find('Mine instead?')).toEqual([]);
  });

  test('asks one question, though its form is sent twice', async () => {
    const { ts } = await answered();
    await world.overflow(editOrAskPrivately);
    const form = await world.modal();
    const both = await Promise.all([
      world.submit(form, { question: 'Only once?' }),
      world.submit(form, { question: 'Only once?' }),
    ]);
    expect(both.map(({ response }) => response)).toEqual([undefined, undefined]);
    await world.answered(ts, 2);
    expect(service.find('Only once?')).toHaveLength(1);
  });

  test('shows guests why they may not ask', async () => {
    await answered();
    await world.overflow(editOrAskPrivately, { user: people.mia });
    expect(JSON.stringify((await world.modal()).blocks)).toContain('Guests');
  });

  test('says privately that it came too late for Slack', async () => {
    await answered();
    world.slack.expireTriggers();
    await world.overflow(editOrAskPrivately);
    await eventually(() => expect(world.toldTo(people.ada)).toContain('did not open the form in time'));
  });
});

describe('the button "Ask privately"', () => {
  /** Opens the form of the first follow-up, and submits it for an answer in direct messages. */
  async function askPrivately(user: string, threadTs: string, question?: string) {
    await world.overflow(editOrAskPrivately, { user, threadTs });
    const entered = { where: 'privately', ...(question === undefined ? {} : { question }) };
    return world.submit(await world.modal(), entered, { user });
  }

  test('answers in the direct messages of the person who chose that, and leaves the follow-up to others', async () => {
    const { ts, last } = await answered('the first question?');
    await askPrivately(people.bob, ts);
    const root = await eventually(() =>
      one(world.slack.messages.filter(({ channel, thread_ts: at }) => channel === 'D0BOB' && at === undefined)),
    );
    await world.answered(root.ts);
    expect(visibleText(root)).toContain(
      `Continues from: “<${service.conversations[0]?.share_url}|the first question?>”`,
    );
    expect(world.answersIn(ts)).toHaveLength(1);
    expect(service.conversations).toHaveLength(2);
    const asked = one(
      service.conversations.filter(({ questions }) => questions[0]?.question.includes('What calls it?')),
    );
    expect(asked.questions[0]?.question).toContain('the first question?');
    expect(asked.questions[0]?.question).toContain(service.conversations[0]?.share_url ?? 'no URL');
    await eventually(() => expect(world.toldTo(people.bob)).toContain('Asked in our direct messages'));
    expect(labels(last)).toEqual(['What calls it?', 'Where is it tested?']);
    // A person can ask it only once, even with another text.
    const again = await askPrivately(people.bob, ts, 'In other words?');
    expect(JSON.stringify(again.response)).toContain('already asked this');
    await askPrivately(people.ada, ts, 'What calls it in tests?');
    await eventually(() => expect(service.conversations).toHaveLength(3));
    expect(service.questions().some(({ question }) => question.includes('What calls it in tests?'))).toBe(true);
    expect(service.questions().some(({ question }) => question.includes('In other words?'))).toBe(false);
  });

  test('is refused to guests, though they had the form open', async () => {
    const { ts } = await answered();
    await world.overflow(editOrAskPrivately, { threadTs: ts });
    const form = await world.modal();
    world.slack.changePerson(people.ada, { is_restricted: true });
    await world.restart();
    const { response } = await world.submit(form, { where: 'privately' });
    expect(JSON.stringify(response)).toContain('Guests');
    expect(service.conversations).toHaveLength(1);
  });
});

describe('the button "All sources"', () => {
  test('opens the sources of an answer with many, in the language of the reader, and says privately when it came too late', async () => {
    service.answerAfter(() => 0, {
      sources: Array.from({ length: 8 }, (_, index) => ({
        type: 'Repository',
        link: `/github.com/acme/app/-/blob/src/${index}.ts`,
        label: `src/${index}.ts`,
      })),
    });
    await answered();
    await world.learnLanguage(people.gerd);
    await world.press('All sources (8)', { user: people.gerd });
    const modal = await world.modal();
    expect(modal.title?.text).toBe('Quellen');
    expect(JSON.stringify(modal.blocks)).toContain('src/7.ts');
    world.slack.expireTriggers();
    expect(await world.press('All sources (8)')).toMatchObject({ acknowledged: true });
    await eventually(() => expect(world.toldTo(people.ada)).toContain('did not open the form in time'));
  });
});

test('no value of a menu or a form touches a question of another place', async () => {
  const { ts, last } = await answered();
  const value = buttonsOf(last.blocks)[0]?.value ?? '';
  const claims = fc.oneof(
    fc.constantFrom(value, `${value}:edit`, value.replace('.0', '.1:edit'), value.split('.')[0]),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(claims, fc.constantFrom('C0GUESTS', 'C0NOWHERE', 'D0BOB'), async (claim = '', channel) => {
      const place = { message: { ...last, channel }, responseUrl: world.slack.responseUrl('fuzz') };
      const option = { text: { type: 'plain_text', text: 'x' }, value: claim };
      const press = overflowOf({ actionId: 'deepsearch:follow_up_menu', user: people.bob, place, option });
      expect(await world.deliver(press)).toMatchObject({ acknowledged: true });
      const state = { values: { question: { question: { type: 'plain_text_input', value: 'hijacked?' } } } };
      const view = { id: 'V1', callback_id: 'deepsearch:edit_follow_up', private_metadata: claim, state };
      // Uma is in no channel of the question.
      const delivery = await world.deliver(viewSubmissionOf({ view, user: people.uma }));
      expect(delivery).toMatchObject({ acknowledged: true, response: { response_action: 'errors' } });
    }),
    { numRuns: 60 },
  );
  expect(world.answersIn(ts)).toHaveLength(1);
  expect(service.conversations).toHaveLength(1);
});
