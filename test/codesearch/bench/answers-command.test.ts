import { afterAll, expect, test } from 'vitest';
import { createHarbourRepository } from '../support/repository.ts';
import { measureAnswers } from './answers/measure.ts';
import type { BenchQuestion } from './answers/questions.ts';

const repository = createHarbourRepository();
afterAll(repository.remove);

test('the benchmark asks the service itself and measures what people get', async () => {
  const commit = repository.git('log', '--format=%H', '--grep=Retry failed tasks').trim();
  const gold = [{ file: 'src/retry.ts', lines: [4, 7] as [number, number], text: 'retryDelay' }];
  const questions: BenchQuestion[] = [
    { id: 'harbour-01', part: 'tune', kind: 'where', question: 'Where is `retryDelay` defined?', gold },
    { id: 'harbour-02', part: 'report', kind: 'history', question: 'When was `retryDelay` introduced?', gold, commit },
    { id: 'harbour-03', part: 'tune', kind: 'none', question: 'Where is the xylophone tuned?' },
  ];
  const { files, asked } = await measureAnswers({ name: 'harbour', path: repository.path }, questions);
  expect(files).toBe(7);
  expect(asked).toMatchObject([
    { id: 'harbour-01', repository: 'harbour', refused: false, rank: 1, confidentlyWrong: false, grepRank: 1 },
    { id: 'harbour-02', refused: false, rank: 1, commitLinked: true },
    { id: 'harbour-03', refused: true },
  ]);
});
