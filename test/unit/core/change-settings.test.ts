import { describe, expect, it } from 'vitest';
import { changeSettings } from '../../../src/core/channels/change-settings.ts';
import { type ChannelSettings, settingsName, usualRules } from '../../../src/core/channels/channel-settings.ts';
import { createPendingAudit } from '../../../src/core/channels/pending-audit.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { AuditEntry } from '../../../src/core/history/audit.ts';
import { createChosenRules } from '../../../src/slack/access/channel-rules.ts';
import { createMemoryRecords } from '../../support/memory-records.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const place = { teamId: 'T1', channelId: 'C1' };
const name = settingsName(place);
const before = usualRules(false);
const off = { ...before, isOn: false };
const nowMs = 1_000;

/** `meets` is called before and after each write, and throws where the app stops. */
function begin(meets: () => void = () => {}) {
  const { log } = createRecordingLog();
  const stored = createMemoryRecords<ChannelSettings>();
  const noted = new Map<string, AuditEntry>();
  const parts = (reach: () => void) => {
    const around = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      reach();
      const result = await work();
      reach();
      return result;
    };
    const records = {
      ...stored,
      update: (...args: Parameters<typeof stored.update>) => around(() => stored.update(...args)),
    };
    const audit = {
      note: (entry: AuditEntry) => around(async () => void noted.set(`${entry.id} ${entry.atMs}`, entry)),
    };
    const pendingAudit = createPendingAudit({ records, audit, log });
    return { records, pendingAudit };
  };
  const first = parts(meets);
  const next = parts(() => {});
  return {
    stored,
    noted,
    change: (rules = off, shownMs = 0, userId = 'U1') =>
      changeSettings({ ...first, now: () => nowMs }, place, { rules, before, userId, shownMs }),
    /** What a question reads after a restart. */
    read: () => createChosenRules({ ...next, log }).of(place),
    entries: () => [...noted.values()],
  };
}

describe('a change of settings', () => {
  it('is stored, noted once, and then no longer pending', async () => {
    const here = begin();
    expect(await here.change()).toEqual({ kind: 'changed' });
    expect(here.entries()).toEqual([
      {
        id: `settingsChanged:C1:${nowMs}`,
        atMs: nowMs,
        action: 'settingsChanged',
        ...place,
        userId: 'U1',
        detail: 'isOn',
      },
    ]);
    expect(here.stored.all.get(name)).toEqual({ ...off, version: 1, ...place, changedBy: 'U1', changedMs: nowMs });
    expect(await here.change(off, nowMs)).toEqual({ kind: 'unchanged' });
    expect(await here.change(before, 1, 'U2')).toEqual({ kind: 'meanwhile', byUserId: 'U1' });
    expect(here.entries()).toHaveLength(1);
  });

  it.each([1, 2, 3, 4, 5, 6])('is noted exactly if it was stored, when the app stops at line %d', async (line) => {
    let reached = 0;
    const here = begin(() => {
      reached += 1;
      if (reached >= line) throw new Error('the app stops');
    });
    await expect(here.change()).rejects.toThrow('the app stops');
    expect(reached).toBe(line);
    const rules = await here.read();
    expect(rules?.isOn).toBe(line === 1 ? undefined : false);
    expect(here.entries()).toHaveLength(line === 1 ? 0 : 1);
    expect(here.stored.all.get(name)?.pendingAudit).toBeUndefined();
  });

  it('stays saved when what is pending can not be cleared, and the next reader clears it', async () => {
    let reached = 0;
    const here = begin(() => {
      reached += 1;
      if (reached === 5) throw new AppError('storage', 'planned');
    });
    expect(await here.change()).toEqual({ kind: 'changed' });
    expect(here.stored.all.get(name)).toHaveProperty('pendingAudit');
    await here.read();
    expect(here.stored.all.get(name)).not.toHaveProperty('pendingAudit');
    expect(here.entries()).toHaveLength(1);
  });

  it('is not cleared by the reader of an earlier one', async () => {
    const here = begin();
    await here.change();
    const { log } = createRecordingLog();
    const current = here.stored.all.get(name);
    if (current === undefined) throw new Error('nothing is stored');
    const pending = (id: string): ChannelSettings => ({
      ...current,
      pendingAudit: { id, atMs: 1, action: 'settingsChanged', ...place },
    });
    here.stored.all.set(name, pending('later'));
    const audit = { note: async () => undefined };
    await createPendingAudit({ records: here.stored, audit, log }).note(pending('earlier'));
    expect(here.stored.all.get(name)?.pendingAudit?.id).toBe('later');
  });
});
