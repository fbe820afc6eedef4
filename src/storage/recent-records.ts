import { LRUCache } from 'lru-cache';
import { checkedText, type RecordFormat } from './record-format.ts';

/** Length of all texts of one type that are kept at most, in characters. A question has about 2,000. */
const MOST_KEPT_CHARS = 8_000_000;
/** What the parsed record and the entry itself take, in characters. Measured for entries without a text. */
const CHARS_PER_ENTRY = 300;
/** How long a record is kept in memory at most, also one of a person who was forgotten. */
const KEPT_MS = 10 * 60_000;

/** A record and the text that was stored, or undefined for both if there was no record. */
export interface RecentRecord<T> {
  text: string | undefined;
  record: T | undefined;
}

/**
 * The records of one type that this process read or wrote lately. Another process may have changed them since: compare the
 * text before trusting a record.
 */
export interface RecentRecords<T> extends RecordFormat<T> {
  /** Undefined if nothing is known of this key. */
  latest(key: string): RecentRecord<T> | undefined;
  noteAbsent(key: string): void;
}

/**
 * Keeps what a format decoded, so that a text that did not change is not parsed and checked again. All readers share one
 * record, so records are frozen.
 */
export function createRecentRecords<T>(format: RecordFormat<T>): RecentRecords<T> {
  const kept = new LRUCache<string, RecentRecord<T>>({
    maxSize: MOST_KEPT_CHARS,
    sizeCalculation: ({ text = '' }, key) => text.length + key.length + CHARS_PER_ENTRY,
  });
  let isClearingPlanned = false;

  /** All records leave together, so that one timer is enough, which begins with a record and ends with it. */
  function keep(key: string, recent: RecentRecord<T>): void {
    kept.set(key, recent);
    if (isClearingPlanned) return;
    isClearingPlanned = true;
    setTimeout(() => {
      kept.clear();
      isClearingPlanned = false;
    }, KEPT_MS).unref();
  }

  function decode(key: string, text: string): T {
    const known = kept.get(key);
    if (known?.record !== undefined && known.text === text) return known.record;
    const record = deepFreeze(format.decode(key, text));
    keep(key, { text, record });
    return record;
  }

  return {
    encode: (key, record) => checkedText(key, record, decode),
    decode,
    latest: (key) => kept.get(key),
    noteAbsent: (key) => keep(key, { text: undefined, record: undefined }),
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
