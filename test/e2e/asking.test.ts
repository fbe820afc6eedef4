import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { buttonsOf, type LocalMessage, linksOf, places, textOf } from '../support/local-slack/local-slack.ts';
import { answerIn, cardOfCommand, postedIn, privateMessageTo, questionsOf } from '../support/local-slack/threads.ts';
import { conversationsOf, type Stack, startStack } from '../support/processes/processes.ts';

const { ada, bob } = people;
const { general, design, leads, adasDirect } = places;

describe('the app in the local Slack', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack?.stop());

  async function expectPage(url: string): Promise<string> {
    const response = await fetch(url);
    expect(`${response.status} ${url}`).toBe(`200 ${url}`);
    expect(response.headers.get('content-type')).toContain('text/html');
    return response.text();
  }

  it('answers a command in the thread of its card, with links that open', async () => {
    const { slack } = stack;
    await slack.command({ channel: general, user: ada, text: 'How are failed payments retried?' });
    const root = await cardOfCommand(slack, general, 'How are failed payments retried?');
    expect(textOf(root)).toContain(`<@${ada}>`);
    const { card, answer } = await answerIn(slack, root);

    expect(card.ts).toBe(root.ts);
    expect(buttonsOf(card)).toEqual([]);
    expect(answer.thread_ts).toBe(root.ts);
    expect(textOf(answer).split(`<@${ada}>`)).toHaveLength(2);
    expect(textOf(answer)).toContain('retry-policy.ts');

    const links = linksOf(answer).filter((link) => link.startsWith(stack.codeSearch.url));
    const blobs = links.filter((link) => link.includes('/-/blob/'));
    expect(blobs.length).toBeGreaterThan(0);
    for (const link of new Set(blobs)) {
      const page = await expectPage(link);
      if (/\?L\d/.test(link)) expect(page).toMatch(/<mark|class="[^"]*\bmarked\b/);
    }
    const [shared] = links.filter((link) => link.includes('/deepsearch/'));
    expect(await expectPage(shared ?? 'no share link')).toContain('How are failed payments retried?');
  });

  it('answers a mention in its thread, then a plain reply and a pressed follow-up button', async () => {
    const { slack } = stack;
    const root = await slack.post({
      channel: general,
      user: ada,
      text: `@deepsearch Where is \`paymentRetryDelay\` used?`,
    });
    const first = await answerIn(slack, root);
    expect(first.card.thread_ts).toBe(root.ts);
    expect(textOf(first.answer)).toContain('charge.ts');

    await slack.post({ channel: general, user: bob, text: 'What is MAX_PAYMENT_RETRIES?', threadTs: root.ts });
    const second = await answerIn(slack, root, 2);
    expect(textOf(second.answer)).toContain(`<@${bob}>`);

    const [suggestion] = buttonsOf(second.answer).filter(({ actionId }) => actionId.includes('follow_up'));
    await slack.press(second.answer, ada, suggestion?.actionId ?? 'a suggestion');
    const third = await answerIn(slack, root, 3);
    expect(textOf(third.card)).toContain(`<@${ada}>`);
    expect(textOf(third.answer)).toContain(`<@${ada}>`);

    expect(await questionsOf(slack, root)).toHaveLength(3);
    const conversations = await conversationsAsking('Where is `paymentRetryDelay` used?');
    expect(conversations.map((questions) => questions.length)).toEqual([3]);
  });

  it('answers a direct message, and its replies', async () => {
    const { slack } = stack;
    const root = await slack.post({ channel: adasDirect, user: ada, text: 'Who signs gateway requests?' });
    const { answer } = await answerIn(slack, root);
    expect(answer.thread_ts).toBe(root.ts);
    await slack.post({ channel: adasDirect, user: ada, text: 'Where is that tested?', threadTs: root.ts });
    await answerIn(slack, root, 2);
  });

  it('explains privately how to use it', async () => {
    const { slack } = stack;
    await slack.command({ channel: general, user: bob, text: 'help' });
    await privateMessageTo(slack, general, bob, '/deepsearch');
    const before = (await slack.messages(general)).length;
    await slack.command({ channel: general, user: bob, text: '' });
    await eventually(async () => expect(await slack.messages(general)).toHaveLength(before + 1));
    expect((await slack.messages(general)).at(-1)?.privateTo).toBe(bob);
  });

  it('refuses a question that is too long, and gives it back', async () => {
    const { slack } = stack;
    const long = `Why ${'is this so long '.repeat(625)}`.slice(0, 10_000);
    expect(long).toHaveLength(10_000);
    const before = await postedIn(slack, general);
    await slack.command({ channel: general, user: bob, text: `${long}?` });
    const refusal = await privateMessageTo(slack, general, bob, '10,000');
    expect(textOf(refusal).replace(/\s+/g, ' ')).toContain(long.slice(0, 2_000).trim());
    expect(textOf(refusal).length).toBeGreaterThan(10_000);
    expect(await postedIn(slack, general)).toHaveLength(before.length);
  });

  it('keeps a question asked where it cannot post, and asks it in the direct messages on request', async () => {
    const { slack } = stack;
    const text = 'How is the daily report built?';
    await slack.command({ channel: leads, user: ada, text });
    const hint = await privateMessageTo(slack, leads, ada, '/invite');
    expect(textOf(hint)).toContain(text);
    expect(buttonsOf(hint)).toHaveLength(2);
    expect(await conversationsAsking(text)).toEqual([]);

    await slack.press(hint, ada, 'deepsearch:ask_in_dm');
    const card = await cardOfCommand(slack, adasDirect, text);
    const { answer } = await answerIn(slack, card);
    expect(textOf(answer)).toContain('daily-report.ts');
  });

  it('is added to a channel as Slack says there, and answers then', async () => {
    const { slack } = stack;
    await slack.post({ channel: design, user: ada, text: '@deepsearch Where is the gateway?' });
    const hint = await privateMessageTo(slack, design, ada, '/invite @deepsearch');
    expect(hint.user).toBe('USLACKBOT');
    await slack.typed({ channel: design, user: ada, text: '/invite @deepsearch' });
    await answerIn(slack, await slack.post({ channel: design, user: ada, text: '@deepsearch Where is the gateway?' }));
  });

  it('ignores messages that are not for it', async () => {
    const { slack } = stack;
    const root = await slack.post({ channel: general, user: ada, text: 'Lunch at twelve?' });
    await slack.post({ channel: general, user: bob, text: 'How are payments retried?', threadTs: root.ts });
    // An answered question proves that everything before it was processed.
    const asked = await slack.post({ channel: general, user: bob, text: `@deepsearch What does chargeCard do?` });
    await answerIn(slack, asked);
    const inThread = (message: LocalMessage) => message.thread_ts === root.ts && message.bot_id !== undefined;
    expect((await slack.messages(general)).filter(inThread)).toEqual([]);
  });

  /** The questions of each conversation at the service that begins with `text`. */
  async function conversationsAsking(text: string): Promise<string[][]> {
    const conversations = await conversationsOf(stack);
    return conversations.filter(([first]) => first === text);
  }
});
