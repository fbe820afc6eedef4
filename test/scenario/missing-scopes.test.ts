import { beforeEach, expect, it } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

/** From now on, Slack refuses these methods because the app lacks the scope. */
function lack(...methods: string[]): void {
  world.slack.scriptFaults((method) => (methods.includes(method) ? { error: 'missing_scope' } : undefined));
}

// docs/permissions.md says what is lost without each scope. Without any of these, questions still get their answers.
it.each([
  ['assistant:write', ['assistant.threads.setSuggestedPrompts']],
  ['channels:join', ['conversations.join']],
  ['files:write', ['files.getUploadURLExternal', 'files.completeUploadExternal']],
  ['im:write', ['conversations.open']],
  ['links:write', ['chat.unfurl']],
  ['the agent features', ['agents.sessions.setStatus', 'agents.sessions.rename']],
  ['a Home tab', ['views.publish']],
  ['a list of users', ['users.list']],
])(
  'a question with a long answer is answered without %s',
  async (_scope, methods) => {
    lack(...methods);
    await world.openHome();
    await world.openHome(people.ada, 'messages');
    const ts = await world.mention('Where is it?');
    const [question] = await eventually(() => {
      expect(service.questions()).toHaveLength(1);
      return service.questions();
    });
    if (question === undefined) throw new Error('nothing was asked');
    service.answer(question, { answer: 'A paragraph of the answer.\n\n'.repeat(2_000) });
    const parts = await eventually(() => {
      const card = world.card(ts);
      expect(card === undefined ? '' : visibleText(card)).toMatch(/Answered/);
      return world.answersIn(ts);
    });
    expect(parts.length).toBeGreaterThan(3);
  },
  30_000,
);

it('a question in a thread is answered when the thread may not be read, and the card says so', async () => {
  lack('conversations.replies', 'conversations.history');
  const root = world.slack.say('C0GENERAL', people.bob, 'The build is red.');
  await world.mention('why?', { threadTs: root });
  const question = await eventually(() => one(service.questions()));
  await eventually(() =>
    expect(visibleText(world.card(root) ?? { text: '' })).toContain('This thread could not be read'),
  );
  service.answer(question);
  await world.answered(root);
});

it.each([
  ['users:read', ['users.info', 'users.list']],
  ['channels:read', ['conversations.info', 'conversations.members']],
])('no question is answered without %s, and the asker is told', async (_scope, methods) => {
  lack(...methods);
  const ts = await world.mention('Where is it?');
  await eventually(() => expect(world.ephemeralsTo(people.ada)).toHaveLength(1));
  expect(service.questions()).toEqual([]);
  expect(world.answersIn(ts)).toEqual([]);
});
