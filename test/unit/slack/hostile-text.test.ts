import { describe, expect, it } from 'vitest';
import { hostileTexts, textReaders } from '../../support/hostile/hostile-text.ts';

describe('a text of 40,000 characters', () => {
  // A reader with quadratic time does not end before the test's timeout. `npm run bench` measures the slowest reader.
  it.each(textReaders)('is read to its end by %s, with any hostile content', (_, read) => {
    let texts = 0;
    for (const { text } of hostileTexts()) {
      read(text);
      texts += 1;
    }
    expect(texts).toBe(2_420);
  });
});
