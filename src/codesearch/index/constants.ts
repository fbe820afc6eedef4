/** Every number that the index depends on. They were chosen on the part `tune` of `npm run bench:answers`. */

/** How files are cut into units. */
export const UNITS = {
  /** A definition of fewer lines belongs to the text around it. */
  fewestLines: 3,
  /** A function within a shorter function is no unit of its own. */
  shortFunctionLines: 60,
  /** A longer unit is split into windows. */
  mostLines: 60,
  windowLines: 40,
} as const;

/** BM25F (Robertson, Zaragoza and Taylor 2004): weighted term frequencies of all fields are added before they saturate. */
export const BM25F = {
  k1: 1.2,
  b: 0.5,
  path: 1.5,
  symbol: 4,
  comment: 1.5,
  subject: 2,
  body: 1,
} as const;
