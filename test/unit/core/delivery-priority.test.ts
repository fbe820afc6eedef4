import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeliveryPriority, type DeliveryPriority } from '../../../src/core/intake/delivery-priority.ts';
import { deliveryCountsMs, mostYieldMs } from '../../../src/core/settings.ts';

let priority: DeliveryPriority;
/** The names of the steps that went on, in order. */
let wentOn: string[];

beforeEach(() => {
  vi.useFakeTimers();
  priority = createDeliveryPriority(Date.now);
  wentOn = [];
});
afterEach(() => vi.useRealTimers());

/** A delivery that is handled until `end` is called. */
function beginDelivery(): { end: () => void; handled: Promise<void> } {
  let end = (): void => {};
  const handled = priority.during(() => new Promise((resolve) => (end = resolve)));
  return { end: () => end(), handled };
}

async function begin(...names: string[]): Promise<void> {
  for (const name of names) void priority.yieldToDeliveries().then(() => wentOn.push(name));
  await vi.advanceTimersByTimeAsync(0);
}

describe('a step of a question', () => {
  it('goes on at once while no delivery is under way', async () => {
    await priority.yieldToDeliveries();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('goes on when the last delivery has been handled, in the order in which steps came', async () => {
    const [first, second] = [beginDelivery(), beginDelivery()];
    await begin('a', 'b');
    first.end();
    await vi.advanceTimersByTimeAsync(1);
    expect(wentOn).toEqual([]);
    second.end();
    await vi.advanceTimersByTimeAsync(1);
    expect(wentOn).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('lets a delivery go first that arrives while an earlier step goes on', async () => {
    const first = beginDelivery();
    let second: ReturnType<typeof beginDelivery> | undefined;
    void priority.yieldToDeliveries().then(() => {
      wentOn.push('a');
      second = beginDelivery();
    });
    await begin('b');
    first.end();
    await vi.advanceTimersByTimeAsync(1);
    expect(wentOn).toEqual(['a']);
    second?.end();
    await vi.advanceTimersByTimeAsync(1);
    expect(wentOn).toEqual(['a', 'b']);
  });

  it('waits for its longest time in a flood that does not end', async () => {
    beginDelivery();
    await begin('a');
    const flood = setInterval(beginDelivery, 10);
    await vi.advanceTimersByTimeAsync(mostYieldMs - 1);
    expect(wentOn).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(wentOn).toEqual(['a']);
    clearInterval(flood);
  });

  it('waits for no delivery that has been under way for long', async () => {
    beginDelivery();
    await vi.advanceTimersByTimeAsync(deliveryCountsMs);
    await begin('a');
    expect(wentOn).toEqual(['a']);
  });
});

it('the failure of a delivery reaches its caller and holds up no step', async () => {
  const failing = priority.during(async () => {
    throw new Error('not stored');
  });
  await expect(failing).rejects.toThrow('not stored');
  await begin('a');
  expect(wentOn).toEqual(['a']);
});
