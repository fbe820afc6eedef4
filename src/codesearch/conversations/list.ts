import { HttpError } from '../http/http-error.ts';
import { LIMITS } from '../limits.ts';
import type { ConversationSummary } from './store.ts';

type SortField = 'id' | 'created_at' | 'updated_at';

/** A checked list request; `after` is the place of the last conversation of the page before. */
export interface ListQuery {
  id?: number;
  userId?: number;
  readToken?: string;
  starred?: boolean;
  first: number;
  sort: string;
  after?: { value: number; id: number };
}

const SORTS = ['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at'];

/** Reads the list's parameters; 400 names the first one that is wrong. */
export function parseListQuery(parameters: URLSearchParams): ListQuery {
  const sort = parameters.get('sort') || '-updated_at';
  if (!SORTS.includes(sort)) throw new HttpError(400, `sort must be one of ${SORTS.join(', ')}.`);
  const query: ListQuery = { sort, first: LIMITS.pageSizeDefault };
  const id = readNumber(parameters, 'filter_id');
  if (id !== undefined) query.id = id;
  const userId = readNumber(parameters, 'filter_user_id');
  if (userId !== undefined) query.userId = userId;
  const readToken = parameters.get('filter_read_token');
  if (readToken) query.readToken = readToken;
  const starred = parameters.get('filter_is_starred');
  if (starred) {
    if (starred !== 'true' && starred !== 'false') throw new HttpError(400, 'filter_is_starred must be true or false.');
    query.starred = starred === 'true';
  }
  const first = readNumber(parameters, 'page_first');
  if (first === 0) throw new HttpError(400, 'page_first must be at least 1.');
  if (first !== undefined) query.first = Math.min(first, LIMITS.pageSizeMax);
  const cursor = parameters.get('page_after');
  if (cursor) query.after = readCursor(cursor, sort);
  return query;
}

/** Picks one page. `visible` decides what this reader may see at all; nothing can be starred, so nothing ever is. */
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
        query.starred !== true,
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

function readNumber(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name);
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new HttpError(400, `${name} must be a whole number.`);
  return Number(text);
}

function writeCursor(sort: string, place: { value: number; id: number }): string {
  return Buffer.from(`${sort}:${place.value}:${place.id}`).toString('base64url');
}

function readCursor(cursor: string, sort: string): { value: number; id: number } {
  const match = /^([-a-z_]+):(\d{1,15}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!match) throw new HttpError(400, 'page_after is not a cursor of this list.');
  if (match[1] !== sort) throw new HttpError(400, 'page_after belongs to a list with another sort.');
  return { value: Number(match[2]), id: Number(match[3]) };
}
