import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WORKSPACE } from '../../src/demo/workspace.ts';
import { eventually } from '../support/eventually.ts';
import { buttonsOf, localSlackProgram, textOf } from '../support/local-slack/local-slack.ts';
import { answerIn, questionsOf } from '../support/local-slack/threads.ts';
import { type Stack, startStack } from '../support/processes/processes.ts';

const { alice, bob, general, aliceDirect, botUserId } = WORKSPACE;
const program = localSlackProgram();
const patient = { timeoutMs: 45_000 };

describe.skipIf(program === undefined)('a suggested follow-up in the local Slack', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack({ localSlack: program ?? '' });
  });
  afterAll(() => stack?.stop());

  it('is edited in a form and asked in the thread, and the answer shows who asked', async () => {
    const { slack } = stack;
    const text = `<@${botUserId}> How are failed payments retried?`;
    const root = await slack.post({ channel: general, user: alice, text });
    const { answer } = await answerIn(slack, root);
    await slack.choose(answer, bob, 'Edit or ask privately');
    const form = await eventually(async () => (await slack.modal()) ?? fail('no modal'), patient);
    expect(JSON.stringify(form)).toContain('Follow-up question');
    await slack.submit(bob, {
      question: { question: { type: 'plain_text_input', value: 'What is MAX_PAYMENT_RETRIES?' } },
    });
    const second = await answerIn(slack, root, 2);
    expect(textOf(second.card)).toContain('What is MAX_PAYMENT_RETRIES?');
    expect(await slack.modal()).toBeUndefined();
    await eventually(async () => {
      const now = (await slack.messages(general)).find(({ ts }) => ts === answer.ts);
      expect(textOf(now ?? answer)).toContain(`<@${bob}> asked:`);
    }, patient);
    expect(await questionsOf(slack, root)).toHaveLength(2);
  });

  it('is asked privately in direct messages, where the answer can be shared', async () => {
    const { slack } = stack;
    const text = `<@${botUserId}> Where is \`paymentRetryDelay\` used?`;
    const root = await slack.post({ channel: general, user: bob, text });
    const { answer } = await answerIn(slack, root);
    await slack.choose(answer, alice, 'Edit or ask privately');
    await eventually(async () => (await slack.modal()) ?? fail('no modal'), patient);
    const privately = { type: 'radio_buttons', selected_option: { value: 'privately' } };
    await slack.submit(alice, { where: { where: privately } });
    const card = await eventually(async () => {
      const found = (await slack.messages(aliceDirect)).find((each) => textOf(each).includes('asked:'));
      return found ?? fail('no card in direct messages');
    }, patient);
    const shared = await answerIn(slack, card);
    expect(buttonsOf(shared.answer).map(({ label }) => label)).toContain('Share…');
  });
});

function fail(why: string): never {
  throw new Error(why);
}
