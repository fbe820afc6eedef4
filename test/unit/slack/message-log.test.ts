import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { MessageLogEntry, MessageLogRecord } from '../../../src/core/history/lists.ts';
import type { Records } from '../../../src/core/ports.ts';
import { createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import { createMessageLog } from '../../../src/slack/reports/message-log.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const place = { teamId: 'T1', channelId: 'C1' };

function entry(ts: number, disposition: MessageLogEntry['disposition'] = 'asked'): MessageLogEntry {
  return { ts: `${ts}.000001`, userId: 'U1', atMs: ts, disposition };
}

function createMemory() {
  const stored = new Map<string, MessageLogRecord>();
  const memory = { stored, writes: 0, isBroken: false };
  const records: Records<MessageLogRecord> = {
    get: async (name) => stored.get(name),
    update: async (name, change) => {
      await Promise.resolve();
      if (memory.isBroken) throw new AppError('storage', 'down');
      const next = change(stored.get(name));
      if (next !== stored.get(name)) memory.writes += 1;
      stored.set(name, next);
      return next;
    },
  };
  const { log } = createRecordingLog();
  const tasks = createBackgroundTasks({ log });
  return { memory, tasks, messageLog: createMessageLog({ records, tasks, log }) };
}

describe('the log of messages', () => {
  it('keeps the order in which messages were handled, in few writes, per channel', async () => {
    const { messageLog, memory } = createMemory();
    for (let ts = 1; ts <= 20; ts += 1) messageLog.note(place, entry(ts));
    messageLog.note({ ...place, channelId: 'C2' }, entry(99));
    expect((await messageLog.read(place)).map(({ atMs }) => atMs)).toEqual(
      Array.from({ length: 20 }, (_, at) => 20 - at),
    );
    expect(memory.writes).toBeLessThanOrEqual(3);
    expect(await messageLog.read({ ...place, channelId: 'C2' })).toHaveLength(1);
    expect([...memory.stored.keys()].toSorted()).toEqual(['T1:C1', 'T1:C2']);
  });

  it('keeps the newest hundred entries', async () => {
    const { messageLog } = createMemory();
    for (let ts = 1; ts <= 250; ts += 1) {
      messageLog.note(place, entry(ts));
      if (ts % 40 === 0) await messageLog.read(place);
    }
    const kept = await messageLog.read(place);
    expect(kept).toHaveLength(100);
    expect([kept.at(0)?.atMs, kept.at(-1)?.atMs]).toEqual([250, 151]);
  });

  it('notes the same outcome of a message once, and a different outcome as well', async () => {
    const { messageLog, memory } = createMemory();
    messageLog.note(place, entry(1));
    await messageLog.read(place);
    messageLog.note(place, entry(1));
    await messageLog.read(place);
    expect(memory.writes).toBe(1);
    messageLog.note(place, entry(1, 'duplicate'));
    expect((await messageLog.read(place)).map(({ disposition }) => disposition)).toEqual(['duplicate', 'asked']);
  });

  it('loses entries, and nothing else, while nothing can be stored', async () => {
    const { messageLog, memory, tasks } = createMemory();
    memory.isBroken = true;
    messageLog.note(place, entry(1));
    await tasks.drain(1_000);
    memory.isBroken = false;
    messageLog.note(place, entry(2));
    await tasks.drain(1_000);
    expect((await messageLog.read(place)).map(({ atMs }) => atMs)).toEqual([2]);
  });
});
