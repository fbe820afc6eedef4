import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Conversation, ConversationSearch, DeepSearch } from '../../../src/core/ports.ts';
import type { ConversationId } from '../../../src/core/question/question.ts';
import { withServiceKey } from '../../../src/core/question/service-ids.ts';
import { upstreamWindowMs } from '../../../src/core/settings.ts';
import type { Watching } from '../../../src/core/watching/watching.ts';
import { routeServices, type ServiceRoute, scopedTo } from '../../../src/core/workspaces/service-routes.ts';

const [keyA, keyB] = ['aaaaaaaaaaaa.00000001', 'bbbbbbbbbbbb.00000002'];
const changedMs = 100 * upstreamWindowMs;

/** A service that notes its calls. Every one of them knows the conversation 7. */
function service(name: string, calls: string[], isDown = false): DeepSearch {
  const conversation = (id: ConversationId): Conversation => ({ id, questions: [] });
  const note = (call: string): void => {
    calls.push(`${name} ${call}`);
    if (isDown) throw new AppError('unavailable', 'down');
  };
  return {
    async create() {
      note('create');
      return conversation(7);
    },
    async followUp(id) {
      note(`followUp ${id}`);
      return { text: '', state: 'pending', sources: [], followUps: [] };
    },
    async read(id) {
      note(`read ${id}`);
      return conversation(id);
    },
    async byReadToken() {
      note('byReadToken');
      return conversation(7);
    },
    async newest(_limit, _sinceMs, search) {
      note('newest');
      await search?.isSought(conversation(7));
      return [conversation(7)];
    },
    async changes() {
      note('changes');
      return { conversations: [{ id: 7, mark: 'm', conversation: () => conversation(7) }] };
    },
    async cancel(id, target) {
      note(`cancel ${id}`);
      await target.find(conversation(id));
    },
  };
}

const noWatching: Watching = {
  read: async () => undefined,
  goesOn: () => 0,
  resumed: () => {},
  leave: () => {},
  tick: async () => {},
  stop: async () => {},
};

/** A workspace that asks at A, and asked at B and at the app's own service before. */
function routed({ down = [] }: { down?: string[] } = {}) {
  const calls: string[] = [];
  const make = (name: string): DeepSearch => service(name, calls, down.includes(name));
  const route = (key: string, name: string): ServiceRoute => ({
    key,
    deepSearch: scopedTo(key, make(name)),
    watching: noWatching,
  });
  const of = routeServices({
    app: {
      deepSearch: (account) => scopedTo(undefined, make(account === 'app' ? 'app' : 'ada')),
      watching: noWatching,
    },
    current: route(keyA, 'A'),
    former: [route(keyB, 'B')],
    changedMs,
  });
  return { calls, of, deepSearch: of('app') };
}

const search = (isSought: ConversationSearch['isSought']): ConversationSearch => ({
  aboutMs: changedMs,
  untilMs: changedMs,
  isSought,
});

describe('the services of one workspace', () => {
  test('begin conversations at the current one, whose ids name it', async () => {
    const { calls, deepSearch } = routed();
    expect((await deepSearch.create('?')).id).toBe(withServiceKey(keyA, 7));
    expect((await deepSearch.byReadToken('t')).id).toBe(withServiceKey(keyA, 7));
    const [listed] = (await deepSearch.changes(10)).conversations;
    expect([listed?.id, listed?.conversation?.().id]).toEqual([withServiceKey(keyA, 7), withServiceKey(keyA, 7)]);
    expect(calls).toEqual(['A create', 'A byReadToken', 'A changes']);
  });

  test('read and cancel a conversation where it was asked', async () => {
    const { calls, deepSearch } = routed();
    const found: ConversationId[] = [];
    for (const id of [withServiceKey(keyA, 7), withServiceKey(keyB, 7), 7]) {
      expect((await deepSearch.read(id)).id).toBe(id);
      const find = async (conversation: Conversation) => void found.push(conversation.id);
      await deepSearch.cancel(id, { id: undefined, find: (each) => find(each).then(() => undefined) });
    }
    expect(calls).toEqual(['A read 7', 'A cancel 7', 'B read 7', 'B cancel 7', 'app read 7', 'app cancel 7']);
    expect(found).toEqual([withServiceKey(keyA, 7), withServiceKey(keyB, 7), 7]);
  });

  test('continue only a conversation of the current one, and send nothing for another', async () => {
    const { calls, deepSearch } = routed();
    await deepSearch.followUp(withServiceKey(keyA, 7), '?');
    for (const id of [withServiceKey(keyB, 7), 7]) {
      await expect(deepSearch.followUp(id, '?')).rejects.toMatchObject({ kind: 'notFound' });
    }
    expect(calls).toEqual(['A followUp 7']);
  });

  test('know nothing of a conversation whose service is forgotten', async () => {
    const { calls, deepSearch } = routed();
    const id = withServiceKey('cccccccccccc.00000003', 7);
    await expect(deepSearch.read(id)).rejects.toMatchObject({ kind: 'notFound' });
    expect(calls).toEqual([]);
  });

  test("use a person's own account at the app's own service only", async () => {
    const { calls, of } = routed();
    const ada = of({ teamId: 'T1', userId: 'U1' });
    expect((await ada.create('?')).id).toBe(7);
    await expect(ada.read(withServiceKey(keyA, 7))).rejects.toMatchObject({ kind: 'notFound' });
    expect(calls).toEqual(['ada create']);
  });
});

describe('the search for a question whose call had an unknown outcome', () => {
  test('asks the services before too, if the call may have been made before the change', async () => {
    const { calls, deepSearch } = routed();
    const seen: ConversationId[] = [];
    await deepSearch.newest(
      10,
      changedMs - upstreamWindowMs,
      search(async ({ id }) => {
        seen.push(id);
        return false;
      }),
    );
    expect(calls).toEqual(['A newest', 'B newest', 'app newest']);
    expect(seen).toEqual([withServiceKey(keyA, 7), withServiceKey(keyB, 7), 7]);
  });

  test('asks only the current one for a later call', async () => {
    const { calls, deepSearch } = routed();
    await deepSearch.newest(
      10,
      changedMs + upstreamWindowMs + 1,
      search(async () => false),
    );
    expect(calls).toEqual(['A newest']);
  });

  test('ends where the question is found, also if another service is down', async () => {
    const { calls, deepSearch } = routed({ down: ['A'] });
    const isSought = async ({ id }: Conversation): Promise<boolean> => id === withServiceKey(keyB, 7);
    expect((await deepSearch.newest(10, 0, search(isSought))).map(({ id }) => id)).toEqual([withServiceKey(keyB, 7)]);
    expect(calls).toEqual(['A newest', 'B newest']);
  });

  test('is not over while one of them is down and none of the others has it', async () => {
    const { deepSearch } = routed({ down: ['B'] });
    await expect(
      deepSearch.newest(
        10,
        0,
        search(async () => false),
      ),
    ).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
