/**
 * Every number that the ranking depends on. They were chosen on the part `tune` of `npm run bench:answers` and on questions about other
 * packages (docs/codesearch/answers.md).
 */

/** Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */
export const FUSION = {
  k: 60,
  /** Units that each ranker hands on, and that are read for the second ranking. */
  candidates: 60,
  /** Passages that an answer is written from. */
  kept: 12,
  /** Passages of one file, while there are others. */
  ofFile: 4,
} as const;

/** Weights of the words of a question; each is multiplied by its rarity (inverse document frequency) in the repositories. */
export const WEIGHTS = {
  /** Zipf frequencies in everyday English: up to the first a word has its full weight, from the second on the least. */
  rareZipf: 3.5,
  commonZipf: 6.5,
  commonest: 0.15,
  /** Parts of speech, beside 1 for a noun. */
  verb: 0.6,
  adjective: 0.8,
  /** Shares of a word's weight for a related word, where the repositories have the word itself or not, and for another form of it. */
  relatedOfKnown: 0.5,
  related: 0.7,
  form: 0.8,
} as const;

/** What the absence of a word says. */
export const SPECIFICITY = {
  /** Much of one that is rare in everyday English, by the square of what its Zipf frequency lacks. */
  rareZipf: 2.5,
  commonZipf: 6,
  least: 0.1,
  /** How surely code repeats a phrase, and a word that is not counted; and the most that a word is taken to be repeated, as a guard. */
  phrase: 0.05,
  unknown: 0.5,
  mostRepeated: 0.97,
} as const;

/** How likely a file of each kind answers a question. */
export const PRIOR = {
  source: 1,
  docs: 0.7,
  config: 0.6,
  test: 0.5,
  example: 0.5,
  vendored: 0.2,
  generated: 0.3,
} as const;

/** The same for units of source code, beside 1 for a function: classes and types, text between definitions, and long constants. */
export const KIND_PRIOR = { type: 0.8, none: 0.7, data: 0.5 } as const;

/** The same for documents that are not about the code: lists of changes, licenses, rules for contributors. */
export const ASIDE_PRIOR = 0.3;

/** The second ranking. The factors stand beside the share of the question's weight that a unit has, which counts 1. */
export const RERANK = {
  /** Longer lines are data: what stands further right counts no more. */
  lineCharacters: 300,
  /** BM25F, as a share of the best. */
  score: 0.4,
  /** The cosine of the vectors. */
  similarity: 1.4,
  /** Lines that are kept of a passage. */
  keyLines: 8,
} as const;

/** The files that commits changed whose messages have words of the question. */
export const COMMITS = {
  /** Commits that are read. */
  most: 20,
  /** A commit that changed more says nothing of one of them. */
  mostFiles: 20,
  /** What the best file adds to the worth of its units at most. */
  weight: 0.3,
} as const;

/** Texts of a question that are looked up as they are written. */
export const VERBATIM = {
  /** More words of a text are not looked up. */
  mostWords: 40,
  /** So many of a message's words must stand together when it is not there as a whole. */
  fewestWords: 3,
  mostFiles: 200,
  /** In one file. */
  mostHits: 1_000,
  /** An expression may print so many words. */
  mostPrinted: 3,
  /** A text with more hits is worth less, in proportion: it says little about a place. */
  commonHits: 20,
  /** A text may be broken over so many lines. */
  linesOfText: 3,
  /** Of a hit in other capitals, or of a part. */
  inexact: 0.8,
  /** Of a hit in a line that imports. */
  head: 0.4,
  /** Of a text of one or two plain words. */
  short: 0.15,
  /** What the best verbatim hit adds to the worth of its unit; all the words of the question in one unit are worth 1. */
  lead: 1.2,
} as const;

/** When something is said, and how surely. Shares of the question's weight, where nothing else is said. */
export const CONFIDENCE = {
  /** When no unit's answerability and similarity add up to this, nothing is presented as the answer. */
  least: 1.1,
  /** The answerability of a unit that has all specific words, which is enough alone. */
  all: 0.999,
  /** What a word counts for `least` that only other units have. */
  elsewhere: 0.5,
  /** The share of what the question is about from which on a passage is presented as the answer; below, as the closest match. */
  sure: 0.6,
  /** A sentence of a comment or a document that is quoted. */
  sentence: 0.25,
  /** A word that no file has, and that is worth saying so. */
  absent: 0.2,
  /** A sentence that is called the reason. */
  reason: 0.4,
  /** A passage whose lines are looked up in the history. */
  lines: 0.55,
  /** A commit message. */
  message: 0.5,
} as const;
