import { describe, expect, it } from 'vitest';
import type { NewQuestion } from '../../../src/core/intake/accept.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { buttonUser, crash, createCoreHarness, failing } from '../../support/lifecycle/core-harness.ts';
import { someAnswer, someMs } from '../../support/lifecycle/sample-questions.ts';

const cancel = { byUserId: 'U1', atMs: someMs };
const answered = { kind: 'answered', answer: someAnswer } as const;

/** A stored question that the message `m` asked with the text `before`, with the test's changes. */
async function asked(change: Partial<Question> = {}) {
  const harness = createCoreHarness({ settings: { threadLimit: 30 } });
  const { id } = await harness.ask({ key: 'm', text: 'before' });
  await harness.life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
  return { ...harness, id, stored: () => harness.life.question(id) };
}

describe('an edit of the message that asked', () => {
  it('is stored with the question as it is then', async () => {
    const { requests, stored } = await asked();
    const edit = { text: 'after', atMs: 5 };
    expect(await requests.noteEdit('m', edit)).toEqual({ kind: 'noted', question: stored() });
    expect(stored()).toMatchObject({ text: 'before', edited: edit });
  });

  it.each<[string, Partial<Question>, string, number]>([
    ['is delivered again', { edited: { text: 'after', atMs: 5 } }, 'after', 5],
    ['came before another one', { edited: { text: 'after', atMs: 5 } }, 'between', 4],
    ['is as old as another one', { edited: { text: 'after', atMs: 5 } }, 'other', 5],
    ['changes no word of the edited version', { edited: { text: 'after', atMs: 5 } }, 'after', 6],
    ['changes no word at all', {}, 'before', 5],
  ])('is recognized where it %s', async (_, change, text, atMs) => {
    const { requests, stored } = await asked(change);
    const before = stored();
    expect(await requests.noteEdit('m', { text, atMs })).toEqual({ kind: 'known' });
    expect(stored()).toEqual(before);
  });

  it('that restores the words that were asked removes the edit before', async () => {
    const { requests, stored } = await asked({ edited: { text: 'after', atMs: 5 } });
    expect(await requests.noteEdit('m', { text: 'before', atMs: 6 })).toEqual({ kind: 'known' });
    expect(stored()).not.toHaveProperty('edited');
  });

  it.each<[string, Partial<Question>]>([
    ['was answered', { outcome: answered }],
    ['is being cancelled', { cancel }],
  ])('comes too late for a question that %s', async (_, change) => {
    const { requests, stored } = await asked(change);
    const before = stored();
    expect(await requests.noteEdit('m', { text: 'after', atMs: 5 })).toEqual({ kind: 'ended' });
    expect(stored()).toEqual(before);
  });

  it('has no effect where the message asked nothing', async () => {
    const { requests } = await asked();
    expect(await requests.noteEdit('another', { text: 'after', atMs: 5 })).toEqual({ kind: 'nothing' });
  });
});

describe('asking the edited version', () => {
  const edited = { text: 'after', atMs: 5 };
  const belongings: Partial<Question> = {
    messageTs: '1700000000.000001',
    files: [{ id: 'F1', name: 'a.log', type: 'text/plain', bytes: 3 }],
    follows: { text: 'Where?' },
    readsThread: true,
    beginsThread: true,
  };

  it('asks it for the person who presses the button, with all that belongs to the question', async () => {
    const { requests, id } = await asked({ edited, ...belongings, fresh: true });
    expect(await requests.askEdited(id, buttonUser)).toMatchObject({
      cameLate: false,
      result: {
        kind: 'accepted',
        question: { text: 'after', askerId: 'U9', origin: 'retry', fresh: true, ...belongings },
      },
    });
  });

  it('adds nothing that did not belong to the question', async () => {
    const { requests, id } = await asked({ edited, beginsThread: false });
    const { result } = await requests.askEdited(id, buttonUser);
    if (result.kind !== 'accepted') throw new Error(result.kind);
    expect(result.question).toMatchObject({ beginsThread: false, fresh: false });
    for (const field of Object.keys(belongings)) {
      if (field !== 'beginsThread') expect(result.question).not.toHaveProperty(field);
    }
  });

  it('comes after the first answer', async () => {
    const { requests, id } = await asked({ edited, fresh: true, outcome: answered });
    expect(await requests.askEdited(id, buttonUser)).toMatchObject({
      cameLate: true,
      result: { kind: 'accepted', question: { fresh: false } },
    });
  });

  it('replaces a question that failed', async () => {
    const { requests, id } = await asked({ edited, fresh: true, outcome: { kind: 'gaveUp' } });
    expect(await requests.askEdited(id, buttonUser)).toMatchObject({
      cameLate: false,
      result: { question: { fresh: true } },
    });
  });

  it.each([
    ['without an edit', {}, buttonUser],
    ['from another place', { edited }, { ...buttonUser, channelId: 'C2' }],
  ])('is refused as too old %s', async (_, change, where) => {
    const { requests, id } = await asked(change);
    expect(await requests.askEdited(id, where)).toEqual({ result: { kind: 'expired' }, cameLate: false });
  });

  it('does nothing where it is too late for Slack', async () => {
    const { requests, id, life } = await asked({ edited });
    await expect(requests.askEdited(id, buttonUser, life.now() - 1)).rejects.toMatchObject({ kind: 'storage' });
  });

  it('happens once, and a later edit is one of the edited version', async () => {
    const { requests, id } = await asked({ edited });
    expect((await requests.askEdited(id, buttonUser)).result.kind).toBe('accepted');
    expect((await requests.askEdited(id, buttonUser)).result.kind).toBe('duplicate');
    const noted = await requests.noteEdit('m', { text: 'once more', atMs: 6 });
    if (noted.kind !== 'noted') throw new Error(noted.kind);
    expect(noted.question.text).toBe('after');
    expect((await requests.askEdited(noted.question.id, buttonUser)).result).toMatchObject({
      kind: 'accepted',
      question: { text: 'once more' },
    });
  });
});

describe('the question that a message started', () => {
  it('is the first version where its edited version was not asked', async () => {
    const { requests, id } = await asked({ edited: { text: 'after', atMs: 5 } });
    expect((await requests.startedBy('m'))?.id).toBe(id);
    expect(await requests.startedBy('another')).toBeUndefined();
  });

  it('is found through twenty versions, and the search ends in an endless chain of them', async () => {
    const { requests, id, life } = await asked();
    let newest = id;
    for (let version = 1; version <= 21; version += 1) {
      await life.ports.questions.update(newest, (stored) => ({
        ...stored,
        edited: { text: `version ${version}`, atMs: version },
      }));
      const { result } = await requests.askEdited(newest, buttonUser);
      if (result.kind !== 'accepted') throw new Error(result.kind);
      newest = result.question.id;
      expect((await requests.startedBy('m'))?.text).toBe(`version ${Math.min(version, 20)}`);
    }
  });
});

/** A question that runs for three seconds, and its edited version that was asked instead of it. */
async function replaced() {
  const harness = createCoreHarness({ work: { takesMs: 30_000, ends: 'completed' } });
  const { life, requests, ask } = harness;
  const { id } = await ask({ key: 'm', text: 'before', readsThread: false });
  await life.run(life.now() + 3_000);
  await requests.noteEdit('m', { text: 'after', atMs: 5 });
  const { result } = await requests.askEdited(id, buttonUser);
  if (result.kind !== 'accepted') throw new Error(result.kind);
  return { ...harness, id, versionId: result.question.id };
}

describe('a question instead of which its edited version was asked', () => {
  it.each(['no', 'yes'] as const)(
    'is cancelled for good, and the other one answered once, after a crash at any write (carried out: %s)',
    async (happens) => {
      for (let index = 0; index < 8; index += 1) {
        const { life, requests, plan, id, versionId } = await replaced();
        await requests.cancelForGood(id, buttonUser.userId);
        plan('write', [...Array.from({ length: index }, () => undefined), crash(happens)]);
        await life.run();
        expect(life.question(id), `write ${index}`).toMatchObject({
          outcome: { kind: 'cancelled' },
          cancel: { byUserId: buttonUser.userId, isFinal: true },
        });
        expect(life.question(versionId)).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' } });
        expect(life.upstream().map(({ text }) => text)).toEqual(['before', 'after']);
        expect(life.violations).toEqual([]);
      }
    },
  );

  it('runs on if the process dies before it is cancelled, and a second press cancels it', async () => {
    const { life, requests, id } = await replaced();
    expect((await requests.askEdited(id, buttonUser)).result.kind).toBe('duplicate');
    expect(await requests.cancelForGood(id, buttonUser.userId)).toEqual({ kind: 'cancelling' });
    await life.run();
    expect(life.questions().map(({ outcome }) => outcome?.kind)).toEqual(['cancelled', 'answered']);
  });

  it('keeps its answer if that came first', async () => {
    const { life, requests, id } = await replaced();
    await life.run();
    expect(await requests.cancelForGood(id, buttonUser.userId)).toEqual({ kind: 'answered' });
    expect(life.questions().map(({ outcome }) => outcome?.kind)).toEqual(['answered', 'answered']);
  });

  it('leaves its message to the edited version, which is cancelled when the message is deleted', async () => {
    const { life, requests, id, versionId } = await replaced();
    await requests.cancelForGood(id, buttonUser.userId);
    expect((await requests.startedBy('m'))?.id).toBe(versionId);
    expect(await requests.cancelStartedBy('m')).toEqual({ kind: 'cancelling' });
    await life.run();
    expect(life.questions().map(({ outcome }) => outcome?.kind)).toEqual(['cancelled', 'cancelled']);
  });

  it('keeps its message while storage fails before the edited version is accepted', async () => {
    const { requests, id, plan } = await asked({ edited: { text: 'after', atMs: 5 } });
    plan('write', [failing('storage')]);
    await expect(requests.askEdited(id, buttonUser)).rejects.toMatchObject({ kind: 'storage' });
    expect((await requests.startedBy('m'))?.id).toBe(id);
  });
});

const ada = { userId: 'U1', teamId: 'T1', channelId: 'D1' };
const dayMs = 24 * 60 * 60 * 1000;

/** Direct messages in which a question is answered, and then one that runs for three seconds already in a new thread. */
async function withSecondRoot(
  change: { afterMs?: number; second?: Partial<NewQuestion>; isBusy?: boolean } = {},
  options: Parameters<typeof createCoreHarness>[0] = {},
) {
  const harness = createCoreHarness({ work: { takesMs: 30_000, ends: 'completed' }, ...options });
  const { life, ask } = harness;
  const direct: Partial<NewQuestion> = { origin: 'direct', readsThread: false, beginsThread: true };
  const placeOf = (threadTs: string) => ({ teamId: 'T1', channelId: 'D1', threadTs });
  await ask({ ...direct, place: placeOf('1.1'), text: 'first?' });
  await (change.isBusy === true ? life.run(life.now() + 3_000) : life.run());
  await life.run(life.now() + (change.afterMs ?? 0));
  const { id } = await ask({ ...direct, place: placeOf('2.2'), key: 'm', text: 'second?', ...change.second });
  await life.run(life.now() + 3_000);
  return { ...harness, id, placeOf, conversations: () => conversationsIn(life) };
}

/** Each text with the number of its conversation, from 1. */
function conversationsIn(life: ReturnType<typeof createCoreHarness>['life']): [string, number][] {
  const ids = [...new Set(life.upstream().map(({ conversationId }) => conversationId))];
  return life.upstream().map(({ text, conversationId }) => [text, ids.indexOf(conversationId) + 1]);
}

describe('a second root message in direct messages', () => {
  it('continues the previous conversation once, however often that is pressed and after a crash at any write', async () => {
    for (let index = 0; index < 8; index += 1) {
      for (const happens of ['no', 'yes'] as const) {
        const { life, requests, ask, id, plan, placeOf, conversations } = await withSecondRoot();
        const both = await Promise.all([requests.continuePrevious(id, ada), requests.continuePrevious(id, ada)]);
        expect(both.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'duplicate']);
        await requests.cancelForGood(id, 'U1');
        plan('write', [...Array.from({ length: index }, () => undefined), crash(happens)]);
        await life.run();
        expect(life.question(id).outcome, `write ${index}`).toEqual({ kind: 'cancelled' });
        await ask({ origin: 'direct', place: placeOf('2.2'), beginsThread: false, text: 'third?' });
        await life.run();
        expect((await requests.continuePrevious(id, ada)).kind).toBe('duplicate');
        expect(conversations()).toEqual([
          ['first?', 1],
          ['second?', 2],
          ['second?', 1],
          ['third?', 1],
        ]);
        expect(life.violations).toEqual([]);
      }
    }
  });

  it('starts a new conversation where the previous one is gone', async () => {
    const { life, requests, id, conversations } = await withSecondRoot(
      {},
      { faults: { followUp: [failing('notFound')] } },
    );
    await requests.continuePrevious(id, ada);
    await requests.cancelForGood(id, 'U1');
    await life.run();
    expect(conversations()).toEqual([
      ['first?', 1],
      ['second?', 2],
      ['second?', 3],
    ]);
    expect(life.violations).toEqual([]);
  });

  it('has an edited version that starts a conversation too, and offers the same', async () => {
    const { life, requests, id, conversations } = await withSecondRoot();
    await requests.noteEdit('m', { text: 'edited?', atMs: 5 });
    const { result } = await requests.askEdited(id, ada);
    expect(result).toMatchObject({ kind: 'accepted', question: { previous: life.upstream()[0]?.conversationId } });
    await life.run();
    expect(conversations().at(-1)).toEqual(['edited?', 2]);
  });

  it('that continues the previous conversation goes on there in its edited version, and offers nothing more', async () => {
    const { life, requests, id, conversations } = await withSecondRoot();
    const result = await requests.continuePrevious(id, ada);
    if (result.kind !== 'accepted') throw new Error(result.kind);
    await requests.cancelForGood(id, 'U1');
    expect(await requests.continuePrevious(result.question.id, ada)).toEqual({ kind: 'expired' });
    await requests.noteEdit('m', { text: 'edited?', atMs: 5 });
    await requests.askEdited(result.question.id, ada);
    await requests.cancelForGood(result.question.id, 'U1');
    await life.run();
    expect(conversations().at(-1)).toEqual(['edited?', 1]);
  });

  it('is too old for that from another place, after its end, and where it is too late for Slack', async () => {
    const { life, requests, id } = await withSecondRoot();
    expect(await requests.continuePrevious(id, { ...ada, channelId: 'D2' })).toEqual({ kind: 'expired' });
    await expect(requests.continuePrevious(id, ada, life.now() - 1)).rejects.toMatchObject({ kind: 'storage' });
    await life.run();
    expect(await requests.continuePrevious(id, ada)).toEqual({ kind: 'ended' });
  });

  it.each<[string, Parameters<typeof withSecondRoot>[0], boolean]>([
    ['within a day', { afterMs: dayMs - 60_000 }, true],
    ['more than a day later', { afterMs: dayMs }, false],
    ['while the first one still runs', { isBusy: true }, false],
    ['in other direct messages', { second: { place: { teamId: 'T1', channelId: 'D2', threadTs: '2.2' } } }, false],
    ['as a reply', { second: { beginsThread: false } }, false],
    ['of another person', { second: { askerId: 'U2' } }, false],
    ['by a command', { second: { origin: 'command' } }, false],
  ])('that comes %s may have the choice', async (_name, change, isOffered) => {
    const { life, id } = await withSecondRoot(change);
    expect(life.question(id).previous !== undefined).toBe(isOffered);
  });
});
