import { beforeEach, expect, test } from 'vitest';
import { dmOf } from '../../src/local-slack/channels.ts';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { buttonOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, texts, visibleText } from '../support/world/world.ts';

const continuePrevious = 'Continue the previous conversation';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

/** Asks in a new thread of Ada's direct messages. */
async function askDirectly(text: string) {
  const root = await world.direct(text);
  return { root, question: await eventually(() => one(service.find(text))) };
}

async function askAndAnswer(text: string): Promise<string> {
  const { root, question } = await askDirectly(text);
  service.answer(question);
  await world.answered(root);
  return root;
}

function conversations(): string[][] {
  return service.conversations.map(({ questions }) => questions.map(({ question }) => question));
}

test('a second root message in direct messages continues the previous conversation in its own thread, once', async () => {
  await askAndAnswer('which teams are there?');
  const { root, question } = await askDirectly('and who leads them?');
  const pressed = await Promise.all([world.press(continuePrevious), world.press(continuePrevious)]);
  expect(pressed.every(({ acknowledged }) => acknowledged)).toBe(true);
  await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
  service.answerEverything();
  await world.answered(root);
  const said = texts(world.slack.inThread(root)).join('\n');
  expect(said).toMatch(/Cancelled by <@U0ADA>/);
  expect(said).toMatch(/<@U0ADA> asked:[\s\S]*and who leads them\?/);
  expect(JSON.stringify(world.slack.messages)).not.toContain(continuePrevious);
  await world.reply(root, 'since when?', { channel: dmOf(people.ada) });
  await world.answered(root, 2);
  expect(conversations()).toEqual([
    ['which teams are there?', 'and who leads them?', 'since when?'],
    ['and who leads them?'],
  ]);
});

test('the button goes with the end of the question, and a late press says so', async () => {
  await askAndAnswer('which teams are there?');
  const { root, question } = await askDirectly('and who leads them?');
  const { message, button } = await eventually(() =>
    one(
      world.slack
        .inThread(root)
        .flatMap((message) => buttonsOf(message.blocks).map((button) => ({ message, button })))
        .filter(({ button: { label } }) => label === continuePrevious),
    ),
  );
  service.answer(question);
  await eventually(() => expect(JSON.stringify(world.slack.inThread(root))).not.toContain(continuePrevious));
  const { actionId, blockId, value = '' } = button;
  const place = { message, responseUrl: world.slack.responseUrl(`late?user=${people.ada}`) };
  await world.deliver(buttonOf({ actionId, blockId, user: people.ada, place, value }));
  await eventually(() =>
    expect(world.ephemeralsTo(people.ada).map(visibleText)).toEqual(['This question has already ended.']),
  );
  expect(conversations()).toHaveLength(2);
});

test('nothing is offered to the first root message, in a channel, or beside a question that still runs', async () => {
  const first = await askDirectly('which teams are there?');
  const second = await askDirectly('and who leads them?');
  const mention = await world.mention('in a channel?');
  await eventually(() => one(service.find('in a channel?')));
  for (const question of service.questions()) service.answer(question);
  for (const root of [first.root, second.root, mention]) await world.answered(root);
  expect(JSON.stringify(world.slack.requests)).not.toContain(continuePrevious);
});
