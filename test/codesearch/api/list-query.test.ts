import { describe, expect, it } from 'vitest';
import { type ListQuery, readCursor, selectPage } from '../../../src/codesearch/conversations/list.ts';
import {
  type ConversationRecord,
  emptyStats,
  type QuestionRecord,
} from '../../../src/codesearch/conversations/records.ts';
import type { ConversationSummary } from '../../../src/codesearch/conversations/store.ts';
import { parseListQuery } from '../../../src/codesearch/http/routes/rest-conversations.ts';
import { LIMITS } from '../../../src/codesearch/limits.ts';

/** All sort orders of this list differ; the times 20 and 500 occur twice. */
const summaries: ConversationSummary[] = [
  { id: 1, userId: 7, readToken: 'first', createdMs: 40, updatedMs: 200, starred: false, characters: 0 },
  { id: 2, userId: 8, readToken: 'second', createdMs: 20, updatedMs: 500, starred: false, characters: 0 },
  { id: 3, userId: 7, readToken: 'third', createdMs: 10, updatedMs: 300, starred: false, characters: 0 },
  { id: 4, userId: 9, readToken: 'fourth', createdMs: 20, updatedMs: 500, starred: false, characters: 0 },
];

function page(parameters: string, visible: (summary: ConversationSummary) => boolean = () => true) {
  return selectPage(summaries, parseListQuery(new URLSearchParams(parameters)), visible);
}

describe('the list of conversations', () => {
  it.each([
    ['', [4, 2, 3, 1]],
    ['sort=', [4, 2, 3, 1]],
    ['sort=id', [1, 2, 3, 4]],
    ['sort=-id', [4, 3, 2, 1]],
    ['sort=created_at', [3, 2, 4, 1]],
    ['sort=-created_at', [1, 4, 2, 3]],
    ['sort=updated_at', [1, 3, 2, 4]],
    ['sort=-updated_at', [4, 2, 3, 1]],
  ])('is in the order that "%s" asks for', (parameters, ids) => {
    expect(page(parameters).ids).toEqual(ids);
  });

  it.each([
    ['filter_id=3', [3]],
    ['filter_id=5', []],
    ['filter_user_id=7', [1, 3]],
    ['filter_user_id=6', []],
    ['filter_read_token=second', [2]],
    ['filter_read_token=SECOND', []],
    ['filter_is_starred=true', []],
    ['filter_is_starred=false', [1, 2, 3, 4]],
    ['filter_id=&filter_user_id=&filter_read_token=&filter_is_starred=&page_first=&page_after=', [1, 2, 3, 4]],
    ['filter_id=1&filter_user_id=8', []],
    ['filter_user_id=7&filter_read_token=third', [3]],
  ])('holds only what "%s" allows', (filter, ids) => {
    expect(page(`sort=id&${filter}`).ids).toEqual(ids);
  });

  it('holds nothing that its reader may not see, not even where a filter names it', () => {
    const isVisible = ({ userId }: ConversationSummary) => userId === 7;
    expect(page('sort=id', isVisible).ids).toEqual([1, 3]);
    expect(page('filter_read_token=second', isVisible).ids).toEqual([]);
    expect(page('filter_user_id=8', isVisible).ids).toEqual([]);
  });

  it('holds only what is starred, or is not', () => {
    const starred = summaries.map((summary) => ({ ...summary, starred: summary.id === 3 }));
    const ids = (wanted: boolean) =>
      selectPage(starred, parseListQuery(new URLSearchParams(`sort=id&filter_is_starred=${wanted}`)), () => true).ids;
    expect([ids(true), ids(false)]).toEqual([[3], [1, 2, 4]]);
  });

  it('has as many on a page as are asked for, and says whether more follow', () => {
    expect(page('sort=id&page_first=3')).toMatchObject({ ids: [1, 2, 3], hasNextPage: true });
    expect(page('sort=id&page_first=4')).toMatchObject({ ids: [1, 2, 3, 4], hasNextPage: false });
  });

  it('has a page of 20 unless told otherwise, and never one of more than 100', () => {
    const first = (parameters: string) => parseListQuery(new URLSearchParams(parameters)).first;
    expect([first(''), first('page_first=100'), first('page_first=101')]).toEqual([
      LIMITS.pageSizeDefault,
      LIMITS.pageSizeMax,
      LIMITS.pageSizeMax,
    ]);
  });

  it.each(['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at'])(
    'continues by %s after the cursor, also between two of the same time',
    (sort) => {
      const whole = page(`sort=${sort}`).ids;
      for (let size = 1; size < whole.length; size += 1) {
        const { endCursor } = page(`sort=${sort}&page_first=${size}`);
        expect(page(`sort=${sort}&page_after=${endCursor}`).ids).toEqual(whole.slice(size));
      }
    },
  );

  it('continues where it stopped although the last conversation of the page is gone', () => {
    const query = parseListQuery(new URLSearchParams('sort=id&page_first=2'));
    const { endCursor } = selectPage(summaries, query, () => true);
    const remaining = summaries.filter(({ id }) => id !== 2);
    const next = parseListQuery(new URLSearchParams(`sort=id&page_after=${endCursor}`));
    expect(selectPage(remaining, next, () => true).ids).toEqual([3, 4]);
  });

  it('has no cursor where the page is empty', () => {
    expect(page('filter_id=5')).toEqual({ ids: [], endCursor: null, hasNextPage: false });
  });
});

describe('a wrong parameter of the list', () => {
  const longNumber = '1'.repeat(16);

  it.each([
    ['sort=name', /^sort must be one of id, -id, /],
    ['sort=--id', /^sort must be one of/],
    ['filter_id=x1', /^filter_id must be a whole number/],
    ['filter_id=1x', /^filter_id must be a whole number/],
    [`filter_id=${longNumber}`, /^filter_id must be a whole number/],
    ['filter_user_id=1.5', /^filter_user_id must be a whole number/],
    ['filter_is_starred=1', /^filter_is_starred must be true or false/],
    ['page_first=0', /^page_first must be at least 1/],
    ['page_first=-1', /^page_first must be a whole number/],
    ['page_after=nonsense', /^page_after is not a cursor of this list/],
    [`page_after=${Buffer.from('id:1:1 ').toString('base64url')}`, /^page_after is not a cursor of this list/],
    [`page_after=${Buffer.from('1id:1:1').toString('base64url')}`, /^page_after is not a cursor of this list/],
    [`page_after=${Buffer.from('id:1:1').toString('base64url')}`, /^page_after belongs to a list with another sort/],
  ])('is refused by its name: %s', (parameters, message) => {
    expect(() => parseListQuery(new URLSearchParams(parameters))).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringMatching(message) }),
    );
  });
});

describe('a list that searches the texts of questions', () => {
  const question = (text: string, status: 'processing' | 'completed' = 'completed'): QuestionRecord => ({
    id: 1,
    text,
    createdMs: 0,
    updatedMs: 0,
    status,
    turns: [],
    stats: emptyStats(),
  });
  const many = Array.from({ length: 2_500 }, (_, index) => ({
    id: index + 1,
    userId: 7,
    readToken: '',
    createdMs: 0,
    updatedMs: 0,
    starred: false,
    characters: 0,
  }));
  const texts = (of: (id: number) => QuestionRecord[]) => {
    let reads = 0;
    const read = (id: number): ConversationRecord => {
      reads += 1;
      return { version: 1, id, userId: 7, readToken: '', createdMs: 0, updatedMs: 0, questions: of(id) };
    };
    return { read, reads: () => reads };
  };
  const query = (words: string[], first = 2): ListQuery => ({ sort: 'id', first, words });

  it('finds all words, in any case and over all finished questions of a conversation', () => {
    const { read } = texts((id) => [
      question(id === 2 ? 'Where are Apples?' : 'x'),
      question('and PEARS', 'completed'),
    ]);
    expect(selectPage(many.slice(0, 3), query(['apples', 'pears']), () => true, read).ids).toEqual([2]);
    expect(selectPage(many.slice(0, 3), query(['apples', 'plums']), () => true, read).ids).toEqual([]);
  });

  it('does not search a question that is processing', () => {
    const { read } = texts(() => [question('apples', 'processing')]);
    expect(selectPage(many.slice(0, 3), query(['apples']), () => true, read).ids).toEqual([]);
  });

  it('stops reading once the page is full and it knows whether more follow', () => {
    const { read, reads } = texts(() => [question('apples')]);
    expect(selectPage(many, query(['apples']), () => true, read)).toMatchObject({ ids: [1, 2], hasNextPage: true });
    expect(reads()).toBe(3);
  });

  it('ends a page after reading so many conversations, and continues there', () => {
    const { read, reads } = texts((id) => [question(id === 1_700 ? 'apples' : 'x')]);
    const first = selectPage(many, query(['apples']), () => true, read);
    expect(first).toMatchObject({ ids: [], hasNextPage: true });
    expect(reads()).toBe(LIMITS.conversationsSearched);
    const place = readCursor(first.endCursor ?? '')?.place;
    expect(place).toEqual({ value: 1_000, id: 1_000 });
    const second = selectPage(many, { ...query(['apples']), after: place ?? { value: 0, id: 0 } }, () => true, read);
    expect(second).toMatchObject({ ids: [1_700], hasNextPage: true });
  });
});
