import { BM25F } from './constants.ts';

/** How often each field of a document has each term. */
export type FieldTerms = Partial<Record<Field, readonly string[]>>;

/** `subject` is the first line of a commit message; the other fields are those of files. */
type Field = 'path' | 'symbol' | 'comment' | 'subject' | 'body';
const FIELDS: readonly Field[] = ['path', 'symbol', 'comment', 'subject', 'body'];

/** The terms of a document, each once, with how often it has them: the sum over the fields, weighted, in steps of 1 / 8. */
export interface WeightedTerms {
  terms: string[];
  frequencies: number[];
  /** Terms of comment and body, with their repetitions. */
  length: number;
}

/** Adds up the fields of a document. */
export function weigh(fields: FieldTerms): WeightedTerms {
  const frequencies = new Map<string, number>();
  for (const field of FIELDS) {
    for (const term of fields[field] ?? []) frequencies.set(term, (frequencies.get(term) ?? 0) + BM25F[field]);
  }
  return {
    terms: [...frequencies.keys()],
    frequencies: Array.from(frequencies.values(), (frequency) =>
      Math.min(MOST_FREQUENCY, Math.round(frequency * STEPS)),
    ),
    length: (fields.comment?.length ?? 0) + (fields.body?.length ?? 0) + 1,
  };
}

/** A matched document; bit n of `found` is set when it has term n of the query. */
export interface Match<Document> {
  document: Document;
  score: number;
  found: number;
}

/** What is indexed; the index numbers it. */
export interface Numbered {
  id: number;
}

/** A query has at most as many terms as an integer has bits. */
export const MOST_QUERY_TERMS = 31;

/** The greatest weighted frequency that is stored; more occurrences add almost nothing. */
const MOST_FREQUENCY = 255;
const STEPS = 8;

/**
 * An inverted index with BM25F. One number per term and document holds the document and the frequency of the term, weighted by
 * field, so that a large repository fits into memory. Removed documents are left out at once and freed when they are the half.
 */
export function createTextIndex<Document extends Numbered>() {
  let documents: (Document | undefined)[] = [];
  let lengths: number[] = [];
  let postings = new Map<string, number[]>();
  let alive = 0;
  let totalLength = 0;

  function free(): void {
    const ids = new Map<number, number>();
    for (const [id, document] of documents.entries()) if (document !== undefined) ids.set(id, ids.size);
    const kept = new Map<string, number[]>();
    for (const [term, list] of postings) {
      const own = list.flatMap((packed) => {
        const id = ids.get(Math.floor(packed / (MOST_FREQUENCY + 1)));
        return id === undefined ? [] : [id * (MOST_FREQUENCY + 1) + (packed % (MOST_FREQUENCY + 1))];
      });
      if (own.length > 0) kept.set(term, own);
    }
    postings = kept;
    lengths = lengths.filter((_, id) => documents[id] !== undefined);
    documents = documents.filter((document) => document !== undefined);
    for (const [id, document] of documents.entries()) if (document !== undefined) document.id = id;
  }

  return {
    size: (): number => alive,
    add(document: Document, { terms, frequencies, length }: WeightedTerms): void {
      const id = documents.length;
      document.id = id;
      documents.push(document);
      lengths.push(length);
      alive += 1;
      totalLength += length;
      for (const [place, term] of terms.entries()) {
        const packed = id * (MOST_FREQUENCY + 1) + (frequencies[place] ?? 0);
        const list = postings.get(term);
        if (list === undefined) postings.set(term, [packed]);
        else list.push(packed);
      }
    },
    remove(gone: readonly Document[]): void {
      for (const { id } of gone) {
        documents[id] = undefined;
        alive -= 1;
        totalLength -= lengths[id] ?? 0;
      }
      if (alive * 2 < documents.length) free();
    },
    /** Whether any document, also a removed one that is not freed yet, has the term. */
    has: (term: string): boolean => postings.has(term),
    *documentsWith(term: string): Generator<Document> {
      for (const packed of postings.get(term) ?? []) {
        const document = documents[Math.floor(packed / (MOST_FREQUENCY + 1))];
        if (document !== undefined) yield document;
      }
    },
    /** Inverse document frequency of a term, or of several taken as one. */
    rarity(terms: readonly string[]): number {
      const sum = terms.reduce((total, term) => total + (postings.get(term)?.length ?? 0), 0);
      const count = Math.min(sum, alive);
      return Math.log(1 + (alive - count + 0.5) / (count + 0.5));
    },
    /** All documents with any of the terms, in no order, scored; `weights` are those of the terms. Reads {@link MOST_QUERY_TERMS}. */
    find(terms: readonly string[], weights: readonly number[]): Match<Document>[] {
      const scores = new Float64Array(documents.length);
      const found = new Int32Array(documents.length);
      const touched: number[] = [];
      const average = totalLength / Math.max(1, alive);
      for (const [place, term] of terms.slice(0, MOST_QUERY_TERMS).entries()) {
        const gain = (weights[place] ?? 1) * this.rarity([term]);
        for (const packed of postings.get(term) ?? []) {
          const id = Math.floor(packed / (MOST_FREQUENCY + 1));
          const frequency = (packed % (MOST_FREQUENCY + 1)) / STEPS;
          if (found[id] === 0) touched.push(id);
          found[id] = (found[id] ?? 0) | (1 << place);
          const norm = BM25F.k1 * (1 - BM25F.b + (BM25F.b * (lengths[id] ?? 0)) / average);
          scores[id] = (scores[id] ?? 0) + (gain * frequency * (BM25F.k1 + 1)) / (norm + frequency);
        }
      }
      return touched.flatMap((id) => {
        const document = documents[id];
        return document === undefined ? [] : [{ document, score: scores[id] ?? 0, found: found[id] ?? 0 }];
      });
    },
  };
}
