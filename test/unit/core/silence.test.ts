import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSilence } from '../../../src/core/lifecycle/advance.ts';
import { atOnce } from '../../../src/core/lifecycle/decide.ts';
import { noReplyMs } from '../../../src/core/settings.ts';
import { createCoreHarness } from '../../support/lifecycle/core-harness.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a card that can not be written disturbs neither the call nor the process, whatever the error is', async () => {
  const { log, lines } = createRecordingLog();
  const question = questionWith({ card: { ts: '1.1', shown: 'other' } });
  const { ports } = createCoreHarness().life;
  const w = {
    ...ports,
    questions: { ...ports.questions, get: async () => question },
    messenger: { ...ports.messenger, updateCard: () => Promise.reject(new TypeError('a fault of the program')) },
    now: Date.now,
    log,
  };
  const silence = createSilence(w, question.id, atOnce);
  const call = () => new Promise<string>((resolve) => setTimeout(resolve, 2 * noReplyMs, 'replied'));
  const outcome = silence.during(call);
  await vi.advanceTimersByTimeAsync(noReplyMs + 1);
  expect(lines).toEqual([expect.objectContaining({ event: 'silence_not_told' })]);
  await vi.advanceTimersByTimeAsync(noReplyMs);
  expect(await outcome).toBe('replied');
});
