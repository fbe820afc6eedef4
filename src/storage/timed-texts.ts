/** A text with its time. The name is unique among the texts of the same millisecond. */
export interface TimedText {
  atMs: number;
  /** ASCII without control characters. */
  name: string;
  text: string;
}

/** Times in epoch milliseconds: `fromMs` is part of the range, `toMs` is not. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
}

/**
 * Texts in order of time, then of name: what both engines do for the audit log. Every method throws only `AppError` of
 * kind `storage`. Each operation and each page takes a bounded time.
 */
export interface TimedTexts {
  /** Stores a text, unless there is one with this time and name. Returns whether it stored it. `keepMs`: its least life. */
  append(item: TimedText, keepMs: number): Promise<boolean>;
  /** Pages of at most {@link PAGE_SIZE} texts, each read when it is asked for. May run while others write. */
  pages(range: TimeRange): AsyncIterable<TimedText[]>;
  /** Removes texts older than `beforeMs`, the oldest first, in one bounded step. Returns how many. 0: none is left. */
  removeBefore(beforeMs: number): Promise<number>;
  /** Replaces the text with this time and name, or removes it if `text` is undefined. Returns whether there was one. */
  replace(item: Omit<TimedText, 'text'>, text: string | undefined): Promise<boolean>;
}

/** Texts of one page, and most texts that one step removes one by one. */
export const PAGE_SIZE = 500;

/** Whether a text comes after a place in the order. */
export function isAfter(item: TimedText, place: Omit<TimedText, 'text'> | undefined): boolean {
  if (place === undefined) return true;
  return item.atMs > place.atMs || (item.atMs === place.atMs && item.name > place.name);
}
