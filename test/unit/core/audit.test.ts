import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { type AuditEntry, createAuditLog, trimAudit } from '../../../src/core/history/audit.ts';
import { mostTrimSteps } from '../../../src/core/settings.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const entry: AuditEntry = {
  id: 'ended:q1',
  atMs: 1_000,
  action: 'ended',
  teamId: 'T1',
  userId: 'U1',
  detail: 'answered',
  usage: { durationMs: 5_000, repositories: ['github.com/acme/one', 'github.com/acme/two'] },
};

describe('the audit log', () => {
  it('writes the line of an entry that can not be stored, and one that says so', async () => {
    const { log, lines } = createRecordingLog();
    const store = { append: () => Promise.reject(new AppError('storage', 'the disk is full')) };
    await createAuditLog({ store, log }).note(entry);
    expect(lines).toEqual([
      { event: 'audit_not_stored', action: 'ended', id: 'ended:q1' },
      expect.objectContaining({ audit: true, id: 'ended:q1', userId: 'U1', detail: 'answered', durationMs: 5_000 }),
    ]);
  });

  it('writes one line for an entry that a repeated step notes again', async () => {
    const { log, lines } = createRecordingLog();
    const stored = new Set<string>();
    const store = {
      append: async ({ id }: AuditEntry) => {
        const isNew = !stored.has(id);
        stored.add(id);
        return isNew;
      },
    };
    const { note } = createAuditLog({ store, log });
    await note(entry);
    await note(entry);
    await note({ ...entry, id: 'ended:q2' });
    expect(lines.map(({ id }) => id)).toEqual(['ended:q1', 'ended:q2']);
  });
});

describe('the removal of old entries', () => {
  /** A log with entries of which one step removes at most two. */
  function storeWith(count: number) {
    const asked: number[] = [];
    let left = count;
    const removeBefore = async (beforeMs: number): Promise<number> => {
      asked.push(beforeMs);
      const removed = Math.min(2, left);
      left -= removed;
      return removed;
    };
    return { asked, removeBefore };
  }

  it('goes on until none is left, and asks for those older than the time', async () => {
    const store = storeWith(5);
    await trimAudit({ store, now: () => 10_000, keepMs: 4_000 }, () => true);
    expect(store.asked).toEqual([6_000, 6_000, 6_000, 6_000]);
  });

  it('leaves the rest to the next call when there are very many', async () => {
    const store = storeWith(Number.POSITIVE_INFINITY);
    await trimAudit({ store, now: () => 10_000, keepMs: 4_000 }, () => true);
    expect(store.asked).toHaveLength(mostTrimSteps);
  });

  it('ends at once when the app stops', async () => {
    const store = storeWith(100);
    await trimAudit({ store, now: () => 10_000, keepMs: 4_000 }, () => store.asked.length < 2);
    expect(store.asked).toHaveLength(2);
  });

  it('tells its caller that the storage failed', async () => {
    const store = { removeBefore: () => Promise.reject(new AppError('storage', 'no reply')) };
    await expect(trimAudit({ store, now: () => 1, keepMs: 0 }, () => true)).rejects.toMatchObject({ kind: 'storage' });
  });
});
