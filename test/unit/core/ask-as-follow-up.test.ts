import { describe, expect, it } from 'vitest';
import type { NewQuestion } from '../../../src/core/intake/accept.ts';
import { maxQuestionLength } from '../../../src/core/settings.ts';
import { buttonUser, crash, createCoreHarness, failing } from '../../support/lifecycle/core-harness.ts';
import { someAnswer } from '../../support/lifecycle/sample-questions.ts';

const asker = { ...buttonUser, userId: 'U1' };
const outcome = { kind: 'answered', answer: someAnswer } as const;
const wholeText = 'new endpoints: who owns them?';
const asksNew: Partial<NewQuestion> = {
  key: 'm',
  text: 'endpoints: who owns them?',
  fresh: true,
  readsThread: false,
  beginsThread: false,
  asFollowUp: { text: wholeText },
};

/** A thread with one answered question, and then one with the verb "new" that runs for three seconds already. */
async function withNewQuestion(options: Parameters<typeof createCoreHarness>[0] = {}) {
  const harness = createCoreHarness({ work: { takesMs: 30_000, ends: 'completed' }, ...options });
  const { life, ask } = harness;
  await ask({ text: 'first?' });
  await life.run();
  const { id } = await ask(asksNew);
  await life.run(life.now() + 3_000);
  return { ...harness, id, conversations: () => conversationsIn(life) };
}

/** Each text with the number of its conversation, from 1. */
function conversationsIn(life: ReturnType<typeof createCoreHarness>['life']): [string, number][] {
  const ids = [...new Set(life.upstream().map(({ conversationId }) => conversationId))];
  return life.upstream().map(({ text, conversationId }) => [text, ids.indexOf(conversationId) + 1]);
}

describe('a question with the verb "new" that is asked as a follow-up', () => {
  it('is asked as it was typed in the conversation before, and the new one is cancelled', async () => {
    const { life, requests, ask, id, conversations } = await withNewQuestion();
    expect(await requests.askAsFollowUp(id, asker)).toMatchObject({
      kind: 'accepted',
      question: { text: wholeText, askerId: 'U1', fresh: false, origin: 'retry', insteadOf: id },
    });
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'cancelled' });
    await ask({ text: 'and then?' });
    await life.run();
    expect(conversations()).toEqual([
      ['first?', 1],
      ['endpoints: who owns them?', 2],
      [wholeText, 1],
      ['and then?', 1],
    ]);
    expect(life.violations).toEqual([]);
  });

  it('is asked once however often that is pressed', async () => {
    const { life, requests, id } = await withNewQuestion();
    const both = await Promise.all([requests.askAsFollowUp(id, asker), requests.askAsFollowUp(id, asker)]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'duplicate']);
    await life.run();
    expect((await requests.askAsFollowUp(id, asker)).kind).toBe('duplicate');
    expect(life.upstream().filter(({ text }) => text === wholeText)).toHaveLength(1);
  });

  it('is accepted where the queue of the thread is full, because it replaces a question there', async () => {
    const { life, requests, ask, id } = await withNewQuestion();
    const { threadLimit } = life.ports.settings;
    for (let index = 1; index < threadLimit; index += 1) {
      await ask({ key: `waiting ${index}`, text: `and ${index}?`, origin: 'reply', beginsThread: false });
    }
    expect(life.threads()[0]?.queue).toHaveLength(threadLimit);
    expect(await requests.askAsFollowUp(id, asker)).toMatchObject({ kind: 'accepted' });
  });

  it('is asked before the questions that wait behind it, so that they follow it up', async () => {
    const { life, requests, ask, id, conversations } = await withNewQuestion();
    await ask({ text: 'and then?', origin: 'reply', beginsThread: false });
    await life.run(life.now() + 1_000);
    await requests.askAsFollowUp(id, asker);
    await life.run();
    expect(conversations().slice(2)).toEqual([
      [wholeText, 1],
      ['and then?', 1],
    ]);
  });

  it('can be asked so while it waits behind the question that begins the conversation', async () => {
    const harness = createCoreHarness({ work: { takesMs: 30_000, ends: 'completed' } });
    const { life, ask, requests } = harness;
    await ask({ text: 'first?' });
    const { id } = await ask(asksNew);
    await life.run(life.now() + 3_000);
    expect((await requests.askAsFollowUp(id, asker)).kind).toBe('accepted');
    await life.run();
    expect(conversationsIn(life)).toEqual([
      ['first?', 1],
      [wholeText, 1],
    ]);
  });

  it('goes to the conversation before, although the new one is answered before it is cancelled', async () => {
    const { life, requests, ask, id, conversations, plan } = await withNewQuestion();
    await requests.askAsFollowUp(id, asker);
    // The process dies at the follow-up's first step, and runs again once the answer is there.
    plan('write', [crash('no')]);
    await life.run(life.now());
    await life.ports.questions.update(id, (stored) => ({
      ...stored,
      outcome,
      phase: 'delivering',
      endedMs: life.now(),
    }));
    await life.run();
    await ask({ text: 'and then?' });
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(conversations().slice(2)).toEqual([
      [wholeText, 1],
      ['and then?', 1],
    ]);
  });

  it('leaves the thread with the conversation before, also where the follow-up is taken back', async () => {
    const { life, requests, ask, id, conversations } = await withNewQuestion();
    const result = await requests.askAsFollowUp(id, asker);
    if (result.kind !== 'accepted') throw new Error(result.kind);
    await requests.cancelReplacedBy(result.question.id);
    await requests.cancel(result.question.id, asker);
    await life.run();
    await ask({ text: 'and then?' });
    await life.run();
    expect(conversations().at(-1)).toEqual(['and then?', 1]);
    expect(life.upstream().map(({ text }) => text)).not.toContain(wholeText);
  });

  it('starts a new conversation where the one before is gone', async () => {
    const { life, requests, id, conversations } = await withNewQuestion({
      faults: { followUp: [failing('notFound')] },
    });
    const result = await requests.askAsFollowUp(id, asker);
    if (result.kind !== 'accepted') throw new Error(result.kind);
    await life.run();
    expect(life.question(result.question.id).outcome?.kind).toBe('answered');
    expect(life.question(result.question.id).upstream.conversationLost).toBe(true);
    expect(conversations().at(-1)?.[1]).toBe(3);
    expect(life.violations).toEqual([]);
  });

  it('is what its message started, so that it can be edited and taken back', async () => {
    const { life, requests, id } = await withNewQuestion();
    expect((await requests.startedBy('m'))?.id).toBe(id);
    const result = await requests.askAsFollowUp(id, asker);
    if (result.kind !== 'accepted') throw new Error(result.kind);
    await requests.cancelReplacedBy(result.question.id);
    expect((await requests.startedBy('m'))?.text).toBe(wholeText);
    await requests.cancelStartedBy('m');
    await life.run();
    expect(life.questions().map(({ outcome }) => outcome?.kind)).toEqual(['answered', 'cancelled', 'cancelled']);
  });
});

describe('asking a question as a follow-up', () => {
  it('is left to its asker', async () => {
    const { requests, id, life } = await withNewQuestion();
    expect(await requests.askAsFollowUp(id, buttonUser)).toEqual({ kind: 'notAsker', askerId: 'U1' });
    expect(life.questions()).toHaveLength(2);
  });

  it('is expired from another place, and for a question without the verb', async () => {
    const { requests, id, ask } = await withNewQuestion();
    expect(await requests.askAsFollowUp(id, { ...asker, channelId: 'C2' })).toEqual({ kind: 'expired' });
    const other = await ask({ text: 'new' });
    expect(await requests.askAsFollowUp(other.id, asker)).toEqual({ kind: 'expired' });
  });

  it('comes too late once the question has ended', async () => {
    const { requests, id, life } = await withNewQuestion();
    await life.run();
    expect(await requests.askAsFollowUp(id, asker)).toEqual({ kind: 'ended' });
  });

  it('is expired where the thread turns out to have no conversation', async () => {
    const { ask, life, requests } = createCoreHarness({ work: { takesMs: 30_000, ends: 'completed' } });
    const first = await ask({ text: 'first?' });
    const { id } = await ask(asksNew);
    await requests.cancel(first.id, asker);
    await life.run(life.now() + 3_000);
    expect(life.question(id).phase).toBe('running');
    expect(life.question(id)).not.toHaveProperty('asFollowUp');
    expect(await requests.askAsFollowUp(id, asker)).toEqual({ kind: 'expired' });
  });

  it('too late for Slack is not taken', async () => {
    const { requests, id, life } = await withNewQuestion();
    await expect(requests.askAsFollowUp(id, asker, life.now() - 1)).rejects.toMatchObject({ kind: 'storage' });
  });

  it('is not offered for a text that is too long with the verb', async () => {
    const { ask } = createCoreHarness();
    const text = 'x'.repeat(maxQuestionLength);
    expect(await ask({ text, asFollowUp: { text: `new ${text}` } })).not.toHaveProperty('asFollowUp');
    expect(await ask({ text, asFollowUp: { text } })).toMatchObject({ asFollowUp: { text } });
  });
});

describe('another version of a question with the verb "new"', () => {
  it('can be asked as a follow-up of the same conversation, when it is asked again', async () => {
    const { ask, life, requests } = createCoreHarness({ work: { takesMs: 2_000, ends: 'failed' } });
    await ask({ text: 'first?' });
    await life.run();
    const { id } = await ask(asksNew);
    await life.run();
    const { conversationId } = life.question(id).asFollowUp ?? {};
    expect(conversationId).toBe(life.upstream()[0]?.conversationId);
    expect(await requests.askAgain(id, asker)).toMatchObject({
      question: { fresh: true, asFollowUp: { text: wholeText, conversationId } },
    });
  });

  it('can be asked as a follow-up in its own words, when its message was edited', async () => {
    const { life, requests, id } = await withNewQuestion();
    const { conversationId } = life.question(id).asFollowUp ?? {};
    await requests.noteEdit('m', { text: 'endpoints?', wholeText: 'new endpoints?', atMs: 5 });
    const { result } = await requests.askEdited(id, asker);
    expect(result).toMatchObject({
      question: { text: 'endpoints?', fresh: true, asFollowUp: { text: 'new endpoints?', conversationId } },
    });
  });

  it('can not be asked as a follow-up once its text has lost the verb', async () => {
    const { requests, id } = await withNewQuestion();
    await requests.noteEdit('m', { text: 'endpoints?', atMs: 5 });
    const { result } = await requests.askEdited(id, asker);
    if (result.kind !== 'accepted') throw new Error(result.kind);
    expect(result.question).not.toHaveProperty('asFollowUp');
  });
});

const ada = { userId: 'U1', teamId: 'T1', channelId: 'D1' };
const dayMs = 24 * 60 * 60 * 1000;

/** Direct messages in which a question is answered, and then one that runs for three seconds already in a new thread. */
async function withSecondRoot(change: { afterMs?: number; second?: Partial<NewQuestion>; isBusy?: boolean } = {}) {
  const harness = createCoreHarness({ work: { takesMs: 30_000, ends: 'completed' } });
  const { life, ask } = harness;
  const direct: Partial<NewQuestion> = { origin: 'direct', readsThread: false, beginsThread: true };
  const placeOf = (threadTs: string) => ({ teamId: 'T1', channelId: 'D1', threadTs });
  await ask({ ...direct, place: placeOf('1.1'), text: 'first?' });
  await (change.isBusy === true ? life.run(life.now() + 3_000) : life.run());
  await life.run(life.now() + (change.afterMs ?? 0));
  const { id } = await ask({ ...direct, place: placeOf('2.2'), key: 'm', text: 'second?', ...change.second });
  await life.run(life.now() + 3_000);
  return { ...harness, id, placeOf };
}

describe('a second root message in direct messages', () => {
  it('continues the previous conversation once, however often that is pressed and after a crash at any write', async () => {
    for (let index = 0; index < 8; index += 1) {
      for (const happens of ['no', 'yes'] as const) {
        const { life, requests, ask, id, plan, placeOf } = await withSecondRoot();
        const both = await Promise.all([requests.askAsFollowUp(id, ada), requests.askAsFollowUp(id, ada)]);
        expect(both.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'duplicate']);
        plan('write', [...Array.from({ length: index }, () => undefined), crash(happens)]);
        await life.run();
        expect(life.question(id).outcome, `write ${index}`).toEqual({ kind: 'cancelled' });
        await ask({ origin: 'direct', place: placeOf('2.2'), beginsThread: false, text: 'third?' });
        await life.run();
        expect((await requests.askAsFollowUp(id, ada)).kind).toBe('duplicate');
        expect(conversationsIn(life)).toEqual([
          ['first?', 1],
          ['second?', 2],
          ['second?', 1],
          ['third?', 1],
        ]);
        expect(life.violations).toEqual([]);
      }
    }
  });

  it('has an edited version that starts a conversation too, and offers the same', async () => {
    const { life, requests, id } = await withSecondRoot();
    await requests.noteEdit('m', { text: 'edited?', atMs: 5 });
    const { result } = await requests.askEdited(id, ada);
    if (result.kind !== 'accepted') throw new Error(result.kind);
    const { conversationId } = life.question(id).asFollowUp ?? {};
    expect(result.question.asFollowUp).toEqual({ text: 'edited?', conversationId });
    await life.run();
    expect(conversationsIn(life).at(-1)?.[0]).toBe('edited?');
    expect(conversationsIn(life).at(-1)?.[1]).not.toBe(1);
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
    expect(life.question(id).asFollowUp !== undefined).toBe(isOffered);
  });
});
