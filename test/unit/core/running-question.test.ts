import { describe, expect, it } from 'vitest';
import { advance } from '../../../src/core/lifecycle/advance.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { createCoreHarness } from '../../support/lifecycle/core-harness.ts';

const work = { takesMs: 900_000, ends: 'completed' } as const;

describe('a running question', () => {
  it('is read every 2 s if it is watched alone, however long it takes', async () => {
    const { life, ask } = createCoreHarness({ work });
    const { id } = await ask();
    let nowMs = life.now();
    const w = { ...life.ports, now: () => nowMs };
    for (const passedMs of [0, 2_000, 60_000, 600_000]) {
      nowMs += passedMs;
      expect(await advance(w, id)).toBe(2_000);
    }
  });

  it.each<[string, number, Partial<Question>]>([
    ['the end of its patience', 10_000, {}],
    ['the time from which it takes longer than usual', 5_000, { expected: { fromMs: 1, toMs: 2, lateMs: 895_000 } }],
    ['its check for copies', 3_000, { recheckMs: 3_000 }],
    ['nothing that was due before', 10_000, { expected: { fromMs: 1, toMs: 2, lateMs: 3 } }],
  ])('that waits for a change at the service runs for %s', async (_, leftMs, { recheckMs, ...more }) => {
    const { life, ask } = createCoreHarness({ work });
    const { id } = await ask();
    let nowMs = life.now();
    const watching = { ...life.ports.watching, goesOn: () => 60_000 };
    const w = { ...life.ports, watching, now: () => nowMs };
    await advance(w, id);
    nowMs = (life.question(id).upstream.askedMs ?? 0) + 890_000;
    await life.ports.questions.update(id, (stored) => ({
      ...stored,
      ...more,
      ...(recheckMs === undefined ? {} : { recheckMs: nowMs + recheckMs }),
    }));
    expect(await advance(w, id)).toBe(leftMs);
  });
});
