import { beforeEach, describe, expect, test } from 'vitest';
import type { SlackBlock } from '../../src/local-slack/messages.ts';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceQuestion } from '../support/fake-service/fake-service.ts';
import { messageDeletedOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

function asked(text: string): Promise<ServiceQuestion> {
  return eventually(() => one(service.find(text)));
}

/** A card of a thread, counted from the oldest. */
function card(ts: string, index = 0): Parameters<typeof visibleText>[0] {
  const isCard = ({ block_id: id }: SlackBlock) => /^ds:q[0-9a-f]{24}:card/.test(id ?? '');
  return world.slack.inThread(ts).filter(({ blocks = [] }) => blocks.some(isCard))[index] ?? { text: '' };
}

function labels(ts: string, index = 0): string[] {
  return buttonsOf(card(ts, index).blocks).map(({ label }) => label);
}

async function deleteMessage(ts: string): Promise<void> {
  const message = one(world.slack.messages.filter((each) => each.ts === ts));
  await world.deliver(messageDeletedOf({ message, ts: '1800000000.000001' }));
}

/** A question in a thread, cancelled while the service worked on it. Returns its message. */
async function cancelled(text: string): Promise<string> {
  const ts = await world.mention(text);
  await asked(text);
  await world.press('Cancel', { threadTs: ts });
  await eventually(() => expect(visibleText(card(ts))).toContain('Cancelled by <@U0ADA>'));
  return ts;
}

describe('Ask again on the card of a cancelled question', () => {
  test('asks it for the person who presses, after what waits already, and then names them', async () => {
    const ts = await world.mention('where?');
    const first = await asked('where?');
    await world.reply(ts, 'and why?');
    await eventually(() => expect(labels(ts, 1)).toEqual(['Cancel']));
    await world.press('Cancel', { threadTs: ts });
    await eventually(() => expect(labels(ts, 1)).toEqual(['Ask again']));
    await world.reply(ts, 'and how?');
    await eventually(() => expect(labels(ts, 2)).toEqual(['Cancel']));
    await world.press('Ask again', { user: people.bob });
    await eventually(() => expect(visibleText(card(ts, 3))).toContain('<@U0BOB> asked:'));
    service.answer(first);
    service.answerEverything();
    await world.answered(ts, 3);
    const questions = service.questions().map(({ question }) => question.split('\n')[0]);
    expect(questions).toEqual(['where?', 'and how?', 'and why?']);
    expect(service.conversations).toHaveLength(1);
    expect(visibleText(card(ts, 1))).toMatch(/Cancelled by <@U0ADA>\n<@U0BOB> asked again\./);
    expect(labels(ts, 1)).toEqual([]);
  });

  test('asks once, although two people press it after a restart', async () => {
    const ts = await cancelled('where?');
    expect(labels(ts)).toEqual(['Ask again']);
    await world.restart();
    service.answerEverything();
    await Promise.all([world.press('Ask again', { user: people.bob }), world.press('Ask again', { user: people.ada })]);
    await world.answered(ts);
    await eventually(() => expect(labels(ts)).toEqual([]));
    expect(service.find('where?')).toHaveLength(2);
    expect(service.conversations).toHaveLength(1);
    await eventually(() =>
      expect([people.ada, people.bob].flatMap((user) => world.ephemeralsTo(user)).map(visibleText)).toEqual([
        expect.stringContaining('asked'),
      ]),
    );
  });

  test('is refused to those who may not ask, and stays', async () => {
    const ts = await cancelled('where?');
    await world.press('Ask again', { user: people.mia });
    await eventually(() => expect(world.ephemeralsTo(people.mia)).toHaveLength(1));
    expect(labels(ts)).toEqual(['Ask again']);
    expect(service.find('where?')).toHaveLength(1);
  });

  test('is missing where the message was deleted, and goes where it is deleted later', async () => {
    const deleted = await world.mention('regretted?');
    await asked('regretted?');
    await deleteMessage(deleted);
    await eventually(() => expect(visibleText(card(deleted))).toContain('Cancelled by'));
    expect(labels(deleted)).toEqual([]);

    const ts = await cancelled('where?');
    expect(labels(ts)).toEqual(['Ask again']);
    await deleteMessage(ts);
    await eventually(() => expect(labels(ts)).toEqual([]));
    expect(visibleText(card(ts))).toContain('Cancelled by <@U0ADA>');
  });

  test('is missing where the edited version was asked instead', async () => {
    const ts = await world.mention('where?');
    await asked('where?');
    await world.edit(ts, 'where exactly?');
    await world.pressPrivately('Ask the edited version');
    await eventually(() => expect(visibleText(card(ts))).toContain('Cancelled by'));
    expect(labels(ts)).toEqual([]);
  });
});
