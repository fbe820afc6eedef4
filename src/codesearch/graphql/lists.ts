import { LIMITS } from '../limits.ts';
import { fieldError } from './errors.ts';

/** Arguments of lists that are read page by page. */
export interface PageArguments {
  first?: number | null | undefined;
  after?: string | null;
}

/** How many entries a list may have: what is asked for, and at most as many as the service gives. */
export function firstOf({ first }: Pick<PageArguments, 'first'>, most: number = LIMITS.graphqlPageMax): number {
  if (typeof first === 'number' && first < 0) throw fieldError('BAD_REQUEST', 'first must not be negative.');
  return Math.min(first ?? most, most);
}

/** One page of a list that is in memory; throws for a cursor of another list. */
export function connectionOf<Item>(items: readonly Item[], { first, after }: PageArguments) {
  const skip = /^offset:(\d{1,9})$/.exec(Buffer.from(after ?? '', 'base64').toString('latin1'))?.[1];
  if (after && skip === undefined) throw fieldError('BAD_REQUEST', 'after is not a cursor of this list.');
  const start = Number(skip ?? 0);
  const nodes = items.slice(start, start + firstOf({ first }));
  const end = start + nodes.length;
  const hasNextPage = end < items.length;
  const endCursor = hasNextPage ? Buffer.from(`offset:${end}`).toString('base64') : null;
  return { nodes, totalCount: items.length, pageInfo: { hasNextPage, endCursor } };
}

/** A global id: base64 of the type, a colon and a key, for example `User:1`. */
export function globalId(type: string, key: number | string): string {
  return Buffer.from(`${type}:${key}`).toString('base64');
}
