import { beforeEach, describe, expect, test } from 'vitest';
import { dmOf } from '../../src/local-slack/channels.ts';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceQuestion } from '../support/fake-service/fake-service.ts';
import { messageOf, pressOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, texts, visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

function asked(text: string): Promise<ServiceQuestion> {
  return eventually(() => one(service.find(text)));
}

function threadText(ts: string): string {
  return texts(world.slack.inThread(ts)).join('\n');
}

describe('the card', () => {
  test('shows the number of steps and the last step, and ends as one short line without buttons', async () => {
    const ts = await world.mention('how?');
    const question = await asked('how?');
    service.step(question, 'Reading src/<main>.ts & more');
    await eventually(() =>
      expect(visibleText(world.card(ts) ?? { text: '' })).toContain('Reading src/&lt;main&gt;.ts'),
    );
    expect(buttonsOf(world.card(ts)?.blocks).map(({ label }) => label)).toEqual(['Cancel']);
    service.answer(question);
    await eventually(() =>
      expect(visibleText(world.card(ts) ?? { text: '' })).toMatch(/Answered in (less than 1|\d+) s · 1 step/),
    );
    expect(buttonsOf(world.card(ts)?.blocks)).toEqual([]);
  });

  test('may be deleted, and the answer is still posted', async () => {
    const ts = await world.mention('how?');
    const question = await asked('how?');
    const card = await eventually(() => world.card(ts) ?? fail());
    world.slack.remove(card.ts);
    service.answer(question);
    await world.answered(ts);
  });
});

describe('a cancellation', () => {
  test('by the button cancels at the service, shows on the card who did it, and leaves the conversation usable', async () => {
    const ts = await world.mention('long one?');
    const question = await asked('long one?');
    await world.press('Cancel', { user: people.bob });
    await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain('Cancelled by <@U0BOB>'));
    expect(question.error?.kind).toBe('Cancelled');
    expect(world.answersIn(ts)).toEqual([]);
    service.answerEverything();
    await world.reply(ts, 'another?');
    await world.answered(ts);
    expect(service.conversations).toHaveLength(1);
  });

  test.each(['cancel', 'Stop', 'stop.'])('by the bare reply %j, and by a mention, ends the question', async (word) => {
    const ts = await world.mention('long one?');
    await asked('long one?');
    await world.reply(ts, word);
    await eventually(() => expect(threadText(ts)).toContain('Cancelled by'));
    const second = await world.mention('other long one?');
    await asked('other long one?');
    await world.mention(word, { threadTs: second });
    await eventually(() => expect(threadText(second)).toContain('Cancelled by'));
  });

  test('of a waiting question does not touch the running one', async () => {
    const ts = await world.mention('q1?');
    const running = await asked('q1?');
    await world.reply(ts, 'q2?');
    const cancels = (): string[] =>
      world.slack
        .inThread(ts)
        .filter(({ blocks }) => buttonsOf(blocks).some(({ label }) => label === 'Cancel'))
        .map(({ ts: at }) => at);
    await eventually(() => expect(cancels()).toHaveLength(2));
    await world.press('Cancel');
    await eventually(() => expect(threadText(ts)).toContain('Cancelled by'));
    expect(service.find('q2?')).toEqual([]);
    service.answer(running);
    await world.answered(ts);
  });

  test('after the answer leaves the answer, and tells the person who pressed', async () => {
    const ts = await world.mention('quick?');
    const question = await asked('quick?');
    const stale = await eventually(() => one(buttonsOf(world.card(ts)?.blocks)));
    service.answer(question);
    await world.answered(ts);
    await world.deliver(
      pressOf({
        actionId: stale.actionId,
        value: stale.value,
        user: people.bob,
        channel: 'C0GENERAL',
        messageTs: world.card(ts)?.ts ?? '',
        threadTs: ts,
        responseUrl: world.slack.responseUrl('late'),
      }),
    );
    const told = await eventually(() => one(world.slack.responses));
    expect(JSON.stringify(told.body)).toMatch(/answer/i);
    expect(threadText(ts)).not.toContain('Cancelled');
  });

  test('happens where the message of the question is deleted', async () => {
    const ts = await world.mention('regretted?');
    const question = await asked('regretted?');
    await world.deliver(
      messageOf({
        user: people.ada,
        text: '',
        ts: '9.9',
        more: {
          subtype: 'message_deleted',
          hidden: true,
          user: undefined,
          deleted_ts: ts,
          previous_message: { type: 'message', user: people.ada, text: 'regretted?', ts },
        },
      }),
    );
    await eventually(() => expect(threadText(ts)).toContain('Cancelled by <@U0ADA>'));
    expect(question.error?.kind).toBe('Cancelled');
  });

  test('with nothing running says so privately', async () => {
    const ts = await world.mention('cancel');
    await eventually(() => expect(world.slack.ephemerals).toHaveLength(1));
    expect(world.slack.inThread(ts)).toEqual([]);
  });
});

describe('a question', () => {
  test('that fails at the service ends with the message of the service as plain text, a reference, and Try again', async () => {
    const ts = await world.mention('broken?');
    const question = await asked('broken?');
    service.fail(question, 'InternalError', 'Search backend down <!channel>', 'Shard 3 did not answer, <@U0BOB>.');
    const failure = one(await world.answered(ts));
    const shown = visibleText(failure);
    expect(shown).toContain('Search backend down');
    expect(shown).not.toMatch(/<!channel>|<@U0BOB>/);
    expect(shown).toMatch(/q[0-9a-f]{8}/);
    service.answerEverything();
    await Promise.all([world.press('Try again', { user: people.bob }), world.press('Try again', { user: people.ada })]);
    await world.answered(ts, 2);
    expect(service.find('broken?')).toHaveLength(2);
  });

  test('that only forwards a message is asked again with that message, which is forgotten meanwhile', async () => {
    const said = 'why do builds fail since Monday?';
    const attachments = [{ is_share: true, author_name: 'Ben', channel_name: 'ops', text: said }];
    const channel = dmOf(people.ada);
    const ts = world.slack.say(channel, people.ada, '');
    Object.assign(one(world.slack.messages.filter((each) => each.ts === ts)), { attachments });
    await world.deliver(
      messageOf({ channel, channelType: 'im', user: people.ada, text: '', ts, more: { attachments } }),
    );
    const first = await eventually(() => one(service.questions()));
    expect(first.question).toContain(said);
    service.fail(first, 'InternalError');
    await world.answered(ts);
    // So that the question is closed.
    await world.restart();
    await world.press('Try again');
    const second = await eventually(() => one(service.questions().slice(1)));
    expect(second.question).toBe(first.question);
    service.fail(second, 'InternalError');
    await world.answered(ts, 2);
    await world.restart();
    world.slack.remove(ts);
    await world.press('Try again');
    await eventually(() => expect(threadText(ts)).toContain('could not read this thread'));
    expect(service.questions()).toHaveLength(2);
  });

  test('too long for the service ends with Ask in a new conversation', async () => {
    const ts = await world.mention('grown?');
    service.fail(await asked('grown?'), 'TokenLimitExceeded');
    await world.answered(ts);
    service.answerEverything();
    await world.press('Ask in a new conversation');
    await world.answered(ts, 2);
    expect(service.conversations).toHaveLength(2);
  });

  test('with refused credentials says so, and the app stays ready to say so again', async () => {
    const ts = await world.mention('where are retries?');
    service.answer(await asked('where are retries?'));
    await world.answered(ts);
    const [old] = service.conversations;
    await world.reply(ts, 'and for v2?');
    service.fail(await asked('and for v2?'), 'TokenLimitExceeded');
    await world.answered(ts, 2);
    await world.press('Ask in a new conversation');
    const fresh = await eventually(() => one(service.conversations[1]?.questions ?? []));
    expect(fresh.question).toBe(
      `Carrying on from the question "where are retries?". Based on the findings in ${old?.share_url}.\n\nand for v2?`,
    );
    expect(threadText(ts)).toMatch(/Continues from: .*where are retries\?/);
  });

  test('with credentials that are refused says so, and the copy stays ready to say so again', async () => {
    service.fault('create', { status: 401 });
    service.fault('list', { status: 401 });
    const ts = await world.mention('locked?');
    const failure = one(await world.answered(ts));
    expect(visibleText(failure)).toMatch(/access/i);
    const ready = await world.readyz();
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ access: { deepsearch: 'refused' } });
    service.answerEverything();
    await world.mention('open again?');
    await eventually(async () =>
      expect(await (await world.readyz()).json()).toMatchObject({ access: { deepsearch: 'ok' } }),
    );
  });

  test('that follows up a deleted conversation starts a new one without help, with a note', async () => {
    service.answerEverything();
    const ts = await world.mention('first?');
    await world.answered(ts);
    service.remove(service.conversations[0]?.id ?? 0);
    await world.reply(ts, 'second?');
    await world.answered(ts, 2);
    expect(service.conversations).toHaveLength(1);
    expect(one(service.questions()).question).toMatch(/^Carrying on from the question "first\?"\.[^\n]*\n\nsecond\?$/);
    expect(threadText(ts)).toMatch(/new conversation|new one/i);
  });

  test('whose conversation is deleted while it runs fails with Ask in a new conversation', async () => {
    const ts = await world.mention('first?');
    await asked('first?');
    service.remove(service.conversations[0]?.id ?? 0);
    await world.answered(ts);
    service.answerEverything();
    await world.press('Ask in a new conversation');
    await world.answered(ts, 2);
  });

  test('shows on its card that the service is not reachable for a while, and then gets its answer', async () => {
    const ts = await world.mention('far?');
    const question = await asked('far?');
    service.fault('read', { breakBeforeEffect: true }, 1_000);
    await eventually(() => expect(threadText(ts)).toMatch(/not reachable/i));
    service.answer(question);
    service.clearFaults();
    await world.answered(ts);
  });

  test('fails with Try again where the service is not reachable until the app gives up', async () => {
    await beginWorld({ settings: { PATIENCE_SECONDS: '2' } });
    service.fault('create', { status: 503 }, 1_000);
    const ts = await world.mention('never?');
    await world.answered(ts);
    expect(buttonsOf(world.answersIn(ts)[0]?.blocks).map(({ label }) => label)).toContain('Try again');
  });

  test('that takes too long is not watched any more and has the link, and Check again finds the answer', async () => {
    await beginWorld({ settings: { PATIENCE_SECONDS: '2' } });
    const ts = await world.mention('slow?');
    const question = await asked('slow?');
    const gaveUp = one(await world.answered(ts));
    expect(visibleText(gaveUp)).toMatch(/still running/i);
    expect(JSON.stringify(gaveUp.blocks)).toContain('/deepsearch/0000');
    service.answer(question);
    await world.press('Check again');
    await world.answered(ts, 2);
    expect(visibleText(world.answersIn(ts)[1] ?? { text: '' })).toContain('The answer to "slow?"');
    expect(service.find('slow?')).toHaveLength(1);
  });

  test('that is rate limited for long is parked with the time, and Drop ends it', async () => {
    service.fault('create', { status: 429, headers: { 'retry-after': '3600' } });
    const ts = await world.mention('limited?');
    await eventually(() => expect(threadText(ts)).toMatch(/<!date\^\d+\^/));
    await world.press('Drop');
    await eventually(() => expect(threadText(ts)).toContain('Cancelled by'));
    expect(service.find('limited?')).toEqual([]);
  });

  test('without quota until a known time is parked, and then asked without help', async () => {
    const ts = await world.mention('costly?');
    const question = await asked('costly?');
    service.quota(100, 100, new Date(Date.now() + 1_500));
    service.fail(question, 'RateLimitExceeded');
    await eventually(() => expect(threadText(ts)).toMatch(/<!date\^\d+\^/));
    service.answerEverything();
    await world.answered(ts);
    expect(service.find('costly?')).toHaveLength(2);
  });

  test('without quota until an unknown time is parked for a minute, and says so', async () => {
    const ts = await world.mention('dateless?');
    service.fail(await asked('dateless?'), 'RateLimitExceeded');
    await eventually(() => expect(threadText(ts)).toMatch(/1 minute[\s\S]*<!date\^\d+\^/));
    expect(world.answersIn(ts)).toEqual([]);
    expect(service.find('dateless?')).toHaveLength(1);
  });

  test('waits without a notice for the end of a short rate limit', async () => {
    service.answerEverything();
    service.fault('create', { status: 429, headers: { 'retry-after': '1' } });
    const ts = await world.mention('patient?');
    await world.answered(ts);
    expect(service.find('patient?')).toHaveLength(1);
  });
});

describe('an answer', () => {
  test('is posted in a simpler form where Slack refuses its blocks', async () => {
    service.answerEverything();
    world.slack.refuseBlocks('markdown');
    const first = await world.mention('first?');
    await world.answered(first);
    world.slack.refuseBlocks('markdown', 'section', 'context', 'header', 'actions', 'divider', 'rich_text');
    const second = await world.mention('second?');
    await eventually(() => expect(threadText(second)).toContain('The answer to'));
  });

  test('of 60,000 characters arrives completely, in order', async () => {
    const ts = await world.mention('everything?');
    const paragraphs = Array.from({ length: 600 }, (_, index) => `Paragraph ${index} ${'word '.repeat(18)}.`);
    service.answer(await asked('everything?'), { answer: paragraphs.join('\n\n') });
    await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toMatch(/Answered/));
    const found = [
      ...texts(world.answersIn(ts))
        .join('\n')
        .matchAll(/Paragraph (\d+) /g),
    ].map(([, number]) => Number(number));
    expect(found).toEqual(paragraphs.map((_, index) => index));
    expect(world.answersIn(ts).length).toBeGreaterThan(4);
  });

  test('with many sources shows five of them, and all in a modal', async () => {
    const ts = await world.mention('sources?');
    const sources = Array.from({ length: 12 }, (_, index) => ({
      type: 'Repository',
      link: `/github.com/acme/app/-/blob/file${index}.ts`,
      label: `file${index}.ts`,
    }));
    service.answer(await asked('sources?'), { sources });
    const answer = one(await world.answered(ts));
    expect(visibleText(answer)).toContain('file2.ts');
    expect(visibleText(answer)).not.toContain('file3.ts');
    await world.press('All sources (12)');
    const view = await eventually(() => one(world.slack.views));
    expect(JSON.stringify(view)).toContain('file11.ts');
  });
});

function fail(): never {
  throw new Error('not yet');
}
