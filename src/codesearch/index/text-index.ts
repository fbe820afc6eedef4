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

/** A posting holds the number of a document in its upper 24 bits and the weighted frequency of the term in its lower 8. */
const FREQUENCY_BITS = 8;
/** More occurrences add almost nothing. */
const MOST_FREQUENCY = 2 ** FREQUENCY_BITS - 1;
export const STEPS = 8;

/** The postings of an index whose documents are numbered from 0 without gaps. The arrays are replaced, never changed. */
export interface TermColumns {
  /** Each once. */
  terms: readonly string[];
  /** Where the postings of each term begin, and at the end where the last ones end. */
  starts: Uint32Array;
  postings: Uint32Array;
  /** Of each document. */
  lengths: Uint32Array;
}

/**
 * An inverted index with BM25F that begins with the documents of `kept`. Postings of further documents stay in lists until
 * `columns` is called, or half of the documents are removed: then all go into arrays, which take half of the memory.
 */
export function createTextIndex<Document extends Numbered>(kept?: { columns: TermColumns; documents: Document[] }) {
  let columns = kept?.columns ?? NO_COLUMNS;
  let places = placesOf(columns.terms);
  let added = new Map<string, number[]>();
  let documents: (Document | undefined)[] = kept?.documents ?? [];
  let lengths = Array.from(columns.lengths);
  let alive = documents.length;
  let totalLength = lengths.reduce((sum, length) => sum + length, 0);
  for (const [id, document] of documents.entries()) if (document !== undefined) document.id = id;

  function postingsOf(term: string): [Uint32Array, readonly number[]] {
    const place = places.get(term);
    const start = place === undefined ? 0 : columns.starts[place];
    const end = place === undefined ? 0 : columns.starts[place + 1];
    return [columns.postings.subarray(start, end), added.get(term) ?? NO_POSTINGS];
  }

  const count = (term: string): number => postingsOf(term).reduce((sum, { length }) => sum + length, 0);

  /** Numbers the documents without gaps and puts all postings into new arrays. */
  function compact(): void {
    const ids = new Int32Array(documents.length).fill(-1);
    lengths = lengths.filter((_, id) => documents[id] !== undefined);
    const rest = documents.filter((document) => document !== undefined);
    for (const [id, document] of rest.entries()) {
      ids[document.id] = id;
      document.id = id;
    }
    documents = rest;
    const allTerms = [...columns.terms, ...[...added.keys()].filter((term) => !places.has(term))];
    const postings = new Uint32Array(allTerms.reduce((sum, term) => sum + count(term), 0));
    const terms: string[] = [];
    const ends = [0];
    let end = 0;
    for (const term of allTerms) {
      const start = end;
      for (const list of postingsOf(term)) {
        for (let at = 0; at < list.length; at += 1) {
          const packed = list[at] ?? 0;
          const id = ids[packed >>> FREQUENCY_BITS] ?? -1;
          if (id < 0) continue;
          postings[end] = id * (MOST_FREQUENCY + 1) + (packed & MOST_FREQUENCY);
          end += 1;
        }
      }
      if (end === start) continue;
      terms.push(term);
      ends.push(end);
    }
    const starts = Uint32Array.from(ends);
    columns = { terms, starts, postings: postings.slice(0, end), lengths: Uint32Array.from(lengths) };
    places = placesOf(terms);
    added = new Map();
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
        const list = added.get(term);
        if (list === undefined) added.set(term, [packed]);
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
    /** The documents in the order of their numbers, and their postings. Numbers them first, so that it takes a while. */
    columns(): { columns: TermColumns; documents: Document[] } {
      if (documents.length > columns.lengths.length || alive < documents.length) compact();
      return { columns, documents: documents.filter((document) => document !== undefined) };
    },
    /** Whether any document, also a removed one that is not freed yet, has the term. */
    has: (term: string): boolean => places.has(term) || added.has(term),
    *documentsWith(term: string): Generator<Document> {
      for (const list of postingsOf(term)) {
        for (const packed of list) {
          const document = documents[packed >>> FREQUENCY_BITS];
          if (document !== undefined) yield document;
        }
      }
    },
    /** Inverse document frequency of a term, or of several taken as one. */
    rarity(terms: readonly string[]): number {
      const sum = terms.reduce((total, term) => total + count(term), 0);
      const found = Math.min(sum, alive);
      return Math.log(1 + (alive - found + 0.5) / (found + 0.5));
    },
    /** All documents with any of the terms, in no order, scored; `weights` are those of the terms. Reads {@link MOST_QUERY_TERMS}. */
    find(terms: readonly string[], weights: readonly number[]): Match<Document>[] {
      const scores = new Float64Array(documents.length);
      const found = new Int32Array(documents.length);
      const touched: number[] = [];
      const average = totalLength / Math.max(1, alive);
      for (const [place, term] of terms.slice(0, MOST_QUERY_TERMS).entries()) {
        const gain = (weights[place] ?? 1) * this.rarity([term]);
        for (const list of postingsOf(term)) {
          for (let at = 0; at < list.length; at += 1) {
            const packed = list[at] ?? 0;
            const id = packed >>> FREQUENCY_BITS;
            const frequency = (packed & MOST_FREQUENCY) / STEPS;
            if (found[id] === 0) touched.push(id);
            found[id] = (found[id] ?? 0) | (1 << place);
            const norm = BM25F.k1 * (1 - BM25F.b + (BM25F.b * (lengths[id] ?? 0)) / average);
            scores[id] = (scores[id] ?? 0) + (gain * frequency * (BM25F.k1 + 1)) / (norm + frequency);
          }
        }
      }
      return touched.flatMap((id) => {
        const document = documents[id];
        return document === undefined ? [] : [{ document, score: scores[id] ?? 0, found: found[id] ?? 0 }];
      });
    },
  };
}

const NO_POSTINGS: readonly number[] = [];
const NO_COLUMNS: TermColumns = {
  terms: [],
  starts: new Uint32Array(1),
  postings: new Uint32Array(),
  lengths: new Uint32Array(),
};

function placesOf(terms: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [place, term] of terms.entries()) places.set(term, place);
  return places;
}
