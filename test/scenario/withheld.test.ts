import { beforeEach, describe, expect, test } from 'vitest';
import type { SlackMessage } from '../../src/local-slack/messages.ts';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import type { Fault } from '../support/fake-slack/fake-slack.ts';
import { buttonOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, visibleText } from '../support/world/world.ts';

const { ada, bob } = people;

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

/** The cards of questions in direct messages with the app. */
function cardsWith(user: string): SlackMessage[] {
  const channel = user.replace(/^U/, 'D');
  return world.slack.messages.filter(
    (each) => each.channel === channel && each.bot_id !== undefined && each.thread_ts === undefined,
  );
}

// No event tells the app of these changes.

function becomesShared(): void {
  const channel = world.slack.channels.get('C0GENERAL');
  if (channel === undefined) throw new Error('no channel');
  world.slack.channels.set('C0GENERAL', { ...channel, isExtShared: true });
}

function joins(userId: string): void {
  world.slack.channels.get('C0GENERAL')?.members?.push(userId);
}

/** Ada asks, and the channel becomes shared while the question runs. So the answer is withheld from the channel. */
async function withheld(): Promise<void> {
  const ts = await world.mention('where is main?');
  const question = await eventually(() => one(service.find('where is main?')));
  becomesShared();
  service.answer(question);
  await eventually(() => expect(world.toldTo(ada)).toContain('so the answer is not shown there. I can show it to you'));
  expect(world.answersIn(ts)).toEqual([]);
  await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain('Not shown here'));
}

describe('an answer that was withheld from a channel', () => {
  test('is shown once in the direct messages of its asker, without a second question, however often they press', async () => {
    await withheld();
    const presses = await Promise.all([world.pressPrivately('Show it there'), world.pressPrivately('Show it there')]);
    expect(presses.map(({ acknowledged }) => acknowledged)).toEqual([true, true]);
    const card = await eventually(() => one(cardsWith(ada)));
    expect(visibleText(card)).toMatch(/<@U0ADA> asked:[\s\S]*where is main\?/);
    const answer = one(await world.answered(card.ts));
    expect(visibleText(answer)).toContain('The answer to "where is main?"');
    expect(visibleText(answer)).toContain(service.conversations[0]?.share_url ?? 'none');
    await eventually(() => expect(world.toldTo(ada)).toContain('I am sending the answer to our direct messages.'));
    await world.pressPrivately('Show it there');
    await eventually(() => expect(world.toldTo(ada)).toContain('already sent this answer to our direct messages'));
    expect(cardsWith(ada)).toHaveLength(1);
    expect(world.answersIn(card.ts)).toHaveLength(1);
    expect(service.questions()).toHaveLength(1);
  });

  test('makes a follow-up in the direct messages a new conversation, with the text of the shown answer', async () => {
    await withheld();
    service.answerEverything();
    await world.pressPrivately('Show it there');
    const card = await eventually(() => one(cardsWith(ada)));
    await world.answered(card.ts);
    await world.direct('and why?', { threadTs: card.ts });
    await world.answered(card.ts, 2);
    expect(service.conversations).toHaveLength(2);
    expect(service.questions().at(-1)?.question).toContain('is in [main.ts]');
  });

  test('is not shown to someone else who presses', async () => {
    await withheld();
    const word = world.ephemeralsTo(ada).at(-1) ?? { channel: '', user: '', text: '' };
    const [button] = buttonsOf(word.blocks);
    expect(button?.label).toBe('Show it there');
    const place = { ephemeral: word, responseUrl: world.slack.responseUrl(`bob?user=${bob}&channel=C0GENERAL`) };
    const { actionId = '', blockId = '', value = '' } = button ?? {};
    await world.deliver(buttonOf({ actionId, blockId, value, user: bob, place }));
    await eventually(() => expect(world.toldTo(bob)).toContain('Only the person who asked can see this answer.'));
    expect(cardsWith(bob)).toEqual([]);
    expect(cardsWith(ada)).toEqual([]);
  });

  test('that is gone from the service is said to be gone, and can be asked again there', async () => {
    await withheld();
    service.fault('read', { status: 404 });
    await world.pressPrivately('Show it there');
    const card = await eventually(() => one(cardsWith(ada)));
    const gone = one(await world.answered(card.ts));
    expect(visibleText(gone)).toMatch(/no longer in Deep Search[\s\S]*Reference `q/);
    expect(service.questions()).toHaveLength(1);
    service.answerEverything();
    await world.press('Ask in a new conversation', { threadTs: card.ts });
    await world.answered(card.ts, 2);
    expect(service.questions()).toHaveLength(2);
  });
});

describe('an answer is shown to no one who came right before its post', () => {
  async function isWithheld(ts: string, shown = 0): Promise<void> {
    await eventually(
      () => expect(world.toldTo(ada)).toContain('so the answer is not shown there. I can show it to you'),
      {
        timeoutMs: 20_000,
      },
    );
    await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain('Not shown here'));
    expect(world.answersIn(ts)).toHaveLength(shown);
  }

  /** Asks, and makes the change as soon as `method` is called after the question was answered. */
  async function changedAt(method: string, fault: Fault | undefined, change: () => void, answer?: string) {
    let isAnswered = false;
    let isChanged = false;
    world.slack.scriptFaults((called) => {
      if (!isAnswered || isChanged || called !== method) return undefined;
      isChanged = true;
      change();
      return fault;
    });
    const ts = await world.mention('where is main?');
    const question = await eventually(() => one(service.find('where is main?')));
    isAnswered = true;
    service.answer(question, answer === undefined ? {} : { answer });
    return ts;
  }

  test.each<[string, () => void]>([
    ['a guest', () => joins(people.mia)],
    ['someone of another organization', () => joins(people.olga)],
    ['another organization', () => becomesShared()],
  ])('%s comes while the question runs', async (_, change) => {
    const ts = await world.mention('where is main?');
    const question = await eventually(() => one(service.find('where is main?')));
    change();
    service.answer(question);
    await isWithheld(ts);
  });

  test('the asker becomes a guest while the question runs', async () => {
    const ts = await world.mention('where is main?', { user: bob });
    const question = await eventually(() => one(service.find('where is main?')));
    world.slack.changePerson(bob, { is_restricted: true });
    service.answer(question);
    await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain('Not shown here'));
    expect(world.answersIn(ts)).toEqual([]);
  });

  test.each<[string, Fault]>([
    ['failed', { retryAfterSeconds: 1 }],
    ['had an unknown outcome', { breakBeforeEffect: true }],
    ['was refused for its form', { error: 'invalid_blocks' }],
  ])('a guest comes when the first try %s', { timeout: 40_000 }, async (_, fault) => {
    await isWithheld(await changedAt('chat.postMessage', fault, () => joins(people.mia)));
  });

  test('a guest comes while the file of a long answer is uploaded', async () => {
    const file = 'files.getUploadURLExternal';
    const long = `${'The policy counts the attempts. '.repeat(14)}\n\n`.repeat(100);
    const ts = await changedAt(file, undefined, () => joins(people.mia), long);
    await isWithheld(ts, 4);
    expect(world.slack.calls).toContain(file);
    expect(world.slack.calls).not.toContain('files.completeUploadExternal');
  });
});
