import { describe, expect, it } from 'vitest';
import { questionId } from '../../../src/core/intake/accept.ts';
import type { MentionEdit } from '../../../src/core/intake/added-mentions.ts';
import { addedMentionType } from '../../../src/storage/brief-records.ts';
import { buttonUser, createCoreHarness, digestOf, thread } from '../../support/lifecycle/core-harness.ts';

const author = { ...buttonUser, userId: 'U1' };
const id = questionId(digestOf, 'm');
const mention: MentionEdit = {
  version: 1,
  place: thread,
  userId: 'U1',
  ts: '1700000000.000002',
  text: 'where is it?',
  files: [],
  atMs: 1_000,
};
/** The same message after a later edit. */
const changed: MentionEdit = {
  ...mention,
  text: 'and now?',
  files: [{ id: 'F1', name: 'a.log', type: 'text/plain', bytes: 1 }],
  atMs: 2_000,
};
const request = { place: thread, askerId: 'U1', text: mention.text, origin: 'mention' } as const;

describe('a mention that an edit added', () => {
  it('is told of once for each edit that adds it, and kept as it is now', async () => {
    const { requests } = createCoreHarness();
    expect(await requests.noteMention('m', mention, 'first')).toBe(id);
    expect(await requests.noteMention('m', mention, 'second')).toBeUndefined();
    expect(await requests.noteMention('m', changed, 'third')).toBe(id);
    expect(await requests.noteMention('m', changed, 'fourth')).toBeUndefined();
    expect(await requests.noteMention('m', mention, 'fifth')).toBeUndefined();
    expect(await requests.findMention(id, author)).toEqual(changed);
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
    const { requests, life } = createCoreHarness();
    await requests.noteMention('m', mention, 'first');
    await requests.changeMention('m', changed);
    await requests.changeMention('other', changed);
    expect(await requests.findMention(id, author)).toEqual(changed);
    const otherId = questionId(digestOf, 'other');
    expect(await requests.findMention(otherId, author)).toBeUndefined();
    expect(await life.ports.addedMentions.get(otherId)).toMatchObject({ text: '', files: [] });
  });

  it('keeps its latest text when older edits are delivered late', async () => {
    const { requests } = createCoreHarness();
    await requests.noteMention('m', mention, 'first');
    await requests.changeMention('m', { ...changed, text: 'the latest?', atMs: 3_000 });
    await requests.changeMention('m', changed);
    expect(await requests.noteMention('m', mention, 'second')).toBeUndefined();
    await requests.takeMentionBack('m', changed);
    expect(await requests.findMention(id, author)).toMatchObject({ text: 'the latest?', atMs: 3_000 });
  });

  it('stays taken back when older edits are delivered late', async () => {
    const { requests, life } = createCoreHarness();
    await requests.noteMention('m', mention, 'first');
    await requests.takeMentionBack('m', { ...mention, atMs: 3_000 });
    expect(await requests.noteMention('m', mention, 'second')).toBeUndefined();
    await requests.changeMention('m', changed);
    expect(await requests.findMention(id, author)).toBeUndefined();
    expect(await life.ports.addedMentions.get(id)).toMatchObject({ text: '', files: [], atMs: 3_000 });
  });

  it.each(['changeMention', 'takeMentionBack'] as const)('is not offered after a newer %s was first', async (newer) => {
    const { requests } = createCoreHarness();
    await requests[newer]('m', changed);
    expect(await requests.noteMention('m', mention, 'first')).toBeUndefined();
    expect(await requests.findMention(id, author)).toBeUndefined();
    const again = { ...mention, atMs: 3_000 };
    expect(await requests.noteMention('m', again, 'second')).toBe(id);
    expect(await requests.findMention(id, author)).toEqual(again);
  });

  it('from an earlier version, without a time, is changed by every edit', async () => {
    const { requests, life } = createCoreHarness();
    const { atMs: _, ...earlier } = mention;
    await life.ports.addedMentions.update(id, () => earlier);
    await requests.changeMention('m', changed);
    expect(await requests.findMention(id, author)).toEqual(changed);
  });

  it('that is taken back leaves none of its words, until it is added again', async () => {
    const { requests, life } = createCoreHarness();
    await requests.noteMention('m', mention, 'first');
    await requests.takeMentionBack('m', changed);
    expect(await life.ports.addedMentions.get(id)).toMatchObject({ text: '', isTakenBack: true });
    expect(await requests.findMention(id, author)).toBeUndefined();
    const again = { ...mention, atMs: 3_000 };
    await requests.noteMention('m', again, 'second');
    expect(await requests.findMention(id, author)).toEqual(again);
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
    const { atMs: _, ...earlier } = mention;
    expect(addedMentionType.format.decode('k', addedMentionType.format.encode('k', earlier))).toEqual(earlier);
    expect(addedMentionType.ttlMs).toBe(24 * 60 * 60 * 1_000);
  });
});
