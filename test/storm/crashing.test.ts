import { afterEach, describe, expect, it } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { buttonsOf, places, textOf } from '../support/local-slack/local-slack.ts';
import { type Posted, postedIn } from '../support/local-slack/threads.ts';
import { conversationsOf, type Stack, startStack } from '../support/processes/processes.ts';

const { ada, bob } = people;
const { general } = places;

const questions = Array.from({ length: 10 }, (_, index) => `How are failed payments retried, in case ${index + 1}?`);

describe('the app, with ten questions open,', { timeout: 90_000 }, () => {
  let stack: Stack | undefined;
  afterEach(() => stack?.stop(), 60_000);

  async function askTen({ slack }: Stack): Promise<void> {
    await Promise.all(
      questions.map((text, index) =>
        index % 2 === 0
          ? slack.command({ channel: general, user: ada, text })
          : slack.post({ channel: general, user: bob, text: `@deepsearch ${text}` }),
      ),
    );
  }

  /** Waits until ten questions have an answer and a closed card. A mention that was answered before needs no card. */
  async function expectTenAnswers({ slack }: Stack): Promise<Posted[]> {
    return eventually(
      async () => {
        const posted = await postedIn(slack, general);
        expect(posted.filter(({ cards }) => cards.length > 1)).toEqual([]);
        expect(posted.map(({ parts }) => parts.length)).toEqual(questions.map(() => 1));
        const cards = posted.flatMap(({ cards }) => cards);
        for (const card of cards) expect(textOf(card)).toContain('Answered in');
        expect(cards.flatMap(buttonsOf)).toEqual([]);
        return posted;
      },
      { timeoutMs: 60_000 },
    );
  }

  async function expectAskedOnce(at: Stack): Promise<void> {
    const asked = await conversationsOf(at);
    expect(asked.map(([first]) => first).sort()).toEqual([...questions].sort());
    expect(asked.every((conversation) => conversation.length === 1)).toBe(true);
  }

  it('answers each exactly once when it was killed', async () => {
    stack = await startStack({ stepDelayMs: 80 });
    await askTen(stack);
    await stack.crashApp();
    await stack.restartApp();
    await expectTenAnswers(stack);
    await expectAskedOnce(stack);
  });

  it('answers each exactly once when it was killed again and again', async () => {
    stack = await startStack({ stepDelayMs: 80 });
    await askTen(stack);
    for (const answered of [0, 2, 5]) {
      const { slack } = stack;
      await eventually(
        async () => {
          const posted = await postedIn(slack, general);
          expect(posted.filter(({ parts }) => parts.length > 0).length).toBeGreaterThanOrEqual(answered);
        },
        { timeoutMs: 30_000 },
      );
      await stack.crashApp();
      await stack.restartApp();
    }
    await expectTenAnswers(stack);
    await expectAskedOnce(stack);
  });

  it('answers each exactly once when the code search service was killed', async () => {
    // The questions run for longer than the 2 s between two reads, so that their cards show it.
    stack = await startStack({ stepDelayMs: 700 });
    await askTen(stack);
    const { slack } = stack;
    await eventually(
      async () => {
        const searching = (await postedIn(slack, general)).flatMap(({ cards }) => cards).map(textOf);
        expect(searching.filter((card) => card.includes('Searching')).length).toBeGreaterThan(2);
      },
      { timeoutMs: 30_000 },
    );
    await stack.crashCodeSearch();
    await eventually(
      async () => {
        const cards = (await postedIn(slack, general)).flatMap(({ cards }) => cards).map(textOf);
        expect(cards.join()).toContain('not reachable');
      },
      { timeoutMs: 30_000 },
    );
    await stack.restartCodeSearch();
    await expectTenAnswers(stack);
    await expectAskedOnce(stack);
  });
});
