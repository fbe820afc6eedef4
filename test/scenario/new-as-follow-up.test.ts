import { afterEach, beforeEach, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { startWorld, texts, visibleText, type World } from '../support/world/world.ts';

const askAsFollowUp = 'Ask as a follow-up';

let service: FakeService;
let world: World;
let root: string;

/** A thread with one answered question. */
beforeEach(async () => {
  service = await startFakeService();
  world = await startWorld({ service: { url: service.url, token: serviceToken } });
  root = await world.mention('which teams are there?');
  service.answer(await eventually(() => one(service.find('which teams are there?'))));
  await eventually(() => expect(world.answersIn(root)).toHaveLength(1));
});
afterEach(async () => {
  await world.stop();
  await service.stop();
  expect(world.slack.violations).toEqual([]);
});

/** Asks with the verb "new" in the thread. The question runs until the test ends it. */
async function askNew() {
  const ts = await world.mention('new endpoints: who owns them?', { threadTs: root });
  const question = await eventually(() => one(service.find('endpoints: who owns them?')));
  return { ts, question };
}

function said(): string {
  return texts(world.slack.inThread(root)).join('\n');
}

test('a question that began with "new" is asked as a follow-up, once, and the new one is cancelled', async () => {
  const { question } = await askNew();
  await eventually(() => expect(said()).toContain('New conversation'));
  const deliveries = await Promise.all([world.press(askAsFollowUp), world.press(askAsFollowUp)]);
  expect(deliveries.every(({ acknowledged }) => acknowledged)).toBe(true);
  await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
  service.answer(await eventually(() => one(service.find('new endpoints: who owns them?'))));
  await eventually(() => expect(world.answersIn(root)).toHaveLength(2));
  expect(said()).toMatch(/Cancelled by <@U0ADA>/);
  expect(said()).toMatch(/<@U0ADA> asked:[\s\S]*new endpoints: who owns them\?/);
  service.answerEverything();
  await world.reply(root, 'and then?');
  await eventually(() => expect(world.answersIn(root)).toHaveLength(3));
  expect(service.conversations.map(({ questions }) => questions.map(({ question: text }) => text))).toEqual([
    ['which teams are there?', 'new endpoints: who owns them?', 'and then?'],
    ['endpoints: who owns them?'],
  ]);
});

test('the button is left to the asker, and goes with the end of the question', async () => {
  const { question } = await askNew();
  await world.press(askAsFollowUp, { user: people.bob });
  await eventually(() =>
    expect(world.ephemeralsTo(people.bob).map(visibleText)).toEqual([
      'Only the person who asked (<@U0ADA>) can do this.',
    ]),
  );
  const card = await eventually(() =>
    one(world.slack.inThread(root).filter((message) => JSON.stringify(message).includes(askAsFollowUp))),
  );
  service.answer(question);
  await eventually(() => expect(world.answersIn(root)).toHaveLength(2));
  await eventually(() => expect(JSON.stringify(world.slack.inThread(root))).not.toContain(askAsFollowUp));
  expect(visibleText(one(world.slack.inThread(root).filter(({ ts }) => ts === card.ts)))).toContain('Answered in');
  expect(service.questions()).toHaveLength(2);
});

test('a question that began with "new" where nothing was asked has no such button', async () => {
  await world.mention('new endpoints: who owns them?');
  await eventually(() => one(service.find('new endpoints: who owns them?')));
  await eventually(() => expect(texts(world.slack.messages).join()).toContain('Searching'));
  expect(JSON.stringify(world.slack.messages)).not.toContain(askAsFollowUp);
});
