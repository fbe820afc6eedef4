import type { EarlierQuestion, Finding } from '../../../src/codesearch/ask/finding.ts';
import { createInvestigate } from '../../../src/codesearch/ask/investigate.ts';
import type { Corpus } from '../../../src/codesearch/index/corpus.ts';

/** Asks a question, by default the first one of a conversation, as a user who may read every repository. */
export function askCorpus(
  corpus: Corpus,
  question: string,
  earlier: readonly EarlierQuestion[] = [],
): Promise<Finding> {
  return createInvestigate(corpus)(
    question,
    earlier,
    async () => {},
    () => true,
  );
}
