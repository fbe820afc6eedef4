import { describe, expect, it } from 'vitest';
import { crash, createLifeDesk, failing } from '../../support/lifecycle/memory-requests.ts';
import { Crash } from '../../support/lifecycle/memory-world.ts';

describe('accept', () => {
  it.each(['', '  ', '\n\t '])('does not take %j', async (text) => {
    const { accept, request, life } = createLifeDesk();
    expect(await accept(request({ text }))).toEqual({ kind: 'empty' });
    expect(life.questions()).toEqual([]);
  });

  it('takes 10,000 characters and not one more', async () => {
    const { accept, request, life } = createLifeDesk();
    expect((await accept(request({ text: 'x'.repeat(10_000) }))).kind).toBe('accepted');
    expect(await accept(request({ text: 'x'.repeat(10_001) }))).toEqual({
      kind: 'tooLong',
      length: 10_001,
      limit: 10_000,
    });
    expect(life.questions()).toHaveLength(1);
  });

  it('stores the question, lists it as open and puts it in line before it returns', async () => {
    const { ask, life } = createLifeDesk();
    const question = await ask({ text: '  where?\n' });
    expect(question).toMatchObject({ phase: 'waiting', text: 'where?', delivery: { round: 0, posted: [] } });
    expect(question.id).toMatch(/^q[0-9a-f]{24}$/);
    expect(life.question(question.id)).toEqual(question);
    expect(life.openIds()).toEqual([question.id]);
    expect(life.threads()).toMatchObject([{ line: [question.id], followsReplies: true }]);
  });

  it('takes the same thing once, however often it is delivered', async () => {
    const { accept, request, life } = createLifeDesk();
    const same = request();
    const results = await Promise.all([accept(same), accept(same), accept(same)]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'duplicate', 'duplicate']);
    await life.run();
    expect((await accept(same)).kind).toBe('duplicate');
    await life.run();
    expect(life.upstream()).toHaveLength(1);
    expect(life.openIds()).toEqual([]);
  });

  it('takes up on the second delivery what a crash left of the first', async () => {
    const { accept, request, life } = createLifeDesk({ faults: { write: [undefined, crash('no')] } });
    const same = request();
    await expect(accept(same)).rejects.toBeInstanceOf(Crash);
    // It was stored but never confirmed, so nobody was told that it was taken.
    expect((await accept(same)).kind).toBe('accepted');
    expect((await accept(same)).kind).toBe('duplicate');
    await life.run();
    expect(life.upstream()).toHaveLength(1);
  });

  it('takes a stored question although its place in line could not be had', async () => {
    const { accept, request, life } = createLifeDesk({ faults: { write: [undefined, undefined, failing('storage')] } });
    expect((await accept(request())).kind).toBe('accepted');
    await life.run();
    expect(life.upstream()).toHaveLength(1);
    expect(life.threads()).toMatchObject([{ line: [], followsReplies: true }]);
  });

  it('throws, and has taken nothing, where storage is down', async () => {
    const { accept, request, life } = createLifeDesk({ faults: { write: [failing('storage')] } });
    await expect(accept(request())).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.posted).toEqual([]);
  });

  it('forgets without a trace what was stored but could not be confirmed', async () => {
    const { accept, request, life } = createLifeDesk({ faults: { write: [undefined, failing('storage')] } });
    await expect(accept(request())).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.posted).toEqual([]);
    expect(life.upstream()).toEqual([]);
  });

  it('does not take a question that was stored too late to say so', async () => {
    const { accept, request, life } = createLifeDesk();
    await expect(accept(request(), 0)).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.posted).toEqual([]);
  });

  it('refuses more than a line holds, but knows what it took before', async () => {
    const { accept, request, life } = createLifeDesk({ settings: { threadLimit: 2 } });
    const first = request();
    expect((await accept(first)).kind).toBe('accepted');
    expect((await accept(request())).kind).toBe('accepted');
    expect(await accept(request())).toEqual({ kind: 'lineFull', limit: 2 });
    expect((await accept(first)).kind).toBe('duplicate');
    await life.run();
    expect((await accept(request())).kind).toBe('accepted');
    expect((await accept(request())).kind).toBe('accepted');
    // Its thread is full again with others: a late delivery is still not news.
    expect((await accept(first)).kind).toBe('duplicate');
  });

  it('does not limit commands, which begin threads of their own', async () => {
    const { ask, life } = createLifeDesk({ settings: { threadLimit: 1 } });
    const place = { teamId: 'T1', channelId: 'C1' };
    await ask({ place, origin: 'command' });
    await ask({ place, origin: 'command' });
    await life.run();
    expect(life.upstream()).toHaveLength(2);
    expect(life.threads().every(({ followsReplies, line }) => followsReplies && line.length === 0)).toBe(true);
  });

  it('lets a thread that people began follow no plain replies', async () => {
    const { ask, life } = createLifeDesk();
    await ask({ beginsThread: false });
    expect(life.threads()).toMatchObject([{ followsReplies: false }]);
    await ask({ beginsThread: true });
    expect(life.threads()).toMatchObject([{ followsReplies: true }]);
  });
});

describe('an offer that was called not taken', () => {
  it('is forgotten for what is asked in its place', async () => {
    const { life, accept, request } = createLifeDesk();
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
