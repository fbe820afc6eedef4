import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { askedQuestionsType, durationsType, messageLogType, visitType } from '../../../src/core/history/lists.ts';
import type { Vote } from '../../../src/core/history/votes.ts';
import { threadNotesType } from '../../../src/core/question/thread-notes.ts';
import { runSlotsType } from '../../../src/core/run-slots.ts';
import {
  createClaims,
  createQuestionStore,
  createRecords,
  createThreadStore,
  createVoteStore,
  readVotes,
} from '../../../src/storage/repositories.ts';
import { place, sampleQuestion } from '../../contract/storage/sample-records.ts';
import { memoryStore } from '../../support/storage/memory-store.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const question = sampleQuestion();
const thread = { version: 1, ...place, followsReplies: true, line: [] } as const;

describe('a new question', () => {
  it('is stored and listed as open in one step, so that a crash cannot hide it', async () => {
    const kv = memoryStore();
    await createQuestionStore(kv).create(question);
    expect(kv.done).toEqual([`create ds:question:${question.id}`]);
    expect(await kv.members('ds:open-questions')).toEqual([question.id]);
  });

  it('is kept for 90 days after its last write', async () => {
    const kv = memoryStore();
    const questions = createQuestionStore(kv);
    await questions.create(question);
    expect([...kv.lifetimesMs.values()]).toEqual([90 * dayMs]);
    kv.lifetimesMs.clear();
    await questions.update(question.id, (current) => ({ ...current, phase: 'running' }));
    expect([...kv.lifetimesMs.values()]).toEqual([90 * dayMs]);
  });

  it('that exists already is returned as it is, and not listed again', async () => {
    const kv = memoryStore();
    const questions = createQuestionStore(kv);
    await questions.create(question);
    kv.done.length = 0;
    expect(await questions.create({ ...question, text: 'Delivered again' })).toEqual({ question, created: false });
    expect(kv.done).toEqual([]);
  });

  it('is the one of the first process, where two store it at the same time', async () => {
    const theirs = { ...question, text: 'Theirs' };
    const kv = memoryStore({ createListed: async () => JSON.stringify(theirs) });
    expect(await createQuestionStore(kv).create(question)).toEqual({ question: theirs, created: false });
  });
});

describe('a change of a record', () => {
  it('is based on what another process wrote in between, however often that happens', async () => {
    let others = 0;
    const kv = memoryStore({
      async compareAndSet(key, expected, next) {
        if (others < 3) {
          others += 1;
          kv.texts.set(key, JSON.stringify({ ...question, text: `Changed ${others}` }));
        }
        if (kv.texts.get(key) !== expected) return false;
        kv.texts.set(key, next);
        return true;
      },
    });
    const questions = createQuestionStore(kv);
    await questions.create(question);
    const seen: string[] = [];
    const changed = await questions.update(question.id, (current) => {
      seen.push(current.text);
      return { ...current, phase: 'running' };
    });
    expect(seen).toEqual([question.text, 'Changed 1', 'Changed 2', 'Changed 3']);
    expect(changed).toEqual({ ...question, text: 'Changed 3', phase: 'running' });
  });

  it('of what this process wrote last is stored without reading it again', async () => {
    const kv = memoryStore({ get: () => Promise.reject(new Error('read')) });
    const questions = createQuestionStore(kv);
    await questions.create(question);
    await questions.update(question.id, (current) => ({ ...current, phase: 'running' }));
    const changed = await questions.update(question.id, (current) => ({ ...current, text: 'Edited' }));
    expect(changed).toEqual({ ...question, phase: 'running', text: 'Edited' });
    expect(kv.texts.get(`ds:question:${question.id}`)).toBe(JSON.stringify(changed));
  });

  it('that stores nothing or throws for an outdated record is decided on the stored one', async () => {
    const kv = memoryStore();
    const questions = createQuestionStore(kv);
    await questions.create(question);
    const closed = { ...question, phase: 'closed' as const };
    kv.texts.set(`ds:question:${question.id}`, JSON.stringify(closed));
    expect(await questions.update(question.id, (current) => current)).toEqual(closed);
    kv.texts.set(`ds:question:${question.id}`, JSON.stringify(question));
    const reopened = await questions.update(question.id, (current) => {
      if (current.phase === 'closed') throw new Error('outdated');
      return { ...current, text: 'Edited' };
    });
    expect(reopened).toEqual({ ...question, text: 'Edited' });
  });

  it('that could not be stored for an outdated record is decided on the stored one', async () => {
    const kv = memoryStore();
    const questions = createQuestionStore(kv);
    await questions.create(question);
    const edited = { ...question, text: 'Edited' };
    kv.texts.set(`ds:question:${question.id}`, JSON.stringify(edited));
    const changed = await questions.update(question.id, (current) => ({
      ...current,
      acceptedMs: current.text === 'Edited' ? 7 : Number.NaN,
    }));
    expect(changed).toEqual({ ...edited, acceptedMs: 7 });
  });

  it('of a record that was absent is not lost when another process has written one', async () => {
    const kv = memoryStore();
    const threads = createThreadStore(kv);
    expect(await threads.get(place)).toBeUndefined();
    const theirs = { version: 1, ...place, followsReplies: true, queue: ['q1'] } as const;
    kv.texts.set(`ds:thread:T1:C1:${place.threadTs}`, JSON.stringify(theirs));
    const joined = await threads.update(place, (current) => ({
      ...(current ?? { version: 1, ...place, followsReplies: false, queue: [] }),
      queue: [...(current?.queue ?? []), 'q2'],
    }));
    expect(joined).toEqual({ ...theirs, queue: ['q1', 'q2'] });
  });

  it('that is deleted meanwhile stores nothing', async () => {
    const kv = memoryStore();
    const questions = createQuestionStore(kv);
    await questions.create(question);
    kv.texts.clear();
    expect(await questions.update(question.id, (current) => ({ ...current, phase: 'running' }))).toBeUndefined();
    expect(kv.texts.size).toBe(0);
  });

  it('that changes nothing writes nothing, so that it cannot lose against others', async () => {
    const kv = memoryStore({ compareAndSet: () => Promise.reject(new Error('written')) });
    const questions = createQuestionStore(kv);
    await questions.create(question);
    expect(await questions.update(question.id, (current) => current)).toEqual(question);
    expect(await questions.update('qmissing', (current) => ({ ...current, phase: 'running' }))).toBeUndefined();
  });

  it('that loses against others a hundred times is a failure of the storage', async () => {
    // The waits between the attempts are random; these are the shortest.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    let attempts = 0;
    const kv = memoryStore({
      async compareAndSet() {
        attempts += 1;
        return false;
      },
    });
    const threads = createThreadStore(kv);
    await expect(threads.update(place, () => ({ ...thread, queue: [] }))).rejects.toMatchObject({ kind: 'storage' });
    expect(attempts).toBe(100);
  });
});

describe('each kind of record', () => {
  it('has separate keys and a separate lifetime', async () => {
    const kv = memoryStore();
    const { threadTs } = place;
    await createThreadStore(kv).update(place, () => ({ ...thread, queue: [] }));
    await createRecords(kv, runSlotsType).update('T1', () => ({ version: 1, running: [], waiting: [], parked: [] }));
    await createRecords(kv, durationsType).update('T1', () => ({ version: 1, entries: [] }));
    await createRecords(kv, askedQuestionsType).update('T1:U1', () => ({ version: 1, entries: [] }));
    await createRecords(kv, messageLogType).update('T1:C1', () => ({ version: 1, entries: [] }));
    await createRecords(kv, threadNotesType).update(`T1:C1:${threadTs}`, () => ({ version: 1, messages: [] }));
    await createRecords(kv, visitType).update('T1:U1', () => ({ version: 1, openedMs: 1, channelId: 'C1' }));
    await createClaims(kv).claim('event:Ev1', 'q1');
    await createVoteStore(kv).put(vote('U1'));
    expect(Object.fromEntries(kv.lifetimesMs)).toEqual({
      [`ds:thread:T1:C1:${threadTs}`]: 90 * dayMs,
      'ds:run-slots:T1': 90 * dayMs,
      'ds:durations:T1': 90 * dayMs,
      'ds:history:T1:U1': 90 * dayMs,
      'ds:message-log:T1:C1': dayMs,
      [`ds:thread-notes:T1:C1:${threadTs}`]: 7 * dayMs,
      'ds:visit:T1:U1': expect.any(Number),
      'ds:claim:event:Ev1': 90 * dayMs,
      'ds:vote:q1:U1': 400 * dayMs,
    });
  });

  it('is read by its name, and absent until it is written', async () => {
    const kv = memoryStore();
    const durations = createRecords(kv, durationsType);
    expect(await durations.get('T1')).toBeUndefined();
    await durations.update('T1', () => ({ version: 1, entries: [{ questionId: 'q1', durationMs: 5 }] }));
    expect(await durations.get('T1')).toEqual({ version: 1, entries: [{ questionId: 'q1', durationMs: 5 }] });
    expect(await durations.get('T2')).toBeUndefined();
  });

  it('that cannot be read is reported with the first three problems', async () => {
    const kv = memoryStore();
    kv.texts.set('ds:visit:T1:U1', '{"version":2}');
    await expect(createRecords(kv, visitType).get('T1:U1')).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringMatching(/ds:visit:T1:U1 .*version: .*; openedMs: .*; channelId: /),
    });
    kv.texts.set('ds:question:q1', JSON.stringify({ ...question, card: { ts: 7 } }));
    await expect(createQuestionStore(kv).get('q1')).rejects.toMatchObject({
      message: expect.stringContaining('(card.ts: '),
    });
    kv.texts.set('ds:question:q1', '{"text":"secret');
    await expect(createQuestionStore(kv).get('q1')).rejects.toMatchObject({
      message: 'Record ds:question:q1 is not JSON',
    });
    kv.texts.set('ds:question:q1', '{}');
    await expect(createQuestionStore(kv).get('q1')).rejects.toMatchObject({
      message: expect.not.stringMatching(/;.*;.*;/),
    });
  });
});

describe('a claim', () => {
  it('is created again where the first one has just expired', async () => {
    const answers = [false, false, true];
    const kv = memoryStore({ setIfAbsent: async () => answers.shift() ?? false });
    expect(await createClaims(kv).claim('event:Ev1', 'q1')).toBe('q1');
  });

  it('that can neither be made nor read is a failure of the storage', async () => {
    let attempts = 0;
    const kv = memoryStore({
      async setIfAbsent() {
        attempts += 1;
        return false;
      },
    });
    await expect(createClaims(kv).claim('event:Ev1', 'q1')).rejects.toMatchObject({ kind: 'storage' });
    expect(attempts).toBe(3);
  });
});

function vote(userId: string): Vote {
  return { version: 1, teamId: 'T1', userId, questionId: 'q1', verdict: 'up', reasons: [], atMs: 1 };
}

describe('votes', () => {
  it('are stored once for each person and question, as the last one', async () => {
    const kv = memoryStore();
    const votes = createVoteStore(kv);
    await votes.put(vote('U1'));
    await votes.put({ ...vote('U1'), verdict: 'down' });
    await votes.put(vote('U2'));
    expect(await votes.get('q1', 'U1')).toEqual({ ...vote('U1'), verdict: 'down' });
    expect(await votes.get('q1', 'U3')).toBeUndefined();
    expect(await readVotes(kv)).toEqual({ votes: [{ ...vote('U1'), verdict: 'down' }, vote('U2')], unreadable: 0 });
  });

  it('that cannot be read are counted, and expired ones are not', async () => {
    const kv = memoryStore();
    const votes = createVoteStore(kv);
    for (const userId of ['U1', 'U2', 'U3', 'U4']) await votes.put(vote(userId));
    kv.texts.set('ds:vote:q1:U1', '{');
    kv.texts.set('ds:vote:q1:U2', '{}');
    kv.texts.delete('ds:vote:q1:U3');
    expect(await readVotes(kv)).toEqual({ votes: [vote('U4')], unreadable: 2 });
  });

  it('are read completely or not at all where the storage fails', async () => {
    const failure = new AppError('storage', 'down');
    const kv = memoryStore();
    await createVoteStore(kv).put(vote('U1'));
    await expect(readVotes({ ...kv, get: () => Promise.reject(failure) })).rejects.toBe(failure);
  });
});
