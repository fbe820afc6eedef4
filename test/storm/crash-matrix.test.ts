import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewQuestion } from '../../src/core/intake/accept.ts';
import type { Scheduler } from '../../src/core/ports.ts';
import type { SlackMessage } from '../../src/local-slack/messages.ts';
import { people } from '../../src/local-slack/people.ts';
import { createBullScheduler } from '../../src/scheduler/bullmq.ts';
import { createTimerScheduler } from '../../src/scheduler/timers.ts';
import { openEmbeddedStore } from '../../src/storage/embedded-store.ts';
import type { KeyValueStore } from '../../src/storage/key-value-store.ts';
import { openRedisStore } from '../../src/storage/redis-store.ts';
import { type FakeService, startFakeService } from '../support/fake-service/fake-service.ts';
import { type FakeSlack, startFakeSlack } from '../support/fake-slack/fake-slack.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { type CrashRunResult, runThroughCrashes } from '../support/storm/crashing-processes.ts';
import { buttonsOf, visibleText } from '../support/world/world.ts';

/** If a timer fires this late, the machine is busy and the fake servers would reply late too. */
const busyMs = 50;

/**
 * Runs tasks in order, at most `atOnce` at a time, and starts one only while this process is responsive. The fake servers
 * run in the same process: under too much load, real timeouts would fire.
 */
async function runResponsively<Result>(
  tasks: (() => Promise<Result>)[],
  { atOnce }: { atOnce: number },
): Promise<Result[]> {
  const results: Result[] = [];
  const running = new Set<Promise<void>>();
  for (const [index, task] of tasks.entries()) {
    while (running.size >= atOnce) await Promise.race(running);
    while (running.size > 0 && (await timerDelayMs()) > busyMs) await Promise.race([...running, timerDelayMs()]);
    const run = task().then((result) => {
      results[index] = result;
      running.delete(run);
    });
    running.add(run);
  }
  await Promise.all(running);
  return results;
}

async function timerDelayMs(): Promise<number> {
  const startMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 5));
  return performance.now() - startMs - 5;
}

const { log } = createRecordingLog();
/** Long enough for two messages. */
const longAnswer = 'All of it is in the retry policy, which counts the attempts.\n\n'.repeat(240);

/**
 * The card of a `late card` has no room at first, and is posted while the question runs. A question of `no card` is
 * answered before there is room.
 */
type Origin = 'mention' | 'command' | 'late card' | 'no card';
const origins: Origin[] = ['mention', 'command', 'late card', 'no card'];
/** The effects whose order the origins differ in. */
const isOrdered = new Set(['postCard', 'create', 'postPart']);
/** Their card is posted before they are asked, unless the call takes long. */
const originsWithCard: Origin[] = ['mention', 'command'];
const answeredAfterMs = { short: 150, long: 3_500 };
const noRoomSeconds = { 'late card': 1, 'no card': 2 };

/** The calls that must take effect exactly once. */
const lateCalls = ['card', 'question', '0:0', '0:1'] as const;
type LateCall = (typeof lateCalls)[number];
/** Time from the caller giving up until the server carries out the call. */
const delaysMs = [1_000, 5_000, 11_000];

interface Engine {
  kv: KeyValueStore;
  createScheduler: (prefix: string) => Scheduler;
  close(): Promise<void>;
}

async function openEmbedded(): Promise<Engine> {
  const folder = await createTempDir();
  const kv = openEmbeddedStore(folder.path, Date.now, log);
  return {
    kv,
    createScheduler: () => createTimerScheduler({ log, random: Math.random }),
    close: async () => {
      await kv.close();
      await folder.remove();
    },
  };
}

async function openRedis(): Promise<Engine> {
  const server = await startRedisServer();
  const kv = await openRedisStore(server.url, log);
  return {
    kv,
    // A separate prefix for each run: concurrent runs must not affect each other.
    createScheduler: (prefix) =>
      createBullScheduler({ redisUrl: server.url, log, random: Math.random, prefix: `ds:${prefix}`, concurrency: 2 }),
    close: async () => {
      await kv.close();
      await server.stop();
    },
  };
}

describe.each([
  { name: 'the embedded store', open: openEmbedded, isThere: true, crashesTwice: true, atOnce: 40 },
  // `atOnce` is high because a run mostly waits; it is lower on Redis, where each run has a worker and connections.
  // One crash per run on Redis, because after each crash the lease must expire, which takes 10 s and more.
  { name: 'Redis', open: openRedis, isThere: hasRedisServer(), crashesTwice: false, atOnce: 20 },
])(
  'a crash between any two writes and effects, on $name,',
  { timeout: 900_000 },
  ({ name, open, isThere, crashesTwice, atOnce }) => {
    let slack: FakeSlack;
    let service: FakeService;
    let engine: Engine;
    let serial = 0;
    /** Planned late calls by channel, and the channel of each question by its text. */
    const late = new Map<string, { call: LateCall; delayMs: number }>();
    const channelOf = new Map<string, string>();
    /** The channels in which the first card has no room, and for how many seconds. */
    const crowded = new Map<string, number>();

    function planned(channel: unknown, call: LateCall): { carriedOutAfterGivenUpMs: number } | undefined {
      const plan = late.get(String(channel));
      if (plan?.call !== call) return undefined;
      late.delete(String(channel));
      return { carriedOutAfterGivenUpMs: plan.delayMs };
    }

    /** Refuses the first card in a channel. */
    function noRoom(channel: string, marker: string): { retryAfterSeconds: number } | undefined {
      const retryAfterSeconds = marker === 'card' ? crowded.get(channel) : undefined;
      crowded.delete(channel);
      return retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
    }

    beforeAll(async () => {
      if (!isThere) return;
      [slack, service, engine] = await Promise.all([startFakeSlack(), startFakeService(), open()]);
      service.answerAfter(
        ({ question }) => (question.includes('late card') ? answeredAfterMs.long : answeredAfterMs.short),
        { answer: longAnswer },
      );
      slack.scriptFaults((method, args) => {
        if (method !== 'chat.postMessage') return undefined;
        return planned(args.channel, markerOf(args) as LateCall) ?? noRoom(String(args.channel), markerOf(args));
      });
      service.scriptFaults((call, _id, text) =>
        call === 'create' ? planned(channelOf.get(text ?? ''), 'question') : undefined,
      );
    });
    afterAll(() => Promise.all([engine?.close(), slack?.stop(), service?.stop()]));

    /** Runs one question with these crashes and returns what is wrong at the end; empty when it is correct. */
    async function runQuestion(
      origin: Origin,
      crashesAfter: number[],
      lateCall?: { call: LateCall; delayMs: number },
    ): Promise<{ end: CrashRunResult; wrong: string[] }> {
      serial += 1;
      const runName = `${origin.replace(' ', '-')}-${serial}`;
      // A separate workspace for each run: runs in one workspace would share run slots.
      const teamId = `T0${serial}`;
      const text = `How does the ${origin} ${serial} of ${name} end?`;
      const channelId = `C0${runName}`;
      channelOf.set(text, channelId);
      if (lateCall !== undefined) late.set(channelId, lateCall);
      if (origin === 'late card' || origin === 'no card') crowded.set(channelId, noRoomSeconds[origin]);
      slack.channels.set(channelId, { isPrivate: false, botIsMember: true, isArchived: false });
      const request: NewQuestion = {
        key: `${name} ${runName}`,
        place: {
          teamId,
          channelId,
          ...(origin === 'command' ? {} : { threadTs: slack.say(channelId, people.ada, text) }),
        },
        askerId: people.ada,
        text,
        origin: origin === 'command' ? 'command' : 'mention',
        beginsThread: true,
      };
      const end = await runThroughCrashes({
        slack,
        service,
        kv: engine.kv,
        createScheduler: () => engine.createScheduler(runName),
        request,
        crashesAfter,
      });
      const mine = slack.messages.filter(({ channel, bot_id: botId }) => channel === channelId && botId !== undefined);
      const cards = mine.filter((message) => markerOf(message) === 'card');
      const parts = mine.map(markerOf).filter((marker) => marker !== 'card');
      // A question in a thread is asked without its card if that is late, or if a crash leaves open whether it was posted.
      const mayBeWithout = origin === 'late card' || origin === 'no card' || (origin === 'mention' && end.crashes > 0);
      const facts = {
        phase: end.question?.phase,
        outcome: end.question?.outcome?.kind,
        open: end.isOpen,
        asked: service.find(text).length,
        cards: cards.map((card) => visibleText(card).includes('Answered in') && buttonsOf(card.blocks).length === 0),
        parts,
      };
      const wanted = {
        phase: 'closed',
        outcome: 'answered',
        open: false,
        asked: 1,
        // An answer that comes first makes a card needless. A card that is in Slack has to be closed.
        cards: mayBeWithout && cards.length === 0 ? [] : [true],
        parts: ['0:0', '0:1'],
      };
      return { end, wrong: JSON.stringify(facts) === JSON.stringify(wanted) ? [] : [JSON.stringify(facts)] };
    }

    it.skipIf(!isThere)('leads to one question at the service, one answer and one closed card', async () => {
      const withoutCrash = await runResponsively(
        origins.map((origin) => async () => ({ origin, crashesAfter: [], ...(await runQuestion(origin, [])) })),
        { atOnce },
      );
      const plans = withoutCrash.flatMap(({ origin, end }) =>
        end.done
          .flatMap((_, n) => (crashesTwice ? [[n], [n, 2]] : [[n]]))
          .map((crashesAfter) => ({ origin, crashesAfter })),
      );
      const runs = await runResponsively(
        plans.map(({ origin, crashesAfter }) => async () => ({
          origin,
          crashesAfter,
          ...(await runQuestion(origin, crashesAfter)),
        })),
        { atOnce },
      );
      expect([...withoutCrash, ...runs].flatMap(reportOf)).toEqual([]);
      const orders = withoutCrash.map(({ origin, end: { done } }) => [
        origin,
        done.filter((name) => isOrdered.has(name)),
      ]);
      expect(orders).toEqual([
        ['mention', ['postCard', 'create', 'postPart', 'postPart']],
        ['command', ['postCard', 'create', 'postPart', 'postPart']],
        ['late card', ['postCard', 'create', 'postCard', 'postPart', 'postPart']],
        ['no card', ['postCard', 'create', 'postPart', 'postPart']],
      ]);
      // A run may need one card edit less than the run without crashes, and finish before its crash; but few do.
      const notCrashed = runs.filter(({ end: { crashes }, crashesAfter }) => crashes < crashesAfter.length);
      expect(notCrashed.length).toBeLessThan(runs.length / 4);
      expect(slack.violations).toEqual([]);
    });

    it.skipIf(!isThere)('leads to the same where a call takes effect 1, 5 or 11 s after it was given up', async () => {
      const calls = lateCalls.flatMap((call) => delaysMs.map((delayMs) => ({ call, delayMs })));
      const runs = calls.flatMap((lateCall) =>
        originsWithCard.flatMap((origin) => [
          { origin, lateCall, crashesAfter: [] },
          // Crashes during the late call and during the wait after it: the card is the fourth effect, the others follow.
          ...(crashesTwice ? [2, 4, 6, 9, 12] : [4, 12]).map((n) => ({ origin, lateCall, crashesAfter: [n] })),
        ]),
      );
      const ends = await runResponsively(
        runs.map(({ origin, lateCall, crashesAfter }) => async () => ({
          origin: `${origin}, ${lateCall.call} ${lateCall.delayMs} ms late`,
          crashesAfter,
          ...(await runQuestion(origin, crashesAfter, lateCall)),
        })),
        { atOnce },
      );
      expect(ends.flatMap(reportOf)).toEqual([]);
      expect(slack.violations).toEqual([]);
    });
  },
);

function reportOf(one: { origin: string; crashesAfter: number[]; end: CrashRunResult; wrong: string[] }): string[] {
  const crashes = one.crashesAfter.join(' and ');
  return one.wrong.length === 0
    ? []
    : [`${one.origin}, after ${crashes} steps (${one.end.done.join(', ')}): ${one.wrong.join()}`];
}

function markerOf(message: SlackMessage | Record<string, unknown>): string {
  const blocks = Array.isArray(message.blocks) ? (message.blocks as { block_id?: string }[]) : [];
  for (const { block_id: blockId } of blocks) {
    const what = /^ds:q[0-9a-f]{24}:(card|\d+:\d+)/.exec(blockId ?? '')?.[1];
    if (what !== undefined) return what;
  }
  return 'none';
}
