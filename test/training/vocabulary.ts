import type { Pair } from './pairs.ts';

/** A rarer term is no word of the vocabulary: its vector would be learned from a few places. */
const FEWEST = { pairs: 15, repositories: 4 };
const SHORTEST = 2;

/** Before any repository is counted, a word is taken to be repeated this often in so many of them. */
const EXPECTED = { share: 0.25, repositories: 4 };

export interface Vocabulary {
  /** The most frequent first. */
  words: string[];
  /** Inverse document frequencies of the words, over the pairs that are trained on. */
  idf: Float32Array;
  /** How surely code has a word of the text that is about it, from 0 to 1. */
  repetition: Float32Array;
}

/** Numbers all terms, and counts the pairs and repositories that have each. */
export class TermCounts {
  private readonly ids = new Map<string, number>();
  private readonly pairs: number[] = [];
  private readonly repositories: number[] = [];
  /** The number of repositories with texts that have the term, and the sum of their shares of texts whose code has it too. */
  private readonly inTexts: number[] = [];
  private readonly repeated: number[] = [];
  private total = 0;

  idOf(term: string): number {
    const known = this.ids.get(term);
    if (known !== undefined) return known;
    const id = this.ids.size;
    this.ids.set(term, id);
    this.pairs.push(0);
    this.repositories.push(0);
    this.inTexts.push(0);
    this.repeated.push(0);
    return id;
  }

  /** Counts the pairs of one repository. Paths and other comments of a pair say little about its own words. */
  add(pairs: readonly Pair[]): void {
    const seen = new Set<number>();
    for (const { question, symbol, body } of pairs) {
      const ids = new Set([...question, ...symbol, ...body].map((term) => this.idOf(term)));
      for (const id of ids) {
        this.pairs[id] = (this.pairs[id] ?? 0) + 1;
        seen.add(id);
      }
    }
    for (const id of seen) this.repositories[id] = (this.repositories[id] ?? 0) + 1;
    this.total += pairs.length;
    this.addRepetition(pairs);
  }

  /** Repositories count the same, so that a large one decides no more than others how its word is used. */
  private addRepetition(pairs: readonly Pair[]): void {
    const counts = new Map<number, { texts: number; repeated: number }>();
    for (const { question, path, symbol, comments, body } of pairs) {
      const code = new Set([...path, ...symbol, ...comments, ...body]);
      for (const term of new Set(question)) {
        const id = this.idOf(term);
        const { texts, repeated } = counts.get(id) ?? { texts: 0, repeated: 0 };
        counts.set(id, { texts: texts + 1, repeated: repeated + Number(code.has(term)) });
      }
    }
    for (const [id, { texts, repeated }] of counts) {
      this.inTexts[id] = (this.inTexts[id] ?? 0) + 1;
      this.repeated[id] = (this.repeated[id] ?? 0) + repeated / texts;
    }
  }

  /** The most frequent terms, at most `wordsMax`, and the number of the word for each term; -1 for a term that is none. */
  choose(wordsMax: number, fewest = FEWEST): { vocabulary: Vocabulary; wordOf: Int32Array } {
    const chosen = [...this.ids]
      .map(([word, id]) => ({ word, id, pairs: this.pairs[id] ?? 0, repositories: this.repositories[id] ?? 0 }))
      .filter(({ pairs, repositories }) => pairs >= fewest.pairs && repositories >= fewest.repositories)
      .filter(({ word }) => word.length >= SHORTEST)
      .sort((a, b) => b.pairs - a.pairs || (a.word < b.word ? -1 : 1))
      .slice(0, wordsMax);
    const wordOf = new Int32Array(this.ids.size).fill(-1);
    for (const [i, { id }] of chosen.entries()) wordOf[id] = i;
    const words = chosen.map(({ word }) => word);
    const idf = Float32Array.from(chosen, ({ pairs }) => Math.log(this.total / pairs));
    const repetition = Float32Array.from(chosen, ({ id }) => {
      const expected = EXPECTED.share * EXPECTED.repositories;
      return ((this.repeated[id] ?? 0) + expected) / ((this.inTexts[id] ?? 0) + EXPECTED.repositories);
    });
    return { vocabulary: { words, idf, repetition }, wordOf };
  }
}
