import { LIMITS } from '../../limits.ts';
import { fieldError } from '../graphql-error.ts';

/** Arguments of lists that are read page by page. */
export interface PageArguments {
  first?: number | null;
  after?: string | null;
}

/** The page that is asked for; throws for a negative `first` and a cursor of another list. */
export function pageOf({ first, after }: PageArguments, most: number = LIMITS.graphqlPageMax) {
  if (typeof first === 'number' && first < 0) throw fieldError('BAD_REQUEST', 'first must not be negative.');
  const skip = /^offset:(\d{1,9})$/.exec(Buffer.from(after ?? '', 'base64').toString('latin1'))?.[1];
  if (after && skip === undefined) throw fieldError('BAD_REQUEST', 'after is not a cursor of this list.');
  return { first: Math.min(first ?? most, most), skip: Number(skip ?? 0) };
}

/** One page of a list that is in memory. */
export function connectionOf<Item>(items: readonly Item[], page: PageArguments) {
  const { first, skip } = pageOf(page);
  return connection(items.slice(skip, skip + first), items.length, skip);
}

/** One page of a list that was read up to this page; `skip` counts the entries before it. */
export function connection<Node>(nodes: readonly Node[], totalCount: number, skip: number) {
  const end = skip + nodes.length;
  return { nodes, totalCount, pageInfo: pageInfo(end < totalCount ? cursorAt(end) : null) };
}

export function pageInfo(endCursor: string | null) {
  return { endCursor, hasNextPage: endCursor !== null };
}

function cursorAt(offset: number): string {
  return Buffer.from(`offset:${offset}`).toString('base64');
}
