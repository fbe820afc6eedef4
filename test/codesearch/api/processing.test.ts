import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createQuota } from '../../../src/codesearch/conversations/quota.ts';
import { emptyStats, type QuestionRecord } from '../../../src/codesearch/conversations/records.ts';
import { createRunner } from '../../../src/codesearch/conversations/runner.ts';
import { openConversationStore } from '../../../src/codesearch/conversations/store.ts';
import { openDataDirectory } from '../../../src/codesearch/data-directory.ts';
import { eventually } from '../../support/eventually.ts';
import { createHarbourRepository } from '../support/repository.ts';
import { startTestService, type WireQuestion } from '../support/service.ts';

const repository = createHarbourRepository();
afterAll(() => repository.remove());

test('turns appear one by one while the question is processed', async () => {
  const service = await startTestService({ repos: [repository.path], stepDelayMs: 60 });
  try {
    const { id } = await service.create('How does withRetries work?');
    const seen = new Set<number>();
    await eventually(async () => {
      const [question] = (await service.get(id)).questions;
      seen.add(question?.turns.length ?? 0);
      expect(question?.status).toBe('completed');
    });
    expect(seen.size).toBeGreaterThan(3);
  } finally {
    await service.stop();
  }
});

test('cancel takes effect between steps, returns the question, and leaves the conversation usable', async () => {
  const service = await startTestService({ repos: [repository.path], stepDelayMs: 30_000 });
  try {
    const { id, questions } = await service.create('How does withRetries work?');
    const path = `/${id}/questions/${questions[0]?.id}/cancel`;
    await eventually(async () => expect((await service.get(id)).questions[0]?.turns.length).toBeGreaterThan(1));
    const response = await service.call('POST', path);
    expect(response.status).toBe(200);
    const cancelled = (await response.json()) as WireQuestion;
    expect(cancelled).toMatchObject({
      id: questions[0]?.id,
      status: 'completed',
      error: { kind: 'Cancelled' },
      suggested_followups: [],
    });
    expect(cancelled).toMatchObject({ title: 'Cancelled', answer: '', sources: [] });
    // The slot is free again at once, although the step would have taken half a minute.
    const next = (await (
      await service.call('POST', `/${id}/questions`, { question: 'Where is retryDelay?' })
    ).json()) as WireQuestion;
    await eventually(async () => expect((await service.get(id)).questions[1]?.status).toBe('processing'));
    await service.call('POST', `/${id}/questions/${next.id}/cancel`);
    const again = (await (await service.call('POST', path)).json()) as WireQuestion;
    expect(again).toEqual(cancelled);
    expect(service.problems).toEqual([]);
  } finally {
    await service.stop();
  }
});

test('a question without a free slot is processing too, can be cancelled, and starts when a slot is free', async () => {
  const service = await startTestService({ repos: [repository.path], concurrency: 1, stepDelayMs: 30_000 });
  try {
    const first = await service.create('Where is retryDelay?');
    const second = await service.create('Where is withRetries?');
    const third = await service.create('Where is JobQueue?');
    expect([first, second, third].map(({ questions }) => questions[0]?.status)).toEqual(Array(3).fill('processing'));
    const cancel = (conversation: typeof first) =>
      service.call('POST', `/${conversation.id}/questions/${conversation.questions[0]?.id}/cancel`);
    const cancelled = (await (await cancel(second)).json()) as WireQuestion;
    expect(cancelled).toMatchObject({ error: { kind: 'Cancelled' }, stats: { time_millis: 0 } });
    expect((await service.get(third.id)).questions[0]?.turns).toHaveLength(1);
    await cancel(first);
    await eventually(async () => expect((await service.get(third.id)).questions[0]?.turns.length).toBeGreaterThan(1));
    await service.call('DELETE', `/${third.id}`);
    expect(service.problems).toEqual([]);
  } finally {
    await service.stop();
  }
});

describe('with usual options', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({ repos: [repository.path] });
  });
  afterAll(() => service.stop());

  test('a cancel that comes after the answer leaves the answer', async () => {
    const { id } = await service.create('Where is retryDelay?');
    const [question] = (await service.finished(id)).questions;
    const response = await service.call('POST', `/${id}/questions/${question?.id}/cancel`);
    expect([response.status, await response.json()]).toEqual([200, question]);
    expect((await service.call('POST', `/${id}/questions/4711/cancel`)).status).toBe(404);
  });

  test('fifty simultaneous questions are all answered, each with a different answer', async () => {
    const names = ['retryDelay', 'withRetries', 'JobQueue', 'QueueOptions', 'settings'];
    const asked = await Promise.all(
      Array.from({ length: 50 }, (_, index) => service.create(`Where is ${names[index % 5]} defined?`)),
    );
    expect(new Set(asked.map(({ id }) => id)).size).toBe(50);
    for (const [index, { id }] of asked.entries()) {
      const [question] = (await service.finished(id)).questions;
      expect(question?.answer).toContain(`\`${names[index % 5]}\``);
    }
    expect(service.problems).toEqual([]);
  });

  test('the same question gets the same answer', async () => {
    const [first, second] = [
      await service.answer('How do retries work?'),
      await service.answer('How do retries work?'),
    ];
    expect(second.answer).toBe(first.answer);
    expect(second.suggested_followups).toEqual(first.suggested_followups);
  });
});

test('a stop keeps conversations, and questions in progress continue at the next start', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'codesearch-data-'));
  try {
    const first = await startTestService({ repos: [repository.path], dataDir, stepDelayMs: 30_000 });
    const { id } = await first.create('Where is retryDelay defined?');
    await first.stop();
    const second = await startTestService({ repos: [repository.path], dataDir });
    try {
      const { questions, share_url } = await second.finished(id);
      expect(questions[0]?.answer).toContain('`retryDelay`');
      expect(questions[0]?.answer).toContain(`](${second.url}/`);
      expect(share_url.startsWith(second.url)).toBe(true);
      expect((await second.create('another')).id).toBeGreaterThan(id);
    } finally {
      await second.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

describe('a question that is open when the service starts', () => {
  /** Starts that each begin to answer one question for ever, and end as `end` says; then what is stored of the question. */
  async function startOften(times: number, end: 'killed' | 'stopped'): Promise<QuestionRecord | undefined> {
    const folder = mkdtempSync(join(tmpdir(), 'codesearch-data-'));
    const data = openDataDirectory(folder);
    const store = openConversationStore(data.root);
    const conversation = await store.create(1, 1);
    const question: QuestionRecord = {
      ...{ id: 1, text: 'Where is retryDelay?', createdMs: 1, updatedMs: 1, status: 'processing' },
      ...{ turns: [], stats: emptyStats() },
    };
    await store.put({ ...conversation, questions: [question] });
    const stored = () => store.get(conversation.id)?.questions[0];
    const runners: ReturnType<typeof createRunner>[] = [];
    let asked = 0;
    for (let start = 1; start <= times; start += 1) {
      const runner = createRunner({
        ...{
          store,
          quota: createQuota(store, undefined, Date.now),
          canRead: () => true,
          unreadable: () => [],
          concurrency: 1,
        },
        ...{ stepDelayMs: 0, clock: Date.now, onProblem: () => {} },
        investigate: (...[, , , , asking]) => {
          asked += 1;
          return new Promise((_, reject) => asking?.signal.addEventListener('abort', () => reject(new Error('ended'))));
        },
      });
      runners.push(runner);
      runner.resume();
      await eventually(async () => expect(asked === start || stored()?.status === 'completed').toBe(true));
      if (end === 'stopped') await runner.stop();
    }
    const last = stored();
    for (const runner of runners) await runner.stop();
    await data.close();
    rmSync(folder, { recursive: true, force: true });
    return last;
  }

  test('is asked again after the service was killed twice, and ends when it was killed a third time', async () => {
    expect(await startOften(3, 'killed')).toMatchObject({ status: 'processing' });
    expect(await startOften(4, 'killed')).toMatchObject({ status: 'completed', error: { kind: 'InternalError' } });
  });

  test('is asked again however often the service was stopped in order', async () => {
    expect(await startOften(6, 'stopped')).toMatchObject({ status: 'processing' });
  });
});
