import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { atOnce } from '../../../src/core/lifecycle/decide.ts';
import { createSilence } from '../../../src/core/lifecycle/silence.ts';
import { noReplyMs } from '../../../src/core/settings.ts';
import { createCoreHarness } from '../../support/lifecycle/core-harness.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a card that can not be written disturbs neither the call nor the process, whatever the error is', async () => {
  const { log, lines } = createRecordingLog();
  const question = questionWith();
  const { questions } = createCoreHarness().life.ports;
  const silence = createSilence(
    { questions: { ...questions, get: async () => question }, now: Date.now, log },
    { refresh: () => Promise.reject(new TypeError('a fault of the program')) },
  );
  const call = () => new Promise<string>((resolve) => setTimeout(resolve, 2 * noReplyMs, 'replied'));
  const outcome = silence.during(question, atOnce, call);
  await vi.advanceTimersByTimeAsync(noReplyMs + 1);
  expect(lines).toEqual([expect.objectContaining({ event: 'silence_not_told' })]);
  await vi.advanceTimersByTimeAsync(noReplyMs);
  expect(await outcome).toBe('replied');
});
