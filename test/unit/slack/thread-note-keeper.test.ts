import { expect, test } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Records } from '../../../src/core/ports.ts';
import { newThread, type Question } from '../../../src/core/question/question.ts';
import type { ThreadNote, ThreadNotes } from '../../../src/core/question/thread-notes.ts';
import { createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import type { WorkspaceContext } from '../../../src/slack/context.ts';
import { createThreadNoteKeeper, threadNotesName } from '../../../src/slack/threads/thread-note-keeper.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const place = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000001' };
const context = { messages: 1, total: 1, files: 0, unreadable: 0, text: 'quotes' };

function message(index: number, text = `said ${index}`): ThreadNote {
  return { ts: `1700000001.${String(index).padStart(6, '0')}`, userId: 'U1', text, files: [] };
}

function begin(options: { fails?: () => AppError | undefined; waiting?: Question } = {}) {
  const { log, lines } = createRecordingLog();
  const tasks = createBackgroundTasks({ log });
  const { fails = () => undefined } = options;
  let stored: ThreadNotes | undefined;
  let waiting = options.waiting ?? questionWith({ place, readsThread: true, context });
  const threadNotes: Records<ThreadNotes> = {
    get: async () => stored,
    update: async (_name, change) => {
      const error = fails();
      if (error !== undefined) throw error;
      stored = change(stored);
      return stored;
    },
  };
  const threadNoteKeeper = createThreadNoteKeeper(
    only<WorkspaceContext>({
      threadNotes,
      threads: only({ get: async () => ({ ...newThread(place, true), queue: [waiting.id] }) }),
      questions: only({
        update: async (id, change) => {
          if (id !== waiting.id) return undefined;
          waiting = change(waiting);
          return waiting;
        },
      }),
      tasks,
      log,
    }),
  );
  return {
    threadNoteKeeper,
    tasks,
    lines,
    texts: () => stored?.messages.map(({ text }) => text),
    waiting: () => waiting,
  };
}

test('the name of a thread differs from that of every other thread', () => {
  expect(threadNotesName(place)).toBe('T1:C1:1700000000.000001');
});

test('a deletion removes its message from the thread notes, however many changes are pending', async () => {
  const { threadNoteKeeper, texts, lines } = begin();
  for (let index = 0; index < 250; index += 1) threadNoteKeeper.add(place, message(index));
  await Promise.all([
    threadNoteKeeper.replace(place, message(198, 'changed')),
    threadNoteKeeper.remove(place, message(199).ts),
  ]);
  expect(texts()?.slice(-2)).toEqual(['said 197', 'changed']);
  expect(lines.filter(({ event }) => event === 'thread_note_not_stored')).toHaveLength(50);
});

test('a failed write throws only where a message must be removed', async () => {
  let fails: AppError | undefined;
  const { threadNoteKeeper, tasks, texts } = begin({ fails: () => fails });
  threadNoteKeeper.add(place, message(1));
  await tasks.drain(1_000);
  fails = new AppError('storage', 'full');
  threadNoteKeeper.add(place, message(2));
  await expect(threadNoteKeeper.replace(place, message(1, 'changed'))).rejects.toBe(fails);
  await expect(threadNoteKeeper.remove(place, message(1).ts)).rejects.toBe(fails);
  fails = undefined;
  await threadNoteKeeper.remove(place, message(1).ts);
  expect(texts()).toEqual([]);
});

test('an unreadable record lets edits be acknowledged and questions read their thread again', async () => {
  let fails: AppError | undefined;
  const { threadNoteKeeper, tasks, waiting, lines } = begin({ fails: () => fails });
  threadNoteKeeper.add(place, message(1));
  await tasks.drain(1_000);
  fails = new AppError('corrupt', 'odd');
  await threadNoteKeeper.replace(place, message(1, 'changed'));
  expect(lines.filter(({ event }) => event === 'thread_note_not_replaced')).toHaveLength(1);
  expect(waiting().context?.outdated).toBe(true);
});

test('an unanswered question reads the thread again before another attempt', async () => {
  for (const [change, isOutdated] of [
    [{}, true],
    [{ phase: 'parked' }, true],
    [{ phase: 'running' }, true],
    [{ phase: 'closed' }, false],
    [{ readsThread: false }, false],
    [{ context: { ...context, outdated: true } }, false],
  ] satisfies [Partial<Question>, boolean][]) {
    const given = questionWith({ place, readsThread: true, context, ...change });
    const { threadNoteKeeper, waiting } = begin({ waiting: given });
    await threadNoteKeeper.remove(place, message(1).ts);
    expect(waiting()).toEqual(isOutdated ? { ...given, context: { ...context, outdated: true } } : given);
  }
});
