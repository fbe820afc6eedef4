import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { ConversationId } from '../../../src/core/question/question.ts';
import { apiGone, isApiGone } from '../../../src/service/generation.ts';
import { createNewest, mapConversation } from '../../../src/service/generation-2/deep-search.ts';
import { type ApiSummary, conversationSchema } from '../../../src/service/generation-2/schemas.ts';

const startMs = Date.UTC(2026, 2, 5, 9);
const reading = { baseHref: 'https://code.example', withAbsoluteLinks: (text: string) => text, sourcesOf: () => [] };

/** Seconds after the start, as a time of the API. Empty for a time that the service does not tell. */
const at = (second: number | undefined) =>
  second === undefined ? '' : new Date(startMs + second * 1_000).toISOString();

interface Kept {
  id: ConversationId;
  created?: number;
  updated?: number;
}

/** An account with these conversations, in the order of its list. */
function accountWith(
  list: Kept[],
  options: { pageSize?: number; pageMs?: number; get?: (id: ConversationId) => Promise<void> } = {},
) {
  const reads: ConversationId[] = [];
  const pages: number[] = [];
  let running = 0;
  let mostAtOnce = 0;
  let nowMs = 0;
  const summaryOf = ({ id, created, updated = created }: Kept): ApiSummary => ({
    name: id,
    createTime: at(created),
    updateTime: at(updated),
  });
  async function* summaries(wanted: number, beforeNext?: () => Promise<void>) {
    const size = options.pageSize ?? wanted;
    for (let from = 0; from === 0 || from < list.length; from += size) {
      if (from > 0) await beforeNext?.();
      pages.push(wanted);
      nowMs += options.pageMs ?? 0;
      yield list.slice(from, from + size).map(summaryOf);
    }
  }
  async function get(id: ConversationId) {
    reads.push(id);
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    await Promise.resolve();
    running -= 1;
    await options.get?.(id);
    const createTime = at(list.find((each) => each.id === id)?.created);
    const questions = [
      { input: [{ question: { text: `text of ${id}` } }], answer: 'An answer', suggestedFollowups: ['And?'] },
    ];
    return conversationSchema.parse({ name: `users/1/conversations/${id}`, createTime, questions });
  }
  const newest = createNewest(
    { summaries, get },
    (raw) => mapConversation(raw, reading),
    () => nowMs,
  );
  return {
    list,
    reads,
    pages,
    mostAtOnce: () => mostAtOnce,
    newest,
    pass: (ms: number) => {
      nowMs += ms;
    },
    ids: async (limit: number, since?: number) =>
      (await newest(limit, since === undefined ? undefined : startMs + since * 1_000)).map(({ id }) => id),
  };
}

describe('a search for the newest conversations', () => {
  test('reads each conversation that was created since then, newest first, and no other', async () => {
    const account = accountWith([
      { id: 1, created: 10, updated: 90 },
      { id: 4, created: 60, updated: 80 },
      { id: 2, created: 20, updated: 70 },
      { id: 3, created: 50 },
    ]);
    expect(await account.ids(1_000, 20)).toEqual([4, 3, 2]);
    expect(account.reads).toEqual([4, 3, 2]);
  });

  test('returns the texts of questions without answers, sources and follow-ups', async () => {
    const [found] = await accountWith([{ id: 1, created: 10 }]).newest(1, startMs);
    expect(found?.questions).toEqual([
      { ordinal: 0, text: 'text of 1', state: 'processing', sources: [], citedOnly: true, followUps: [] },
    ]);
  });

  test('ends at the first page whose conversations were last changed before', async () => {
    const list = [90, 80, 70, 60, 50, 40, 30].map((second, index) => ({ id: index, created: second }));
    const account = accountWith(list, { pageSize: 2 });
    expect(await account.ids(1_000, 65)).toEqual([0, 1, 2]);
    // Two pages, and the first one again.
    expect(account.pages).toHaveLength(3);
  });

  test('reads on where the newest creations come first, until one was created before', async () => {
    const list = [
      { id: 3, created: 60, updated: 61 },
      { id: 2, created: 50, updated: 200 },
      { id: 1, created: 40, updated: 41 },
      { id: 0, created: 30, updated: 300 },
    ];
    const account = accountWith(list, { pageSize: 1 });
    expect(await account.ids(1_000, 45)).toEqual([3, 2]);
    expect(account.pages).toHaveLength(4);
  });

  test('reads every page of a list without order', async () => {
    const list = [10, 90, 20, 80, 30].map((second, index) => ({ id: index, created: second }));
    const account = accountWith(list, { pageSize: 1 });
    expect(await account.ids(1_000, 70)).toEqual([1, 3]);
  });

  test('finds a conversation that moves to the first page while it reads the others', async () => {
    const list: Kept[] = [90, 80, 70, 60].map((second, index) => ({ id: index, created: second }));
    const account = accountWith(list, { pageSize: 2 });
    const summaries = account.newest(1_000, startMs + 50_000);
    // The list changes after its first page was read: the third conversation is now the last changed.
    list.unshift({ ...list.splice(2, 1)[0], id: 2, created: 70, updated: 99 });
    expect((await summaries).map(({ id }) => id).sort()).toEqual([0, 1, 2, 3]);
  });

  test('leaves out a conversation that was deleted meanwhile', async () => {
    const account = accountWith(
      [
        { id: 2, created: 20 },
        { id: 1, created: 10 },
      ],
      {
        get: async (id) => {
          if (id === 2) throw new AppError('notFound', 'gone', { code: 'not_found' });
        },
      },
    );
    expect(await account.ids(10, 0)).toEqual([1]);
  });

  test('fails if one conversation can not be read, because it may be the wanted one', async () => {
    const account = accountWith([{ id: 1, created: 10 }], {
      get: async () => {
        throw new AppError('unavailable', 'no reply');
      },
    });
    await expect(account.ids(10, 0)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('fails if the API is gone meanwhile', async () => {
    const account = accountWith([{ id: 1, created: 10 }], {
      get: async () => {
        throw apiGone(new AppError('notFound', 'gone'));
      },
    });
    await expect(account.ids(10, 0)).rejects.toSatisfy(isApiGone);
  });

  test('reads a conversation without times, and keeps it unless its own time is too early', async () => {
    const list: Kept[] = [{ id: 1 }, { id: 2 }];
    const account = accountWith(list, {
      get: async (id) => {
        if (id === 2) list[1] = { id, created: 5 };
      },
    });
    expect(await account.ids(10, 10)).toEqual([1]);
    expect(account.reads).toEqual([1, 2]);
  });

  test('reads at most four conversations at once', async () => {
    const account = accountWith(Array.from({ length: 30 }, (_, id) => ({ id, created: 100 - id })));
    expect(await account.ids(1_000, 0)).toHaveLength(30);
    expect(account.mostAtOnce()).toBe(4);
  });

  test('reads no more conversations than it returns', async () => {
    const account = accountWith(Array.from({ length: 30 }, (_, id) => ({ id, created: 100 - id })));
    expect(await account.ids(3, 0)).toEqual([0, 1, 2]);
    expect(account.reads).toEqual([0, 1, 2]);
  });

  test('without a time asks for one page of the wanted size', async () => {
    const account = accountWith(Array.from({ length: 30 }, (_, id) => ({ id, created: 100 - id })));
    expect(await account.ids(1)).toEqual([0]);
    expect(account.pages).toEqual([1]);
    expect(account.reads).toEqual([0]);
  });

  test.each([
    [0, 1],
    [7, 7],
    [5_000, 100],
  ])('for at most %i without a time asks for pages of %i', async (limit, pageSize) => {
    const account = accountWith([]);
    expect(await account.ids(limit)).toEqual([]);
    expect(account.pages).toEqual([pageSize]);
  });

  test('returns at most 1,000 conversations', async () => {
    const account = accountWith(Array.from({ length: 1_100 }, (_, id) => ({ id, created: 2_000 - id })));
    expect(await account.ids(5_000, 0)).toHaveLength(1_000);
  });

  test('reads a conversation again only after a change', async () => {
    const list: Kept[] = [{ id: 1, created: 10 }, { id: 2, created: 5 }, { id: 3 }];
    const account = accountWith(list);
    await account.ids(10, 0);
    list[0] = { id: 1, created: 10, updated: 11 };
    expect(await account.ids(10, 0)).toEqual([1, 2, 3]);
    expect(account.reads).toEqual([3, 1, 2, 3, 1]);
  });

  test('that takes longer than a minute fails, and goes on where it stopped when it is repeated', async () => {
    const account = accountWith(
      Array.from({ length: 12 }, (_, id) => ({ id, created: 100 - id })),
      { get: async () => account.pass(10_000) },
    );
    await expect(account.ids(100, 0)).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
    expect(account.reads).toHaveLength(8);
    expect(await account.ids(100, 0)).toHaveLength(12);
    expect(account.reads).toHaveLength(12);
  });

  test('whose list takes longer than a minute fails before it reads a conversation', async () => {
    const list = [90, 80, 70, 60, 50].map((second, id) => ({ id, created: second }));
    const account = accountWith(list, { pageSize: 1, pageMs: 25_000 });
    await expect(account.ids(100, 0)).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
    expect(account.pages).toHaveLength(3);
    expect(account.reads).toEqual([]);
  });
});

describe('a search for one conversation', () => {
  /** Searches for a conversation that was created about this second, within 100 s. */
  function searching(account: ReturnType<typeof accountWith>, aboutSecond: number, sought?: ConversationId) {
    const seen: ConversationId[] = [];
    let requests = 1;
    const aboutMs = startMs + aboutSecond * 1_000;
    const run = (limit = 1_000) =>
      account.newest(limit, aboutMs - 100_000, {
        aboutMs,
        untilMs: aboutMs + 100_000,
        isSought: async ({ id }) => {
          seen.push(id);
          return id === sought;
        },
        beforeRequest: async () => {
          requests += 1;
        },
      });
    return { run, seen, requests: () => requests };
  }
  const many = (count: number): Kept[] => Array.from({ length: count }, (_, id) => ({ id, created: 1_000 - id / 10 }));

  test('begins with what was created about its time, and ends with the conversation that it finds', async () => {
    const account = accountWith(many(1_000));
    const { run, requests } = searching(account, 950, 501);
    expect((await run()).map(({ id }) => id)).toContain(501);
    expect(account.reads.toSorted()).toEqual([498, 499, 500, 501]);
    // The list, which ends with its tenth page, is read again from its beginning.
    expect(requests()).toBe(account.pages.length + account.reads.length);
  });

  test('reads nothing that was created later or earlier', async () => {
    const account = accountWith([
      { id: 3, created: 500 },
      { id: 2, created: 390, updated: 480 },
      { id: 1, created: 199, updated: 470 },
    ]);
    const { run, seen } = searching(account, 300);
    expect((await run()).map(({ id }) => id)).toEqual([2]);
    expect(seen).toEqual([2]);
  });

  test('sends at most a hundred reads, and goes on where it stopped when it is repeated', async () => {
    const account = accountWith(many(250));
    const { run, seen } = searching(account, 1_000);
    for (const reads of [100, 200]) {
      await expect(run()).rejects.toMatchObject({ kind: 'unavailable', code: 'searchCut', outcomeUnknown: false });
      expect(account.reads).toHaveLength(reads);
    }
    expect(await run()).toHaveLength(250);
    expect(new Set(seen).size).toBe(250);
    expect(account.reads).toHaveLength(250);
  });

  test('does not end as if nothing was there when there are too many', async () => {
    const account = accountWith(many(30));
    await expect(searching(account, 1_000).run(20)).rejects.toMatchObject({ code: 'searchCut' });
    expect(await searching(account, 1_000, 3).run(20)).toMatchObject([{}, {}, {}, { id: 3 }]);
  });

  test('ends when a request is not allowed', async () => {
    const account = accountWith(many(10));
    const refused = new AppError('rateLimited', 'no room');
    const beforeRequest = async () => {
      if (account.reads.length >= 6) throw refused;
    };
    const search = { aboutMs: startMs, untilMs: startMs + 2_000_000, isSought: async () => false, beforeRequest };
    await expect(account.newest(1_000, startMs, search)).rejects.toBe(refused);
    expect(account.reads.length).toBeLessThanOrEqual(8);
  });
});
