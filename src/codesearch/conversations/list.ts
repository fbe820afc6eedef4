import type { ConversationSummary } from './store.ts';

type SortField = 'id' | 'created_at' | 'updated_at';

/** Filter and order of a list; `after` is the position of the last conversation on the previous page. */
export interface ListQuery {
  id?: number;
  userId?: number;
  readToken?: string;
  starred?: boolean;
  first: number;
  sort: string;
  after?: { value: number; id: number };
}

/** Selects one page of the conversations that are `visible` to this reader. */
export function selectPage(
  summaries: Iterable<ConversationSummary>,
  query: ListQuery,
  visible: (summary: ConversationSummary) => boolean,
): { ids: number[]; endCursor: string | null; hasNextPage: boolean } {
  const field = query.sort.replace('-', '') as SortField;
  const direction = query.sort.startsWith('-') ? -1 : 1;
  const order = (a: { value: number; id: number }, b: { value: number; id: number }): number =>
    direction * (a.value - b.value || a.id - b.id);
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
  const page = rest.slice(0, query.first);
  const last = page.at(-1);
  return {
    ids: page.map((entry) => entry.id),
    endCursor: last === undefined ? null : writeCursor(query.sort, last),
    hasNextPage: rest.length > page.length,
  };
}

function sortValue(summary: ConversationSummary, field: SortField): number {
  if (field === 'id') return summary.id;
  return field === 'created_at' ? summary.createdMs : summary.updatedMs;
}

function writeCursor(sort: string, place: { value: number; id: number }): string {
  return Buffer.from(`${sort}:${place.value}:${place.id}`).toString('base64url');
}

/** The position and sort order encoded in a cursor of {@link selectPage}; undefined for any other text. */
export function readCursor(cursor: string): { sort: string; place: { value: number; id: number } } | undefined {
  const match = /^([-a-z_]+):(\d{1,15}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (match?.[1] === undefined) return undefined;
  return { sort: match[1], place: { value: Number(match[2]), id: Number(match[3]) } };
}
