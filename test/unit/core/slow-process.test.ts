import { describe, expect, it } from 'vitest';
import type { NewQuestion } from '../../../src/core/intake/accept.ts';
import { buttonUser, createCoreHarness, failing } from '../../support/lifecycle/core-harness.ts';
import { withPostPart } from '../../support/lifecycle/with-post-part.ts';

type Post = 'postCard' | 'postPart';

/**
 * A process gets the reply to its first post late, after another process took the question over. With `replyAtNext`,
 * the reply comes while the other process makes its next post, and not when that process is done. With `isFound`, the
 * other process finds the message.
 */
async function takeOver(post: Post, { replyAtNext = false, isFound = true, change = {} }: Options) {
  const { life, ask } = createCoreHarness({ work: { takesMs: 1_000, ends: 'completed', parts: 3 } });
  const { messenger } = life.ports;
  const sent = createSignal();
  const replied = createSignal();
  let posts = 0;
  messenger.postCard = holdFirstReply('postCard', messenger.postCard);
  messenger.prepare = withPostPart(messenger, (postPart) => holdFirstReply('postPart', postPart));
  if (!isFound) {
    messenger.findPart = async () => undefined;
    messenger.findCard = async () => undefined;
  }
  const { id } = await ask(change);
  const slow = life.run();
  await sent.given;
  life.restart();
  const other = life.run();
  if (!replyAtNext) await other;
  else await replied.given;
  replied.give();
  await Promise.all([slow, other]);
  life.restart();
  await life.run();
  return { life, question: life.question(id) };

  function holdFirstReply<Args extends unknown[]>(
    operation: Post,
    send: (...args: Args) => Promise<{ ts: string }>,
  ): (...args: Args) => Promise<{ ts: string }> {
    return async (...args) => {
      const reply = await send(...args);
      if (operation !== post) return reply;
      posts += 1;
      if (posts === 1) {
        sent.give();
        await replied.given;
      } else if (replyAtNext) {
        replied.give();
        await new Promise(setImmediate);
      }
      return reply;
    };
  }
}

interface Options {
  replyAtNext?: boolean;
  isFound?: boolean;
  change?: Partial<NewQuestion>;
}

function createSignal() {
  let give: () => void = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

const command = { place: { teamId: 'T1', channelId: 'C1' }, origin: 'command' } as const;

describe('a process that another one considered dead', () => {
  it.each([true, false])(
    'adds no part to those that the other process noted (while that one posts: %s)',
    async (replyAtNext) => {
      const { life, question } = await takeOver('postPart', { replyAtNext });
      const parts = life.messagesOf(question, 'part').filter(({ deleted }) => !deleted);
      expect(parts.map(({ marker }) => marker)).toEqual(['part 0.0', 'part 0.1', 'part 0.2']);
      expect(question.delivery.posted).toEqual(parts.map(({ ts }) => ts));
      expect(question.phase).toBe('closed');
      expect(life.openIds()).toEqual([]);
    },
  );

  it.each<[what: string, post: Post, change: Partial<NewQuestion>]>([
    ['a part', 'postPart', {}],
    ['a card that begins a thread', 'postCard', command],
  ])('leaves no copy where the other process did not find its message, which is %s', async (_, post, change) => {
    const { life, question } = await takeOver(post, { isFound: false, change });
    const standing = life.posted.filter(({ deleted }) => !deleted);
    expect(standing.map(({ marker }) => marker)).toEqual(['card', 'part 0.0', 'part 0.1', 'part 0.2']);
    expect(standing.map(({ ts }) => ts)).toEqual([question.card.ts, ...question.delivery.posted]);
    expect(standing[0]?.view?.kind).toBe('answered');
    if (question.origin === 'command') expect(question.place.threadTs).toBe(question.card.ts);
    expect(question.recheckMs).toBeUndefined();
    expect(life.openIds()).toEqual([]);
  });
});

it('a card of a process that another one considered dead is deleted where the question ended without one', async () => {
  const { life, question } = await takeOver('postCard', { isFound: false });
  const standing = life.posted.filter(({ deleted }) => !deleted);
  expect(standing.map(({ marker }) => marker)).toEqual(['part 0.0', 'part 0.1', 'part 0.2']);
  expect(life.messagesOf(question, 'card')).toHaveLength(1);
  expect(question).toMatchObject({ phase: 'closed', card: { gone: true } });
  expect(question.card).not.toHaveProperty('ts');
  expect(question.recheckMs).toBeUndefined();
  expect(life.openIds()).toEqual([]);
});

describe('a question that is watched again while its end is about to be posted once more', () => {
  it('posts nothing of its earlier end, and is answered', async () => {
    const { life, ask, requests } = createCoreHarness({
      faults: { postPart: [failing('unavailable', { outcomeUnknown: true })] },
      work: { takesMs: 60_000, ends: 'completed' },
      settings: { patienceMs: 30_000 },
    });
    const { messenger } = life.ports;
    const { id } = await ask();
    let searches = 0;
    messenger.findPart = async () => {
      searches += 1;
      if (searches === 2) await requests.checkAgain(id, buttonUser);
      return undefined;
    };
    await life.run();
    expect(life.violations).toEqual([]);
    expect(life.messagesOf(life.question(id), 'part').map(({ outcome }) => outcome?.kind)).toEqual(['answered']);
  });
});
