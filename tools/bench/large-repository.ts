import { createLargeRepository } from '../../test/codesearch/support/large-repository.ts';
import { startTestService } from '../../test/codesearch/support/service.ts';
import { mean, round } from './statistics.ts';

export interface LargeRepositoryRow {
  files: number;
  readyMs: number;
  answerMeanMs: number;
  answerMaxMs: number;
}

const questions = [
  'Where are stale invoices archived?',
  'How does the refund retry work?',
  'which files throttle parcels?',
  'what is this repository about?',
  'when did the report change?',
];

/** Measures how long the embedded service takes to index a repository of this size and to answer questions about it. */
export async function measureLargeRepository(files: number): Promise<LargeRepositoryRow[]> {
  const repository = createLargeRepository(files);
  try {
    const startMs = performance.now();
    const service = await startTestService({ repos: [repository.path] });
    const readyMs = performance.now() - startMs;
    try {
      const answerMs: number[] = [];
      for (const question of questions) {
        const { stats } = await service.answer(question);
        answerMs.push(stats.time_millis ?? Number.NaN);
      }
      return [
        {
          files: service.files,
          readyMs: round(readyMs, 0),
          answerMeanMs: round(mean(answerMs), 0),
          answerMaxMs: round(Math.max(...answerMs), 0),
        },
      ];
    } finally {
      await service.stop();
    }
  } finally {
    repository.remove();
  }
}
