import { createServer, connect as dial, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { SlackMessage } from '../../src/local-slack/messages.ts';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { one } from '../support/one.ts';
import { hasRedisServer, listenAsRedis, startRedisServer } from '../support/processes/redis-server.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, texts, visibleText } from '../support/world/world.ts';

interface Hold {
  words: string;
  ms: number;
}

/** A real redis-server behind a proxy that can delay single writes. */
interface SlowRedis {
  url: string;
  /**
   * Delays the next write that contains the words of the first hold, and all later writes on that connection; then
   * continues with the second hold, and so on.
   */
  holdInOrder(...holds: Hold[]): void;
  stop(): Promise<void>;
}

async function startSlowRedis(): Promise<SlowRedis> {
  const redis = await startRedisServer(['--appendonly', 'no']);
  const holds: Hold[] = [];
  const open = new Set<Socket>();

  const server = createServer((near) => {
    const far = dial(Number(new URL(redis.url).port), '127.0.0.1');
    let before: Promise<void> = Promise.resolve();
    near.on('data', (bytes) => {
      const ms = heldFor(bytes.toString('utf8'));
      before = before.then(() => pass(bytes, far, ms));
    });
    far.pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  const url = await listenAsRedis(server);

  return {
    url,
    holdInOrder: (...more) => void holds.push(...more),
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await redis.stop();
    },
  };

  function heldFor(text: string): number {
    const [next] = holds;
    if (next === undefined || !text.includes(next.words)) return 0;
    holds.shift();
    return next.ms;
  }
}

async function pass(bytes: Buffer, to: Socket, ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  to.write(bytes);
}

/** The menu entry under an answer that opens its first follow-up in a form. */
const editOrAskPrivately = 'Edit or ask privately: What calls it?';

const { world, service, beginWorld, endWorld } = worldOfEachTest();

async function begin(settings: Record<string, string> = {}): Promise<void> {
  await beginWorld({ settings });
  service.answerEverything();
}

const patient = { timeoutMs: 45_000 };

/** A thread with one answer, and the answer's last message. */
async function answered(): Promise<{ ts: string; last: SlackMessage }> {
  const ts = await world.mention('how?');
  const last = await eventually(() => one(world.answersIn(ts)), patient);
  await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toContain('Answered in'), patient);
  return { ts, last };
}

/** Holds the next call of a method until the returned function is called. */
function hold(method: string): () => void {
  const held: { letGo: () => void } = { letGo: () => {} };
  const until = new Promise<void>((resolve) => {
    held.letGo = resolve;
  });
  world.slack.fault(method, { until });
  return held.letGo;
}

/** Waits until all earlier work is done: asks one more question, and waits for its answer. */
async function settled(): Promise<void> {
  const ts = await world.mention('is everything done?', { user: people.gerd });
  await eventually(() => expect(world.answersIn(ts)).toHaveLength(1), patient);
}

/** The thread has no card of a question that was not accepted, also after all earlier work is done. */
async function expectNothingMore(ts: string, messages: number): Promise<void> {
  service.answerAfter(() => 0);
  await settled();
  expect(world.slack.inThread(ts).filter(({ bot_id: botId }) => botId !== undefined)).toHaveLength(messages);
}

describe('while Slack is slow', () => {
  test('a question that was reported as not accepted is not asked privately later, and can be asked then', async () => {
    await begin();
    await answered();
    await world.overflow(editOrAskPrivately, { user: people.bob });
    const form = await world.modal();
    const letGo = hold('conversations.open');
    const late = await world.submit(form, { where: 'privately' }, { user: people.bob });
    expect(JSON.stringify(late.response)).toContain('Not taken, nothing was sent');
    letGo();
    await settled();
    expect(service.questions().some(({ question }) => question.includes('What calls it?'))).toBe(false);
    await world.submit(form, { where: 'privately' }, { user: people.bob });
    await eventually(() => expect(world.toldTo(people.bob)).toContain('Asked in our direct messages'));
    await eventually(() => expect(service.conversations).toHaveLength(3));
  });

  test.each([editOrAskPrivately, 'No, and why', 'All sources (8)', 'Share…'])(
    '%s is acknowledged before its modal opens, and is not reported as failed',
    async (which) => {
      await begin();
      service.answerAfter(() => 0, { sources: manySources });
      if (which === 'Share…') {
        const ts = await world.direct('privately?');
        await world.answered(ts);
      } else {
        await answered();
      }
      const letGo = hold('views.open');
      const delivery = await press(which);
      expect(delivery.acknowledged).toBe(true);
      letGo();
      await world.modal();
      await settled();
      expect(world.toldTo(people.ada)).toBe('');
    },
  );

  function press(which: string) {
    if (which === editOrAskPrivately) return world.overflow(which);
    return which === 'No, and why' ? world.feedback('negative') : world.press(which);
  }
});

describe.skipIf(!hasRedisServer())('while storage is slow', () => {
  let redis: SlowRedis;

  async function beginSlow(): Promise<void> {
    redis = await startSlowRedis();
    await begin({ REDIS_URL: redis.url });
  }

  afterEach(async () => {
    await endWorld();
    await redis.stop();
  });

  /** The next question comes to Redis after its time, and after the app stopped waiting for the reply. */
  function holdTaking(): void {
    redis.holdInOrder({ words: '"phase":"waiting"', ms: 2_800 });
  }

  test('an edited follow-up that came too late to the storage is left to everybody', async () => {
    await beginSlow();
    const { ts, last } = await answered();
    await world.overflow(editOrAskPrivately);
    const form = await world.modal();
    holdTaking();
    const refused = await world.submit(form, { question: 'in my own words?' });
    expect(JSON.stringify(refused.response)).toContain("can't tell whether that was taken");
    await expectNothingMore(ts, 2);
    expect(buttonsOf(last.blocks).map(({ label }) => label)).toContain('What calls it?');
    await world.press('What calls it?', { user: people.bob, threadTs: ts });
    await eventually(() => expect(service.find('What calls it?')).toHaveLength(1), patient);
    await eventually(() => expect(visibleText(last)).toContain('<@U0BOB> asked: What calls it?'), patient);
    expect(service.find('in my own words?')).toEqual([]);
  });

  test('a press that came too late to the storage asks nothing, and asks when it is repeated', async () => {
    await beginSlow();
    const { ts, last } = await answered();
    holdTaking();
    await world.press('What calls it?', { threadTs: ts });
    await eventually(() => expect(world.toldTo(people.ada)).toContain("can't tell whether that was done"), patient);
    await expectNothingMore(ts, 2);
    expect(service.find('What calls it?')).toEqual([]);
    expect(buttonsOf(last.blocks).map(({ label }) => label)).toContain('What calls it?');
    await world.press('What calls it?', { threadTs: ts });
    await eventually(() => expect(world.answersIn(ts).length).toBeGreaterThan(1), patient);
    expect(service.find('What calls it?')).toHaveLength(1);
  });

  test('a Cancel on the Home tab is not reported as not taken where it may be done', async () => {
    await beginSlow();
    service.answerAfter(() => 60_000);
    await world.mention('long?');
    await eventually(() => one(service.find('long?')), patient);
    await world.openHome();
    await eventually(() => expect(JSON.stringify(world.home())).toContain('deepsearch:cancel_own'), patient);
    redis.holdInOrder({ words: '"cancel":{', ms: 2_800 });
    await world.pressInHome('Cancel');
    const told = (): string =>
      world.slack.messages
        .filter(({ channel }) => channel === 'D0ADA')
        .map(visibleText)
        .join();
    await eventually(
      () => expect(told() + world.toldTo(people.ada)).toContain("can't tell whether that was done"),
      patient,
    );
    expect(told() + world.toldTo(people.ada) + JSON.stringify(world.home())).not.toContain('Not taken');
  });

  test('the old version continues where the edited one came too late to the storage', async () => {
    await beginSlow();
    service.answerAfter(() => 60_000);
    const ts = await world.mention('old words?');
    const old = await eventually(() => one(service.find('old words?')), patient);
    await world.edit(ts, 'new words?');
    await eventually(() => expect(world.toldTo(people.ada)).toContain('edited'), patient);
    holdTaking();
    await world.pressPrivately('Ask the edited version');
    await eventually(() => expect(world.toldTo(people.ada)).toContain("can't tell whether that was done"), patient);
    await expectNothingMore(ts, 1);
    expect(old.status).toBe('processing');
    await world.pressPrivately('Ask the edited version');
    await eventually(() => expect(service.find('new words?')).toHaveLength(1), patient);
    await eventually(() => expect(old.error?.kind).toBe('Cancelled'), patient);
  });
});

const manySources = Array.from({ length: 8 }, (_, index) => ({
  type: 'Repository',
  link: `/github.com/acme/app/-/blob/src/${index}.ts`,
  label: `src/${index}.ts`,
}));
