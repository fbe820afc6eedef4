import { startTestService, type WireQuestion } from '../../support/codesearch/service.ts';
import { rankByGitGrep } from './git-grep.ts';
import type { BenchQuestion } from './questions.ts';
import { type Score, score } from './scoring.ts';

/** A question with its answer and the measures of it; `sources` are links. */
export interface Asked extends Score {
  title: string;
  answer: string;
  sources: string[];
}

/** A repository to ask about; `commits` has commit ids by release. */
export interface AskedRepository {
  name: string;
  path: string;
  commits: ReadonlyMap<string, string>;
}

/** Starts the service on one repository, asks it one question after the other and measures its answers and `git grep`. */
export async function measureAnswers(
  { name, path, commits }: AskedRepository,
  questions: readonly BenchQuestion[],
): Promise<{ files: number; readyMs: number; asked: Asked[] }> {
  const startMs = performance.now();
  const service = await startTestService({ repos: [path] });
  const readyMs = performance.now() - startMs;
  try {
    const asked: Asked[] = [];
    for (const question of questions) {
      const grepStartMs = performance.now();
      const files = rankByGitGrep(path, question.question);
      const grep = { files, ms: performance.now() - grepStartMs };
      const commit = question.release === undefined ? undefined : commits.get(question.release);
      const { title, answer, sources, ms } = readAnswer(await service.answer(question.question));
      asked.push({ ...score(question, name, { answer, sources, ms }, grep, commit), title, answer, sources });
    }
    return { files: service.files, readyMs, asked };
  } finally {
    await service.stop();
  }
}

function readAnswer({ title = '', answer, sources = [], stats, error }: WireQuestion) {
  if (answer === undefined) throw new Error(`a question was not answered: ${error?.message}`);
  return { title, answer, sources: sources.map(({ link }) => link), ms: stats.time_millis ?? Number.NaN };
}
