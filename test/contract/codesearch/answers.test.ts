import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHarbourRepository } from '../../support/codesearch/repository.ts';
import { startTestService } from '../../support/codesearch/service.ts';

const repository = createHarbourRepository();
let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService({ repos: [repository.path] });
});

afterAll(async () => {
  await service.stop();
  repository.remove();
});

/** The answer without addresses, as people read it. */
async function read(question: string): Promise<string> {
  return ((await service.answer(question)).answer ?? '')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/\[[0-9a-f]{8}\]/g, '[id]');
}

describe('a question', () => {
  test('about the place of something gets its definition, its uses and its tests', async () => {
    expect(await read('Where is `retryDelay` defined?')).toMatchInlineSnapshot(`
      "\`retryDelay\`, a function, is defined in [src/retry.ts:4-7]. Milliseconds to wait before the given attempt; doubles each time, up to the cap.

      \`\`\`ts
      export function retryDelay(attempt: number): number {
        const base = settings.retryBaseMs * 2 ** (attempt - 1);
        return Math.min(base, settings.retryCapMs);
      }
      \`\`\`

      **Called from**

      - [src/retry.ts:16] in \`withRetries\`: \`await sleep(retryDelay(attempt));\`

      **Tests**: [test/retry.test.ts:5].

      **Last change**: [id] 2024-05-02, Grace Hopper: Cap the retry delay. Without a cap a crane waited for two days after an outage.

      **Other places**

      - \`withRetries\`, [src/retry.ts:9-19]: Runs a task until it succeeds or the attempts are used up."
    `);
  });

  test('about how something works gets the code that does it and what that code uses', async () => {
    expect(await read('How does a job get retried?')).toMatchInlineSnapshot(`
      "This is in \`drain\`, a method of \`JobQueue\` in [src/queue.ts:19-22].

      \`\`\`ts
      private async drain(): Promise<void> {
        const job = this.waiting.shift();
        if (job) await withRetries(job);
      }
      \`\`\`

      **Called from**

      - [src/queue.ts:16] in \`enqueue\`: \`this.drain();\`

      **It rests on**

      - \`withRetries\` ([src/retry.ts:10]): Runs a task until it succeeds or the attempts are used up.

      **Last change**: [id] 2024-06-03, Ada Byron: Queue jobs in the order of arrival

      **Other places**

      - “Retries”, [docs/retries.md:1-3]: A failed job is tried again after a delay that doubles.
      - \`enqueue\`, [src/queue.ts:14-17]: \`enqueue(job: () => Promise<void>): void {\`
      - \`retryDelay\`, [src/retry.ts:3-7]: Milliseconds to wait before the given attempt; doubles each time, up to the cap.
      - \`QueueOptions\`, [src/queue.ts:3-8]: How many jobs run at once.
      - \`JobQueue\`, [src/queue.ts:10-13]: Runs jobs in the order in which they came."
    `);
  });

  test('about the callers of something gets the callers', async () => {
    expect(await read('What calls withRetries?')).toMatchInlineSnapshot(`
      "\`withRetries\`, function in [src/retry.ts:10], is used in 1 place in 1 source file: \`drain\` at [src/queue.ts:21] when \`job\`. Runs a task until it succeeds or the attempts are used up.

      \`\`\`ts
        private async drain(): Promise<void> {
          const job = this.waiting.shift();
          if (job) await withRetries(job);
        }
      \`\`\`

      **In the code**

      - [src/queue.ts:21] in \`drain\`: \`if (job) await withRetries(job);\`"
    `);
  });

  test('about the reason of a change gets the commits', async () => {
    expect(await read('Why was the retry delay capped?')).toMatch(
      /Cap the retry delay\. Without a cap a crane waited for two days after an outage/,
    );
  });

  test('about the authors of something gets the authors', async () => {
    expect(await read('Who wrote src/retry.ts?')).toContain(
      'has 2 commits, by Ada Byron (1) and Grace Hopper (1). The last one, on 2024-05-02, is by Grace Hopper.',
    );
  });

  test('about the options gets the options', async () => {
    const answer = await read('What options does the queue take?');
    expect(answer).toContain('`QueueOptions` in [src/queue.ts:3-8] has 2 members');
    expect(answer).toContain('- `concurrency` `number`: How many jobs run at once.');
  });

  test('about the environment variables gets where they are read', async () => {
    const answer = await read('Which environment variables are read?');
    expect(answer).toContain('The code reads 2 environment variables by name.');
    expect(answer).toContain('`RETRY_CAP_MS` in [src/config.ts:4]');
  });

  test('about one environment variable gets the place that reads it, and not the list', async () => {
    const answer = await read(
      'How is the environment variable RETRY_CAP_MS read, in seconds versus in milliseconds, or both?',
    );
    expect(answer).toMatch(/^`RETRY_CAP_MS` is .* at \[src\/config\.ts:4\]/);
    expect(answer).not.toContain('environment variables by name');
  });

  test('about the tests gets the tests', async () => {
    expect(await read('Which tests cover retryDelay?')).toContain(
      '[test/retry.test.ts:4]: `the delay doubles and stops at the cap`',
    );
  });

  test('about the files gets the files', async () => {
    expect(await read('Which files have to do with retries?')).toContain('[src/retry.ts]');
  });

  test('about the repository gets its description and its parts', async () => {
    const answer = await read('What is this repository about?');
    expect(answer).toContain('Moves containers between ships and trains');
    expect(answer).toContain('Harbour moves containers between ships and trains, and retries what fails.');
    expect(answer).toContain('[src/]');
  });

  test('about a file or a folder gets its content', async () => {
    expect(await read('What is in src/queue.ts?')).toContain(
      '`JobQueue` ([src/queue.ts:11-23]): Runs jobs in the order in which they came.',
    );
    expect(await read('What is in src?')).toContain('[src/] has 3 files');
  });

  test('about recent changes gets the newest commits', async () => {
    expect(await read('What changed recently?')).toContain(
      'was made on 2024-06-03 by Ada Byron: Queue jobs in the order of arrival.',
    );
  });
});

describe('a question about a missing thing', () => {
  // Joined here, so that no file of a repository contains these words.
  const nonsense = [
    ['xy', 'zzy'],
    ['plu', 'gh'],
    ['frobni', 'cate'],
  ]
    .map((parts) => parts.join(''))
    .join(' ');

  test.each([
    nonsense,
    `How does the ${nonsense} work?`,
    'What is the capital of Mongolia?',
    'Where is unloadZeppelin defined?',
    'why?',
    '???',
  ])('finds nothing and says so: %s', async (question) => {
    const { answer, sources, title, status } = await service.answer(question);
    expect(status).toBe('completed');
    expect(title).toBe('Nothing relevant found');
    expect(answer).toMatch(/^Nothing relevant was found/);
    expect(sources).toEqual([]);
  });

  test('gets the missing word beside what was found', async () => {
    expect(await read('How does the retry delay cap zeppelins?')).toContain('No file mentions `zeppelins`.');
  });
});

test('a thread of questions keeps its subject', async () => {
  const { id } = await service.create('Where is JobQueue defined?');
  const texts = ['How does it work?', 'Which tests cover it?', 'And who wrote it?', 'What about retryDelay?'];
  for (const question of texts) {
    await service.finished(id);
    await service.call('POST', `/${id}/questions`, { question });
  }
  const [, how, tests, who, other] = (await service.finished(id)).questions;
  expect(how?.answer).toContain('`JobQueue`');
  expect(tests?.answer).toContain('JobQueue');
  expect(who?.answer).toMatch(/`JobQueue`.*Ada Byron/);
  expect(other?.answer).toContain('`retryDelay`');
});

test.each([
  'Where is withRetries defined?',
  'When did the delay change?',
  'What does Harbour do with containers and ships?',
])('a suggested follow-up of "%s" asks about its answer, and can be answered', async (asked) => {
  const { suggested_followups } = await service.answer(asked);
  expect(suggested_followups?.length).toBeGreaterThan(0);
  for (const question of suggested_followups ?? []) {
    expect(question).toMatch(/`[^`]+`/);
    expect((await service.answer(question)).title).not.toBe('Nothing relevant found');
  }
});
