import { afterEach, expect, it, vi } from 'vitest';
import { AppError, type ErrorKind } from '../../../src/core/errors.ts';
import { createAccessNote } from '../../../src/observability/access-watch.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A far side that fails as told, and what is known of it. */
function watched() {
  let nowMs = 1_000_000;
  let failure: ErrorKind | 'silence' | undefined;
  let probes = 0;
  const call = async (): Promise<void> => {
    if (failure === 'silence') return new Promise(() => {});
    if (failure !== undefined) throw new AppError(failure, 'planned');
  };
  const note = createAccessNote({
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
  const far = watched();
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
  const far = watched();
  far.fail(kind);
  await far.call();
  expect(await far.state()).toBe(state);
});

it('the state of the service costs no call while the latest call succeeded, and one in 15 s otherwise', async () => {
  const far = watched();
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
  const far = watched();
  far.fail('unauthorized');
  await far.call();
  expect(await far.state()).toBe('refused');
  far.fail();
  await far.call();
  expect(await far.state()).toBe('fine');
});

it('the state of the service is returned half a second later though the far side stays silent', async () => {
  const far = watched();
  far.fail('silence');
  vi.useFakeTimers();
  const told = far.state();
  await vi.advanceTimersByTimeAsync(500);
  expect(await told).toBe('fine');
});
