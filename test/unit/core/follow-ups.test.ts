import { describe, expect, it } from 'vitest';
import type { Place, Question } from '../../../src/core/question/question.ts';
import { buttonUser, createCoreHarness, thread } from '../../support/lifecycle/core-harness.ts';

const direct: Place = { teamId: 'T1', channelId: 'D9' };
const other = { ...buttonUser, userId: 'U8' };

/** A question of U1 whose answer has two follow-ups. */
async function answeredDesk(change: Partial<Question> = {}) {
  const harness = createCoreHarness();
  const question = await harness.ask();
  const { questions } = harness.life.ports;
  const answer = {
    title: 'A title',
    markdown: '',
    sources: [],
    followUps: ['What calls it?', 'Where is it tested?'],
    durationMs: 1,
    steps: 1,
  };
  await questions.update(question.id, (stored) => ({
    ...stored,
    phase: 'closed',
    outcome: { kind: 'answered', answer },
    upstream: { ...stored.upstream, shareUrl: 'https://search.example.com/deepsearch/abc' },
    ...change,
  }));
  return { ...harness, id: question.id, text: question.text, stored: () => questions.get(question.id) };
}

type Harness = Awaited<ReturnType<typeof answeredDesk>>;

describe('a follow-up', () => {
  it('is asked once, with any spelling of its text', async () => {
    const { requests, id } = await answeredDesk();
    const first = await requests.followUp(id, 0, buttonUser, { text: 'What calls it in tests?' });
    expect(first).toMatchObject({
      kind: 'accepted',
      question: { text: 'What calls it in tests?', askerId: 'U9', origin: 'followUp', place: thread },
    });
    expect(await requests.followUp(id, 0, other)).toMatchObject({ kind: 'duplicate', question: { askerId: 'U9' } });
    expect(await requests.followUp(id, 1, other)).toMatchObject({ kind: 'accepted' });
    expect(await requests.followUp(id, 2, other)).toEqual({ kind: 'expired' });
  });

  it('asked privately is a separate conversation, once per person, that knows its previous question', async () => {
    const { requests, id, text } = await answeredDesk();
    const first = await requests.followUpPrivately(id, 0, direct, buttonUser);
    expect(first).toMatchObject({
      kind: 'accepted',
      question: {
        text: 'What calls it?',
        place: direct,
        beginsThread: true,
        follows: { text, shareUrl: 'https://search.example.com/deepsearch/abc' },
      },
    });
    expect(await requests.followUpPrivately(id, 0, direct, buttonUser)).toMatchObject({ kind: 'duplicate' });
    expect(await requests.followUpPrivately(id, 0, direct, other, { text: 'In other words?' })).toMatchObject({
      kind: 'accepted',
      question: { text: 'In other words?' },
    });
    expect(await requests.followUp(id, 0, buttonUser)).toMatchObject({ kind: 'accepted' });
  });

  it('cannot be asked from another place', async () => {
    const { requests, id } = await answeredDesk();
    const elsewhere = { ...buttonUser, channelId: 'C2' };
    expect(await requests.followUp(id, 0, elsewhere)).toEqual({ kind: 'expired' });
    expect(await requests.followUpPrivately(id, 0, direct, elsewhere)).toEqual({ kind: 'expired' });
  });

  it.each<[string, Partial<Question>]>([
    ['waits for its asker to choose who sees it', { phase: 'delivering', access: 'own', showing: { askedMs: 1 } }],
    ['is for its asker only', { access: 'own', showing: { choice: 'onlyMe', by: 'asker' } }],
    ['is private in its channel', { answersPrivately: true }],
  ])('cannot be asked by another person while the answer %s', async (_, change) => {
    const { requests, id } = await answeredDesk(change);
    expect(await requests.followUp(id, 0, buttonUser)).toEqual({ kind: 'expired' });
    expect(await requests.followUp(id, 0, buttonUser, { text: 'In other words?' })).toEqual({ kind: 'expired' });
    expect(await requests.followUpPrivately(id, 0, direct, buttonUser)).toEqual({ kind: 'expired' });
    expect(await requests.followUpPrivately(id, 0, direct, { ...buttonUser, userId: 'U1' })).toMatchObject({
      kind: 'accepted',
    });
  });

  it('remembers who asked it first', async () => {
    const { requests, id, stored } = await answeredDesk();
    await Promise.all([requests.markUsed(id, 0, 'U9'), requests.markUsed(id, 1, 'U8')]);
    expect(await requests.markUsed(id, 0, 'U7')).toBeUndefined();
    expect((await stored())?.usedFollowUps?.toSorted((a, b) => a.index - b.index)).toEqual([
      { index: 0, byUserId: 'U9' },
      { index: 1, byUserId: 'U8' },
    ]);
    expect(await requests.markUsed('q000000000000000000000000', 0, 'U9')).toBeUndefined();
  });

  it('remembers who asked its question again first', async () => {
    const { requests, id, stored } = await answeredDesk();
    expect(await requests.markAskedAgain(id, 'U9')).toMatchObject({ id, askedAgain: { byUserId: 'U9' } });
    expect(await requests.markAskedAgain(id, 'U8')).toBeUndefined();
    expect((await stored())?.askedAgain).toEqual({ byUserId: 'U9' });
  });
});

describe('a follow-up that was cancelled before the service was asked', () => {
  it('can be asked again by any person, and only once', async () => {
    const { requests, id, life } = await answeredDesk();
    const first = await requests.followUp(id, 0, buttonUser);
    if (first.kind !== 'accepted') throw new Error(first.kind);
    await requests.cancelQuestion(first.question.id, buttonUser);
    expect(await requests.followUp(id, 0, other, { text: 'In other words?' })).toMatchObject({
      kind: 'accepted',
      question: { askerId: 'U8', text: 'In other words?' },
    });
    expect(await requests.followUp(id, 0, buttonUser)).toMatchObject({
      kind: 'duplicate',
      question: { askerId: 'U8' },
    });
    await life.run();
    expect(life.upstream().map(({ text }) => text)).toContain('In other words?');
    expect(life.upstream().map(({ text }) => text)).not.toContain('What calls it?');
  });

  it('can be asked and cancelled again any number of times', async () => {
    const { requests, id } = await answeredDesk();
    for (let times = 0; times < 5; times += 1) {
      const asked = await requests.followUpPrivately(id, 0, direct, buttonUser);
      if (asked.kind !== 'accepted') throw new Error(asked.kind);
      await requests.cancelQuestion(asked.question.id, { ...buttonUser, channelId: direct.channelId });
    }
    expect(await requests.followUpPrivately(id, 0, direct, buttonUser)).toMatchObject({ kind: 'accepted' });
  });

  it('is not asked again once the service was asked', async () => {
    const { requests, id, life } = await answeredDesk();
    const first = await requests.followUp(id, 0, buttonUser);
    if (first.kind !== 'accepted') throw new Error(first.kind);
    await life.run();
    await requests.cancelQuestion(first.question.id, buttonUser);
    expect((await requests.followUp(id, 0, other)).kind).toBe('duplicate');
  });

  it.each([
    ['as it is', (harness: Harness, byMs: number) => harness.requests.followUp(harness.id, 0, buttonUser, { byMs })],
    [
      'privately',
      (harness: Harness, byMs: number) =>
        harness.requests.followUpPrivately(harness.id, 0, direct, buttonUser, { byMs }),
    ],
  ])('is not asked where it is too late, %s', async (_name, ask) => {
    const harness = await answeredDesk();
    await expect(ask(harness, harness.life.now() - 1)).rejects.toMatchObject({ kind: 'storage' });
    await harness.life.run();
    expect(harness.life.upstream()).toEqual([]);
  });
});

describe('sharing an answer', () => {
  const confirmed: string[] = [];
  const place: Place = { teamId: 'T1', channelId: 'C7' };

  it('shows a person’s answer in another place, once per form', async () => {
    const { requests, id, text } = await answeredDesk();
    const sharing = { key: 'share:V1', userId: 'U1', place, withLink: true, confirmed };
    expect(await requests.shareAnswer(id, sharing)).toMatchObject({
      kind: 'accepted',
      question: { origin: 'shared', shares: { questionId: id, withLink: true }, text, place, beginsThread: false },
    });
    expect(await requests.shareAnswer(id, sharing)).toMatchObject({ kind: 'duplicate' });
  });

  it.each<[string, Partial<Question>, Partial<{ userId: string; place: Place }>]>([
    ['of another person', {}, { userId: 'U9' }],
    ['into another workspace', {}, { place: { teamId: 'T2', channelId: 'C7' } }],
    ['that is shared itself', { shares: { questionId: 'q000000000000000000000000', withLink: false, confirmed } }, {}],
    ['of a question that failed', { outcome: { kind: 'cancelled' } }, {}],
  ])('is refused for an answer %s', async (_name, change, sharing) => {
    const { requests, id } = await answeredDesk(change);
    const result = await requests.shareAnswer(id, {
      key: 'share:V1',
      userId: 'U1',
      place,
      withLink: false,
      confirmed,
      ...sharing,
    });
    expect(result).toEqual({ kind: 'expired' });
  });

  it('is never tried again unseen after it failed, and asks nothing elsewhere', async () => {
    const shares = { questionId: 'q000000000000000000000000', withLink: false, confirmed };
    const outcome = { kind: 'failed', failure: { cause: 'unreachable' } } as const;
    const { requests, id } = await answeredDesk({ shares, origin: 'shared', outcome });
    for (const userId of ['U1', 'U9']) {
      expect(await requests.askAgain(id, { ...buttonUser, userId })).toEqual({ kind: 'expired' });
      expect(await requests.askIn(id, direct, { ...buttonUser, userId })).toEqual({ kind: 'expired' });
    }
  });
});
