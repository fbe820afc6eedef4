import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { buttonsOf, places, textOf } from '../support/local-slack/local-slack.ts';
import { answerIn, questionsOf } from '../support/local-slack/threads.ts';
import { type Stack, startStack } from '../support/processes/processes.ts';

const { ada, bob } = people;
const { general, adasDirect } = places;
const patient = { timeoutMs: 45_000 };

describe('a suggested follow-up in the local Slack', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack?.stop());

  it('is edited in a form and asked in the thread, and the answer shows who asked', async () => {
    const { slack } = stack;
    const text = `@deepsearch How are failed payments retried?`;
    const root = await slack.post({ channel: general, user: ada, text });
    const { answer } = await answerIn(slack, root);
    await slack.choose(answer, bob, 'Edit or ask privately');
    const form = await eventually(async () => (await slack.modal(bob)) ?? fail('no modal'), patient);
    expect(JSON.stringify(form)).toContain('Follow-up question');
    await slack.submit(bob, { question: 'What is MAX_PAYMENT_RETRIES?' });
    const second = await answerIn(slack, root, 2);
    expect(textOf(second.card)).toContain('What is MAX_PAYMENT_RETRIES?');
    expect(await slack.modal(bob)).toBeUndefined();
    await eventually(async () => {
      const now = (await slack.messages(general)).find(({ ts }) => ts === answer.ts);
      expect(textOf(now ?? answer)).toContain(`<@${bob}> asked:`);
    }, patient);
    expect(await questionsOf(slack, root)).toHaveLength(2);
  });

  it('is asked privately in direct messages, where the answer can be shared', async () => {
    const { slack } = stack;
    const text = `@deepsearch Where is \`paymentRetryDelay\` used?`;
    const root = await slack.post({ channel: general, user: bob, text });
    const { answer } = await answerIn(slack, root);
    await slack.choose(answer, ada, 'Edit or ask privately');
    await eventually(async () => (await slack.modal(ada)) ?? fail('no modal'), patient);
    await slack.submit(ada, { where: 'privately' });
    const card = await eventually(async () => {
      const found = (await slack.messages(adasDirect)).find((each) => textOf(each).includes('asked:'));
      return found ?? fail('no card in direct messages');
    }, patient);
    const shared = await answerIn(slack, card);
    expect(buttonsOf(shared.answer).map(({ label }) => label)).toContain('Share…');
  });
});

function fail(why: string): never {
  throw new Error(why);
}
