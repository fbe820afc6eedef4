import { describe, expect, it } from 'vitest';
import { upgradeMessageLog, upgradeQuestion, upgradeThread } from '../../../src/storage/earlier-records.ts';

/** What is stored may be of any shape: the schema refuses it afterwards. */
const shapeless = [undefined, null, 'text', 7, ['line'], {}, { entries: 'none' }, { shares: 'none' }, { shares: {} }];

describe('a thread of version 0.1', () => {
  it('gets its queue under the new name and keeps everything else', () => {
    expect(upgradeThread({ version: 1, muted: true, line: ['q1', 'q2'] })).toEqual({
      version: 1,
      muted: true,
      queue: ['q1', 'q2'],
    });
  });

  it('is not changed when it was written by today’s version', () => {
    const thread = { version: 1, queue: ['q1'] };
    expect(upgradeThread(thread)).toBe(thread);
  });
});

describe('a question of version 0.1', () => {
  it('has the number of confirmed organizations under the name of today', () => {
    const shares = { questionId: 'q1', confirmed: { guests: 1, organisations: 2 } };
    expect(upgradeQuestion({ id: 'q2', shares })).toEqual({
      id: 'q2',
      shares: { questionId: 'q1', confirmed: { guests: 1, organizations: 2 } },
    });
  });

  it('is not changed when it shares nothing', () => {
    const question = { id: 'q1', text: 'Where?' };
    expect(upgradeQuestion(question)).toBe(question);
  });
});

describe('a message log of version 0.1', () => {
  it('has dispositions under the names of today', () => {
    const entries = [
      { ts: '1', fate: 'obeyed' },
      { ts: '2', fate: 'lineFull', questionId: 'q1' },
      { ts: '3', fate: 'asked' },
      { ts: '4', disposition: 'muted' },
      'damaged',
      null,
    ];
    expect(upgradeMessageLog({ version: 1, entries })).toEqual({
      version: 1,
      entries: [
        { ts: '1', disposition: 'verbCarriedOut' },
        { ts: '2', disposition: 'queueFull', questionId: 'q1' },
        { ts: '3', disposition: 'asked' },
        { ts: '4', disposition: 'muted' },
        'damaged',
        null,
      ],
    });
  });

  it('keeps a disposition that is no text, for the schema to refuse', () => {
    expect(upgradeMessageLog({ entries: [{ fate: 7 }] })).toEqual({ entries: [{ disposition: 7 }] });
  });
});

describe('what is stored in another shape', () => {
  it.each(shapeless)('stays as it is: %j', (stored) => {
    expect(upgradeThread(stored)).toEqual(stored);
    expect(upgradeQuestion(stored)).toEqual(stored);
    expect(upgradeMessageLog(stored)).toEqual(stored);
  });
});
