import { describe, expect, it } from 'vitest';
import {
  type ChannelSettings,
  changeSettings,
  settingsName,
  usualRules,
} from '../../../src/core/channels/channel-settings.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { AuditEntry } from '../../../src/core/history/audit.ts';
import { createMemoryRecords } from '../../support/memory-records.ts';

const place = { teamId: 'T1', channelId: 'C1' };
const name = settingsName(place);
const before = usualRules(false);
const off = { ...before, isOn: false };
const nowMs = 1_000;

function begin() {
  const stored = createMemoryRecords<ChannelSettings>();
  const noted: AuditEntry[] = [];
  const audit = { note: (entry: AuditEntry) => void noted.push(entry) };
  return {
    stored,
    noted,
    change: (rules = off, shownMs = 0, userId = 'U1', records: Pick<typeof stored, 'update'> = stored) =>
      changeSettings({ records, audit, now: () => nowMs }, place, { rules, before, userId, shownMs }),
  };
}

describe('a change of settings', () => {
  it('is stored and noted, and one that changes nothing is not', async () => {
    const here = begin();
    expect(await here.change()).toEqual({ kind: 'changed' });
    const entry: AuditEntry = {
      ...{ id: `settingsChanged:C1:${nowMs}`, atMs: nowMs, action: 'settingsChanged', ...place },
      ...{ userId: 'U1', detail: 'isOn' },
    };
    expect(here.noted).toEqual([entry]);
    expect(here.stored.all.get(name)).toEqual({ ...off, version: 1, ...place, changedBy: 'U1', changedMs: nowMs });
    expect(await here.change(off, nowMs)).toEqual({ kind: 'unchanged' });
    expect(await here.change(before, 1, 'U2')).toEqual({ kind: 'meanwhile', byUserId: 'U1' });
    expect(here.noted).toEqual([entry]);
  });

  it('is not noted if it is not stored', async () => {
    const here = begin();
    const update = () => Promise.reject(new AppError('storage', 'planned'));
    await expect(here.change(off, 0, 'U1', { update })).rejects.toThrow('planned');
    expect(here.noted).toEqual([]);
  });

  it('is not noted if another admin changed the settings while it was being stored', async () => {
    const here = begin();
    const update: typeof here.stored.update = async (id, change, options) => {
      change(undefined);
      here.stored.all.set(name, { ...off, version: 1, ...place, changedBy: 'U2', changedMs: 5 });
      return here.stored.update(id, change, options);
    };
    expect(await here.change(off, 0, 'U1', { update })).toEqual({ kind: 'meanwhile', byUserId: 'U2' });
    expect(here.noted).toEqual([]);
  });
});
