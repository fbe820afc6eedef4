import { describe, expect, it } from 'vitest';
import { type ChannelSettings, channelSettingsType, usualRules } from '../../../src/core/channels/channel-settings.ts';
import { AppError } from '../../../src/core/errors.ts';
import { dayMs } from '../../../src/core/record.ts';
import { createAdmins } from '../../../src/slack/access/access-control.ts';
import { createChannelRules, createChosenRules } from '../../../src/slack/access/policy.ts';
import { readPerson } from '../../../src/slack/access/users.ts';
import { createRecords } from '../../../src/storage/repositories.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { memoryStore } from '../../support/storage/memory-store.ts';

const place = { teamId: 'T1', channelId: 'C1' };
const { log } = createRecordingLog();

describe('the rules of a channel', () => {
  const stored: ChannelSettings = { ...usualRules(false), version: 1, ...place, changedBy: 'U1', changedMs: 1 };

  it('forbid everything when their record can not be read', async () => {
    const records = { get: () => Promise.reject(new AppError('corrupt', 'planned')) };
    const chosen = createChosenRules({ records, log });
    expect(await chosen.of(place)).toMatchObject({ isOn: false, replies: 'mentions' });
    expect(await chosen.of({ ...place, channelId: 'D1' })).toBeUndefined();
  });

  it('fail where the storage fails, so that no question is asked by other rules', async () => {
    const records = { get: () => Promise.reject(new AppError('storage', 'planned')) };
    await expect(createChosenRules({ records, log }).of(place)).rejects.toMatchObject({
      kind: 'storage',
    });
  });

  it('begin their lifetime again at most once a week, and never bring back removed settings', async () => {
    const store = memoryStore();
    const records = createRecords(store, channelSettingsType);
    const key = channelSettingsType.key('T1:C1');
    let nowMs = 1_000_000_000_000;
    const rules = createChannelRules({ chosen: createChosenRules({ records, log }), records, log, now: () => nowMs });
    const lives: (number | undefined)[] = [];
    await records.update('T1:C1', () => stored);
    for (const days of [0, 6, 1]) {
      nowMs += days * dayMs;
      store.lifetimesMs.set(key, 5);
      await rules.forQuestion({ place });
      lives.push(store.lifetimesMs.get(key));
    }
    expect(lives).toEqual([channelSettingsType.ttlMs, 5, channelSettingsType.ttlMs]);
    expect(await records.get('T1:C1')).toEqual(stored);
    await store.delete(key);
    nowMs += 8 * dayMs;
    await rules.forQuestion({ place });
    expect(store.texts.has(key)).toBe(false);
  });
});

describe('an admin', () => {
  const home = { teamId: 'T1' };
  const told = { id: 'U1', team_id: 'T1', is_restricted: false, is_ultra_restricted: false };

  async function isAdmin(raw: object, listed: string[] = []): Promise<boolean> {
    const person = readPerson({ ...told, ...raw }, home);
    if (person === undefined) throw new Error('Slack returned no person');
    return createAdmins({ people: { person: async () => person }, listed }).isAdmin('U1');
  }

  it.each<[string, object, string[], boolean]>([
    ['an admin', { is_admin: true }, [], true],
    ['an owner', { is_owner: true }, [], true],
    ['the primary owner', { is_primary_owner: true }, [], true],
    ['a listed member', {}, ['U1'], true],
    ['a listed guest', { is_restricted: true }, ['U1'], true],
    ['a member', { is_admin: false }, ['U2'], false],
    ['a flag that is no boolean', { is_admin: 'true', is_owner: 1 }, [], false],
    ['an admin of another organization', { is_admin: true, team_id: 'T2' }, ['U1'], false],
    ['a listed person who left', { deleted: true }, ['U1'], false],
    ['an admin who is a guest', { is_admin: true, is_restricted: true }, [], false],
    ['a listed app', { is_bot: true, is_admin: true }, ['U1'], false],
  ])('is %s: %j', async (_, raw, listed, expected) => {
    expect(await isAdmin(raw, listed)).toBe(expected);
  });
});
