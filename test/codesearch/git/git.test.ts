import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameFromRemote } from '../../../src/codesearch/git/repository.ts';
import { createSlots } from '../../../src/codesearch/git/slots.ts';

describe('the name of a remote', () => {
  test.each([
    ['https://user:p@ss@github.com/org/name', 'github.com/org/name'],
    ['https://user:pa/ss@github.com/org/name', 'github.com/org/name'],
    ['user:p@ss@host.example:org/name', 'host.example/org/name'],
    ['https://github.com/org/name?private_token=secret', 'github.com/org/name'],
    ['https://github.com/org/name.git#secret', 'github.com/org/name'],
    ['https://user:sec?ret@github.com/org/name', undefined],
    ['https://github.com/org/name?private_token=se@cret/x', undefined],
    ['https://user%3Asecret%40github.com/org/name', undefined],
    ['https://proxy.example/https%3A%2F%2Fuser%3Asecret%40github.com', undefined],
    ['https://proxy.example/https://user:secret@github.com/org/name', 'github.com/org/name'],
    ['https://user:secret', undefined],
    ['https://user:secret/x', undefined],
    ['ext::sh -c secret', undefined],
    ['C:\\secret\\name', undefined],
    ['HTTPS://Host.Example:443/Org/My%20Name.git/', 'host.example/Org/My Name'],
    ['ssh://git@[::1]:22/org/name', '[::1]/org/name'],
  ])('of %j is %j', (address, name) => {
    expect(nameFromRemote(address)).toBe(name);
  });

  test('has no part of a password, wherever it stands and whatever it contains', () => {
    const letters = [...'pw1@:/?#[]%&=. \\\n~+-é', '%40', '//', '.git'];
    const secret = fc.array(fc.constantFrom(...letters), { maxLength: 12 }).map((parts) => parts.join(''));
    const form = fc.constantFrom(
      (user: string, password: string) => `https://${user}:${password}@host.example/o/r`,
      (user: string, password: string) => `ssh://${user}:${password}@host.example:22/o/r.git`,
      (user: string, password: string) => `${user}:${password}@host.example:o/r`,
      (user: string, password: string) => `git+https://${user}${password}@host.example/o/r/`,
      (_: string, password: string) => `https://host.example/o/r?token=${password}`,
      (user: string, password: string) => `https://u${user}@host.example/o/r#${password}`,
    );
    fc.assert(
      fc.property(form, secret, secret, (write, user, password) => {
        expect([undefined, 'host.example/o/r']).toContain(nameFromRemote(write(user, password)));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('slots', () => {
  const limits = { running: 2, runningPerUser: 1, waiting: 4, waitingPerUser: 3, waitMs: 60_000 };

  /** Work that ends when the test says so, and the order in which it began. */
  function createWork(slots: ReturnType<typeof createSlots>) {
    const began: string[] = [];
    const ends = new Map<string, () => void>();
    return {
      began,
      start: (user: string, name: string, signal?: AbortSignal) =>
        slots.run(
          user,
          () =>
            new Promise<string>((resolve) => {
              began.push(name);
              ends.set(name, () => resolve(name));
            }),
          signal,
        ),
      async end(name: string, running: Promise<string>) {
        ends.get(name)?.();
        expect(await running).toBe(name);
      },
    };
  }

  test('serve users in turn, and one user only as often as allowed', async () => {
    const work = createWork(createSlots(limits));
    const a1 = work.start('a', 'a1');
    const a2 = work.start('a', 'a2');
    const a3 = work.start('a', 'a3');
    const b1 = work.start('b', 'b1');
    const c1 = work.start('c', 'c1');
    expect(work.began).toEqual(['a1', 'b1']);
    await work.end('a1', a1);
    expect(work.began).toEqual(['a1', 'b1', 'a2']);
    await work.end('a2', a2);
    expect(work.began).toEqual(['a1', 'b1', 'a2', 'c1']);
    await work.end('b1', b1);
    await work.end('c1', c1);
    await work.end('a3', a3);
  });

  test('refuse work when too much waits, of one user or of all', async () => {
    const work = createWork(createSlots(limits));
    const running = [work.start('a', 'a1'), work.start('b', 'b1')];
    const stop = new AbortController();
    const waiting = ['a2', 'a3', 'a4'].map((name) => work.start('a', name, stop.signal));
    await expect(work.start('a', 'a5')).rejects.toThrow(/Too many/);
    waiting.push(work.start('b', 'b2', stop.signal));
    await expect(work.start('c', 'c1')).rejects.toThrow(/Too many/);
    stop.abort();
    for (const end of await Promise.allSettled(waiting)) expect(end.status).toBe('rejected');
    for (const [index, name] of ['a1', 'b1'].entries()) await work.end(name, running[index] ?? Promise.reject());
    await work.end('c2', work.start('c', 'c2'));
  });

  test('refuse work that waits too long, and free the slot of work that fails', async () => {
    const slots = createSlots({ ...limits, waitMs: 1 });
    const work = createWork(slots);
    const first = work.start('a', 'a1');
    await expect(work.start('a', 'a2')).rejects.toThrow(/busy/);
    await work.end('a1', first);
    await expect(slots.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await slots.run('a', async () => 'next')).toBe('next');
  });
});
