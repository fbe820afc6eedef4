import type { Fence } from '../fence.ts';

/** Raise with every change of the text. */
export const QUESTION_VERSION = 1;

export interface QuestionPrompt {
  question: string;
  /** Earlier questions and answers of the conversation, oldest first. */
  earlier: readonly { question: string; answer: string }[];
  repositories: readonly string[];
  /** Repositories that are not in the list because it is long. */
  more: number;
  /** The answer of the search without a model. */
  draft: string;
}

/** The first message of a conversation with the model. */
export function questionPrompt({ question, earlier, repositories, more, draft }: QuestionPrompt, fence: Fence): string {
  const names = `${repositories.join('\n')}${more === 0 ? '' : `\n… and ${more} more`}`;
  const before = earlier.flatMap((one) => [
    fence.wrap('earlier question', one.question),
    fence.wrap('earlier answer', one.answer),
  ]);
  return [
    'The repositories that you can read:',
    fence.wrap('repositories', names),
    ...(before.length === 0 ? [] : ['Earlier in this conversation, oldest first:', ...before]),
    'What a search without a model found for the question:',
    fence.wrap('search result', draft),
    earlier.length === 0
      ? 'The question to answer:'
      : 'The question to answer now; "it", "that file" or "the second one" mean something of the earlier answers:',
    fence.wrap('question', question),
  ].join('\n\n');
}
