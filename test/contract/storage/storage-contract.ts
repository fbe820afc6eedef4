import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newThread, questionType, threadName, threadType } from '../../../src/core/question/question.ts';
import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
import { createClaims, createQuestionStore, createThreadStore } from '../../../src/storage/repositories.ts';
import { eventually } from '../../support/eventually.ts';
import { place, sampleQuestion } from './sample-records.ts';

const FIFTY = Array.from({ length: 50 }, (_, index) => index);

/** A storage engine; `open` opens the same data again, `clear` deletes it. */
export interface Engine {
  open(): Promise<KeyValueStore>;
  clear(): Promise<void>;
}

/** A short time to live. On a busy machine the value may expire before the next call, so no test relies on it until then. */
const briefMs = 50;
const longMs = 60_000;

/** The contract of the storage, for every engine. */
export function storageContract(engine: Engine): void {
  let kv: KeyValueStore;

  beforeEach(async () => {
    await engine.clear();
    kv = await engine.open();
  });

  afterEach(() => kv.close());

  describe('with keys and texts', () => {
    it('returns what was set, and nothing for other keys', async () => {
      await kv.set('a', 'one');
      expect(await kv.get('a')).toBe('one');
      expect(await kv.get('b')).toBeUndefined();
    });

    it('replaces and deletes', async () => {
      await kv.set('a', 'one');
      await kv.set('a', 'two');
      expect(await kv.get('a')).toBe('two');
      expect(await kv.delete('a')).toBe(true);
      expect(await kv.delete('a')).toBe(false);
      expect(await kv.get('a')).toBeUndefined();
    });

    it.each([
      ['empty', ''],
      ['of every kind of letter', 'naïve Ω 検索 👩‍👩‍👧 \u0000 \u2028 "quoted" \\ \n'],
      ['of 200 KB', '検索'.repeat(33_000)],
      ['that looks like an envelope', '{"value":"x","expires":1}'],
      ['that looks like an escape', ':base64:eA=='],
    ])('keeps a text %s as it is', async (_, text) => {
      await kv.set('a', text);
      expect(await kv.get('a')).toBe(text);
    });

    it('forgets a value when its time is over, and then takes a new one', async () => {
      await kv.set('set', 'x', briefMs);
      await kv.setIfAbsent('absent', 'x', briefMs);
      await kv.compareAndSet('compared', undefined, 'x', briefMs);
      await kv.set('replaced', 'x');
      await kv.compareAndSet('replaced', 'x', 'y', briefMs);
      await kv.set('set for longer', 'x', longMs);
      await kv.setIfAbsent('absent for longer', 'x', longMs);
      await kv.compareAndSet('compared for longer', undefined, 'x', longMs);
      for (const key of ['set', 'absent', 'compared', 'replaced'])
        await eventually(async () => expect(await kv.get(key)).toBeUndefined());
      expect(await kv.setIfAbsent('absent', 'y')).toBe(true);
      expect(await kv.compareAndSet('compared', 'x', 'y')).toBe(false);
      expect(await kv.get('absent')).toBe('y');
      for (const key of ['set', 'absent', 'compared']) expect(await kv.get(`${key} for longer`)).toBe('x');
    });

    it('gives a value a new time to live with every write', async () => {
      // Try again if the first value expired before it was replaced.
      await eventually(async () => {
        await kv.set('compared', 'one', briefMs);
        expect(await kv.compareAndSet('compared', 'one', 'two', longMs)).toBe(true);
      });
      await eventually(async () => {
        await kv.set('kept', 'one', briefMs);
        expect(await kv.compareAndSet('kept', 'one', 'two')).toBe(true);
      });
      await kv.set('set', 'one', briefMs);
      await kv.set('set', 'two');
      await kv.set('mark', 'x', 2 * briefMs);
      await eventually(async () => expect(await kv.get('mark')).toBeUndefined());
      for (const key of ['compared', 'kept', 'set']) expect(await kv.get(key)).toBe('two');
    });

    it('lets one of fifty callers set what is absent', async () => {
      const done = await Promise.all(FIFTY.map((index) => kv.setIfAbsent('a', `owner ${index}`)));
      expect(done.filter(Boolean)).toHaveLength(1);
      expect(await kv.get('a')).toBe(`owner ${done.indexOf(true)}`);
    });

    it('creates and lists for one of fifty callers, and returns its text to the others', async () => {
      const done = await Promise.all(
        FIFTY.map((index) => kv.createListed('a', `text ${index}`, longMs, 'set', `member ${index}`)),
      );
      const first = done.indexOf(undefined);
      expect(done.filter((text) => text === undefined)).toHaveLength(1);
      expect(new Set(done)).toEqual(new Set([undefined, `text ${first}`]));
      expect(await kv.get('a')).toBe(`text ${first}`);
      expect(await kv.members('set')).toEqual([`member ${first}`]);
    });

    it('creates nothing after its time, and says so, but returns what is there', async () => {
      const create = (text: string, byMs: number) => kv.createListed('a', text, longMs, 'set', text, byMs);
      await expect(create('late', Date.now() - 1_000)).rejects.toMatchObject({
        ...{ name: 'AppError', kind: 'storage', code: 'late', outcomeUnknown: false },
      });
      expect([await kv.get('a'), await kv.members('set')]).toEqual([undefined, []]);
      expect(await create('in time', Date.now() + longMs)).toBeUndefined();
      expect(await create('again', Date.now() - 1_000)).toBe('in time');
      expect(await kv.members('set')).toEqual(['in time']);
    });

    it('creates and lists again what has expired', async () => {
      expect(await kv.createListed('a', 'one', briefMs, 'set', 'first')).toBeUndefined();
      await eventually(async () => expect(await kv.get('a')).toBeUndefined());
      expect(await kv.createListed('a', 'two', longMs, 'set', 'second')).toBeUndefined();
      expect(await kv.get('a')).toBe('two');
      expect((await kv.members('set')).toSorted()).toEqual(['first', 'second']);
    });

    it('compares before it sets', async () => {
      expect(await kv.compareAndSet('a', 'nothing', 'x')).toBe(false);
      expect(await kv.get('a')).toBeUndefined();
      expect(await kv.compareAndSet('a', undefined, 'one')).toBe(true);
      expect(await kv.compareAndSet('a', undefined, 'two')).toBe(false);
      expect(await kv.compareAndSet('a', 'one', 'two')).toBe(true);
      expect(await kv.compareAndSet('a', 'one', 'three')).toBe(false);
      expect(await kv.get('a')).toBe('two');
    });

    it('lets one of fifty callers delete the text they compared', async () => {
      await kv.set('a', 'one');
      const done = await Promise.all(FIFTY.map(() => kv.compareAndDelete('a', 'one')));
      expect(done.filter(Boolean)).toHaveLength(1);
    });

    it('lets one of fifty callers that compare the same text win', async () => {
      await kv.set('a', 'start');
      const done = await Promise.all(FIFTY.map((index) => kv.compareAndSet('a', 'start', `writer ${index}`)));
      expect(done.filter(Boolean)).toHaveLength(1);
    });

    it('keeps sets of names apart', async () => {
      await kv.addMember('one', 'a');
      await kv.addMember('one', 'a');
      await kv.addMember('one', 'b');
      await kv.addMember('two', 'c');
      await kv.addMember('on', 'd');
      await kv.removeMember('one', 'b');
      await kv.removeMember('one', 'never there');
      expect(await kv.members('one')).toEqual(['a']);
      expect(await kv.members('two')).toEqual(['c']);
      expect(await kv.members('three')).toEqual([]);
    });

    it('answers a ping, and nothing after closing', async () => {
      await kv.ping();
      await kv.close();
      const storage = expect.objectContaining({ name: 'AppError', kind: 'storage' });
      await expect(kv.ping()).rejects.toEqual(storage);
      await expect(kv.get('a')).rejects.toEqual(storage);
      await expect(kv.set('a', 'x')).rejects.toEqual(storage);
      await expect(kv.setIfAbsent('a', 'x')).rejects.toEqual(storage);
    });

    it('completes what was started before it closes, and keeps it', async () => {
      const writes = FIFTY.map((index) => kv.set(`k${index}`, `v${index}`));
      await kv.close();
      await Promise.all(writes);
      kv = await engine.open();
      expect(await Promise.all(FIFTY.map((index) => kv.get(`k${index}`)))).toEqual(FIFTY.map((index) => `v${index}`));
    });
  });

  describe('with questions', () => {
    it('stores a question once, and lists it as open', async () => {
      const questions = createQuestionStore(kv);
      const question = sampleQuestion();
      expect(await questions.create(question)).toEqual({ question, created: true });
      expect(await questions.get(question.id)).toEqual(question);
      expect(await questions.openIds()).toEqual([question.id]);
    });

    it('creates one of fifty with the same id, and returns that one to all', async () => {
      const questions = createQuestionStore(kv);
      const results = await Promise.all(
        FIFTY.map((index) => questions.create(sampleQuestion({ text: `text ${index}` }))),
      );
      const created = results.filter((result) => result.created);
      expect(created).toHaveLength(1);
      for (const result of results) expect(result.question).toEqual(created[0]?.question);
    });

    it('does not list a closed question as open when it is delivered again', async () => {
      const questions = createQuestionStore(kv);
      const { id } = sampleQuestion();
      await questions.create(sampleQuestion());
      await questions.update(id, (current) => ({ ...current, phase: 'closed' }));
      await questions.markClosed(id);
      expect((await questions.create(sampleQuestion())).question.phase).toBe('closed');
      expect(await questions.openIds()).toEqual([]);
    });

    it('loses none of fifty simultaneous updates', async () => {
      const questions = createQuestionStore(kv);
      const { id } = sampleQuestion();
      await questions.create(sampleQuestion());
      await Promise.all(
        FIFTY.map((index) =>
          questions.update(id, (current) => ({
            ...current,
            delivery: { ...current.delivery, posted: [...current.delivery.posted, String(index)] },
          })),
        ),
      );
      const stored = await questions.get(id);
      expect(stored?.delivery.posted.map(Number).sort((a, b) => a - b)).toEqual(FIFTY);
    });

    it('stores nothing when the change returns its argument', async () => {
      const questions = createQuestionStore(kv);
      const { id } = sampleQuestion();
      await questions.create(sampleQuestion());
      const before = await kv.get(questionType.key(id));
      expect(await questions.update(id, (current) => current)).toEqual(sampleQuestion());
      expect(await kv.get(questionType.key(id))).toBe(before);
    });

    it('does not call the change for a question that does not exist', async () => {
      const questions = createQuestionStore(kv);
      const result = await questions.update('qmissing', () => {
        throw new Error('called');
      });
      expect(result).toBeUndefined();
      expect(await questions.get('qmissing')).toBeUndefined();
    });

    it('passes on what the change throws, and stores nothing', async () => {
      const questions = createQuestionStore(kv);
      const { id } = sampleQuestion();
      await questions.create(sampleQuestion());
      const failure = new Error('a failure of the test');
      await expect(
        questions.update(id, () => {
          throw failure;
        }),
      ).rejects.toBe(failure);
      expect(await questions.get(id)).toEqual(sampleQuestion());
    });

    it('opens and closes a question', async () => {
      const questions = createQuestionStore(kv);
      for (const id of ['qa', 'qb', 'qc']) await questions.create(sampleQuestion({ id }));
      await questions.markClosed('qb');
      await questions.markClosed('qb');
      expect((await questions.openIds()).sort()).toEqual(['qa', 'qc']);
      await questions.markOpen('qb');
      expect((await questions.openIds()).sort()).toEqual(['qa', 'qb', 'qc']);
    });

    it('keeps a large question with every kind of letter', async () => {
      const questions = createQuestionStore(kv);
      const question = sampleQuestion({
        phase: 'delivering',
        outcome: {
          kind: 'answered',
          answer: {
            title: '検索 👩‍👩‍👧',
            markdown: 'Ω`x`\n'.repeat(40_000),
            sources: [],
            followUps: [],
            durationMs: 1,
            steps: 1,
          },
        },
      });
      await questions.create(question);
      expect(await questions.get(question.id)).toEqual(question);
    });

    it.each([
      ['that is not JSON', '{"version":1,'],
      ['of another version', JSON.stringify({ ...sampleQuestion(), version: 2 })],
      ['without a field', JSON.stringify({ ...sampleQuestion(), askerId: undefined })],
      ['of another type', '"text"'],
    ])('reports a record %s by its key, and never as absent', async (_, text) => {
      const questions = createQuestionStore(kv);
      const { id } = sampleQuestion();
      await kv.set(questionType.key(id), text);
      const corrupt = expect.objectContaining({
        kind: 'corrupt',
        message: expect.stringContaining(questionType.key(id)),
      });
      await expect(questions.get(id)).rejects.toEqual(corrupt);
      await expect(questions.update(id, (current) => current)).rejects.toEqual(corrupt);
      await expect(questions.create(sampleQuestion())).rejects.toEqual(corrupt);
      expect(await kv.get(questionType.key(id))).toBe(text);
    });

    it('refuses to store what it could not read again', async () => {
      const questions = createQuestionStore(kv);
      const { id } = sampleQuestion();
      await questions.create(sampleQuestion());
      await expect(questions.update(id, (current) => ({ ...current, acceptedMs: Number.NaN }))).rejects.toMatchObject({
        kind: 'corrupt',
      });
      expect(await questions.get(id)).toEqual(sampleQuestion());
    });

    it('keeps the fields that a newer version of the app has added', async () => {
      const questions = createQuestionStore(kv);
      const { id } = sampleQuestion();
      await kv.set(
        questionType.key(id),
        JSON.stringify({ ...sampleQuestion(), card: { color: 'blue' }, mood: 'curious' }),
      );
      await questions.update(id, (current) => ({ ...current, phase: 'running' }));
      expect(JSON.parse((await kv.get(questionType.key(id))) ?? '')).toMatchObject({
        phase: 'running',
        card: { color: 'blue' },
        mood: 'curious',
      });
    });
  });

  describe('with threads', () => {
    it('starts without a record, and loses none of fifty simultaneous updates', async () => {
      const threads = createThreadStore(kv);
      expect(await threads.get(place)).toBeUndefined();
      await Promise.all(
        FIFTY.map((index) =>
          threads.update(place, (current = newThread(place, true)) => ({
            ...current,
            queue: [...current.queue, `q${index}`],
          })),
        ),
      );
      expect((await threads.get(place))?.queue).toHaveLength(50);
    });

    it('keeps threads separate', async () => {
      const threads = createThreadStore(kv);
      const other = { ...place, channelId: 'C2' };
      await threads.update(place, () => newThread(place, true));
      expect(await threads.get(other)).toBeUndefined();
      await threads.update(other, () => newThread(other, false));
      expect(await threads.get(place)).toEqual(newThread(place, true));
    });

    it('reports a corrupt thread by its key', async () => {
      const threads = createThreadStore(kv);
      await kv.set(threadType.key(threadName(place)), '{}');
      await expect(threads.get(place)).rejects.toMatchObject({
        kind: 'corrupt',
        message: expect.stringContaining(threadType.key(threadName(place))),
      });
    });
  });

  describe('with claims', () => {
    it('gives a name to the first of fifty callers, and returns the owner to the others', async () => {
      const claims = createClaims(kv);
      const owners = await Promise.all(FIFTY.map((index) => claims.claim('event:Ev1', `q${index}`)));
      expect(new Set(owners).size).toBe(1);
      expect(await claims.claim('event:Ev1', 'late')).toBe(owners[0]);
      expect(await claims.claim('event:Ev2', 'late')).toBe('late');
    });

    it('may be repeated by its owner', async () => {
      const claims = createClaims(kv);
      expect(await claims.claim('event:Ev1', 'qa')).toBe('qa');
      expect(await claims.claim('event:Ev1', 'qa')).toBe('qa');
    });

    it('returns the owner of a name without claiming it', async () => {
      const claims = createClaims(kv);
      expect(await claims.ownerOf('event:Ev1')).toBeUndefined();
      expect(await claims.claim('event:Ev1', 'qa')).toBe('qa');
      expect(await claims.ownerOf('event:Ev1')).toBe('qa');
    });
  });

  it('keeps all data over closing and opening', async () => {
    await createQuestionStore(kv).create(sampleQuestion());
    await createThreadStore(kv).update(place, () => newThread(place, true));
    await createClaims(kv).claim('event:Ev1', 'qa');
    await kv.close();
    kv = await engine.open();
    expect(await createQuestionStore(kv).get(sampleQuestion().id)).toEqual(sampleQuestion());
    expect(await createQuestionStore(kv).openIds()).toEqual([sampleQuestion().id]);
    expect(await createThreadStore(kv).get(place)).toEqual(newThread(place, true));
    expect(await createClaims(kv).claim('event:Ev1', 'qb')).toBe('qa');
  });
}
