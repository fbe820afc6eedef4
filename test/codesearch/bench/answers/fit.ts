import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isUnrelated } from '../../../../src/codesearch/ask/confidence.ts';
import { search } from '../../../../src/codesearch/ask/investigate.ts';
import { createInvestigation } from '../../../../src/codesearch/ask/investigation.ts';
import { parseQuestionInContext } from '../../../../src/codesearch/ask/question/carry-over.ts';
import { type Signs, scoreOf, WEIGHTS } from '../../../../src/codesearch/ask/rank.ts';
import { openCorpus } from '../../../../src/codesearch/index/corpus.ts';
import { readQuestions } from './questions.ts';
import { prepareRepository } from './repository.ts';

// `npm run fit:answers`: chooses the weights of the signs in src/codesearch/ask/rank.ts on the part `tune` of the judgments, and prints them.

/** The passages of a question, by their files, and whether the file is a right one. */
interface Judged {
  candidates: { file: string; signs: Signs; isRight: boolean }[];
}

/** The kinds of questions whose answer is the best passage. */
const RANKED = new Set(['explain', 'where', 'why', 'list', 'option', 'error', 'vague', 'how-to']);
const STEPS = [0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 2, 2.4];

const { values } = parseArgs({
  options: {
    repositories: { type: 'string' },
    cache: { type: 'string', default: join(tmpdir(), 'deepsearch-bench-answers') },
  },
});
const judged: Judged[] = [];
for (const source of readQuestions()) {
  const path = prepareRepository(source, values.cache, values.repositories);
  const corpus = await openCorpus([path]);
  await corpus.read(120_000);
  for (const { part, gold, question, kind } of source.questions) {
    if (part !== 'tune' || gold === undefined || !RANKED.has(kind)) continue;
    const asked = await search(
      parseQuestionInContext(question, []),
      createInvestigation(corpus, async () => {}),
    );
    if (isUnrelated(asked)) continue;
    const right = new Set(gold.map(({ file }) => file));
    judged.push({
      candidates: asked.passages.map(({ file, signs }) => ({ file: file.path, signs, isRight: right.has(file.path) })),
    });
  }
  await corpus.close();
}
let best = WEIGHTS;
let worth = worthOf(best);
process.stdout.write(`${judged.length} questions; now ${worth.toFixed(1)} with ${JSON.stringify(best)}\n`);
for (let isBetter = true; isBetter; ) {
  isBetter = false;
  for (const sign of Object.keys(WEIGHTS)) {
    for (const step of STEPS) {
      const tried = { ...best, [sign]: step };
      const reached = worthOf(tried);
      if (reached <= worth) continue;
      [best, worth, isBetter] = [tried, reached, true];
    }
  }
}
process.stdout.write(`best ${worth.toFixed(1)} with ${JSON.stringify(best)}\n`);

/** A right file counts 1 where it is first, and half as much where it is among the first three. */
function worthOf(weights: Signs): number {
  return judged.reduce((sum, { candidates }) => {
    const sorted = candidates
      .map(({ file, isRight, signs }) => ({ file, isRight, score: scoreOf(signs, weights) }))
      .sort((a, b) => b.score - a.score);
    const files = [...new Map(sorted.toReversed().map((one) => [one.file, one])).values()].reverse();
    const at = files.findIndex(({ isRight }) => isRight);
    return sum + (at === 0 ? 1 : at === 1 || at === 2 ? 0.5 : 0);
  }, 0);
}
