import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { type Instance, type InstanceFault, type Release, startInstance } from '../codesearch/support/instance.ts';
import { eventually } from '../support/eventually.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { buttonsOf, startWorld, visibleText, type World } from '../support/world/world.ts';

/** After an outage the app leaves the service alone for some seconds, and searches for lost calls after a wait. */
const patient = { timeoutMs: 60_000 };
/** As many failures in a row as the app needs to leave the service alone, and one more. */
const failuresSeen = 6;
/** How long the quota is used up, in milliseconds. */
const limitMs = 10_000;

const settings = {
  RUNNING_PER_PERSON: '100',
  RUNNING_PER_WORKSPACE: '100',
  SRC_REQUESTS_PER_SECOND: '500',
};

/** The questions of one conversation, in the order in which people asked them, and the thread they were asked in. */
interface Asked {
  channel: string;
  ts: string;
  texts: string[];
}

describe.each(['the embedded store', 'Redis'])('while its instance is upgraded, the app on %s', (store) => {
  const isSkipped = store === 'Redis' && !hasRedisServer();
  let redis: RedisServer | undefined;
  let instance: Instance;
  let world: World;

  beforeEach(async () => {
    if (isSkipped) return;
    redis = store === 'Redis' ? await startRedisServer() : undefined;
    instance = await startInstance({ release: '6.12.0' });
    world = await startWorld({
      service: instance,
      settings: { ...settings, ...(redis === undefined ? {} : { REDIS_URL: redis.url }) },
    });
  });

  afterEach(async () => {
    if (isSkipped) return;
    await world.stop();
    await instance.stop();
    await redis?.stop();
    expect(world.slack.violations).toEqual([]);
    expect(instance.problems).toEqual([]);
  });

  /** Asks in a channel of its own, because Slack accepts about one message a second in each channel. */
  async function ask(text: string, user = people.ada): Promise<Asked> {
    const channel = `C0UPGRADE${world.slack.channels.size}`;
    world.slack.channels.set(channel, { isPrivate: false, botIsMember: true, isArchived: false });
    return { channel, ts: await world.mention(text, { user, channel }), texts: [text] };
  }

  async function followUp(asked: Asked, text: string): Promise<void> {
    await world.reply(asked.ts, text, { channel: asked.channel });
    asked.texts.push(text);
  }

  /** Waits until the service works on these questions. The same text twice means two questions. */
  function untilRunning(...texts: string[]): Promise<void> {
    return eventually(() => {
      for (const text of new Set(texts)) {
        const begun = instance.find(text).filter(({ turns }) => turns.length > 0);
        expect(begun, text).toHaveLength(texts.filter((each) => each === text).length);
      }
    }, patient);
  }

  /** Waits until each question has its answer in the thread, and expects one answer and at most one closed card for each. */
  async function expectOneAnswerEach(...conversations: Asked[]): Promise<void> {
    await eventually(() => {
      for (const { ts, texts } of conversations) {
        const answers = world.answersIn(ts);
        for (const text of texts) {
          expect(answers.filter((answer) => visibleText(answer).includes(`"${text}"`))).toHaveLength(1);
        }
        const cards = cardsIn(ts);
        expect(cards.map((card) => buttonsOf(card.blocks))).toEqual(cards.map(() => []));
        for (const card of cards) expect(visibleText(card)).toContain('Answered in');
      }
    }, patient);
    for (const { ts } of conversations) expect(cardsIn(ts).length).toBeLessThanOrEqual(world.answersIn(ts).length);
  }

  function cardsIn(ts: string) {
    const answers = world.answersIn(ts);
    return world.slack.inThread(ts).filter((message) => message.bot_id !== undefined && !answers.includes(message));
  }

  /** Expects that the service has exactly these conversations, each with these questions. */
  function expectConversations(...conversations: Asked[]): void {
    const wanted = conversations.map(({ texts }) => texts.join(' | '));
    const found = instance.conversations.map(({ questions }) => questions.map(({ question }) => question).join(' | '));
    expect(found.toSorted()).toEqual(wanted.toSorted());
  }

  /** The generations over which the service was asked these questions, oldest first. */
  function generationsOf(...texts: string[]): (number | undefined)[] {
    return instance.requests
      .filter(({ question = '', status }) => texts.includes(question) && status >= 200 && status < 300)
      .map(({ generation }) => generation);
  }

  /** Lets every request fail like this until the app has noticed. */
  async function disturb(fault: Exclude<InstanceFault, 'breakBeforeEffect' | 'breakAfterEffect'>): Promise<void> {
    let seen = 0;
    instance.scriptFaults(() => {
      seen += 1;
      return fault;
    });
    await eventually(() => expect(seen).toBeGreaterThanOrEqual(failuresSeen), patient);
  }

  test.skipIf(isSkipped)('answers ten questions that are under way, each once', async () => {
    const before = await ask('Asked before the upgrade?');
    const beside = await ask('Asked beside it?', people.bob);
    await expectOneAnswerEach(before, beside);

    await followUp(before, 'hold: and the tests of that?');
    await followUp(beside, 'hold: and who calls it?');
    const running = [
      await ask('hold: where are retries?'),
      await ask('hold: where are queues?', people.bob),
      await ask('hold: the same?'),
      await ask('hold: the same?', people.bob),
      { channel: 'D0ADA', ts: await world.direct('hold: a direct one?'), texts: ['hold: a direct one?'] },
    ];
    const cancelled = await ask('hold: never mind?');
    const again = 'hold: something else?';
    await world.mention(`new ${again}`, { threadTs: before.ts, channel: before.channel });
    const [, followUpBeside = ''] = beside.texts;
    const [, followUpBefore = ''] = before.texts;
    await untilRunning(followUpBefore, followUpBeside, ...[...running, cancelled].flatMap(({ texts }) => texts));
    const resetMs = Date.now() + limitMs;
    instance.exhaustQuota(resetMs);
    const parked = await ask('Over the limit?');
    await eventually(() => expect(instance.find('Over the limit?')[0]?.error).toBeDefined(), patient);
    instance.exhaustQuota(resetMs, false);

    instance.become('7.2.0');
    const [first] = running;
    if (first === undefined) throw new Error('no question runs');
    await followUp(first, 'Queued behind it?');
    const late = await ask('hold: asked of 7.x?');
    await untilRunning(...late.texts);

    await disturb('htmlPage');
    const troubled = await ask('Asked during the outage?');
    await disturb('unavailable');
    instance.become('8.0.0');
    instance.scriptFaults(() => undefined);

    await world.press('Cancel', { threadTs: cancelled.ts });
    await eventually(() => expect(instance.find('hold: never mind?')[0]?.error?.kind).toBe('Cancelled'), patient);
    await eventually(() => expect(visibleText(world.card(cancelled.ts) ?? {})).toContain('Cancelled by'), patient);
    instance.release();
    const other: Asked = { ...before, texts: [again] };
    await expectOneAnswerEach(before, beside, other, ...running, late, troubled, parked);

    await followUp(beside, 'And after the upgrade?');
    await followUp(late, 'And after that?');
    await expectOneAnswerEach(beside, late);
    expect(generationsOf('And after the upgrade?', 'And after that?')).toEqual([2, 2]);
    // The limit refused it at first, so it was asked again in the same conversation.
    parked.texts.push('Over the limit?');
    expectConversations(before, beside, other, ...running, cancelled, late, troubled, parked);
    expect(instance.find('Over the limit?').map(({ error, answer }) => [error?.kind, answer !== undefined])).toEqual([
      ['RateLimitExceeded', false],
      [undefined, true],
    ]);
  });

  test.skipIf(isSkipped).each<[Release, Release]>([
    ['6.12.0', '8.0.0'],
    ['8.0.0', '6.12.0'],
  ])('finds a question again whose reply was lost, from %s to %s', async (from, to) => {
    instance.become(from);
    const known = await ask('Is it known?');
    await expectOneAnswerEach(known);
    let isLost = false;
    instance.scriptFaults(({ question }) => {
      if (question?.startsWith('hold') !== true) return isLost ? 'unavailable' : undefined;
      isLost = true;
      return 'breakAfterEffect';
    });
    const lost = await ask('hold: was it asked?');
    await untilRunning(...lost.texts);
    instance.become(to);
    instance.scriptFaults(() => undefined);
    await followUp(known, 'Is it still known?');
    instance.release();
    await expectOneAnswerEach(lost, known);
    expectConversations(lost, known);
  });

  test.skipIf(isSkipped)('goes on after a restart during the upgrade, also back to an earlier version', async () => {
    const asked = await ask('hold: first?');
    await untilRunning('hold: first?');
    await world.stopApp();
    instance.become('8.0.0');
    await world.startApp();
    await followUp(asked, 'hold: second?');
    const other = await ask('hold: beside it?');
    await untilRunning('hold: beside it?');
    instance.become('7.2.0');
    await world.restart();
    instance.release();
    await expectOneAnswerEach(asked, other);
    instance.become('6.12.0');
    await followUp(other, 'Third?');
    await expectOneAnswerEach(asked, other);
    expectConversations(asked, other);
    expect(generationsOf('Third?')).toEqual([1]);
  });
});
