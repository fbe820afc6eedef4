import { afterEach, describe, expect, it, vi } from 'vitest';
import { AppError, type ErrorKind } from '../../../src/core/errors.ts';
import { createHealth } from '../../../src/observability/health.ts';
import { noted } from '../../../src/service/pipeline.ts';
import { failing } from '../../support/lifecycle/core-harness.ts';
import { createInMemoryLifecycle, type Fault } from '../../support/lifecycle/in-memory-lifecycle.ts';
import { targetOf } from '../../support/service/cancel-target.ts';
import { through } from '../../support/service/through.ts';

function watched() {
  let fault: Fault | undefined;
  let calls = 0;
  let nowMs = 1_000_000;
  const service = createInMemoryLifecycle({
    chooseFault: () => {
      calls += 1;
      return fault;
    },
  });
  const health = createHealth({
    probe: () => deepSearch.newest(1),
    isRefusal: (error) => error instanceof AppError && error.kind === 'unauthorized',
    now: () => nowMs,
  });
  const deepSearch = through(service.deepSearch, (call, run) => noted(health.noting, call, run()));
  return {
    ...health,
    deepSearch,
    fail: (next: Fault | undefined) => {
      fault = next;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
    calls: () => calls,
  };
}

describe('the health of the service', () => {
  it('considers the access good until it is refused, and asks nothing', async () => {
    const { latest, calls } = watched();
    expect(await latest()).toBe('fine');
    expect(calls()).toBe(0);
  });

  it('notices at any call that it is refused, and passes the error on', async () => {
    for (const call of ['create', 'followUp', 'read', 'newest', 'cancel'] as const) {
      const { deepSearch, latest, fail } = watched();
      fail(failing('unauthorized'));
      const done = {
        create: () => deepSearch.create('x'),
        followUp: () => deepSearch.followUp(1, 'x'),
        read: () => deepSearch.read(1),
        newest: () => deepSearch.newest(1),
        cancel: () => deepSearch.cancel(1, targetOf({ id: 1 })),
      }[call]();
      await expect(done).rejects.toBeInstanceOf(AppError);
      expect(await latest()).toBe('refused');
    }
  });

  it.each([
    ['signInPage', new AppError('badReply', 'a page', { code: 'signInPage' }), 'signInPage'],
    [
      'signInPage',
      new AppError('unavailable', 'x', { cause: new AppError('badReply', 'a page', { code: 'signInPage' }) }),
      'signInPage',
    ],
    ['tooLarge', new AppError('badReply', 'an answer over the limit', { code: 'tooLarge' }), 'fine'],
    ['searchCut', new AppError('unavailable', 'too many conversations', { code: 'searchCut' }), 'fine'],
    ['apiMissing', new AppError('unavailable', 'no route', { code: 'apiMissing' }), 'apiMissing'],
    ['no reply', new AppError('unavailable', 'no reply'), 'unreachable'],
  ])('names for operators what %s means', async (_name, error, state) => {
    const { deepSearch, latest, fail } = watched();
    fail({ error, happens: 'no' });
    await expect(deepSearch.read(1)).rejects.toBe(error);
    expect(await latest()).toBe(state);
  });

  it('keeps in mind that questions find no route, while everything else works', async () => {
    const { deepSearch, latest, state, fail } = watched();
    fail(failing('unavailable', { code: 'apiMissing' }));
    await expect(deepSearch.create('x')).rejects.toBeInstanceOf(AppError);
    fail(undefined);
    await deepSearch.newest(1);
    expect([await latest(), await state()]).toEqual(['apiMissing', 'unreachable']);
    await deepSearch.create('x');
    expect(await latest()).toBe('fine');
  });

  it('ignores a shared conversation that the service hides from the app', async () => {
    const { deepSearch, latest, fail } = watched();
    fail(failing('unauthorized'));
    await expect(deepSearch.byReadToken('t')).rejects.toBeInstanceOf(AppError);
    expect(await latest()).toBe('fine');
  });

  it('notices without a call that access is granted again, and does not ask all the time', async () => {
    const { deepSearch, latest, fail, pass, calls } = watched();
    fail(failing('unauthorized'));
    await expect(deepSearch.read(1)).rejects.toBeInstanceOf(AppError);
    for (let probe = 0; probe < 10; probe += 1) expect(await latest()).toBe('refused');
    expect(calls()).toBe(2);
    fail(undefined);
    pass(15_000);
    expect(await latest()).toBe('fine');
  });

  it('learns nothing about its access from a service that does not answer', async () => {
    const { deepSearch, latest, fail, pass } = watched();
    fail(failing('unavailable'));
    await expect(deepSearch.read(1)).rejects.toBeInstanceOf(AppError);
    expect(await latest()).toBe('unreachable');
    fail(failing('unauthorized'));
    await expect(deepSearch.read(1)).rejects.toBeInstanceOf(AppError);
    fail(failing('unavailable'));
    pass(15_000);
    expect(await latest()).toBe('refused');
  });

  it.each(['create', 'followUp'] as const)(
    'shows a refusal while %s alone is refused, whatever may be read',
    async (call) => {
      const { deepSearch, latest, state, fail, pass } = watched();
      const ask = () => (call === 'create' ? deepSearch.create('x') : deepSearch.followUp(1, 'x'));
      fail(failing('unauthorized'));
      await expect(ask()).rejects.toBeInstanceOf(AppError);
      fail(undefined);
      await deepSearch.newest(1);
      expect(await latest()).toBe('refused');
      pass(60_000);
      expect(await state()).toBe('refused');
      expect(await latest()).toBe('refused');
      await deepSearch.create('y');
      expect(await latest()).toBe('fine');
      expect(await state()).toBe('fine');
    },
  );

  it('asks again after a refusal of everything, also where a question met it first', async () => {
    const { deepSearch, latest, fail, pass } = watched();
    fail(failing('unauthorized'));
    await expect(deepSearch.create('x')).rejects.toBeInstanceOf(AppError);
    expect(await latest()).toBe('refused');
    fail(undefined);
    pass(15_000);
    expect(await latest()).toBe('fine');
  });

  it('keeps a refused question for ten minutes, so that it does not show forever where no questions follow', async () => {
    const { deepSearch, latest, fail, pass } = watched();
    fail(failing('unauthorized'));
    await expect(deepSearch.create('x')).rejects.toBeInstanceOf(AppError);
    fail(undefined);
    pass(9 * 60_000);
    expect(await latest()).toBe('refused');
    pass(60_000);
    expect(await latest()).toBe('fine');
  });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A far side that fails as told, and what is known of it. */
function farSide() {
  let nowMs = 1_000_000;
  let failure: ErrorKind | 'silence' | undefined;
  let probes = 0;
  const call = async (): Promise<void> => {
    if (failure === 'silence') return new Promise(() => {});
    if (failure !== undefined) throw new AppError(failure, 'planned');
  };
  const note = createHealth({
    probe: () => {
      probes += 1;
      return note.noting(call());
    },
    isRefusal: (error) => error instanceof AppError && error.kind === 'unauthorized',
    now: () => nowMs,
  });
  return {
    state: note.state,
    latest: note.latest,
    call: () => note.noting(call()).catch(() => undefined),
    probes: () => probes,
    fail: (kind?: typeof failure) => {
      failure = kind;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

it('the state of the service is checked when there was no call for a minute, and known from calls otherwise', async () => {
  const far = farSide();
  expect(await far.state()).toBe('fine');
  expect(far.probes()).toBe(1);
  far.pass(59_000);
  expect(await far.state()).toBe('fine');
  expect(far.probes()).toBe(1);
  far.pass(1_000);
  far.fail('unavailable');
  expect(await far.state()).toBe('unreachable');
  expect(far.probes()).toBe(2);
});

it.each([
  ['unauthorized', 'refused'],
  ['unavailable', 'unreachable'],
  ['badReply', 'unreachable'],
  ['rateLimited', 'fine'],
  ['notFound', 'fine'],
] as const)('the state of the service after a call that ended as %s is %s', async (kind, state) => {
  const far = farSide();
  far.fail(kind);
  await far.call();
  expect(await far.state()).toBe(state);
});

it('the state of the service costs no call while the latest call succeeded, and one in 15 s otherwise', async () => {
  const far = farSide();
  expect(await far.latest()).toBe('fine');
  far.pass(600_000);
  expect(await far.latest()).toBe('fine');
  expect(far.probes()).toBe(0);
  far.fail('unavailable');
  await far.call();
  for (let scrape = 0; scrape < 5; scrape += 1) expect(await far.latest()).toBe('unreachable');
  expect(far.probes()).toBe(1);
  far.fail();
  far.pass(15_000);
  expect(await far.latest()).toBe('fine');
});

it('the state of the service is fine again as soon as a call succeeds', async () => {
  const far = farSide();
  far.fail('unauthorized');
  await far.call();
  expect(await far.state()).toBe('refused');
  far.fail();
  await far.call();
  expect(await far.state()).toBe('fine');
});

it('the state of the service is returned half a second later though the far side stays silent', async () => {
  const far = farSide();
  far.fail('silence');
  vi.useFakeTimers();
  const told = far.state();
  await vi.advanceTimersByTimeAsync(500);
  expect(await told).toBe('fine');
});
