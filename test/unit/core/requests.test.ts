import { describe, expect, it } from 'vitest';
import { threadQuestion } from '../../../src/core/question/prompt.ts';
import { buttonUser, createCoreHarness, failing, thread } from '../../support/lifecycle/core-harness.ts';
import { withPostPart } from '../../support/lifecycle/with-post-part.ts';

const elsewhere = { ...buttonUser, channelId: 'C2' };
const foreigner = { ...buttonUser, teamId: 'T2' };

/** A lifecycle with one question that has ended in the given way. */
async function withEnded(ends: 'completed' | 'failed') {
  const harness = createCoreHarness({ work: { takesMs: 2_000, ends } });
  const { id } = await harness.ask();
  await harness.life.run();
  return { ...harness, id };
}

describe('a button in a place other than the question’s', () => {
  it.each([elsewhere, foreigner])('does nothing for %j', async (where) => {
    const { id, life, requests } = await withEnded('completed');
    const before = life.question(id);
    expect(await requests.followUp(id, 0, where)).toEqual({ kind: 'expired' });
    expect(await requests.askAgain(id, where)).toEqual({ kind: 'expired' });
    expect(await requests.checkAgain(id, where)).toEqual({ kind: 'expired' });
    expect(await requests.askIn(id, { teamId: 'T2', channelId: 'D1' }, where)).toEqual({ kind: 'expired' });
    expect(await requests.cancelQuestion(id, where)).toEqual({ kind: 'nothing' });
    expect(await requests.findQuestion(id, where)).toBeUndefined();
    expect(life.question(id)).toEqual(before);
    expect(life.questions()).toHaveLength(1);
  });

  it('does nothing for a question that is not known', async () => {
    const { requests } = createCoreHarness();
    const id = `q${'0'.repeat(24)}`;
    expect(await requests.followUp(id, 0, buttonUser)).toEqual({ kind: 'expired' });
    expect(await requests.cancelQuestion(id, buttonUser)).toEqual({ kind: 'nothing' });
  });
});

describe('asking a follow-up', () => {
  it('asks it as a question of the person who presses the button, in the same conversation', async () => {
    const { id, life, requests } = await withEnded('completed');
    const result = await requests.followUp(id, 1, buttonUser);
    expect(result).toMatchObject({ kind: 'accepted', question: { text: 'Why?', askerId: 'U9', origin: 'followUp' } });
    await life.run();
    expect(life.upstream()).toHaveLength(2);
    expect(new Set(life.upstream().map(({ conversationId }) => conversationId)).size).toBe(1);
  });

  it('counts two presses as one question, also at the same moment', async () => {
    const { id, life, requests } = await withEnded('completed');
    const both = await Promise.all([
      requests.followUp(id, 0, buttonUser),
      requests.followUp(id, 0, { ...buttonUser, userId: 'U8' }),
    ]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'duplicate']);
    await life.run();
    expect((await requests.followUp(id, 0, buttonUser)).kind).toBe('duplicate');
    expect(life.upstream()).toHaveLength(2);
  });

  it.each([2, -1, 99])('finds no follow-up with the number %i', async (index) => {
    const { id, requests } = await withEnded('completed');
    expect(await requests.followUp(id, index, buttonUser)).toEqual({ kind: 'expired' });
  });

  it('finds no follow-ups while the question runs, nor where it failed', async () => {
    const { id, requests } = await withEnded('failed');
    expect(await requests.followUp(id, 0, buttonUser)).toEqual({ kind: 'expired' });
  });
});

describe('asking again', () => {
  it('asks once, and only after the end', async () => {
    const { ask, life, requests } = createCoreHarness({ work: { takesMs: 2_000, ends: 'failed' } });
    const { id } = await ask({ text: 'where?' });
    expect(await requests.askAgain(id, buttonUser)).toEqual({ kind: 'expired' });
    await life.run();
    const both = await Promise.all([requests.askAgain(id, buttonUser), requests.askAgain(id, buttonUser)]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'duplicate']);
    await life.run();
    expect(life.upstream().map(({ text }) => text)).toEqual(['where?', 'where?']);
  });

  it('can start a new conversation', async () => {
    const { id, life, requests } = await withEnded('failed');
    await requests.askAgain(id, buttonUser, { fresh: true });
    await life.run();
    expect(new Set(life.upstream().map(({ conversationId }) => conversationId)).size).toBe(2);
  });

  it('starts a command again where the command could not be shown', async () => {
    const { ask, life, requests } = createCoreHarness({ faults: { postCard: [failing('undeliverable')] } });
    const { id } = await ask({ place: { teamId: 'T1', channelId: 'C1' }, origin: 'command' });
    await life.run();
    expect(await requests.askAgain(id, buttonUser)).toMatchObject({
      kind: 'accepted',
      question: { origin: 'command', beginsThread: true },
    });
    await life.run();
    expect(life.upstream()).toHaveLength(1);
  });
});

describe('asking in another place', () => {
  it('asks once in each place', async () => {
    const { ask, life, requests } = createCoreHarness({ faults: { postCard: [failing('undeliverable')] } });
    const { id, text } = await ask({ place: { teamId: 'T1', channelId: 'C1' }, origin: 'command' });
    await life.run();
    const place = { teamId: 'T1', channelId: 'D1' };
    expect((await requests.askIn(id, place, buttonUser)).kind).toBe('accepted');
    expect((await requests.askIn(id, place, buttonUser)).kind).toBe('duplicate');
    await life.run();
    expect(life.upstream().map((asked) => asked.text)).toEqual([text]);
    expect(life.posted.every(({ channelId }) => channelId === 'D1')).toBe(true);
  });
});

describe('a cancellation', () => {
  it.each([0, 1_000, 2_500, 5_000])(
    '%i ms after asking ends the question, and stops it at the service',
    async (afterMs) => {
      const { ask, life, requests } = createCoreHarness({ work: { takesMs: 30_000, ends: 'completed' } });
      const { id } = await ask();
      await life.run(life.startMs + afterMs);
      expect(await requests.cancelQuestion(id, buttonUser)).toEqual({ kind: 'cancelling' });
      expect(await requests.cancelQuestion(id, { ...buttonUser, userId: 'U8' })).toEqual({ kind: 'cancelling' });
      await life.run();
      const question = life.question(id);
      expect(question.outcome).toEqual({ kind: 'cancelled' });
      expect(question.cancel?.byUserId).toBe('U9');
      expect(life.messagesOf(question, 'card')[0]?.view).toEqual({ kind: 'cancelled', byUserId: 'U9' });
      expect(life.messagesOf(question, 'part')).toHaveLength(0);
      expect(life.upstream().every(({ state }) => state === 'cancelled')).toBe(true);
      expect(life.now() - life.startMs).toBeLessThan(30_000);
    },
  );

  it('leaves the conversation usable for the next question', async () => {
    const { ask, life, requests } = createCoreHarness({ work: { takesMs: 9_000, ends: 'completed' } });
    const { id } = await ask();
    await life.run(life.startMs + 3_000);
    await requests.cancelQuestion(id, buttonUser);
    await life.run();
    const next = await ask();
    await life.run();
    expect(life.question(next.id).outcome?.kind).toBe('answered');
    expect(new Set(life.upstream().map(({ conversationId }) => conversationId)).size).toBe(1);
  });

  it('reports after the end what the end was', async () => {
    const answered = await withEnded('completed');
    expect(await answered.requests.cancelQuestion(answered.id, buttonUser)).toEqual({ kind: 'answered' });
    const failed = await withEnded('failed');
    expect(await failed.requests.cancelQuestion(failed.id, buttonUser)).toEqual({ kind: 'nothing' });
  });

  it('that comes after the answer lets it stand, and the person who cancels is told at this and every later press', async () => {
    const { ask, life, requests } = createCoreHarness({ work: { takesMs: 5_000, ends: 'completed' } });
    const { id } = await ask();
    await life.run(life.startMs + 4_999);
    life.at(5_000, async () => {
      expect(await requests.cancelQuestion(id, buttonUser)).toEqual({ kind: 'cancelling' });
    });
    await life.run();
    const question = life.question(id);
    expect(question.outcome?.kind).toBe('answered');
    expect(life.messagesOf(question, 'part')).toHaveLength(1);
    expect(life.privateMessages).toEqual([{ questionId: id, userId: 'U9', notice: { kind: 'answeredBeforeCancel' } }]);
    expect(await requests.cancelQuestion(id, buttonUser)).toEqual({ kind: 'answered' });
  });

  it('that the service never confirms still ends the question', async () => {
    const { ask, life, requests } = createCoreHarness({ work: { takesMs: 600_000, ends: 'completed' } });
    life.deepSearch.cancel = async () => undefined;
    const { id } = await ask();
    await life.run(life.startMs + 2_000);
    await requests.cancelQuestion(id, buttonUser);
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'cancelled' });
    expect(life.now() - life.startMs).toBeLessThan(45_000);
  });

  it('in a thread applies to the question that is first in its queue', async () => {
    const { ask, life, requests } = createCoreHarness({ work: { takesMs: 9_000, ends: 'completed' } });
    const [first, second] = [await ask(), await ask()];
    await life.run(life.startMs + 3_000);
    expect(await requests.cancelInThread(thread, 'U9', 'said once')).toEqual({ kind: 'cancelling' });
    await life.run();
    expect(life.question(first.id).outcome?.kind).toBe('cancelled');
    expect(life.question(second.id).outcome?.kind).toBe('answered');
    expect(await requests.cancelInThread(thread, 'U9', 'said later')).toEqual({ kind: 'nothing' });
    expect(await requests.cancelInThread({ ...thread, threadTs: '1.000001' }, 'U9', 'elsewhere')).toEqual({
      kind: 'nothing',
    });
  });
});

describe('a cancellation in a thread that is delivered again', () => {
  it('does not touch the next question', async () => {
    const { ask, life, requests } = createCoreHarness({ work: { takesMs: 9_000, ends: 'completed' } });
    const [first, second] = [await ask(), await ask()];
    await life.run(life.startMs + 3_000);
    await requests.cancelInThread(thread, 'U9', 'the same message');
    await life.run(life.startMs + 9_000);
    expect(await requests.cancelInThread(thread, 'U9', 'the same message')).toEqual({ kind: 'nothing' });
    await life.run();
    expect(life.question(first.id).outcome?.kind).toBe('cancelled');
    expect(life.question(second.id).outcome?.kind).toBe('answered');
  });
});

describe('asking again, where the question could not be shown,', () => {
  const command = { place: { teamId: 'T1', channelId: 'C1' }, origin: 'command' } as const;

  it('finds the newest attempt, and works only from the direct messages of the asker', async () => {
    const refusal = failing('undeliverable', { invitationHelps: true });
    const { ask, life, requests } = createCoreHarness({ faults: { postCard: [refusal, refusal] } });
    const first = await ask(command);
    await life.run();
    const fromHome = { userId: 'U1', teamId: 'T1', channelId: 'D1' };
    expect((await requests.askAgain(first.id, { ...fromHome, userId: 'U2' })).kind).toBe('expired');
    expect((await requests.askAgain(first.id, fromHome, { responseUrl: 'https://example.com/' })).kind).toBe(
      'accepted',
    );
    await life.run();
    expect(life.privateMessages).toHaveLength(2);
    expect((await requests.askAgain(first.id, fromHome)).kind).toBe('accepted');
    await life.run();
    expect(life.upstream()).toHaveLength(1);
    expect((await requests.askAgain(first.id, fromHome)).kind).toBe('duplicate');
  });
});

describe('checking again', () => {
  const work = { takesMs: 20 * 60_000, ends: 'completed' } as const;

  it('does nothing for a question that ended in another way', async () => {
    const { id, requests } = await withEnded('completed');
    expect(await requests.checkAgain(id, buttonUser)).toEqual({ kind: 'expired' });
  });

  it('counts two presses as one', async () => {
    const { ask, life, requests } = createCoreHarness({ work });
    const { id } = await ask();
    await life.run();
    await Promise.all([requests.checkAgain(id, buttonUser), requests.checkAgain(id, buttonUser)]);
    await life.run();
    const question = life.question(id);
    expect(question.outcome?.kind).toBe('answered');
    expect(question.delivery.round).toBe(1);
    expect(life.messagesOf(question, 'part')).toHaveLength(2);
  });

  // The button can be pressed as soon as its message is posted, at any operation of the run that still goes on.
  it.each(Array.from({ length: 24 }, (_, index) => index))(
    'is not lost when it comes %i microtasks after its button was posted, and the answer comes once',
    async (runSlots) => {
      const { ask, life, requests } = createCoreHarness({ work });
      let action: Promise<unknown> | undefined;
      let listedMeanwhile: boolean | undefined;
      const { id } = await ask();
      life.ports.messenger.prepare = withPostPart(life.ports.messenger, (postPart) => async (...args) => {
        const posted = await postPart(...args);
        action ??= (async () => {
          for (let slot = 0; slot < runSlots; slot += 1) await Promise.resolve();
          await requests.checkAgain(id, buttonUser);
          // Long enough for that run to end.
          for (let slot = 0; slot < 200; slot += 1) await Promise.resolve();
          listedMeanwhile = life.openIds().includes(id);
        })();
        return posted;
      });
      await life.run();
      await action;
      const question = life.question(id);
      expect(listedMeanwhile).toBe(true);
      expect(question).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' } });
      expect(life.messagesOf(question, 'part').map(({ marker }) => marker)).toEqual(['part 0.0', 'part 1.0']);
      expect(life.messagesOf(question, 'card')[0]?.view?.kind).toBe('answered');
      expect(life.openIds()).toEqual([]);
      expect(life.violations).toEqual([]);
    },
  );
});

describe('a cancellation in a thread, by a person who may cancel only their own questions,', () => {
  it('cancels the first question of that person, and no other', async () => {
    const { ask, life, requests } = createCoreHarness({ work: { takesMs: 9_000, ends: 'completed' } });
    const [first, own, ownToo] = [await ask(), await ask({ askerId: 'U2' }), await ask({ askerId: 'U2' })];
    await life.run(life.startMs + 3_000);
    const mine = { ownOnly: true };
    expect(await requests.cancelInThread(thread, 'U3', 'by another', mine)).toEqual({ kind: 'nothing' });
    expect(await requests.cancelInThread(thread, 'U2', 'said once', mine)).toEqual({ kind: 'cancelling' });
    await life.run(life.startMs + 4_000);
    await requests.cancelInThread(thread, 'U2', 'said once', mine);
    await life.run();
    expect([first, own, ownToo].map(({ id }) => life.question(id).outcome?.kind)).toEqual([
      'answered',
      'cancelled',
      'answered',
    ]);
  });
});

describe('a request that comes too late for Slack', () => {
  const work = { takesMs: 20 * 60_000, ends: 'completed' } as const;

  it('is not asked', async () => {
    const { id, life, requests } = await withEnded('failed');
    const byMs = life.now() - 1;
    const place = { teamId: 'T1', channelId: 'D1' };
    await expect(requests.askAgain(id, buttonUser, { byMs })).rejects.toMatchObject({ kind: 'storage' });
    await expect(requests.askIn(id, place, buttonUser, byMs)).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.upstream()).toHaveLength(1);
  });

  it('is not watched again, but can be later', async () => {
    const { ask, life, requests } = createCoreHarness({ work });
    const { id } = await ask();
    await life.run();
    await expect(requests.checkAgain(id, buttonUser, life.now() - 1)).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('gaveUp');
    expect((await requests.checkAgain(id, buttonUser)).kind).toBe('accepted');
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
  });
});

describe('the edited version of a question', () => {
  it('can be asked again and is found by its message where it was cancelled before the service was asked', async () => {
    const { ask, requests } = createCoreHarness();
    const { id } = await ask({ key: 'the message' });
    await requests.noteEdit('the message', { text: 'better words?', atMs: 1 });
    const first = await requests.askEdited(id, buttonUser);
    if (first.result.kind !== 'accepted') throw new Error(first.result.kind);
    await requests.cancelQuestion(first.result.question.id, buttonUser);
    const second = await requests.askEdited(id, buttonUser);
    expect(second.result).toMatchObject({ kind: 'accepted', question: { text: 'better words?' } });
    const newest = await requests.startedBy('the message');
    expect(second.result).toMatchObject({ question: { id: newest?.id } });
  });
});

describe('a request that comes late or in a chain', () => {
  it('leads from the message to its newest version, over a version that was never tried', async () => {
    const { life, requests, ask, request } = createCoreHarness({ work: { takesMs: 600_000, ends: 'completed' } });
    await ask();
    const asked = request({ key: 'message', askerId: buttonUser.userId });
    const { id } = await ask(asked);
    await life.run(life.startMs + 2_000);
    await requests.noteEdit('message', { text: 'second', atMs: 1 });
    const { result } = await requests.askEdited(id, buttonUser);
    await requests.cancelQuestion(id, buttonUser);
    await requests.noteEdit('message', { text: 'third', atMs: 2 });
    const second = result.kind === 'accepted' ? result.question.id : '';
    await requests.askEdited(second, buttonUser);
    await requests.cancelForGood(second, buttonUser.userId);
    expect((await requests.startedBy('message'))?.text).toBe('third');
    expect(await requests.askEdited(id, buttonUser)).toMatchObject({ result: { kind: 'duplicate' } });
  });

  it('asks nothing for a mention without text that has no thread', async () => {
    const { life, requests, ask } = createCoreHarness();
    life.refusedUsers.add(buttonUser.userId);
    const { id } = await ask({ text: threadQuestion, askerId: buttonUser.userId });
    await life.run();
    const direct = { teamId: 'T1', channelId: 'D1' };
    expect(await requests.askIn(id, direct, buttonUser)).toEqual({ kind: 'expired' });
  });

  it('cancels nothing that was reported as not accepted', async () => {
    const { life, requests, ask } = createCoreHarness({ work: { takesMs: 60_000, ends: 'completed' } });
    const { id } = await ask();
    await life.run(life.startMs + 2_000);
    await expect(requests.cancelQuestion(id, buttonUser, life.startMs)).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
  });
});
