import { startTestService } from '../../support/codesearch/service.ts';
import { rankByGitGrep } from './git-grep.ts';
import type { BenchQuestion } from './questions.ts';
import { readLines } from './repository.ts';
import { type Score, score } from './scoring.ts';

/** A question with its answer and the measures of it; `sources` are links. */
export interface Asked extends Score {
  title: string;
  answer: string;
  sources: string[];
}

/** Starts the service on one repository, asks it one question after the other and measures its answers and `git grep`. */
export async function measureAnswers(
  { name, path }: { name: string; path: string },
  questions: readonly BenchQuestion[],
): Promise<{ files: number; asked: Asked[] }> {
  const service = await startTestService({ repos: [path] });
  try {
    const asked: Asked[] = [];
    for (const question of questions) {
      const grepStartMs = performance.now();
      const files = rankByGitGrep(path, question.question);
      const grep = { files, ms: performance.now() - grepStartMs };
      const { title = '', answer, sources: found = [], stats, error } = await service.answer(question.question);
      if (answer === undefined) throw new Error(`${question.id} was not answered: ${error?.message}`);
      const sources = found.map(({ link }) => link);
      const ms = stats.time_millis ?? Number.NaN;
      const reference = { grep, readLines: (file: string) => readLines(path, file) };
      asked.push({ ...score(question, name, { answer, sources, ms }, reference), title, answer, sources });
    }
    return { files: service.files, asked };
  } finally {
    await service.stop();
  }
}
