import { describe, expect, it } from 'vitest';
import { askedQuestionsType, messageLogType } from '../../../src/core/history/lists.ts';
import type { Vote } from '../../../src/core/history/votes.ts';
import { newThread, type Question } from '../../../src/core/question/question.ts';
import { threadNotesType } from '../../../src/core/question/thread-notes.ts';
import { runSlotsType } from '../../../src/core/run-slots.ts';
import { shortenLives } from '../../../src/storage/every-record.ts';
import {
  createClaims,
  createQuestionStore,
  createRecords,
  createThreadStore,
  createVoteStore,
} from '../../../src/storage/repositories.ts';
import { place, sampleQuestion } from '../../contract/storage/sample-records.ts';
import { memoryStore } from '../../support/storage/memory-store.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const oneDay = dayMs;
const question = sampleQuestion();
const questionKey = `ds:question:${question.id}`;
const vote: Vote = {
  version: 1,
  teamId: 'T1',
  userId: 'U1',
  questionId: question.id,
  verdict: 'up',
  reasons: [],
  atMs: 1,
};
const closed = (stored: Question): Question => ({ ...stored, phase: 'closed' });

describe('a bound on the lives of records', () => {
  it('holds for a question once it is closed, because an open one must come to its end', async () => {
    const kv = memoryStore();
    const questions = createQuestionStore(kv, oneDay);
    await questions.create(sampleQuestion({ phase: 'closed' }));
    expect(kv.lifetimesMs.get(questionKey)).toBe(oneDay);
    await questions.update(question.id, (stored) => ({ ...stored, phase: 'parked' }));
    expect(kv.lifetimesMs.get(questionKey)).toBe(90 * dayMs);
    await questions.update(question.id, closed);
    expect(kv.lifetimesMs.get(questionKey)).toBe(oneDay);
  });

  it('holds for a thread without open questions', async () => {
    const kv = memoryStore();
    const threads = createThreadStore(kv, oneDay);
    const key = 'ds:thread:T1:C1:1700000000.000100';
    await threads.update(place, () => ({ ...newThread(place, true), queue: ['q1'] }));
    expect(kv.lifetimesMs.get(key)).toBe(90 * dayMs);
    await threads.update(place, () => newThread(place, true));
    expect(kv.lifetimesMs.get(key)).toBe(oneDay);
  });

  it('holds for the run slots of a workspace while no question has one', async () => {
    const kv = memoryStore();
    const slots = createRecords(kv, runSlotsType, oneDay);
    const empty = { version: 1 as const, running: [], waiting: [], parked: [] };
    await slots.update('T1', () => ({ ...empty, parked: [{ questionId: 'q1', sinceMs: 1, untilMs: 2 }] }));
    expect(kv.lifetimesMs.get('ds:run-slots:T1')).toBe(90 * dayMs);
    await slots.update('T1', () => empty);
    expect(kv.lifetimesMs.get('ds:run-slots:T1')).toBe(oneDay);
  });

  it('holds for votes, history and notes, and leaves shorter lives as they are', async () => {
    const kv = memoryStore();
    await createVoteStore(kv, 3 * dayMs).put(vote);
    await createRecords(kv, askedQuestionsType, 3 * dayMs).update('T1:U1', () => ({ version: 1, entries: [] }));
    await createRecords(kv, threadNotesType, 3 * dayMs).update('T1:C1:1', () => ({ version: 1, messages: [] }));
    await createRecords(kv, messageLogType, 3 * dayMs).update('T1:C1', () => ({ version: 1, entries: [] }));
    expect([...kv.lifetimesMs.values()]).toEqual([3 * dayMs, 3 * dayMs, 3 * dayMs, dayMs]);
  });

  it('leaves a claim two days, in which Slack may repeat what it guards', async () => {
    const kv = memoryStore();
    await createClaims(kv, oneDay).claim('one', 'q1');
    await createClaims(kv, 5 * dayMs).claim('two', 'q1');
    await createClaims(kv).claim('three', 'q1');
    expect([...kv.lifetimesMs.values()]).toEqual([2 * dayMs, 5 * dayMs, 90 * dayMs]);
  });
});

describe('the pass over stored records', () => {
  it('shortens the lives of records of a time before the bound, but not those that an open question needs', async () => {
    const kv = memoryStore();
    const questions = createQuestionStore(kv);
    await questions.create(sampleQuestion({ id: 'q1' }));
    await questions.create(sampleQuestion({ id: 'q2', phase: 'closed' }));
    await createThreadStore(kv).update(place, () => newThread(place, true));
    await createVoteStore(kv).put(vote);
    await createClaims(kv).claim('one', 'q1');
    kv.texts.set('ds:thread-notes:T1:C1:1', '{"version":1,"messages":[]}');
    expect(await shortenLives(kv, oneDay)).toBe(5);
    expect(Object.fromEntries(kv.lifetimesMs)).toMatchObject({
      'ds:question:q1': 90 * dayMs,
      'ds:question:q2': oneDay,
      'ds:thread:T1:C1:1700000000.000100': oneDay,
      [`ds:vote:${question.id}:U1`]: oneDay,
      'ds:claim:one': 2 * dayMs,
      'ds:thread-notes:T1:C1:1': oneDay,
    });
    expect(await shortenLives(kv, oneDay)).toBe(0);
  });

  it('shortens the life of a record that can not be read', async () => {
    const kv = memoryStore();
    await kv.set('ds:question:q1', 'not JSON');
    await shortenLives(kv, oneDay);
    expect(kv.lifetimesMs.get('ds:question:q1')).toBe(oneDay);
  });

  it('changes no life without a bound, and drops the names of expired votes', async () => {
    const kv = memoryStore();
    const votes = createVoteStore(kv);
    await votes.put(vote);
    await votes.put({ ...vote, userId: 'U2' });
    await kv.delete(`ds:vote:${question.id}:U2`);
    expect(await shortenLives(kv, Number.POSITIVE_INFINITY)).toBe(0);
    expect(await kv.members('ds:votes')).toEqual([`${question.id}:U1`]);
    expect(kv.lifetimesMs.get(`ds:vote:${question.id}:U1`)).toBe(400 * dayMs);
  });

  it('stops when the app stops', async () => {
    const kv = memoryStore();
    await createQuestionStore(kv).create(sampleQuestion({ phase: 'closed' }));
    expect(await shortenLives(kv, oneDay, () => false)).toBe(0);
    expect(kv.lifetimesMs.get(questionKey)).toBe(90 * dayMs);
  });
});
