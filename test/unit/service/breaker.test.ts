import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError, type ErrorKind } from '../../../src/core/errors.ts';
import type { Conversation, DeepSearch } from '../../../src/core/ports.ts';
import { busyConversation, searchCut } from '../../../src/service/generation.ts';
import { createBreaker } from '../../../src/service/pipeline.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { targetOf } from '../../support/service/cancel-target.ts';
import { through } from '../../support/service/through.ts';

const conversation: Conversation = { id: 1, questions: [] };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A service that does what `answer` does, and notes what it was asked. */
function createService() {
  const service = { calls: [] as string[], answer: async (): Promise<void> => {} };
  const ask = async (name: string) => {
    service.calls.push(name);
    await service.answer();
    return conversation;
  };
  const deepSearch: DeepSearch = {
    create: () => ask('create'),
    followUp: async (_, text) => {
      await ask('followUp');
      return { id: 2, text, state: 'pending', steps: 0, sources: [], followUps: [] };
    },
    read: () => ask('read'),
    byReadToken: () => ask('byReadToken'),
    newest: async () => [await ask('newest')],
    changes: async () => ({ conversations: [{ ...(await ask('changes')), mark: 'a' }] }),
    cancel: async () => void (await ask('cancel')),
  };
  return { service, deepSearch };
}

function setUp() {
  const { service, deepSearch } = createService();
  const { log, lines } = createRecordingLog();
  const breaker = createBreaker({ log });
  const guarded = through(deepSearch, (call, run, each) => breaker(call, run, () => each.newest(1)));
  const states = () => lines.filter(({ outcome }) => outcome !== 'refused').map(({ outcome }) => outcome);
  return { service, guarded, states };
}

const failing = (kind: ErrorKind, code?: number) => async () => {
  throw new AppError(kind, 'no', { code, outcomeUnknown: kind === 'unavailable' });
};
const succeeding = async () => {};

async function failureOf(call: Promise<unknown>): Promise<AppError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error('no AppError was thrown', { cause: error });
  return error;
}

async function read(deepSearch: DeepSearch, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await deepSearch.read(1).catch(() => {});
}

async function setUpOpen() {
  const all = setUp();
  all.service.answer = failing('unavailable', 503);
  await read(all.guarded, 5);
  all.service.calls = [];
  return all;
}

describe('a closed circuit', () => {
  it('passes results and failures unchanged', async () => {
    const { service, guarded } = setUp();
    expect(await guarded.create('q')).toBe(conversation);
    service.answer = failing('unavailable', 503);
    expect(await failureOf(guarded.create('q'))).toMatchObject({ code: 503, outcomeUnknown: true });
  });

  it('opens after five calls in a row without an answer', async () => {
    const { service, guarded, states } = setUp();
    service.answer = failing('unavailable', 503);
    await read(guarded, 4);
    expect(states()).toEqual([]);
    await failureOf(guarded.followUp(1, 'q'));
    expect(states()).toEqual(['open']);
  });

  it('counts no search that ended before it looked at all conversations', async () => {
    const { service, guarded, states } = setUp();
    service.answer = async () => {
      throw searchCut('too many');
    };
    for (let tries = 0; tries < 6; tries += 1) await failureOf(guarded.newest(1));
    expect(states()).toEqual([]);
  });

  it.each<[string, ErrorKind, number]>([
    ['unauthorized', 'unauthorized', 401],
    ['not found', 'notFound', 404],
    ['refused', 'refused', 400],
    ['told to wait', 'rateLimited', 429],
  ])('counts a call that is %s as an answer', async (_, kind, code) => {
    const { service, guarded, states } = setUp();
    for (let i = 0; i < 3; i += 1) {
      service.answer = failing('unavailable', 503);
      await read(guarded, 4);
      service.answer = failing(kind, code);
      expect(await failureOf(guarded.read(1))).toMatchObject({ kind, code });
    }
    expect(states()).toEqual([]);
  });

  it('counts a refusal because of a busy conversation as an answer', async () => {
    const { service, guarded, states } = setUp();
    for (let i = 0; i < 3; i += 1) {
      service.answer = failing('unavailable', 503);
      await read(guarded, 4);
      service.answer = async () => {
        throw busyConversation(new AppError('refused', 'no', { code: 409 }));
      };
      expect(await failureOf(guarded.followUp(1, 'q'))).toMatchObject({ kind: 'rateLimited', retryAfterMs: 5_000 });
    }
    expect(states()).toEqual([]);
  });

  it.each<[string, ErrorKind]>([
    ['a reply that cannot be understood', 'badReply'],
    ['a refusal by our own budget', 'rateLimited'],
  ])('ignores %s', async (_, kind) => {
    const { service, guarded, states } = setUp();
    service.answer = failing(kind);
    await read(guarded, 20);
    expect(states()).toEqual([]);
    service.answer = failing('unavailable');
    await read(guarded, 4);
    service.answer = failing(kind);
    await read(guarded, 1);
    service.answer = failing('unavailable');
    await read(guarded, 1);
    expect(states()).toEqual(['open']);
  });
});

describe('an open circuit', () => {
  it('fails every call at once, and sends nothing to the service', async () => {
    const { service, guarded } = await setUpOpen();
    await vi.advanceTimersByTimeAsync(2_000);
    const calls = [
      () => guarded.create('q'),
      () => guarded.followUp(1, 'q'),
      () => guarded.read(1),
      () => guarded.newest(1),
      () => guarded.cancel(1, targetOf({ id: 1 })),
    ];
    for (const call of calls) {
      expect(await failureOf(call())).toMatchObject({
        kind: 'unavailable',
        outcomeUnknown: false,
        retryAfterMs: 3_000,
        cause: { code: 503 },
      });
    }
    expect(service.calls).toEqual([]);
  });

  it('closes when a read succeeds', async () => {
    const { service, guarded, states } = await setUpOpen();
    service.answer = succeeding;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await guarded.read(1)).toBe(conversation);
    expect(states()).toEqual(['open', 'probing', 'closed']);
    service.answer = failing('unavailable');
    await read(guarded, 4);
    expect(states()).toEqual(['open', 'probing', 'closed']);
  });

  it('closes at any answer of the service', async () => {
    const { service, guarded, states } = await setUpOpen();
    service.answer = failing('rateLimited', 429);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await failureOf(guarded.read(1))).toMatchObject({ kind: 'rateLimited', code: 429 });
    expect(states()).toEqual(['open', 'probing', 'closed']);
  });

  it.each<[string, ErrorKind]>([
    ['is not answered', 'unavailable'],
    ['is answered by something else', 'badReply'],
    ['is refused by our own budget', 'rateLimited'],
  ])('stays open when the probe %s', async (_, kind) => {
    const { service, guarded, states } = await setUpOpen();
    service.answer = failing(kind);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await failureOf(guarded.read(1))).toMatchObject({ kind });
    expect(states()).toEqual(['open', 'probing', 'open']);
    expect(await failureOf(guarded.read(1))).toMatchObject({ kind: 'unavailable', retryAfterMs: 10_000 });
  });

  it('waits longer after each probe, up to 30 s', async () => {
    const { guarded } = await setUpOpen();
    const pausesMs: (number | undefined)[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { retryAfterMs } = await failureOf(guarded.read(1));
      pausesMs.push(retryAfterMs);
      await vi.advanceTimersByTimeAsync(retryAfterMs ?? 0);
      await read(guarded, 1);
    }
    expect(pausesMs).toEqual([5_000, 10_000, 20_000, 30_000, 30_000]);
  });

  it('lets one probe through at a time, and no call waits for it', async () => {
    const { service, guarded } = await setUpOpen();
    let end = (): void => {};
    service.answer = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    await vi.advanceTimersByTimeAsync(5_000);
    const probe = guarded.read(1);
    for (const call of [guarded.read(2), guarded.create('q'), guarded.cancel(1, targetOf({ id: 1 }))]) {
      expect(await failureOf(call)).toMatchObject({ kind: 'unavailable', outcomeUnknown: false, retryAfterMs: 1_000 });
    }
    expect(service.calls).toEqual(['read']);
    end();
    expect(await probe).toBe(conversation);
  });

  it('is never probed with a question, since a read goes first', async () => {
    const { service, guarded } = await setUpOpen();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await failureOf(guarded.create('q'))).toMatchObject({ kind: 'unavailable' });
    expect(service.calls).toEqual(['newest']);
    await vi.advanceTimersByTimeAsync(10_000);
    service.calls = [];
    service.answer = succeeding;
    expect(await guarded.create('q')).toBe(conversation);
    expect(await guarded.create('q')).toBe(conversation);
    expect(service.calls).toEqual(['newest', 'create', 'create']);
  });

  it('passes on to a question the failure for which the probe was refused', async () => {
    const { service, guarded } = await setUpOpen();
    await vi.advanceTimersByTimeAsync(5_000);
    service.answer = async () => {
      if (service.calls.at(-1) === 'newest') throw new AppError('refused', 'no lists here', { code: 400 });
    };
    expect(await guarded.create('q')).toBe(conversation);
  });
});
