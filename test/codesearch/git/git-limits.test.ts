import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withinBudget, withoutBudget } from '../../../src/codesearch/git/budget.ts';
import { openRepository, type Repository } from '../../../src/codesearch/git/repository.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

describe('a git process', () => {
  let source: TestRepository;
  let repository: Repository;

  beforeAll(async () => {
    source = createTestRepository({ 'a.txt': `${'a'.repeat(60)}!\nplain\n`, 'wide.txt': `${'ab'.repeat(40_000)}\n` });
    source.commit('Start');
    repository = await openRepository(source.path);
  });
  afterAll(() => source.remove());

  const grep = (...parameters: string[]) => repository.git(['grep', '-c', ...parameters, 'HEAD']);
  // More than a slow machine takes to fill the memory, so that the limit of memory is met before that of time.
  const patient = { timeoutMs: 150_000 };

  test.runIf(process.platform === 'linux')('fails when it needs more memory than it may use', async () => {
    const refused = repository.git(['grep', '-c', '-E', '-e', '((a{1,255}){1,255}){1,255}', 'HEAD'], patient);
    await expect(refused).rejects.toMatchObject({ kind: 'failed', message: expect.stringMatching(/memory/i) });
  });

  test('ends when it takes too long', async () => {
    const slow = repository.git(['grep', '-E', '-e', '(a.*)(b.*)\\1\\2c', 'HEAD'], { timeoutMs: 50 });
    await expect(slow).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('ends after enough output and returns it', async () => {
    expect(await repository.git(['show', 'HEAD:wide.txt'], { firstBytes: 5 })).toEqual(Buffer.from('ababa'));
  });

  test('ends with the request that began it, also while it waits', async () => {
    const ending = new AbortController();
    const running = withinBudget({ user: 'a', signal: ending.signal }, () =>
      Array.from({ length: 8 }, () => repository.git(['grep', '-E', '-e', '(a.*)(b.*)\\1\\2c', 'HEAD'])),
    );
    ending.abort();
    for (const end of await Promise.allSettled(running)) {
      expect(end).toMatchObject({ status: 'rejected', reason: { kind: 'stopped' } });
    }
    const later = withinBudget({ user: 'a', signal: ending.signal }, () => repository.head());
    await expect(later).rejects.toMatchObject({ kind: 'stopped' });
    const own = withinBudget({ user: 'a', signal: ending.signal }, () => withoutBudget(() => repository.head()));
    expect(await own).toMatch(/^[0-9a-f]{40}$/);
  });

  test('exits with 1 when nothing matches, which a caller can tell from a refusal', async () => {
    await expect(grep('-e', 'nowhere')).rejects.toMatchObject({ kind: 'failed', exitCode: 1 });
    await expect(grep('-P', '-e', '(')).rejects.toMatchObject({ kind: 'failed', exitCode: 128 });
    await expect(grep('-e', 'a\0b')).rejects.toMatchObject({ kind: 'failed' });
  });
});

test('a question is answered after the request that asked it has ended', async () => {
  const source = createTestRepository({ 'a.ts': '/** Moors a boat. */\nexport function moorBoat() {}\n' });
  source.commit('Start');
  const service = await startTestService({ repos: [source.path], stepDelayMs: 30 });
  try {
    expect((await service.answer('Who wrote moorBoat?')).answer).toContain('Ada Byron');
    expect(service.problems).toEqual([]);
  } finally {
    await service.stop();
    source.remove();
  }
});
