import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Conversation, DeepSearch, ListedConversation, SharedWatch } from '../../../src/core/ports.ts';
import type { ConversationId, Question } from '../../../src/core/question/question.ts';
import {
  fewestWatchedTogether,
  mostChangedPages,
  newsAgeMs,
  watchBackstopMs,
  watchTickMs,
} from '../../../src/core/settings.ts';
import { createWatching, type Watching } from '../../../src/core/watching/watching.ts';
import { createSharedWatch, watchAlone } from '../../../src/storage/shared-watch.ts';
import { eventually } from '../../support/eventually.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { memoryStore } from '../../support/storage/memory-store.ts';

const paceMs = 2_000;
const pageSize = 20;

/** A service whose list shows the latest change first, and processes that watch its questions. */
function createService() {
  let nowMs = 1_800_000_000_000;
  const changedMs = new Map<ConversationId, number>();
  const calls: string[] = [];
  const owners = new Map<string, string>();
  let failure: AppError | undefined;
  let carriesAll = true;
  const conversationOf = (id: ConversationId): Conversation => ({
    id,
    ...(carriesAll ? { mark: `mark ${changedMs.get(id)}` } : {}),
    questions: [
      { id: Number(id) * 10, ordinal: 0, text: 'q', state: 'processing', steps: 0, sources: [], followUps: [] },
    ],
  });

  const deepSearch = {
    async read(id: ConversationId) {
      calls.push(`read ${id}`);
      return conversationOf(id);
    },
    async changes(after?: string) {
      calls.push(`list ${after ?? ''}`.trim());
      if (failure !== undefined) throw failure;
      const from = Number(after ?? 0);
      const all = [...changedMs].toSorted(([, one], [, other]) => other - one);
      const conversations: ListedConversation[] = all.slice(from, from + pageSize).map(([id, atMs]) => ({
        id,
        mark: `mark ${atMs}`,
        updatedMs: atMs,
        ...(carriesAll ? { conversation: () => conversationOf(id) } : {}),
      }));
      return { conversations, ...(all.length > from + pageSize ? { next: String(from + pageSize) } : {}) };
    },
  };

  function startProcess(shared: SharedWatch = watchAlone): { watching: Watching; ran: string[] } {
    const ran: string[] = [];
    const watching = createWatching({
      deepSearch: () => deepSearch as Partial<DeepSearch> as DeepSearch,
      claims: { ownerOf: async (key) => owners.get(key) },
      scheduler: { schedule: async (id) => void ran.push(id) },
      shared,
      now: () => nowMs,
      random: () => 0.5,
      log: createRecordingLog().log,
    });
    return { watching, ran };
  }

  return {
    calls,
    owners,
    startProcess,
    change(id: ConversationId): void {
      nowMs += 1;
      changedMs.set(id, nowMs);
    },
    pass(ms: number): void {
      nowMs += ms;
    },
    fail(error?: AppError): void {
      failure = error;
    },
    listOnlyMarks(): void {
      carriesAll = false;
    },
    /** The calls since the last time. */
    taken: () => calls.splice(0),
  };
}

function running(id: number, more: Partial<Question> = {}): Question {
  return questionWith({
    id: `q${id}`,
    phase: 'running',
    upstream: { conversationId: id, questionId: id * 10, steps: 0 },
    ...more,
  });
}

/** Watches questions 1 to `count` in this process, and ticks until the list shows nothing new. */
async function watchMany(service: ReturnType<typeof createService>, watching: Watching, count: number) {
  const questions = Array.from({ length: count }, (_, index) => running(index + 1));
  for (const question of questions) {
    service.change(question.upstream.conversationId ?? 0);
    watching.goesOn(question, paceMs);
  }
  await watching.tick();
  for (const question of questions) {
    await watching.read(question);
    watching.goesOn(question, paceMs);
  }
  service.taken();
  return questions;
}

describe('a few running questions of one account', () => {
  it('are read one by one at their own pace, and no list is read', async () => {
    const service = createService();
    const { watching } = service.startProcess();
    const questions = Array.from({ length: fewestWatchedTogether - 1 }, (_, index) => running(index + 1));
    expect(questions.map((question) => watching.goesOn(question, paceMs))).toEqual(questions.map(() => paceMs));
    await watching.tick();
    for (const question of questions) expect(await watching.read(question)).toMatchObject({ questions: [{}] });
    expect(service.taken()).toEqual(['read 1', 'read 2', 'read 3']);
  });
});

describe('many running questions of one account', () => {
  it('take one request a tick while nothing changes, however many they are', async () => {
    for (const count of [fewestWatchedTogether, pageSize]) {
      const service = createService();
      const { watching, ran } = service.startProcess();
      const questions = await watchMany(service, watching, count);
      ran.length = 0;
      for (let tick = 0; tick < 10; tick += 1) {
        service.pass(watchTickMs);
        await watching.tick();
      }
      expect(service.taken()).toEqual(Array(10).fill('list'));
      expect(ran).toEqual([]);
      expect(watching.goesOn(questions[0] ?? running(1), paceMs)).toBeGreaterThan(watchBackstopMs * 0.8);
    }
  });

  it('run when their conversations change, and take what the list carried without a request', async () => {
    const service = createService();
    const { watching, ran } = service.startProcess();
    const [first, second] = await watchMany(service, watching, 10);
    ran.length = 0;
    service.change(1);
    await watching.tick();
    expect(ran).toEqual(['q1']);
    expect(await watching.read(first ?? running(1))).toMatchObject({ id: 1 });
    expect(await watching.read(second ?? running(2))).toBeUndefined();
    expect(service.taken()).toEqual(['list']);
  });

  it('are read one by one after a change where the list carries no conversations', async () => {
    const service = createService();
    service.listOnlyMarks();
    const { watching, ran } = service.startProcess();
    const [first] = await watchMany(service, watching, 10);
    ran.length = 0;
    service.change(1);
    await watching.tick();
    expect(ran).toEqual(['q1']);
    expect(await watching.read(first ?? running(1))).toMatchObject({ id: 1 });
    expect(service.taken()).toEqual(['list', 'read 1']);
    expect(watching.goesOn(first ?? running(1), paceMs)).toBeGreaterThan(watchBackstopMs * 0.8);
    // Such a list may miss a change, so every run reads.
    expect(await watching.read(first ?? running(1))).toMatchObject({ id: 1 });
    expect(service.taken()).toEqual(['read 1']);
  });

  it('are all found on further pages while these show something new, and not beyond', async () => {
    const service = createService();
    const { watching, ran } = service.startProcess();
    await watchMany(service, watching, 3 * pageSize);
    ran.length = 0;
    for (let id = 1; id <= pageSize + 1; id += 1) service.change(id);
    await watching.tick();
    expect(new Set(ran).size).toBe(pageSize + 1);
    expect(service.taken()).toEqual(['list', 'list 20', 'list 40']);
  });

  it('take a bounded number of requests in one tick, even if everything changes', async () => {
    const service = createService();
    const { watching } = service.startProcess();
    await watchMany(service, watching, 5);
    for (let id = 1; id <= (mostChangedPages + 5) * pageSize; id += 1) service.change(id);
    await watching.tick();
    expect(service.taken()).toHaveLength(mostChangedPages);
  });

  it('are looked for on all pages from time to time, and read one by one if no page shows them', async () => {
    const service = createService();
    const { watching } = service.startProcess();
    const questions = await watchMany(service, watching, 2 * pageSize);
    const hidden = running(1_000);
    watching.goesOn(hidden, paceMs);
    service.pass(watchBackstopMs / 2);
    await watching.tick();
    expect(service.taken()).toEqual(['list', 'list 20']);
    for (const question of questions) expect(await watching.read(question)).toBeUndefined();
    expect(await watching.read(hidden)).toMatchObject({ id: 1_000 });
    expect(service.taken()).toEqual(['read 1000']);
  });

  it('are read one by one at their own pace while the list fails, and together again afterwards', async () => {
    const service = createService();
    const { watching, ran } = service.startProcess();
    const [first = running(1)] = await watchMany(service, watching, 10);
    service.fail(new AppError('unavailable', 'down'));
    await watching.tick();
    expect(watching.goesOn(first, paceMs)).toBe(paceMs);
    expect(await watching.read(first)).toMatchObject({ id: 1 });
    service.fail();
    service.change(1);
    service.pass(watchTickMs);
    ran.length = 0;
    await watching.tick();
    expect(ran).toEqual(['q1']);
    expect(watching.goesOn(first, paceMs)).toBeGreaterThan(paceMs);
  });

  it('run again at the next tick if a change could not be handed on', async () => {
    const service = createService();
    let isFailing = false;
    const put = async () => {
      if (isFailing) throw new AppError('storage', 'down');
    };
    const { watching, ran } = service.startProcess({ ...watchAlone, put });
    await watchMany(service, watching, 10);
    ran.length = 0;
    service.change(1);
    isFailing = true;
    await watching.tick();
    expect(ran).toEqual([]);
    isFailing = false;
    service.pass(watchTickMs);
    await watching.tick();
    expect(ran).toEqual(['q1']);
  });

  it('are read again after a run that took a change and did not finish', async () => {
    const service = createService();
    const { watching } = service.startProcess();
    const [first = running(1)] = await watchMany(service, watching, 10);
    service.change(1);
    await watching.tick();
    expect(await watching.read(first)).toMatchObject({ id: 1 });
    await watching.tick();
    service.taken();
    expect(await watching.read(first)).toMatchObject({ id: 1 });
    expect(service.taken()).toEqual(['read 1']);
    watching.goesOn(first, paceMs);
    expect(await watching.read(first)).toBeUndefined();
  });

  it('are read when a list was made before they were asked', async () => {
    const service = createService();
    const { watching } = service.startProcess();
    await watchMany(service, watching, 10);
    const followUp = running(1, { id: 'q99', upstream: { conversationId: 1, questionId: 999, steps: 0 } });
    watching.goesOn(followUp, paceMs);
    service.change(1);
    await watching.tick();
    service.taken();
    await watching.read(followUp);
    expect(service.taken()).toEqual(['read 1']);
  });

  it('are read if they have to know, whatever the list showed', async () => {
    const service = createService();
    const { watching } = service.startProcess();
    const [first = running(1)] = await watchMany(service, watching, 10);
    expect(await watching.read(first, { isFresh: true })).toMatchObject({ id: 1 });
    expect(service.taken()).toEqual(['read 1']);
  });

  it('keep their own pace while they wait for a cancellation', async () => {
    const service = createService();
    const { watching } = service.startProcess();
    const [first = running(1)] = await watchMany(service, watching, 10);
    expect(watching.goesOn({ ...first, cancel: { byUserId: 'U1', atMs: 0 } }, paceMs)).toBe(paceMs);
  });

  it('are listed again after a pause that grows with each failure', async () => {
    const service = createService();
    const { watching } = service.startProcess();
    await watchMany(service, watching, 10);
    service.fail(new AppError('unavailable', 'down'));
    for (let tick = 0; tick < 20; tick += 1) {
      await watching.tick();
      service.pass(watchTickMs);
    }
    expect(service.taken().length).toBeLessThan(8);
  });

  it('are no longer listed once they ended or moved to another process', async () => {
    const service = createService();
    const { watching } = service.startProcess();
    const questions = await watchMany(service, watching, fewestWatchedTogether);
    const [first = running(1), ...others] = questions;
    watching.leave(first);
    await watching.tick();
    expect(service.taken()).toEqual([]);
    watching.goesOn(first, paceMs);
    await watching.tick();
    expect(service.taken()).toEqual(['list']);
    service.pass(2 * watchBackstopMs + 1);
    for (const question of others) watching.goesOn(question, paceMs);
    await watching.tick();
    expect(service.taken()).toEqual([]);
  });
});

describe('several processes that watch one account', () => {
  /** Two processes on one store, each with questions of its own. */
  async function startTwo(count: number) {
    const service = createService();
    const kv = memoryStore();
    let storeMs = 1_800_000_000_000;
    const clock = () => {
      storeMs += 10_000;
      return storeMs;
    };
    const start = () => service.startProcess(createSharedWatch(kv, clock));
    const [one, two] = [start(), start()];
    await watchMany(service, one.watching, count);
    one.ran.length = 0;
    const ofTwo = Array.from({ length: count }, (_, index) => running(100 + index));
    for (const { id, upstream } of ofTwo) {
      service.change(upstream.conversationId ?? 0);
      service.owners.set(`upstream:${upstream.conversationId}:${upstream.questionId}`, id);
    }
    for (const question of ofTwo) two.watching.goesOn(question, paceMs);
    return { service, kv, one, two, ofTwo };
  }

  it('list with one request a tick in all, and wake the questions of all', async () => {
    const { service, one, two, ofTwo } = await startTwo(10);
    await one.watching.tick();
    await two.watching.tick();
    expect(service.taken()).toEqual(['list']);
    expect(new Set(one.ran)).toEqual(new Set(ofTwo.map(({ id }) => id)));
    expect(two.ran).toEqual([]);
    for (const question of ofTwo) expect(await two.watching.read(question)).toMatchObject({ questions: [{}] });
    expect(service.taken()).toEqual([]);
  });

  it('take over the list when the lease of the process that lists ends', async () => {
    const { service, kv, one, two, ofTwo } = await startTwo(10);
    await one.watching.tick();
    await two.watching.tick();
    service.taken();
    kv.texts.delete('ds:watch:app:leader');
    for (const question of ofTwo) two.watching.goesOn(question, paceMs);
    await two.watching.tick();
    await one.watching.tick();
    expect(new Set(service.taken().map((call) => call.split(' ')[0]))).toEqual(new Set(['list']));
    expect(new Set(two.ran).size).toBeGreaterThanOrEqual(ofTwo.length);
  });

  it('leave alone what changed long ago when they begin to list, such as conversations of answered questions', async () => {
    const { service, kv, two, ofTwo } = await startTwo(10);
    service.pass(newsAgeMs + 1_000);
    service.change(109);
    kv.texts.delete('ds:watch:app:leader');
    for (const question of ofTwo) two.watching.leave(question);
    for (const question of ofTwo.slice(0, 4)) two.watching.goesOn(question, paceMs);
    await two.watching.tick();
    expect(two.ran.toSorted()).toEqual(['q100', 'q101', 'q102', 'q103', 'q109']);
  });

  it('get a change at once, although the last complete list showed no change', async () => {
    const { service, one, two, ofTwo } = await startTwo(10);
    service.pass(watchBackstopMs);
    await one.watching.tick();
    await two.watching.tick();
    for (const question of ofTwo) {
      await two.watching.read(question);
      two.watching.goesOn(question, paceMs);
    }
    const [first = running(100)] = ofTwo;
    expect(await two.watching.read(first)).toBeUndefined();
    service.change(100);
    await one.watching.tick();
    service.taken();
    expect(await two.watching.read(first)).toMatchObject({ id: 100 });
    expect(service.taken()).toEqual([]);
  });

  it('do not count a change as seen by a run that failed, although an older list shows what they saw before', async () => {
    const { service, one, two, ofTwo } = await startTwo(10);
    service.pass(watchBackstopMs);
    await one.watching.tick();
    await two.watching.tick();
    for (const question of ofTwo) {
      await two.watching.read(question);
      two.watching.goesOn(question, paceMs);
    }
    const [first = running(100)] = ofTwo;
    await two.watching.read(first);
    service.change(100);
    await one.watching.tick();
    expect(await two.watching.read(first)).toMatchObject({ id: 100 });
    // The run fails here, and the next one trusts the older list.
    expect(await two.watching.read(first)).toBeUndefined();
    two.watching.goesOn(first, paceMs);
    service.pass(watchBackstopMs / 2);
    await one.watching.tick();
    // The list that shows the change is known a few seconds later.
    await eventually(async () => expect(await two.watching.read(first)).toMatchObject({ id: 100 }));
  });

  it('wake the question that runs, also where the process that lists knows an earlier one of its conversation', async () => {
    const { service, one } = await startTwo(10);
    service.owners.set('upstream:1:10', 'q1-next');
    service.change(1);
    await one.watching.tick();
    expect(one.ran.toSorted()).toEqual(expect.arrayContaining(['q1', 'q1-next']));
  });

  it('let another process list after a failure', async () => {
    const { service, one, two, ofTwo } = await startTwo(10);
    await one.watching.tick();
    service.fail(new AppError('unavailable', 'down'));
    service.pass(watchTickMs);
    await one.watching.tick();
    service.fail();
    service.taken();
    for (const question of ofTwo) two.watching.goesOn(question, paceMs);
    await two.watching.tick();
    expect(service.taken()[0]).toBe('list');
  });

  it('read what another process took and did not finish', async () => {
    const { service, one, two, ofTwo } = await startTwo(10);
    const [first = running(100)] = ofTwo;
    await one.watching.tick();
    await two.watching.tick();
    for (const question of ofTwo) {
      await two.watching.read(question);
      two.watching.goesOn(question, paceMs);
    }
    service.change(100);
    service.pass(watchBackstopMs);
    await one.watching.tick();
    await two.watching.tick();
    one.watching.goesOn(first, paceMs);
    expect(await one.watching.read(first)).toMatchObject({ id: 100 });
    service.taken();
    expect(await two.watching.read(first)).toMatchObject({ id: 100 });
    expect(service.taken()).toEqual(['read 100']);
  });

  it('each list for themselves where lists carry no conversations', async () => {
    const { service, one, two } = await startTwo(10);
    service.listOnlyMarks();
    await one.watching.tick();
    await two.watching.tick();
    service.taken();
    two.ran.length = 0;
    service.change(100);
    await one.watching.tick();
    await two.watching.tick();
    expect(two.ran).toEqual(['q100']);
    expect(await two.watching.read(running(100))).toMatchObject({ id: 100 });
    expect(service.taken()).toEqual(['list', 'list', 'read 100']);
  });

  it('trust what the leading process listed, and read what it did not list', async () => {
    const { service, one, two, ofTwo } = await startTwo(10);
    service.pass(watchBackstopMs);
    await one.watching.tick();
    await two.watching.tick();
    for (const question of ofTwo) {
      await two.watching.read(question);
      two.watching.goesOn(question, paceMs);
    }
    service.taken();
    const [first = running(100)] = ofTwo;
    expect(await two.watching.read(first)).toBeUndefined();
    const hidden = running(500);
    two.watching.goesOn(hidden, paceMs);
    expect(await two.watching.read(hidden)).toMatchObject({ id: 500 });
    expect(service.taken()).toEqual(['read 500']);
  });
});
