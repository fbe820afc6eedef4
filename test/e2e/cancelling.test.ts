import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { buttonsOf, type LocalMessage, places, textOf } from '../support/local-slack/local-slack.ts';
import {
  answerIn,
  answerTimeoutMs,
  cardOfCommand,
  cardStates,
  type Posted,
  questionsOf,
} from '../support/local-slack/threads.ts';
import { type Stack, startStack } from '../support/processes/processes.ts';

const { ada, bob } = people;
const { general } = places;

describe('a slow answer in the local Slack', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack({ stepDelayMs: 300 });
  });
  afterAll(() => stack?.stop());

  /** Waits until the last question of a thread runs. */
  function running(root: LocalMessage, count = 1): Promise<{ question: Posted; card: LocalMessage }> {
    return eventually(
      async () => {
        const questions = await questionsOf(stack.slack, root);
        const question = questions.at(-1);
        const card = question?.cards[0];
        if (questions.length !== count || question === undefined || card === undefined) throw new Error('no card');
        // All cards share Slack's limit for edits: this one may still show its first state.
        expect(textOf(card)).toMatch(/Starting|Searching/);
        return { question, card };
      },
      { timeoutMs: answerTimeoutMs },
    );
  }

  function cancelled(root: LocalMessage, by: string, count = 1): Promise<LocalMessage> {
    return eventually(
      async () => {
        const questions = await questionsOf(stack.slack, root);
        expect(questions).toHaveLength(count);
        const [card] = questions.at(-1)?.cards ?? [];
        if (card === undefined) throw new Error('no card');
        expect(textOf(card)).toContain(`Cancelled by <@${by}>`);
        expect(questions.at(-1)?.parts).toEqual([]);
        return card;
      },
      { timeoutMs: answerTimeoutMs },
    );
  }

  it('edits its card, offers Cancel while it can, and ends in one short line', async () => {
    const { slack } = stack;
    await slack.command({ channel: general, user: ada, text: 'How does chargeCard work?' });
    const root = await cardOfCommand(slack, general, 'How does chargeCard work?');
    const { card } = await running(root);
    expect(buttonsOf(card).map(({ label }) => label)).toEqual(['Cancel']);
    const states = await cardStates(slack, root);
    expect(states[0]).toMatch(/Starting|Searching/);
    expect(states.filter((state) => state.includes('Searching')).length).toBeGreaterThan(1);
    expect(new Set(states).size).toBe(states.length);
    expect(states.at(-1)).toMatch(/Answered in \d/);
    expect(buttonsOf((await answerIn(slack, root)).card)).toEqual([]);
  });

  it('is cancelled by the button of its card, also by another person, and then accepts follow-ups', async () => {
    const { slack } = stack;
    const root = await slack.post({ channel: general, user: ada, text: `@deepsearch Where is the gateway?` });
    const { card } = await running(root);
    await slack.press(card, bob, 'Cancel');
    const closed = await cancelled(root, bob);
    expect(buttonsOf(closed).map(({ label }) => label)).toEqual(['Ask again']);

    await slack.post({ channel: general, user: ada, text: 'What does signGatewayRequest do?', threadTs: root.ts });
    const { answer } = await answerIn(slack, root, 2);
    expect(textOf(answer)).toContain('client.ts');
  });

  it('is cancelled by a bare reply, and the question that waits behind it comes next', async () => {
    const { slack } = stack;
    const root = await slack.post({ channel: general, user: ada, text: `@deepsearch Where are reports built?` });
    await running(root);
    await slack.post({ channel: general, user: bob, text: 'And who reads them?', threadTs: root.ts });
    await eventually(async () => {
      const [, behind] = await questionsOf(slack, root);
      expect(behind?.cards.map(textOf).join()).toContain('Next in this thread');
    });

    await slack.post({ channel: general, user: ada, text: 'cancel', threadTs: root.ts });
    await eventually(
      async () => {
        const [first] = await questionsOf(slack, root);
        expect(first?.cards.map(textOf).join()).toContain(`Cancelled by <@${ada}>`);
      },
      { timeoutMs: answerTimeoutMs },
    );
    await answerIn(slack, root, 2);
    const [first] = await questionsOf(slack, root);
    expect(first?.parts).toEqual([]);
  });
});
