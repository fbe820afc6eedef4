import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { idOf, type NewQuestion } from '../../../src/core/intake/accept.ts';
import { crash, createCoreHarness, createRequests, failing, thread } from '../../support/lifecycle/core-harness.ts';
import { Crash } from '../../support/lifecycle/in-memory-lifecycle.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

describe('accepting a question', () => {
  it.each(['', '  ', '\n\t '])('does not accept the empty text %j', async (text) => {
    const { accept, request, life } = createCoreHarness();
    expect(await accept(request({ text }))).toEqual({ kind: 'empty' });
    expect(life.questions()).toEqual([]);
  });

  it('accepts 10,000 characters and refuses 10,001', async () => {
    const { accept, request, life } = createCoreHarness();
    expect((await accept(request({ text: 'x'.repeat(10_000) }))).kind).toBe('accepted');
    expect(await accept(request({ text: 'x'.repeat(10_001) }))).toEqual({
      kind: 'tooLong',
      length: 10_001,
      limit: 10_000,
    });
    expect(life.questions()).toHaveLength(1);
  });

  it('stores the question, lists it as open and adds it to the queue of its thread before it returns', async () => {
    const { ask, life } = createCoreHarness();
    const question = await ask({ text: '  where?\n' });
    expect(question).toMatchObject({ phase: 'waiting', text: 'where?', delivery: { round: 0, posted: [] } });
    expect(question.id).toMatch(/^q[0-9a-f]{24}$/);
    expect(life.question(question.id)).toEqual(question);
    expect(life.openIds()).toEqual([question.id]);
    expect(life.threads()).toMatchObject([{ queue: [question.id], followsReplies: true }]);
  });

  it('accepts the same request once, however often it is delivered', async () => {
    const { accept, request, life } = createCoreHarness();
    const same = request();
    const results = await Promise.all([accept(same), accept(same), accept(same)]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'duplicate', 'duplicate']);
    await life.run();
    expect((await accept(same)).kind).toBe('duplicate');
    await life.run();
    expect(life.upstream()).toHaveLength(1);
    expect(life.openIds()).toEqual([]);
  });

  it('goes on with a question after a crash right after it was stored, and asks it once when it is delivered again', async () => {
    const { accept, request, life } = createCoreHarness({ faults: { write: [crash('yes')] } });
    const same = request();
    await expect(accept(same)).rejects.toBeInstanceOf(Crash);
    expect((await accept(same)).kind).toBe('duplicate');
    await life.run();
    expect(life.upstream()).toHaveLength(1);
  });

  it('adds a question to its queue before later ones, if the app stopped after it was stored', async () => {
    const { accept, request, ask, life } = createCoreHarness({ faults: { write: [crash('yes')] } });
    const first = request();
    await expect(accept(first)).rejects.toBeInstanceOf(Crash);
    await accept(first);
    const { id } = await ask();
    expect(life.threads()).toMatchObject([{ queue: [expect.not.stringMatching(id), id] }]);
  });

  it('accepts a stored question although it could not join the queue', async () => {
    const { accept, request, life } = createCoreHarness({
      faults: { write: [undefined, failing('storage')] },
    });
    expect((await accept(request())).kind).toBe('accepted');
    await life.run();
    expect(life.upstream()).toHaveLength(1);
    expect(life.threads()).toMatchObject([{ queue: [], followsReplies: true }]);
  });

  it('throws and has accepted nothing while storage is down', async () => {
    const { accept, request, life } = createCoreHarness({ faults: { write: [failing('storage')] } });
    await expect(accept(request())).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.posted).toEqual([]);
  });

  it('leaves it open whether a question is accepted if the storage gives no reply, and it is asked once then', async () => {
    for (const happens of ['no', 'yes'] as const) {
      const lost = { error: new AppError('storage', 'no reply', { outcomeUnknown: true }), happens };
      const { accept, request, life } = createCoreHarness({ faults: { write: [lost] } });
      const same = request();
      await expect(accept(same, life.startMs)).rejects.toMatchObject({ kind: 'storage', outcomeUnknown: true });
      expect((await accept(same)).kind).toBe(happens === 'yes' ? 'duplicate' : 'accepted');
      await life.run();
      expect(life.upstream()).toHaveLength(1);
    }
  });

  it('asks a question whose stored reply was lost, also if it is not delivered again', async () => {
    const lost = { error: new AppError('storage', 'no reply', { outcomeUnknown: true }), happens: 'yes' } as const;
    const { accept, request, life } = createCoreHarness({ faults: { write: [lost] } });
    await expect(accept(request(), life.startMs)).rejects.toMatchObject({ outcomeUnknown: true });
    await life.run();
    expect(life.upstream()).toHaveLength(1);
  });

  it('does not accept a question that comes too late to the storage, and leaves nothing of it', async () => {
    const { accept, request, life } = createCoreHarness();
    const late = { kind: 'storage', code: 'late', outcomeUnknown: false };
    await expect(accept(request(), life.startMs - 1)).rejects.toMatchObject(late);
    expect([life.questions(), life.openIds(), life.threads()]).toEqual([[], [], []]);
  });

  it('recognizes a question that it accepted before, also too late', async () => {
    const { accept, request, life } = createCoreHarness();
    const same = request();
    await accept(same);
    expect((await accept(same, life.startMs - 1)).kind).toBe('duplicate');
  });

  it('waits for no slow storage after the question is stored', async () => {
    const { life, request } = createCoreHarness();
    const scheduler = { ...life.ports.scheduler, schedule: () => new Promise<never>(() => {}) };
    const accept = createRequests({ ...life.ports, scheduler }).accept;
    expect((await accept(request(), life.startMs)).kind).toBe('accepted');
  });

  it('accepts a question that was stored at the last moment', async () => {
    const { accept, request, life } = createCoreHarness();
    expect((await accept(request(), life.startMs)).kind).toBe('accepted');
  });

  it('neither lists nor queues a question that has ended, when it is delivered again', async () => {
    const { accept, request, life } = createCoreHarness();
    const same = request();
    await accept(same);
    await life.run();
    expect((await accept(same)).kind).toBe('duplicate');
    expect(life.openIds()).toEqual([]);
    expect(life.threads()).toMatchObject([{ queue: [] }]);
  });

  it('refuses more questions than a queue holds, but recognizes those it accepted before', async () => {
    const { accept, request, life } = createCoreHarness({ settings: { threadLimit: 2 } });
    const first = request();
    expect((await accept(first)).kind).toBe('accepted');
    expect((await accept(request())).kind).toBe('accepted');
    const third = request();
    expect(await accept(third)).toEqual({ kind: 'queueFull', limit: 2, questionId: idOf(life.ports, third.key) });
    expect((await accept(first)).kind).toBe('duplicate');
    await life.run();
    expect((await accept(request())).kind).toBe('accepted');
    expect((await accept(request())).kind).toBe('accepted');
    // The thread is full again with other questions. A late delivery is still a duplicate.
    expect((await accept(first)).kind).toBe('duplicate');
  });

  it('logs what became of each request', async () => {
    const { life, request } = createCoreHarness({ settings: { threadLimit: 1 } });
    const { log, lines } = createRecordingLog();
    const accept = createRequests({ ...life.ports, log }).accept;
    const first = request();
    for (const each of [first, first, request()]) await accept(each);
    expect(lines).toMatchObject([
      { event: 'question_received', outcome: 'accepted', origin: 'mention', teamId: 'T1', channelId: 'C1' },
      { event: 'question_received', outcome: 'duplicate' },
      { event: 'question_received', outcome: 'queueFull' },
    ]);
  });

  it('does not limit commands, since each begins its thread', async () => {
    const { ask, life } = createCoreHarness({ settings: { threadLimit: 1 } });
    const place = { teamId: 'T1', channelId: 'C1' };
    await ask({ place, origin: 'command' });
    await ask({ place, origin: 'command' });
    await life.run();
    expect(life.upstream()).toHaveLength(2);
    expect(life.threads().every(({ followsReplies, queue }) => followsReplies && queue.length === 0)).toBe(true);
  });

  it('lets no plain replies follow in a thread that people began', async () => {
    const { ask, life } = createCoreHarness();
    await ask({ beginsThread: false });
    expect(life.threads()).toMatchObject([{ followsReplies: false }]);
    await ask({ beginsThread: true });
    expect(life.threads()).toMatchObject([{ followsReplies: true }]);
  });
});

describe('a request', () => {
  it('becomes a question with all fields that the request has', async () => {
    const { ask } = createCoreHarness();
    const said = {
      messageTs: thread.threadTs,
      files: [{ id: 'F1', name: 'a.log', type: 'text/plain', bytes: 3 }],
      fresh: true,
      follows: { text: 'Where are retries?', shareUrl: 'https://code.example/1' },
      shares: {
        questionId: `q${'0'.repeat(24)}`,
        withLink: true,
        confirmed: [],
      },
      locale: 'de-DE',
      responseUrl: 'https://hooks.slack.example/1',
    };
    expect(await ask(said)).toMatchObject(said);
  });

  it('becomes a question without the fields that the request lacks', async () => {
    const { ask, request, accept, life } = createCoreHarness();
    const unsaid = ['messageTs', 'files', 'readsThread', 'follows', 'shares', 'locale', 'responseUrl'];
    expect(Object.keys(await ask()).filter((field) => unsaid.includes(field))).toEqual([]);
    const { beginsThread: _, ...bare } = request();
    expect(await accept(bare)).toMatchObject({ question: { beginsThread: false, fresh: false } });
    expect(life.violations).toEqual([]);
  });

  it.each<[boolean, string, Partial<NewQuestion>]>([
    [true, 'a mention in a thread that people began', { origin: 'mention', beginsThread: false }],
    [false, 'a mention that begins a thread', { origin: 'mention', beginsThread: true }],
    [false, 'a reply', { origin: 'reply', beginsThread: false }],
    [true, 'a reply that is marked to read the thread', { origin: 'reply', beginsThread: false, readsThread: true }],
    [false, 'a mention that is marked not to read it', { origin: 'mention', beginsThread: false, readsThread: false }],
  ])('reads the thread (%j) for %s', async (reads, _, change) => {
    const { ask } = createCoreHarness();
    expect((await ask(change)).readsThread ?? false).toBe(reads);
  });

  it('reads the thread for a mention that does not say whether it begins one', async () => {
    const { accept, request } = createCoreHarness();
    const { beginsThread: _, ...bare } = request({ origin: 'mention' });
    expect(await accept(bare)).toMatchObject({ question: { readsThread: true } });
  });
});
