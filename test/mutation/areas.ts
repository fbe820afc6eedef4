/** A part of the source that is mutated separately and must reach the threshold. */
export interface Area {
  /** Files to mutate. */
  mutate: readonly string[];
  /** Test files of this part. Leaves out files that take seconds per mutant and catch no additional mutants. */
  testFiles: readonly string[];
}

/** Minimum score of each area in percent. */
export const threshold = 85;

export const areas: Record<string, Area> = {
  core: {
    mutate: ['src/core/**/*.ts'],
    testFiles: ['test/unit/core/!(lifecycle-properties).test.ts', 'test/unit/pacing.test.ts'],
  },
  /** Who may ask, and who can read answers and quotes. */
  people: {
    mutate: [
      'src/slack/access/**/*.ts',
      'src/slack/content/thread-messages.ts',
      'src/slack/threads/thread-{quotes,reader}.ts',
    ],
    testFiles: [
      'test/unit/slack/{access-policy,audience,brief-cache,channels,membership,mention-names,thread-note-keeper}.test.ts',
      'test/unit/slack/{user-directory,users}.test.ts',
      'test/unit/slack/thread-{messages,quotes,reader}.test.ts',
    ],
  },
  deepsearch: {
    mutate: ['src/deepsearch/**/*.ts'],
    testFiles: [
      'test/unit/deepsearch/!(hostile-links).test.ts',
      'test/transport/{api-gone,client-*,code-search,read-token,second-generation*}.test.ts',
    ],
  },
  storage: {
    mutate: ['src/storage/**/*.ts'],
    // Leaves out tests that wait for hanging servers or start programs, for example Redis: the score is the same.
    testFiles: [
      'test/unit/storage/**/*.test.ts',
      'test/contract/storage/{embedded-contract,embedded-store,keyv-suite}.test.ts',
    ],
  },
  render: {
    // Leaves out the strings: separate tests check all of them at once.
    mutate: ['src/render/**/*.ts', '!src/render/strings/**/*.ts'],
    // Leaves out tests that take seconds per mutant: hostile, large and thousands of random texts.
    testFiles: ['test/unit/render/!(hostile|large-answers|outcome-properties).test.ts'],
  },
};
