import { describe, expect, it } from 'vitest';
import { createAccept, type NewQuestion, questionId } from '../../../src/core/intake/accept.ts';
import { delist } from '../../../src/core/lifecycle/lifecycle-ports.ts';
import { crash, createCoreHarness, digestOf, failing, thread } from '../../support/lifecycle/core-harness.ts';
import { Crash } from '../../support/lifecycle/in-memory-lifecycle.ts';

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

  it('completes on the second delivery what a crash left unfinished on the first', async () => {
    const { accept, request, life } = createCoreHarness({ faults: { write: [undefined, crash('no')] } });
    const same = request();
    await expect(accept(same)).rejects.toBeInstanceOf(Crash);
    // It was stored but never confirmed, so no one was told that it was taken.
    expect((await accept(same)).kind).toBe('accepted');
    expect((await accept(same)).kind).toBe('duplicate');
    await life.run();
    expect(life.upstream()).toHaveLength(1);
  });

  it('accepts a stored question although it could not join the queue', async () => {
    const { accept, request, life } = createCoreHarness({
      faults: { write: [undefined, undefined, failing('storage')] },
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

  it('removes every record of a question that was stored but could not be confirmed', async () => {
    const { accept, request, life } = createCoreHarness({ faults: { write: [undefined, failing('storage')] } });
    await expect(accept(request())).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.posted).toEqual([]);
    expect(life.upstream()).toEqual([]);
  });

  it('does not accept a question that was stored too late to confirm it in time', async () => {
    const { accept, request, life } = createCoreHarness();
    await expect(accept(request(), 0)).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.posted).toEqual([]);
    expect(life.openIds()).toEqual([]);
  });

  it('withdraws a question that was confirmed too late, and posts nothing', async () => {
    const { life, request } = createCoreHarness();
    await expect(slowToConfirm(life)(request(), life.startMs)).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.posted).toEqual([]);
    expect(life.upstream()).toEqual([]);
    expect(life.questions()).toMatchObject([{ phase: 'closed', outcome: { kind: 'cancelled' } }]);
    expect(life.openIds()).toEqual([]);
    expect(life.threads().flatMap(({ queue }) => queue)).toEqual([]);
  });

  it('withdraws a question that two requests confirmed, both too late', async () => {
    const { life, request } = createCoreHarness();
    const same = request();
    const late: Promise<unknown>[] = [];
    const accept = slowToConfirm(life, async () => {
      const second = createAccept({ ...life.ports, now: () => life.now() + 1_000, digest: digestOf });
      late.push(second(same, life.startMs).catch(() => {}));
      await Promise.all(late);
    });
    await expect(accept(same, life.startMs)).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.upstream()).toEqual([]);
    expect(life.posted).toEqual([]);
  });

  it('logs a question that was confirmed too late and could not be withdrawn', async () => {
    const { life, request } = createCoreHarness({ faults: { write: [undefined, undefined, failing('storage')] } });
    await expect(slowToConfirm(life)(request(), life.startMs)).rejects.toMatchObject({
      message: 'confirmed too late to be taken',
    });
    await life.run();
    expect(life.upstream()).toHaveLength(1);
  });

  it('keeps a question that was confirmed too late if another request for it was told that it is accepted', async () => {
    const { life, request } = createCoreHarness();
    const same = request();
    const accept = slowToConfirm(life, async (id) => {
      const second = createAccept({ ...life.ports, digest: digestOf });
      expect((await second(same, life.startMs)).kind).toBe('duplicate');
      expect(life.question(id).phase).toBe('waiting');
    });
    await expect(accept(same, life.startMs)).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.upstream()).toHaveLength(1);
  });

  it('cancels a question that was confirmed too late if its card may be posted already', async () => {
    const { life, request } = createCoreHarness();
    const accept = slowToConfirm(life, async (id) => {
      await life.ports.questions.update(id, (stored) => ({ ...stored, card: { intentMs: life.startMs } }));
    });
    await expect(accept(request(), life.startMs)).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.questions()).toMatchObject([{ cancel: { isWithdrawn: true }, outcome: { kind: 'cancelled' } }]);
    expect(life.upstream()).toEqual([]);
  });

  it('waits for no slow storage after the question is confirmed', async () => {
    const { life, request } = createCoreHarness();
    const scheduler = { ...life.ports.scheduler, schedule: () => new Promise<never>(() => {}) };
    const accept = createAccept({ ...life.ports, scheduler, digest: digestOf });
    expect((await accept(request(), life.startMs)).kind).toBe('accepted');
  });

  it('accepts a question that was stored at the last moment', async () => {
    const { accept, request, life } = createCoreHarness();
    expect((await accept(request(), life.startMs)).kind).toBe('accepted');
  });

  it('throws where the question disappears before it is confirmed', async () => {
    const { life, request } = createCoreHarness();
    const questions = { ...life.ports.questions, update: async () => undefined };
    const accept = createAccept({ ...life.ports, questions, digest: digestOf });
    await expect(accept(request())).rejects.toMatchObject({ kind: 'storage' });
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
    expect(await accept(third)).toEqual({ kind: 'queueFull', limit: 2, questionId: questionId(digestOf, third.key) });
    expect((await accept(first)).kind).toBe('duplicate');
    await life.run();
    expect((await accept(request())).kind).toBe('accepted');
    expect((await accept(request())).kind).toBe('accepted');
    // The thread is full again with other questions. A late delivery is still a duplicate.
    expect((await accept(first)).kind).toBe('duplicate');
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
        confirmed: { guests: 0, outsiders: 0, organizations: 0, isKnown: true },
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

describe('an offer that was reported as not accepted', () => {
  it('is listed as open again before it is accepted, so that no crash can hide it', async () => {
    // The writes: store it, remove it from the list, find it stored, list it again, take it.
    const { life, accept, request } = createCoreHarness({
      faults: { write: [undefined, undefined, undefined, undefined, crash('yes')] },
    });
    const same = request();
    await expect(accept(same, life.startMs - 1)).rejects.toMatchObject({ kind: 'storage' });
    life.restart();
    await life.run();
    expect(life.openIds()).toEqual([]);
    await expect(accept(same)).rejects.toBeInstanceOf(Crash);
    expect(life.openIds()).toEqual(life.questions().map(({ id }) => id));
    life.restart();
    await life.run();
    expect(life.upstream()).toHaveLength(1);
    expect(life.questions()).toMatchObject([{ phase: 'closed', outcome: { kind: 'answered' } }]);
  });

  it('is listed once it is accepted, although a run took it for expired a moment before', async () => {
    const { life, accept, request } = createCoreHarness();
    const same = request();
    await expect(accept(same, life.startMs - 1)).rejects.toMatchObject({ kind: 'storage' });
    const update: typeof life.ports.questions.update = async (id, change) => {
      await delist(life.ports, id);
      return life.ports.questions.update(id, change);
    };
    const questions = { ...life.ports.questions, update };
    const acceptance = await createAccept({ ...life.ports, questions, digest: digestOf })(same);
    expect(acceptance.kind).toBe('accepted');
    expect(life.openIds()).toEqual(life.questions().map(({ id }) => id));
  });

  it('is accepted although it could not be listed after that, because it was listed before', async () => {
    const { life, accept, request } = createCoreHarness();
    const same = request();
    await expect(accept(same, life.startMs - 1)).rejects.toMatchObject({ kind: 'storage' });
    let times = 0;
    const markOpen: typeof life.ports.questions.markOpen = async (id) => {
      times += 1;
      if (times > 1) throw failing('storage').error;
      return life.ports.questions.markOpen(id);
    };
    const questions = { ...life.ports.questions, markOpen };
    const acceptance = await createAccept({ ...life.ports, questions, digest: digestOf })(same);
    expect(acceptance.kind).toBe('accepted');
    expect(times).toBe(2);
    expect(life.openIds()).toEqual(life.questions().map(({ id }) => id));
  });

  it('is removed when another question is asked in its place', async () => {
    const { life, accept, request } = createCoreHarness();
    const first = request({ key: 'view:V1', text: 'the secret one' });
    await expect(accept(first, life.startMs - 1)).rejects.toMatchObject({ kind: 'storage' });
    const place = { teamId: 'T1', channelId: 'D1' };
    const second = await accept(request({ key: 'view:V1', text: 'the other one', place, origin: 'shortcut' }));
    expect(second).toMatchObject({ kind: 'accepted', question: { text: 'the other one', place } });
    await life.run();
    expect(life.upstream().map(({ text }) => text)).toEqual(['the other one']);
    expect(life.posted.every(({ channelId }) => channelId === 'D1')).toBe(true);
  });
});

/** Accepts questions on a storage that needs a second to confirm one. `meanwhile` runs in that second. */
function slowToConfirm(
  life: ReturnType<typeof createCoreHarness>['life'],
  meanwhile: (id: string) => Promise<void> = async () => {},
): ReturnType<typeof createAccept> {
  let lateMs = 0;
  const update: typeof life.ports.questions.update = async (id, change) => {
    const updated = await life.ports.questions.update(id, change);
    if (lateMs === 0) {
      lateMs = 1_000;
      await meanwhile(id);
    }
    return updated;
  };
  const questions = { ...life.ports.questions, update };
  return createAccept({ ...life.ports, questions, now: () => life.now() + lateMs, digest: digestOf });
}
