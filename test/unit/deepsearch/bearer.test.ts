import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BearerToken, createAuthorizer } from '../../../src/deepsearch/auth.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

/** An authorizer whose issuer numbers its tokens, or does what `refresh` does. */
function setUp(
  lifetimeSeconds: number | undefined,
  refresh?: (signal: AbortSignal) => Promise<BearerToken>,
  initial: BearerToken | undefined = token('first', lifetimeSeconds),
) {
  let issued = 0;
  const issue = async () => {
    issued += 1;
    return token(`next-${issued}`, lifetimeSeconds);
  };
  const authorizer = createAuthorizer(
    { kind: 'bearer', refresh: refresh ?? issue, ...(initial && { initial }) },
    Date.now,
  );
  return { authorizer, issued: () => issued };
}

function token(accessToken: string, expiresInSeconds?: number): BearerToken {
  return { accessToken, ...(expiresInSeconds !== undefined && { expiresInSeconds }) };
}

describe('a bearer token', () => {
  it.each([
    ['a minute before it expires', 600, 540_000],
    ['after four fifths of a short life', 100, 80_000],
  ])('is replaced %s, not earlier', async (_, lifetimeSeconds, refreshAtMs) => {
    const { authorizer } = setUp(lifetimeSeconds);
    vi.setSystemTime(refreshAtMs - 1);
    expect(await authorizer.header(never)).toBe('Bearer first');
    vi.setSystemTime(refreshAtMs);
    expect(await authorizer.header(never)).toBe('Bearer next-1');
  });

  it('without a known time of expiry is used until it is refused', async () => {
    const { authorizer, issued } = setUp(undefined);
    vi.setSystemTime(Date.UTC(2030, 0, 1));
    expect(await authorizer.header(never)).toBe('Bearer first');
    expect(await authorizer.renew('Bearer first', never)).toBe(true);
    expect(await authorizer.header(never)).toBe('Bearer next-1');
    expect(issued()).toBe(1);
  });

  it('that was replaced already is not replaced again for a call that was refused with the old one', async () => {
    const { authorizer, issued } = setUp(undefined);
    await authorizer.renew('Bearer first', never);
    expect(await authorizer.renew('Bearer first', never)).toBe(true);
    expect(issued()).toBe(1);
  });

  it('is obtained once for two calls that are refused at once, and again for the next', async () => {
    const { authorizer, issued } = setUp(undefined);
    await Promise.all([authorizer.renew('Bearer first', never), authorizer.renew('Bearer first', never)]);
    expect(issued()).toBe(1);
    await authorizer.renew('Bearer next-1', never);
    expect(issued()).toBe(2);
  });

  it('that no header can carry is refused', async () => {
    const { authorizer } = setUp(600, async () => token('a\nb'));
    await expect(authorizer.renew('Bearer first', never)).rejects.toMatchObject({ kind: 'unauthorized' });
  });
});

describe('obtaining a bearer token', () => {
  it('is given up after half a minute, and started again for the next call', async () => {
    const signals: AbortSignal[] = [];
    const { authorizer } = setUp(600, (signal) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    vi.setSystemTime(600_000);
    const first = expect(authorizer.header(never)).rejects.toMatchObject({ kind: 'unavailable', code: 'timeout' });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(1);
    await first;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    authorizer.header(never).catch(() => {});
    expect(signals).toHaveLength(2);
  });

  it('leaves no timer behind', async () => {
    const { authorizer } = setUp(600);
    await authorizer.renew('Bearer first', never);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('may fail while the old token is valid', async () => {
    const cause = new Error('down');
    const { authorizer } = setUp(600, () => Promise.reject(cause));
    vi.setSystemTime(599_999);
    expect(await authorizer.header(never)).toBe('Bearer first');
    vi.setSystemTime(600_000);
    await expect(authorizer.header(never)).rejects.toMatchObject({ kind: 'unavailable', cause });
  });

  it('ends with the call that waits for it, even while the old token is valid', async () => {
    const { authorizer } = setUp(600, () => new Promise(() => {}));
    vi.setSystemTime(590_000);
    const controller = new AbortController();
    const header = authorizer.header(controller.signal);
    controller.abort('too late');
    await expect(header).rejects.toBe('too late');
  });
});
