import { expect, test } from 'vitest';
import { createLargeRepository } from '../codesearch/support/large-repository.ts';
import { startTestService } from '../codesearch/support/service.ts';

test('five thousand files are read and used for answers', async () => {
  const repository = createLargeRepository(5_000);
  const service = await startTestService({ repos: [repository.path] });
  try {
    expect(service.files).toBe(5_000);
    for (const question of [
      'Where are stale invoices archived?',
      'How does the refund retry work?',
      'which files throttle parcels?',
      'what is this repository about?',
      'when did the report change?',
    ]) {
      const { answer, error, title } = await service.answer(question);
      expect(error).toBeUndefined();
      expect(answer).toContain('](');
      expect(title).not.toBe('Nothing relevant found');
    }
    expect(service.problems).toEqual([]);
  } finally {
    await service.stop();
    repository.remove();
  }
});
