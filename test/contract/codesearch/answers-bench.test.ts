import { afterAll, expect, test } from 'vitest';
import { measureAnswers } from '../../bench/answers/measure.ts';
import type { BenchQuestion } from '../../bench/answers/questions.ts';
import { createHarbourRepository } from '../../support/codesearch/repository.ts';

const repository = createHarbourRepository();
afterAll(repository.remove);

test('the benchmark asks the service itself and measures what people get', async () => {
  const questions: BenchQuestion[] = [
    {
      id: 'harbour-01',
      part: 'tune',
      kind: 'constant',
      question: 'Where is `retryDelay` defined?',
      gold: [{ file: 'src/retry.ts', lines: [4, 7], text: 'retryDelay' }],
    },
    {
      id: 'harbour-02',
      part: 'report',
      kind: 'history',
      question: 'When was `retryDelay` introduced?',
      gold: [{ file: 'src/retry.ts', lines: [3, 7], text: 'retryDelay' }],
      release: '1.1.0',
    },
    { id: 'harbour-03', part: 'tune', kind: 'none', question: 'Where is the xylophone tuned?', gold: 'none' },
  ];
  const commits = new Map([['1.1.0', repository.git('log', '--format=%H', '--grep=Retry failed tasks').trim()]]);
  const { files, asked } = await measureAnswers({ name: 'harbour', path: repository.path, commits }, questions);
  expect(files).toBe(7);
  expect(asked).toMatchObject([
    { id: 'harbour-01', package: 'harbour', refused: false, fileRank: 1, linesLinked: true, grepRank: 1 },
    { id: 'harbour-02', refused: false, fileRank: 1, linesLinked: true, commitLinked: true },
    { id: 'harbour-03', refused: true },
  ]);
});
