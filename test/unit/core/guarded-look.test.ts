import { describe, expect, it } from 'vitest';
import { guardLook } from '../../../src/core/guarded-look.ts';
import { createLook } from '../../../src/core/look.ts';
import { createLifeDesk } from '../../support/lifecycle/memory-requests.ts';

/** Looks again and again, with the clock moved on by what each look asks for, until the question is closed. */
async function untilClosed(look: (id: string) => Promise<number | undefined>, id: string, pass: (ms: number) => void) {
  for (let looks = 0; looks < 200; looks += 1) {
    const waitMs = await look(id);
    if (waitMs === undefined) return;
    pass(waitMs);
  }
  throw new Error('the question does not close');
}

describe('a fault of our own', () => {
  it.each([
    ['in rendering the answer', (kind: string) => kind === 'answered', 'failed'],
    ['in rendering anything', () => true, 'none'],
  ])('%s still ends the question', async (_, isBroken, shown) => {
    const { ask, life } = createLifeDesk();
    const { id } = await ask();
    let nowMs = life.now();
    const ports = {
      ...life.ports,
      now: () => nowMs,
      messenger: {
        ...life.ports.messenger,
        countParts: (question: Parameters<typeof life.ports.messenger.countParts>[0]) => {
          if (isBroken(question.outcome?.kind ?? '')) throw new TypeError('undefined is not a function');
          return 1;
        },
      },
    };
    const look = guardLook(createLook(ports), ports);
    const read = ports.codeSearch.read;
    ports.codeSearch = {
      ...ports.codeSearch,
      read: async (conversationId) => {
        const conversation = await read(conversationId);
        return {
          ...conversation,
          questions: conversation.questions.map((question) => ({ ...question, state: 'completed' as const })),
        };
      },
    };
    await untilClosed(look, id, (ms) => {
      nowMs += ms;
    });
    const closed = life.question(id);
    expect(closed.phase).toBe('closed');
    const ends = life.posted.filter(({ marker }) => marker !== 'card').map(({ outcome }) => outcome?.kind);
    expect(ends).toEqual(shown === 'none' ? [] : ['failed']);
    expect(closed.outcome).toMatchObject({ kind: 'failed', failure: { cause: 'internal' } });
  });
});
