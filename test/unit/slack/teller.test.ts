import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { createTeller } from '../../../src/slack/messages/teller.ts';
import { createRecordingJournal } from '../../support/recording-journal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const to = { channelId: 'C1', userId: 'U1' };
const notice = { kind: 'nothingToCancel' } as const;
const silence = (): Promise<void> => new Promise(() => {});

it('waits for words under way, and no longer than it is told to', async () => {
  const ends: (() => void)[] = [];
  const whisper = (): Promise<void> => new Promise((resolve) => void ends.push(resolve));
  const { tell, drain } = createTeller({ whisper, journal: createRecordingJournal().journal });
  tell(to, notice);
  tell(to, notice);
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

  const { tell: tellInVain, drain: drainInVain } = createTeller({
    whisper: silence,
    journal: createRecordingJournal().journal,
  });
  tellInVain(to, notice);
  const inVain = drainInVain(2_000);
  await vi.advanceTimersByTimeAsync(2_000);
  await inVain;
});

it('reports a word that does not arrive, and does not wait for it again', async () => {
  const { journal, lines } = createRecordingJournal();
  const whisper = (): Promise<void> => Promise.reject(new AppError('unavailable', 'no answer'));
  const { tell, drain } = createTeller({ whisper, journal });
  tell(to, notice);
  await drain(2_000);
  expect(lines).toEqual([{ event: 'whisper_failed', channelId: 'C1' }]);
  await drain(2_000);
});
