import { type ListQuery, readCursor } from '../conversations/list.ts';
import { LIMITS } from '../limits.ts';
import { HttpError } from './http-error.ts';

const SORTS = ['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at'];

/** Reads the parameters of a list; throws 400 with the name of the first wrong one. */
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
  if (cursor) query.after = readAfter(cursor, sort);
  return query;
}

function readNumber(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name);
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new HttpError(400, `${name} must be a whole number.`);
  return Number(text);
}

function readAfter(cursor: string, sort: string): { value: number; id: number } {
  const read = readCursor(cursor);
  if (read === undefined) throw new HttpError(400, 'page_after is not a cursor of this list.');
  if (read.sort !== sort) throw new HttpError(400, 'page_after belongs to a list with another sort.');
  return read.place;
}
