import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question/question.ts';
import { watchBackstopMs, watchTickMs } from '../../../src/core/settings.ts';
import type { EngineStore } from '../../../src/storage/key-value-store.ts';
import { openRedisStore } from '../../../src/storage/redis-store.ts';
import { createSharedWatch } from '../../../src/storage/shared-watch.ts';
import { eventually } from '../../support/eventually.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { runProgram } from '../../support/processes/run.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { afterReading, createListedService, runningQuestion } from '../../support/watching/listed-service.ts';
import { paceMs, startWatching, type WatchingProcess } from '../../support/watching/watching-process.ts';

const count = 8;
const ended = { questions: [{ state: 'completed' }] };

describe.skipIf(!hasRedisServer())('processes that watch together on one Redis', () => {
  let server: RedisServer;
  let stores: EngineStore[];
  let service: ReturnType<typeof createListedService>;
  let questions: Question[];
  let owners: Map<string, string>;

  beforeAll(async () => {
    server = await startRedisServer();
  });

  beforeEach(async () => {
    await server.flush();
    stores = [];
    service = createListedService();
    questions = Array.from({ length: count }, (_, index) => runningQuestion(index + 1));
    owners = new Map(questions.map(({ id }, index) => [`upstream:${index + 1}:${(index + 1) * 10}`, id]));
    for (let id = 1; id <= count; id += 1) service.change(id);
  });

  afterEach(async () => {
    for (const store of stores) await store.close();
  });

  afterAll(() => server.stop());

  /** A process with a connection of its own, which knows all questions. */
  async function start(schedule: (id: string) => void = () => {}): Promise<WatchingProcess> {
    const store = await openRedisStore(server.url, createRecordingLog().log);
    stores.push(store);
    const process = startWatching(service, createSharedWatch(store, service.now), { owners, schedule });
    for (const question of questions) process.watching.goesOn(question, paceMs);
    return process;
  }

  it('list in another one within seconds after the one that lists was killed', async () => {
    const leader = runProgram(fileURLToPath(new URL('./leading-process.ts', import.meta.url)), [server.url], {});
    const other = await start();
    try {
      await eventually(() => expect(leader.output()).toContain('list'));
      await other.watching.tick();
      expect(service.taken()).toEqual([]);
    } finally {
      leader.child.kill('SIGKILL');
      await leader.ended;
    }
    service.change(1, 'completed');
    await eventually(
      async () => {
        await other.watching.tick();
        expect(other.ran).toContain('q1');
      },
      { timeoutMs: 15_000 },
    );
    expect(await other.watching.read(runningQuestion(1))).toMatchObject(ended);
  });

  it('show every question by a list or a read at least every 30 s, and an end to the one that runs it', async () => {
    const dueMs = new Map(questions.map(({ id }) => [id, service.now()]));
    const schedule = (id: string): void => void dueMs.set(id, service.now());
    const both = [await start(schedule), await start(schedule)];
    let longestMs = 0;
    let reads = 0;
    for (let second = 0; second < 120; second += 1) {
      service.pass(watchTickMs);
      for (const { watching } of both) await watching.tick();
      for (const [at, question] of questions.entries()) {
        if ((dueMs.get(question.id) ?? 0) > service.now()) continue;
        const process = both[(second + at) % both.length];
        if (process === undefined) throw new Error('there are two processes');
        const seen = afterReading(question, await process.watching.read(question));
        questions[at] = seen;
        dueMs.set(question.id, service.now() + process.watching.goesOn(seen, paceMs));
      }
      for (let id = 1; id <= count; id += 1)
        longestMs = Math.max(longestMs, service.now() - (service.shownMs(id) ?? 0));
      reads += service.taken().filter((call) => call.startsWith('read')).length;
    }
    expect(longestMs).toBeLessThanOrEqual(watchBackstopMs);
    expect(reads).toBe(0);
    service.change(3, 'completed');
    for (const { watching } of both) await watching.tick();
    expect(both.flatMap(({ ran }) => ran).at(-1)).toBe('q3');
    const [, follower] = both;
    expect(await follower?.watching.read(questions[2] ?? runningQuestion(3))).toMatchObject(ended);
    expect(service.taken().filter((call) => call.startsWith('read'))).toEqual([]);
  });

  it('go on within seconds after Redis lost its data', async () => {
    const [one, two] = [await start(), await start()];
    for (const { watching } of [one, two]) await watching.tick();
    await server.restart();
    service.change(1, 'completed');
    await eventually(async () => {
      service.pass(watchTickMs);
      for (const { watching } of [one, two]) await watching.tick();
      expect([...one.ran, ...two.ran]).toContain('q1');
      expect(await two.watching.read(runningQuestion(1))).toMatchObject(ended);
    });
  });
});
