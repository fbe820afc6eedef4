import { createClient } from 'redis';
import { newThread } from '../../src/core/question/question.ts';
import { createBullScheduler } from '../../src/scheduler/bullmq.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { questionWith, someAnswer } from '../support/lifecycle/sample-questions.ts';
import { startRedisServer } from '../support/processes/redis-server.ts';
import { silentLog } from './silent-log.ts';
import { round } from './statistics.ts';

const count = 1_000;
const questionCharacters = 120;
const answerCharacters = 3_000;

export interface RedisSizeRow {
  state: string;
  megabytes: number;
}

/**
 * Measures the size of 1,000 questions in Redis, each in its own thread, with 120 characters of question and 3,000 of
 * answer: while they run, during delivery, and once closed (stored for buttons and follow-ups).
 */
export async function measureRedisSize(): Promise<RedisSizeRow[]> {
  const server = await startRedisServer();
  const storage = await openStorage({ redisUrl: server.url }, { clock: Date.now, log: silentLog });
  const scheduler = createBullScheduler({ redisUrl: server.url, log: silentLog, random: Math.random });
  const client = createClient({ url: server.url });
  try {
    await client.connect();
    const usedBytes = async (): Promise<number> =>
      Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1] ?? Number.NaN);
    const ids = Array.from({ length: count }, (_, n) => `q${String(n).padStart(24, '0')}`);
    const emptyBytes = await usedBytes();
    const since = async (state: string): Promise<RedisSizeRow> => ({
      state,
      megabytes: round(((await usedBytes()) - emptyBytes) / 1024 ** 2, 2),
    });

    for (const [n, id] of ids.entries()) {
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
      await scheduler.schedule(id, 600_000);
    }
    const running = await since('running, with a scheduled run');

    const answer = { ...someAnswer, markdown: 'x'.repeat(answerCharacters), sources: sources() };
    for (const id of ids) {
      await storage.questions.update(id, (question) => ({
        ...question,
        phase: 'delivering',
        outcome: { kind: 'answered', answer },
      }));
    }
    const delivering = await since('answered, not delivered yet');

    for (const id of ids) {
      await storage.questions.update(id, (question) => ({
        ...question,
        phase: 'closed',
        outcome: { kind: 'answered', answer: { ...answer, markdown: '' } },
      }));
      await storage.questions.markClosed(id);
    }
    await scheduler.stop(1_000);
    for (const key of await client.keys('ds:bull:*')) await client.del(key);
    return [running, delivering, await since('closed')];
  } finally {
    await scheduler.stop(1_000);
    await storage.close();
    if (client.isOpen) client.destroy();
    await server.stop();
  }
}

function sources() {
  return Array.from({ length: 8 }, (_, n) => ({
    url: `https://sourcegraph.example.com/github.com/acme/app/-/blob/src/payments/retry-${n}.ts?L10-20`,
    label: `src/payments/retry-${n}.ts`,
    repository: 'github.com/acme/app',
  }));
}
