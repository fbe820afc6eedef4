/** A text under its key. Without `expiresMs`, an epoch time in milliseconds, it has no end. */
export interface StoredText {
  key: string;
  value: string;
  expiresMs?: number;
}

export interface Member {
  set: string;
  member: string;
}

/**
 * Everything that a store holds, in the form that both engines share: texts and members of sets.
 * In pages, so that any store fits into memory. Each method throws only `AppError` of kind `storage`. Only for a program
 * that has the store for itself.
 */
export interface StoreContents {
  /** Texts that have not expired. A text may come twice. */
  texts(): AsyncIterable<StoredText[]>;
  /** The texts under these keys, in this order; undefined for an absent one. */
  findTexts(keys: readonly string[]): Promise<(StoredText | undefined)[]>;
  putTexts(texts: readonly StoredText[]): Promise<void>;
  removeTexts(keys: readonly string[]): Promise<void>;
  /** A member may come twice. */
  members(): AsyncIterable<Member[]>;
  areMembers(members: readonly Member[]): Promise<boolean[]>;
  addMembers(members: readonly Member[]): Promise<void>;
  removeMembers(members: readonly Member[]): Promise<void>;
  /** Removes planned runs of questions. The app plans them again when it starts. */
  removePlans(): Promise<void>;
}

/** How many texts or members one page has. */
export const CONTENTS_PAGE = 200;

/**
 * Keys that stay where they are: they hold nothing about questions or people that the app does not find out by itself
 * within seconds, and belong to processes that do not run while a store is moved.
 */
const staying = [
  // What is said about the store itself.
  'ds:closed',
  'ds:ping',
  // Counters of rate limits, locks, and planned runs.
  'ds:limit:',
  'ds:lock:',
  'ds:bull:',
];

/** Whether a record moves with its store. */
export function isMoved(key: string): boolean {
  return key.startsWith('ds:') && !staying.some((prefix) => key.startsWith(prefix));
}

/** Pages of at most {@link CONTENTS_PAGE}. */
export function* pagesOf<Item>(items: Iterable<Item>): Generator<Item[]> {
  let page: Item[] = [];
  for (const item of items) {
    page.push(item);
    if (page.length < CONTENTS_PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
