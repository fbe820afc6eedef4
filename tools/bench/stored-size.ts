import { stat } from 'node:fs/promises';
import { createClient } from 'redis';
import { newThread } from '../../src/core/question/question.ts';
import { createBullScheduler } from '../../src/scheduler/bullmq.ts';
import { storeFile } from '../../src/storage/embedded-store.ts';
import { openStorage, type StorageLocation } from '../../src/storage/open-storage.ts';
import { questionWith, someAnswer } from '../../test/support/lifecycle/sample-questions.ts';
import { silentLog } from './silent-log.ts';
import { round } from './statistics.ts';

const count = 1_000;
const thousands = 10;
const questionCharacters = 120;
const answerCharacters = 3_000;

export interface StoredSizeRow {
  store: string;
  state: string;
  megabytes: number;
}

/**
 * Measures what 1,000 questions take in a store, each in its own thread, with 120 characters of question and 3,000 of
 * answer: while they run, during delivery, and once closed (stored for buttons and follow-ups). In Redis that is memory. In
 * the embedded store it is the file, which keeps the room of deleted texts for later ones; therefore the last row is the
 * share of 1,000 after 10,000, a thousand after the other.
 */
export async function measureStoredSize(store: string, location: StorageLocation): Promise<StoredSizeRow[]> {
  const storage = await openStorage(location, { clock: Date.now, log: silentLog });
  const redis = 'redisUrl' in location ? await openRedisSide(location.redisUrl) : undefined;
  try {
    const emptyBytes = await usedBytes();
    const rowOf = async (state: string, thousands = 1): Promise<StoredSizeRow> => ({
      store,
      state,
      megabytes: round(((await usedBytes()) - emptyBytes) / thousands / 1024 ** 2, 2),
    });
    const questions = numbered(0);
    await ask(questions);
    const running = await rowOf('running, with a scheduled run');
    await answer(questions);
    const delivering = await rowOf('answered, not delivered yet');
    await close(questions);
    for (let thousand = 1; thousand < thousands; thousand += 1) {
      const more = numbered(thousand * count);
      await ask(more);
      await answer(more);
      await close(more);
    }
    await redis?.removeRuns();
    return [running, delivering, await rowOf('closed', thousands)];
  } finally {
    await redis?.close();
    await storage.close();
  }

  async function ask(questions: readonly Numbered[]): Promise<void> {
    for (const { n, id } of questions) {
      const place = { teamId: 'T1', channelId: 'C1', threadTs: `1700000000.${String(n).padStart(6, '0')}` };
      await storage.questions.create(
        questionWith({
          id,
          place,
          phase: 'running',
          text: 'x'.repeat(questionCharacters),
          card: { ts: '1700000000.000002', shown: 'x'.repeat(100), editedMs: Date.now() },
          upstream: { steps: 3, lastStep: 'x'.repeat(100), conversationId: n, questionId: n, askedMs: Date.now() },
        }),
      );
      await storage.threads.update(place, () => ({ ...newThread(place, true), conversationId: n, queue: [id] }));
      await storage.claims.claim(`upstream:${n}:${n}`, id);
      await redis?.scheduler.schedule(id, 600_000);
    }
  }

  async function answer(questions: readonly Numbered[]): Promise<void> {
    for (const { id } of questions) {
      await storage.questions.update(id, (question) => ({
        ...question,
        phase: 'delivering',
        outcome: { kind: 'answered', answer: longAnswer },
      }));
    }
  }

  async function close(questions: readonly Numbered[]): Promise<void> {
    for (const { id } of questions) {
      await storage.questions.update(id, (question) => ({
        ...question,
        phase: 'closed',
        outcome: { kind: 'answered', answer: { ...longAnswer, markdown: '' } },
      }));
      await storage.questions.markClosed(id);
    }
  }

  async function usedBytes(): Promise<number> {
    if ('dataDir' in location) return (await stat(storeFile(location.dataDir))).blocks * 512;
    return redis?.usedBytes() ?? Number.NaN;
  }
}

interface Numbered {
  n: number;
  id: string;
}

function numbered(first: number): Numbered[] {
  return Array.from({ length: count }, (_, i) => ({ n: first + i, id: `q${String(first + i).padStart(24, '0')}` }));
}

const longAnswer = { ...someAnswer, markdown: 'x'.repeat(answerCharacters), sources: sources() };

/** The planned runs of questions on Redis, and how much memory it uses. */
async function openRedisSide(redisUrl: string) {
  const scheduler = createBullScheduler({ redisUrl, log: silentLog, random: Math.random });
  const client = createClient({ url: redisUrl });
  await client.connect();
  return {
    scheduler,
    usedBytes: async (): Promise<number> =>
      Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1] ?? Number.NaN),
    async removeRuns(): Promise<void> {
      await scheduler.stop(1_000);
      for (const key of await client.keys('ds:bull:*')) await client.del(key);
    },
    async close(): Promise<void> {
      await scheduler.stop(1_000);
      client.destroy();
    },
  };
}

function sources() {
  return Array.from({ length: 8 }, (_, n) => ({
    url: `https://sourcegraph.example.com/github.com/acme/app/-/blob/src/payments/retry-${n}.ts?L10-20`,
    label: `src/payments/retry-${n}.ts`,
    repository: 'github.com/acme/app',
  }));
}
