import { startTestService } from '../../support/service.ts';
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
  // Before the service starts: these calls block this process, and a connection that waits through them may be closed.
  const compared = questions.map((question) => {
    const startMs = performance.now();
    const files = rankByGitGrep(path, question.question);
    return { question, grep: { files, ms: performance.now() - startMs } };
  });
  const service = await startTestService({ repos: [path] });
  try {
    const asked: Asked[] = [];
    for (const { question, grep } of compared) {
      const { title = '', answer, sources: found = [], stats, error } = await service.answer(question.question);
      if (answer === undefined) throw new Error(`${question.id} was not answered: ${error?.message}`);
      const answered = { answer, sources: found.map(({ link }) => link), ms: stats.time_millis ?? Number.NaN };
      const measured = score(question, name, answered, { grep, readLines: (file) => readLines(path, file) });
      asked.push({ ...measured, title, answer, sources: answered.sources });
    }
    return { files: service.files, asked };
  } finally {
    await service.stop();
  }
}
