import { describe, expect, it } from 'vitest';
import { logFailure } from '../../../src/slack/failure-log.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

describe('the reference of a failure', () => {
  it('is the beginning of its question, which the line names', () => {
    const { log, lines } = createRecordingLog();
    const failure = { event: 'button_expired', questionId: 'q0123456789abcdef01234567' };
    expect(logFailure(log, 'info', failure)).toBe('q01234567');
    expect(lines).toEqual([failure]);
  });

  it('is a new name that the line carries where there is no question', () => {
    const { log, lines } = createRecordingLog();
    const first = logFailure(log, 'error', { event: 'command_not_taken' }, new Error('down'));
    const second = logFailure(log, 'warn', { event: 'modal_not_opened' });
    expect(first).toMatch(/^e[0-9a-f]{8}$/);
    expect(second).not.toBe(first);
    expect(lines).toEqual([
      { event: 'command_not_taken', reference: first },
      { event: 'modal_not_opened', reference: second },
    ]);
  });
});
