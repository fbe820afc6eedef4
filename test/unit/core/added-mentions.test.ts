import { describe, expect, it } from 'vitest';
import { questionId } from '../../../src/core/intake/accept.ts';
import type { AddedMention } from '../../../src/core/intake/added-mentions.ts';
import { addedMentionType } from '../../../src/storage/brief-records.ts';
import { buttonUser, createCoreHarness, digestOf, thread } from '../../support/lifecycle/core-harness.ts';

const author = { ...buttonUser, userId: 'U1' };
const id = questionId(digestOf, 'm');
const mention: AddedMention = {
  version: 1,
  place: thread,
  userId: 'U1',
  ts: '1700000000.000002',
  text: 'where is it?',
  files: [],
};
const request = { place: thread, askerId: 'U1', text: mention.text, origin: 'mention' } as const;

describe('a mention that an edit added', () => {
  it('is told of once, and kept as it is now', async () => {
    const { requests } = createCoreHarness();
    expect(await requests.noteMention('m', mention, 'first')).toBe(id);
    expect(await requests.noteMention('m', { ...mention, text: 'and now?' }, 'second')).toBeUndefined();
    expect(await requests.findMention(id, author)).toEqual({ ...mention, text: 'and now?' });
  });

  it('is found by its author in its place alone', async () => {
    const { requests } = createCoreHarness();
    await requests.noteMention('m', mention, 'first');
    for (const where of [buttonUser, { ...author, channelId: 'C2' }, { ...author, teamId: 'T2' }]) {
      expect(await requests.findMention(id, where)).toBeUndefined();
    }
    expect(await requests.findMention(questionId(digestOf, 'other'), author)).toBeUndefined();
  });

  it('follows the edits of its message, and another message is not kept by an edit', async () => {
    const { requests } = createCoreHarness();
    await requests.noteMention('m', mention, 'first');
    const change = { text: 'and now?', files: [{ id: 'F1', name: 'a.log', type: 'text/plain', bytes: 1 }] };
    await requests.changeMention('m', change);
    await requests.changeMention('other', change);
    expect(await requests.findMention(id, author)).toEqual({ ...mention, ...change });
    expect(await requests.findMention(questionId(digestOf, 'other'), author)).toBeUndefined();
  });

  it('that is taken back leaves none of its words, until it is added again', async () => {
    const { requests, life } = createCoreHarness();
    await requests.takeMentionBack('m');
    expect(await life.ports.addedMentions.get(id)).toBeUndefined();
    await requests.noteMention('m', mention, 'first');
    await requests.takeMentionBack('m');
    expect(await life.ports.addedMentions.get(id)).toMatchObject({ text: '', isTakenBack: true });
    expect(await requests.findMention(id, author)).toBeUndefined();
    await requests.noteMention('m', mention, 'second');
    expect(await requests.findMention(id, author)).toEqual(mention);
  });

  it('is asked once, as the question that its message starts', async () => {
    const { requests, life } = createCoreHarness();
    const both = await Promise.all([requests.askMention('m', request), requests.askMention('m', request)]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'duplicate']);
    expect((await requests.startedBy('m'))?.id).toBe(id);
    await life.run();
    expect((await requests.askMention('m', request)).kind).toBe('duplicate');
    expect(life.upstream()).toHaveLength(1);
  });

  it('is asked again after it was withdrawn unasked, and is what its message started then', async () => {
    const { requests, life } = createCoreHarness();
    await requests.askMention('m', request);
    await requests.cancel(id, author);
    const again = await requests.askMention('m', request);
    if (again.kind !== 'accepted') throw new Error(again.kind);
    expect((await requests.startedBy('m'))?.id).toBe(again.question.id);
    await requests.cancelStartedBy('m');
    await life.run();
    expect(life.questions().map(({ outcome }) => outcome?.kind)).toEqual(['cancelled', 'cancelled']);
  });

  it('too late for Slack is not taken', async () => {
    const { requests, life } = createCoreHarness();
    await expect(requests.askMention('m', request, life.now() - 1)).rejects.toMatchObject({ kind: 'storage' });
  });

  it('is kept for a day', () => {
    const stored = addedMentionType.format.decode('k', addedMentionType.format.encode('k', mention));
    expect(stored).toEqual(mention);
    expect(addedMentionType.ttlMs).toBe(24 * 60 * 60 * 1_000);
  });
});
