import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { watchAccess } from '../../../src/observability/access-watch.ts';
import { targetOf } from '../../support/deepsearch/cancel-target.ts';
import { failing } from '../../support/lifecycle/core-harness.ts';
import { createInMemoryLifecycle, type Fault } from '../../support/lifecycle/in-memory-lifecycle.ts';

function watched() {
  let fault: Fault | undefined;
  let calls = 0;
  let nowMs = 1_000_000;
  const { deepSearch } = createInMemoryLifecycle({
    chooseFault: () => {
      calls += 1;
      return fault;
    },
  });
  return {
    ...watchAccess(deepSearch, () => nowMs),
    fail: (next: Fault | undefined) => {
      fault = next;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
    calls: () => calls,
  };
}

describe('the watch of the access', () => {
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
