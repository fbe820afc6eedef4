import { describe, expect, it } from 'vitest';
import { advance } from '../../../src/core/lifecycle/advance.ts';
import type { ThreadStore } from '../../../src/core/ports.ts';
import { createCoreHarness, failing } from '../../support/lifecycle/core-harness.ts';

function signal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

/** A thread store that holds changes until `open` is called. `reached` resolves when the first change waits. */
function heldUp(threads: ThreadStore, isHeld: () => boolean) {
  const gate = signal();
  const reached = signal();
  const store: ThreadStore = {
    get: (place) => threads.get(place),
    update: async (place, change) => {
      if (isHeld()) {
        reached.resolve();
        await gate.promise;
      }
      return threads.update(place, change);
    },
  };
  return { store, reached: reached.promise, open: () => gate.resolve() };
}

/** Waits until only held changes are left to happen. */
function atRest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('a question', () => {
  it('is neither shown nor asked before its position in the thread’s queue is stored', async () => {
    const { life, ask } = createCoreHarness({ faults: { write: [undefined, failing('storage')] } });
    const { id } = await ask();
    const threads = heldUp(life.ports.threads, () => true);
    const advancing = advance({ ...life.ports, threads: threads.store }, id);
    await threads.reached;
    await atRest();
    expect([life.posted, life.upstream()]).toEqual([[], []]);
    threads.open();
    expect(await advancing).toBeGreaterThan(0);
    expect(life.upstream()).toHaveLength(1);
    expect(life.threads()).toMatchObject([{ queue: [id] }]);
  });

  it('is not shown as running before its thread knows the conversation', async () => {
    const { life, ask } = createCoreHarness();
    const { id } = await ask();
    const threads = heldUp(life.ports.threads, () => life.upstream().length > 0);
    const advancing = advance({ ...life.ports, threads: threads.store }, id);
    await threads.reached;
    await atRest();
    expect(life.question(id)).toMatchObject({ phase: 'waiting', upstream: { intentMs: life.startMs } });
    threads.open();
    await advancing;
    expect(life.question(id).phase).toBe('running');
    expect(life.threads()).toMatchObject([{ conversationId: life.upstream()[0]?.conversationId }]);
  });
});
