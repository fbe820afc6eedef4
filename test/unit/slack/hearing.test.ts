import { expect, test } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Heard, HeardMessage } from '../../../src/core/heard.ts';
import type { Records } from '../../../src/core/ports.ts';
import { newThread, type Question } from '../../../src/core/question.ts';
import { createHearing, heardName } from '../../../src/slack/threads/hearing.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';
import { createRecordingJournal } from '../../support/recording-journal.ts';

const place = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000001' };
const context = { messages: 1, total: 1, files: 0, unreadable: 0, text: 'quotes' };

function message(index: number, text = `said ${index}`): HeardMessage {
  return { ts: `1700000001.${String(index).padStart(6, '0')}`, userId: 'U1', text, files: [] };
}

function begin(options: { fails?: () => AppError | undefined; waiting?: Question } = {}) {
  const { journal, lines } = createRecordingJournal();
  const { fails = () => undefined } = options;
  let stored: Heard | undefined;
  let waiting = options.waiting ?? questionWith({ place, readsThread: true, context });
  const heard: Records<Heard> = {
    get: async () => stored,
    update: async (_name, change) => {
      const error = fails();
      if (error !== undefined) throw error;
      stored = change(stored);
      return stored;
    },
  };
  const hearing = createHearing({
    heard,
    threads: { get: async () => ({ ...newThread(place, true), line: [waiting.id] }) },
    questions: {
      update: async (id, change) => {
        if (id !== waiting.id) return undefined;
        waiting = change(waiting);
        return waiting;
      },
    },
    journal,
  });
  return { hearing, lines, texts: () => stored?.messages.map(({ text }) => text), waiting: () => waiting };
}

test('a name tells one thread from every other', () => {
  expect(heardName(place)).toBe('T1:C1:1700000000.000001');
});

test('what people take back is taken back however much is on its way', async () => {
  const { hearing, texts, lines } = begin();
  for (let index = 0; index < 250; index += 1) hearing.hear(place, message(index));
  await Promise.all([hearing.replace(place, message(198, 'changed')), hearing.forget(place, message(199).ts)]);
  expect(texts()?.slice(-2)).toEqual(['said 197', 'changed']);
  expect(lines.filter(({ event }) => event === 'not_heard')).toHaveLength(50);
});

test('what can’t be stored now is thrown when it must be taken back, and only then', async () => {
  let fails: AppError | undefined;
  const { hearing, texts } = begin({ fails: () => fails });
  hearing.hear(place, message(1));
  await hearing.drain(1_000);
  fails = new AppError('storage', 'full');
  hearing.hear(place, message(2));
  await expect(hearing.replace(place, message(1, 'changed'))).rejects.toBe(fails);
  await expect(hearing.forget(place, message(1).ts)).rejects.toBe(fails);
  fails = undefined;
  await hearing.forget(place, message(1).ts);
  expect(texts()).toEqual([]);
});

test('a record that can’t be read keeps no edit from being acknowledged, and no question from being read again', async () => {
  let fails: AppError | undefined;
  const { hearing, waiting, lines } = begin({ fails: () => fails });
  hearing.hear(place, message(1));
  await hearing.drain(1_000);
  fails = new AppError('corrupt', 'odd');
  await hearing.replace(place, message(1, 'changed'));
  expect(lines.filter(({ event }) => event === 'not_corrected')).toHaveLength(1);
  expect(waiting().context?.outdated).toBe(true);
});

test('a question that is not answered yet reads the thread again before another attempt', async () => {
  for (const [change, isOutdated] of [
    [{}, true],
    [{ phase: 'parked' }, true],
    [{ phase: 'running' }, true],
    [{ phase: 'closed' }, false],
    [{ readsThread: false }, false],
    [{ context: { ...context, outdated: true } }, false],
  ] satisfies [Partial<Question>, boolean][]) {
    const given = questionWith({ place, readsThread: true, context, ...change });
    const { hearing, waiting } = begin({ waiting: given });
    await hearing.forget(place, message(1).ts);
    expect(waiting()).toEqual(isOutdated ? { ...given, context: { ...context, outdated: true } } : given);
  }
});
