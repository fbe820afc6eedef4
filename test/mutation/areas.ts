/** A part of the source whose tests are held to the threshold by themselves. */
export interface Area {
  /** What is mutated. */
  mutate: readonly string[];
  /** The near tests. What takes seconds for each mutant, and adds nothing the others don't catch, is left out. */
  testFiles: readonly string[];
}

/** In percent, of each area. */
export const threshold = 85;

export const areas: Record<string, Area> = {
  core: {
    mutate: ['src/core/**/*.ts'],
    testFiles: ['test/unit/core/!(life-properties).test.ts', 'test/unit/pacing.test.ts'],
  },
  /** Who may ask, and who reads what is answered and quoted. */
  people: {
    mutate: ['src/slack/people/**/*.ts', 'src/slack/threads/thread-{messages,quotes,reader}.ts'],
    testFiles: [
      'test/unit/slack/{access,audience,brief-memory,channels,directory,hearing,names,people,reaches}.test.ts',
      'test/unit/slack/thread-{messages,quotes,reader}.test.ts',
    ],
  },
  deepsearch: {
    mutate: ['src/deepsearch/**/*.ts'],
    testFiles: [
      'test/unit/deepsearch/!(hostile-links).test.ts',
      'test/transport/{client-*,code-search,read-token}.test.ts',
    ],
  },
  storage: {
    mutate: ['src/storage/**/*.ts'],
    // Left out is what waits for hanging servers or starts programs, a Redis too: the score is the same without one.
    testFiles: [
      'test/unit/storage/**/*.test.ts',
      'test/contract/storage/{embedded-contract,embedded-store,keyv-suite}.test.ts',
    ],
  },
  render: {
    // The sentences are words: whether they are complete and free of traps is tested over all of them at once.
    mutate: ['src/render/**/*.ts', '!src/render/sentences/**/*.ts'],
    // The two left out take seconds for each mutant: they render texts that are made to take long, and thousands of random ones.
    testFiles: ['test/unit/render/!(hostile|outcome-properties).test.ts'],
  },
};
