import { beforeEach, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceQuestion } from '../support/fake-service/fake-service.ts';
import { fileShareOf, messageChangedOf, messageDeletedOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';

const { ada, bob } = people;

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

/** The service's question that begins with `text`. */
function asked(text: string): Promise<ServiceQuestion> {
  return eventually(() => one(service.questions().filter(({ question }) => question.split('\n')[0] === text)));
}

function messageAt(ts: string) {
  return one(world.slack.messages.filter((message) => message.ts === ts));
}

/** A thread of the app in which nothing runs any more. A reply that addresses another person becomes only a note. */
async function answeredThread(): Promise<string> {
  const root = await world.mention('where is it?');
  service.answer(await asked('where is it?'));
  await world.answered(root);
  return root;
}

test('an edited message of a thread is sent with its new text, without the old one', async () => {
  const root = await answeredThread();
  const ts = await world.reply(root, `<@${ada}> the password is hunter2`, { user: bob });
  const { acknowledged } = await world.edit(ts, `<@${ada}> the password is (removed)`);
  expect(acknowledged).toBe(true);
  await world.reply(root, 'what does it do?');
  const { question } = await asked('what does it do?');
  expect(question).toContain('(removed)');
  expect(question).not.toContain('hunter2');
});

test('a file that is removed from a message of a thread is not sent', async () => {
  const root = await answeredThread();
  const text = `<@${ada}> look at the log`;
  const ts = world.slack.say('C0GENERAL', bob, text, root);
  world.slack.addFile(ts, { name: 'secrets.log', text: 'hunter2' });
  const before = { ...messageAt(ts) };
  await world.deliver(fileShareOf({ user: bob, text, ts, threadTs: root, files: before.files ?? [] }));
  const after = { ...before, files: [] };
  await world.deliver(messageChangedOf({ before, after, ts: '1900000000.000001' }));
  await world.reply(root, 'what does it do?');
  const { question } = await asked('what does it do?');
  expect(question).toContain('look at the log');
  expect(question).not.toMatch(/hunter2|secrets\.log/);
});

test.each(['edited', 'deleted'])(
  'a question that waits for the service is sent without a message that was %s',
  async (how) => {
    const root = world.slack.say('C0GENERAL', bob, 'it fails since noon');
    const ts = world.slack.say('C0GENERAL', bob, 'the password is hunter2', root);
    service.fault('create', { status: 429, headers: { 'retry-after': '2' } });
    await world.mention('why?', { threadTs: root });
    await eventually(() => expect(service.calls.filter((call) => call === 'create')).toHaveLength(1));
    if (how === 'edited') await world.edit(ts, 'the password is (removed)');
    else {
      const message = messageAt(ts);
      world.slack.remove(ts);
      await world.deliver(messageDeletedOf({ message, ts: '1900000000.000001' }));
    }
    const { question } = await asked('why?');
    expect(question).toContain('it fails since noon');
    expect(question).not.toContain('hunter2');
    if (how === 'edited') expect(question).toContain('(removed)');
  },
);
