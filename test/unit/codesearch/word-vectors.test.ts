import { describe, expect, it } from 'vitest';
import { weigh } from '../../../src/codesearch/index/text-index.ts';
import { textTerms } from '../../../src/codesearch/index/words.ts';
import { cosine, readWordVectors, wordVectors } from '../../../src/codesearch/search/word-vectors.ts';
import type { Encoder } from '../../training/encoder.ts';
import { createModel } from '../../training/model.ts';
import { createRandom } from '../../training/random.ts';
import { encodeVectorFile } from '../../training/vector-file.ts';

describe('vectors that the training wrote', () => {
  const words = ['wait', 'retry', 'naïve'];
  const repetition = Float32Array.of(0.2, 0.6, 1);
  const { questions, codes } = createModel({ words, idf: Float32Array.of(3, 4, 5), repetition }, 8, createRandom(1));
  const written = readWordVectors(encodeVectorFile({ words, repetition }, questions, codes));

  function vectorOf({ vectors, weights, dimensions }: Encoder, place: number): number[] {
    const vector = Array.from(vectors.subarray(place * dimensions, (place + 1) * dimensions), (value) => value);
    const length = Math.hypot(...vector);
    return vector.map((value) => (value * Math.sign(weights[place] ?? 0)) / length);
  }

  it.each(words.map((word, place) => [word, place] as const))(
    'have the direction that was learned for %s',
    (word, place) => {
      for (const [read, learned] of [
        [written.ofQuestion([word]), vectorOf(questions, place)],
        [written.ofCode(weigh({ body: [word] })), vectorOf(codes, place)],
      ] as const) {
        expect(read.length).toBe(8);
        for (const [at, value] of learned.entries()) expect(read[at]).toBeCloseTo(value, 2);
      }
    },
  );

  it('are added, and unknown terms left out', () => {
    const both = written.ofQuestion(['wait', 'naïve', 'unknown', 'wait']);
    expect(cosine(both, written.ofQuestion(['naïve', 'wait']))).toBeCloseTo(1);
    expect(cosine(both, written.ofQuestion(['wait']))).toBeLessThan(0.99);
    expect(cosine(both, both)).toBeCloseTo(1);
  });

  it('say how surely code repeats a term that is known', () => {
    expect(words.map((word) => written.repetitionOf(word))).toEqual([0.2, expect.closeTo(0.6), 1]);
    expect(written.repetitionOf('unknown')).toBeUndefined();
  });

  it('are zeros without a known term, so that nothing is similar', () => {
    const none = written.ofQuestion(['unknown']);
    expect(Array.from(none)).toEqual(new Array(8).fill(0));
    expect(cosine(none, written.ofCode(weigh({ body: ['wait'] })))).toBe(0);
  });

  it('weigh a term of code more the more often it is there, with less and less gain', () => {
    const share = (times: number): number => {
      const body = [...new Array<string>(times).fill('wait'), 'naïve'];
      return cosine(written.ofCode(weigh({ body })), written.ofCode(weigh({ body: ['wait'] })));
    };
    const [once = 0, twice = 0, often = 0, veryOften = 0] = [1, 2, 20, 40].map(share);
    expect(twice).toBeGreaterThan(once);
    expect(veryOften - often).toBeLessThan(twice - once);
  });
});

describe('the vectors of the service', () => {
  it.each([
    [
      'How long does it pause before it asks the server once more?',
      'async function retry(attempt) { await sleep(backoff(attempt)); return request(); }',
      "function render(node) { return '<div>' + escape(node.text) + '</div>'; }",
    ],
    [
      'Where is the password checked?',
      'def authenticate(user, secret):\n    return hash(secret, user.salt) == user.digest',
      'def parse_date(text):\n    return datetime.strptime(text, FORMAT)',
    ],
    [
      'What keeps two threads from writing at once?',
      'func (s *Store) Put(key string) { s.mu.Lock(); defer s.mu.Unlock(); s.items[key] = true }',
      'func (s *Store) Name() string { return strings.ToUpper(s.name) }',
    ],
  ])('find for "%s" the code that answers it nearer than other code', (question, right, other) => {
    const { ofQuestion, ofCode } = wordVectors();
    const asked = ofQuestion(textTerms(question));
    const [near, far] = [right, other].map((text) => cosine(asked, ofCode(weigh({ body: textTerms(text) }))));
    expect(near).toBeGreaterThan((far ?? 0) + 0.1);
  });

  it('know that code says what it is made for, and not how people tell of it', () => {
    const [made = 0, told = 1] = ['gzip', 'accidentally'].map((word) =>
      wordVectors().repetitionOf(textTerms(word)[0] ?? ''),
    );
    expect(made).toBeGreaterThan(told + 0.3);
  });
});
