/** BM25F (Robertson, Zaragoza and Taylor 2004): weighted term frequencies of all fields are added before they saturate. */
const BM25F = {
  k1: 1.2,
  b: 0.5,
  path: 1.5,
  symbol: 4,
  comment: 1.5,
  subject: 2,
  body: 1,
} as const;

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

/** A posting holds the number of a document in its upper 24 bits and the weighted frequency of the term in its lower 8. */
const FREQUENCY_BITS = 8;
/** More occurrences add almost nothing. */
const MOST_FREQUENCY = 2 ** FREQUENCY_BITS - 1;
export const STEPS = 8;

/** An inverted index with BM25F. */
export function createTextIndex<Document extends Numbered>() {
  let postings = new Map<string, number[]>();
  let documents: (Document | undefined)[] = [];
  let lengths: number[] = [];
  let alive = 0;
  let totalLength = 0;

  const postingsOf = (term: string): readonly number[] => postings.get(term) ?? NO_POSTINGS;

  /** Numbers the documents without gaps and leaves out the postings of those that are gone. */
  function compact(): void {
    const ids = new Int32Array(documents.length).fill(-1);
    lengths = lengths.filter((_, id) => documents[id] !== undefined);
    documents = documents.filter((document) => document !== undefined);
    for (const [id, document] of documents.entries()) {
      if (document === undefined) continue;
      ids[document.id] = id;
      document.id = id;
    }
    const rest = new Map<string, number[]>();
    for (const [term, list] of postings) {
      const own = list.flatMap((packed) => {
        const id = ids[packed >>> FREQUENCY_BITS] ?? -1;
        return id < 0 ? [] : [packedPosting(id, packed & MOST_FREQUENCY)];
      });
      if (own.length > 0) rest.set(term, own);
    }
    postings = rest;
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
        const packed = packedPosting(id, frequencies[place] ?? 0);
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
      if (alive * 2 < documents.length) compact();
    },
    /** Whether any document, also a removed one that is not freed yet, has the term. */
    has: (term: string): boolean => postings.has(term),
    *documentsWith(term: string): Generator<Document> {
      for (const packed of postingsOf(term)) {
        const document = documents[packed >>> FREQUENCY_BITS];
        if (document !== undefined) yield document;
      }
    },
    /** How many documents have a term. */
    frequency: (term: string): number => postingsOf(term).length,
    /** The length of all documents together. */
    length: (): number => totalLength,
    /** All documents with any of the terms, in no order, scored; `weights` are those of the terms. Reads {@link MOST_QUERY_TERMS}. */
    find(
      terms: readonly string[],
      weights: readonly number[],
      { rarity, averageLength }: Statistics,
    ): Match<Document>[] {
      const scores = new Float64Array(documents.length);
      const found = new Int32Array(documents.length);
      const touched: number[] = [];
      for (const [place, term] of terms.slice(0, MOST_QUERY_TERMS).entries()) {
        const gain = (weights[place] ?? 1) * rarity([term]);
        for (const packed of postingsOf(term)) {
          const id = packed >>> FREQUENCY_BITS;
          const frequency = (packed & MOST_FREQUENCY) / STEPS;
          if (found[id] === 0) touched.push(id);
          found[id] = (found[id] ?? 0) | (1 << place);
          const norm = BM25F.k1 * (1 - BM25F.b + (BM25F.b * (lengths[id] ?? 0)) / averageLength);
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

/** What the scores of documents depend on beside themselves. */
export interface Statistics {
  /** Inverse document frequency of a term, or of several taken as one. */
  rarity(terms: readonly string[]): number;
  averageLength: number;
}

/** The statistics of several indexes as if they were one. */
export function statisticsOf(
  indexes: readonly Pick<TextIndex<Numbered>, 'size' | 'length' | 'frequency'>[],
): Statistics {
  const size = sum(indexes, (index) => index.size());
  return {
    rarity(terms) {
      const found = Math.min(
        size,
        sum(indexes, ({ frequency }) => sum(terms, frequency)),
      );
      return Math.log(1 + (size - found + 0.5) / (found + 0.5));
    },
    averageLength: sum(indexes, (index) => index.length()) / Math.max(1, size),
  };
}

function sum<Item>(items: readonly Item[], numberOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0);
}

export type TextIndex<Document extends Numbered> = ReturnType<typeof createTextIndex<Document>>;

const NO_POSTINGS: readonly number[] = [];

/** Without shifts: these make numbers of 32 bits with a sign. */
function packedPosting(id: number, frequency: number): number {
  return id * (MOST_FREQUENCY + 1) + frequency;
}
