import { LIMITS } from '../limits.ts';
import { type ConversationRecord, isOpen } from './records.ts';
import type { ConversationSummary } from './store.ts';

type SortField = 'id' | 'created_at' | 'updated_at';

/** Filter and order of a list; `after` is the position of the last conversation on the previous page. */
export interface ListQuery {
  id?: number;
  userId?: number;
  readToken?: string;
  starred?: boolean;
  /** Each must occur in the texts of the finished questions, in any case. */
  words?: readonly string[];
  first: number;
  sort: string;
  after?: Place;
}

/** A position in the list: the value sorted by, then the id. */
interface Place {
  value: number;
  id: number;
}

interface Page {
  ids: number[];
  /** Where the next page begins; null for an empty page. */
  endCursor: string | null;
  hasNextPage: boolean;
}

/**
 * Selects one page of the conversations that are `visible` to this reader. `read` gives a conversation whose texts are
 * searched; after {@link LIMITS}`.conversationsSearched` of them the page ends, full or not.
 * */
export function selectPage(
  summaries: Iterable<ConversationSummary>,
  query: ListQuery,
  visible: (summary: ConversationSummary) => boolean,
  read: (id: number) => ConversationRecord | undefined = () => undefined,
): Page {
  const field = query.sort.replace('-', '') as SortField;
  const direction = query.sort.startsWith('-') ? -1 : 1;
  const order = (a: Place, b: Place): number => direction * (a.value - b.value || a.id - b.id);
  const matching = [...summaries]
    .filter(
      (summary) =>
        visible(summary) &&
        (query.id === undefined || summary.id === query.id) &&
        (query.userId === undefined || summary.userId === query.userId) &&
        (query.readToken === undefined || summary.readToken === query.readToken) &&
        (query.starred === undefined || summary.starred === query.starred),
    )
    .map((summary) => ({ id: summary.id, value: sortValue(summary, field) }))
    .sort(order);
  const after = query.after;
  const rest = after === undefined ? matching : matching.filter((entry) => order(entry, after) > 0);
  const { words = [] } = query;
  if (words.length > 0) return searchTexts(rest, query, (id) => hasWords(read(id), words));
  return toPage(query, rest.slice(0, query.first), rest.length > query.first);
}

/** Takes the entries that match until the page is full or enough were read. */
function searchTexts(entries: readonly Place[], query: ListQuery, matches: (id: number) => boolean): Page {
  const searched = entries.slice(0, LIMITS.conversationsSearched);
  const found: Place[] = [];
  for (const entry of searched) {
    if (!matches(entry.id)) continue;
    if (found.length === query.first) return toPage(query, found, true);
    found.push(entry);
  }
  return toPage(query, found, entries.length > searched.length, searched.at(-1));
}

function hasWords(conversation: ConversationRecord | undefined, words: readonly string[]): boolean {
  const finished = (conversation?.questions ?? []).filter((question) => !isOpen(question));
  const text = finished.map((question) => question.text.toLowerCase()).join('\n');
  return words.every((word) => text.includes(word.toLowerCase()));
}

/** `end`: where the next page begins, when that is not after the last entry. */
function toPage({ sort }: ListQuery, entries: readonly Place[], hasNextPage: boolean, end = entries.at(-1)): Page {
  return {
    ids: entries.map(({ id }) => id),
    endCursor: end === undefined ? null : writeCursor(sort, end),
    hasNextPage,
  };
}

function sortValue(summary: Pick<ConversationSummary, 'id' | 'createdMs' | 'updatedMs'>, field: SortField): number {
  if (field === 'id') return summary.id;
  return field === 'created_at' ? summary.createdMs : summary.updatedMs;
}

function writeCursor(sort: string, place: Place): string {
  return Buffer.from(`${sort}:${place.value}:${place.id}`).toString('base64url');
}

/** The position and sort order encoded in a cursor of {@link selectPage}; undefined for any other text. */
export function readCursor(cursor: string): { sort: string; place: Place } | undefined {
  const match = /^([-a-z_]+):(\d{1,15}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (match?.[1] === undefined) return undefined;
  return { sort: match[1], place: { value: Number(match[2]), id: Number(match[3]) } };
}
