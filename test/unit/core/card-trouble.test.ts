import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { createRequests } from '../../support/lifecycle/core-harness.ts';
import {
  type ChooseFault,
  createInMemoryLifecycle,
  type Operation,
} from '../../support/lifecycle/in-memory-lifecycle.ts';

/** Asks one question in a channel, with faults by operation, and runs until nothing is due. */
async function askWith(chooseFault: (operation: Operation, atMs: number) => ReturnType<ChooseFault>) {
  const calls: { operation: Operation; atMs: number }[] = [];
  const life: ReturnType<typeof createInMemoryLifecycle> = createInMemoryLifecycle({
    work: () => ({ takesMs: 6_000, ends: 'completed' }),
    chooseFault(operation) {
      const atMs = life.now() - life.startMs;
      calls.push({ operation, atMs });
      return chooseFault(operation, atMs);
    },
  });
  const accept = createRequests(life.ports).accept;
  const accepted = await accept({
    key: 'message',
    place: { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.1' },
    askerId: 'U1',
    text: 'Where?',
    beginsThread: true,
    origin: 'mention',
  });
  await life.run();
  const times = (operation: Operation): number[] =>
    calls.filter((call) => call.operation === operation).map(({ atMs }) => atMs);
  return { life, accepted, times };
}

describe('a question whose card is in trouble', () => {
  it.each(['rateLimited', 'unavailable'] as const)(
    'is read and answered while the search for the card fails (%s), and the search is not repeated at once',
    async (kind) => {
      let cards = 0;
      const { life, times } = await askWith((operation, atMs) => {
        if (operation === 'postCard') {
          cards += 1;
          const lost = new AppError('unavailable', 'the reply is lost', { outcomeUnknown: true });
          return cards === 1 ? { error: lost, happens: 'yes' } : undefined;
        }
        if (operation !== 'find' || atMs >= 20_000) return undefined;
        const error = new AppError(kind, 'trouble', kind === 'rateLimited' ? { retryAfterMs: 10_000 } : {});
        return { error, happens: 'no' };
      });
      expect(life.violations).toEqual([]);
      expect(times('find').length).toBeLessThan(12);
      expect(times('postPart')[0]).toBeLessThan(9_000);
      expect(life.openIds()).toEqual([]);
    },
  );

  it('is read to its end where Slack refuses the app, and closed after a day', async () => {
    let cards = 0;
    const { life, times } = await askWith((operation) => {
      if (operation === 'postCard') {
        cards += 1;
        const error =
          cards === 1
            ? new AppError('rateLimited', 'no room', { retryAfterMs: 1_500, isHeldBack: true })
            : new AppError('unauthorized', 'revoked', { code: 'token_revoked' });
        return { error, happens: 'no' };
      }
      const isAnswer = operation === 'postPart';
      return isAnswer ? { error: new AppError('unauthorized', 'revoked'), happens: 'no' } : undefined;
    });
    expect(times('read').length).toBeGreaterThan(3);
    expect(cards).toBeLessThan(10);
    expect(life.openIds()).toEqual([]);
  });
});
