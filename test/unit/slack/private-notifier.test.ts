import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { createPrivateNotifier } from '../../../src/slack/messages/private-notifier.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const to = { channelId: 'C1', userId: 'U1' };
const notice = { kind: 'nothingToCancel' } as const;
const silence = (): Promise<void> => new Promise(() => {});

it('a stop waits for private messages that are on their way, up to its limit', async () => {
  const ends: (() => void)[] = [];
  const sendPrivately = (): Promise<void> => new Promise((resolve) => void ends.push(resolve));
  const { notify, drain } = createPrivateNotifier({ sendPrivately, log: createRecordingLog().log });
  notify(to, notice);
  notify(to, notice);
  let drained = false;
  const draining = drain(2_000).then(() => {
    drained = true;
  });
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(drained).toBe(false);
  ends[1]?.();
  await draining;
  expect(vi.getTimerCount()).toBe(0);

  const { notify: tellInVain, drain: drainInVain } = createPrivateNotifier({
    sendPrivately: silence,
    log: createRecordingLog().log,
  });
  tellInVain(to, notice);
  const inVain = drainInVain(2_000);
  await vi.advanceTimersByTimeAsync(2_000);
  await inVain;
});

it('a private message that does not arrive is reported, and not waited for again', async () => {
  const { log, lines } = createRecordingLog();
  const sendPrivately = (): Promise<void> => Promise.reject(new AppError('unavailable', 'no answer'));
  const { notify, drain } = createPrivateNotifier({ sendPrivately, log });
  notify(to, notice);
  await drain(2_000);
  expect(lines).toEqual([{ event: 'private_message_failed', channelId: 'C1' }]);
  await drain(2_000);
});
