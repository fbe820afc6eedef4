import type { Corpus } from '../../../src/codesearch/index/corpus.ts';
import type { Finding } from '../../../src/codesearch/search/finding.ts';
import { createInvestigate } from '../../../src/codesearch/search/investigate.ts';

/** Asks a first question as a user who may read every repository. */
export function askCorpus(corpus: Corpus, question: string): Promise<Finding> {
  return createInvestigate(corpus)(
    question,
    [],
    async () => {},
    () => true,
  );
}
