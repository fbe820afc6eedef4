/** A part of the source that is mutated separately and must reach the threshold, with the tests nearest to it. */
interface Area {
  mutate: readonly string[];
  testFiles: readonly string[];
}

/** Minimum score of each area in percent. */
export const threshold = 85;

export const areas: Record<string, Area> = {
  decide: { mutate: ['src/core/lifecycle/decide.ts'], testFiles: ['test/unit/core/{decide,readers}.test.ts'] },
  'unknown-outcome': {
    mutate: ['src/core/lifecycle/unknown-outcome.ts'],
    testFiles: ['test/unit/core/unknown-outcome.test.ts'],
  },
  accept: { mutate: ['src/core/intake/accept.ts'], testFiles: ['test/unit/core/{accept,traced-advance}.test.ts'] },
  access: {
    mutate: ['src/slack/access/policy.ts', 'src/slack/access/audience.ts'],
    testFiles: ['test/unit/slack/{access-policy,audience}.test.ts'],
  },
  layout: {
    mutate: ['src/render/markdown/layout.ts'],
    testFiles: ['test/unit/render/{beginning,divide-phrasing,golden,layout,markdown,outcome,written}.test.ts'],
  },
};
