import { describe, expect, it } from 'vitest';
import { type ChannelRuleSet, type ChannelSettings, usualRules } from '../../../src/core/channels/channel-settings.ts';
import { AppError } from '../../../src/core/errors.ts';
import { createAdmins } from '../../../src/slack/access/admins.ts';
import type { Audience } from '../../../src/slack/access/audience.ts';
import { createChannelRules, createChosenRules } from '../../../src/slack/access/channel-rules.ts';
import type { ChannelKind } from '../../../src/slack/access/channels.ts';
import { type AccessSettings, createAccessPolicy, type Named } from '../../../src/slack/access/policy.ts';
import { type PersonKind, readPerson } from '../../../src/slack/access/users.ts';
import { createMemoryRecords } from '../../support/memory-records.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const place = { teamId: 'T1', channelId: 'C1' };
const { log } = createRecordingLog();
const pendingAudit = { note: async () => undefined };

interface Situation {
  person?: PersonKind;
  channel?: ChannelKind;
  audience?: Partial<Audience>;
  chosen?: Partial<ChannelRuleSet>;
  settings?: Partial<AccessSettings>;
  named?: Named;
}

async function admit({ person = 'member', channel = 'internal', ...more }: Situation): Promise<string> {
  const { audience = {}, chosen = {}, settings = {}, named } = more;
  const access = createAccessPolicy({
    people: { person: async (userId) => ({ userId, name: 'Ada', kind: person }) },
    channels: { channel: async (id) => ({ id, kind: channel }) },
    audiences: {
      of: async () => ({ members: 3, guests: 0, outsiders: 0, organizations: 0, isKnown: true, ...audience }),
    },
    identity: { teamId: 'T1' },
    settings: { open: [], allowed: [], refused: [], ...settings },
    chosen: { of: async () => ({ ...usualRules(false), ...chosen }) },
    log,
  });
  const admission = await access.admit('U1', place, named);
  return admission.may ? 'may' : admission.reason;
}

const guestsRead = { guestsMayRead: true };
const guestsAsk = { asking: 'guests', guestsMayRead: true } as const;
const external = { isExternalAllowed: true };
const shared: Situation = { channel: 'shared', audience: { outsiders: 1, organizations: 1 } };
const open = { settings: { open: ['C1'] } };

describe('the access policy with the settings of a channel', () => {
  it.each<[string, Situation, string]>([
    ['allows what it allows without settings', {}, 'may'],
    ['refuses all questions where the app is off', { chosen: { isOn: false } }, 'channelOff'],
    ['refuses a guest as a guest where the app is off', { chosen: { isOn: false }, person: 'guest' }, 'guest'],
    ['lets a press through where the app is off', { chosen: { isOn: false }, named: { personOnly: true } }, 'may'],
    ['lets guests read', { chosen: guestsRead, audience: { guests: 1 } }, 'may'],
    ['lets no guest ask where guests only read', { chosen: guestsRead, person: 'guest' }, 'guest'],
    ['lets guests ask and read', { chosen: guestsAsk, person: 'guest', audience: { guests: 1 } }, 'may'],
    [
      'lets guests press where they may ask',
      { chosen: guestsAsk, person: 'guest', named: { personOnly: true } },
      'may',
    ],
    ['lets guests read who may ask', { chosen: { asking: 'guests' }, audience: { guests: 1 } }, 'may'],
    ['keeps outsiders out where guests ask', { chosen: guestsAsk, audience: { outsiders: 1 } }, 'sharedChannel'],
    ['keeps unknown people out', { chosen: guestsAsk, audience: { isKnown: false } }, 'unknownChannel'],
    ['lets other organizations read after the tick', { ...shared, chosen: external }, 'may'],
    ['counts guests also after the tick', { ...shared, audience: { guests: 1 }, chosen: external }, 'guestsInChannel'],
    [
      'lets no outsider ask after the tick',
      { ...shared, chosen: { ...external, ...guestsAsk }, person: 'outsider' },
      'outsider',
    ],
    [
      'believes the payload about an outsider after the tick',
      { ...shared, chosen: { ...external, ...guestsAsk }, named: { teamId: 'T2' } },
      'outsider',
    ],
    [
      'knows nothing of an unknown channel',
      { channel: 'unknown', chosen: { ...external, ...guestsAsk } },
      'unknownChannel',
    ],
    ['refuses what the operator refuses', { settings: { refused: ['C1'] }, chosen: guestsAsk }, 'channelRefused'],
    [
      'refuses what the operator does not allow',
      { settings: { allowed: ['C2'] }, chosen: guestsAsk },
      'channelRefused',
    ],
    ['restricts an open channel', { ...open, person: 'guest', chosen: {} }, 'guest'],
    ['turns an open channel off', { ...open, chosen: { isOn: false } }, 'channelOff'],
    ['leaves an open channel open', { ...open, ...shared, person: 'outsider', chosen: usualRules(true) }, 'may'],
  ])('%s', async (_, situation, expected) => {
    expect(await admit(situation)).toBe(expected);
  });

  const confirmed = {
    guests: 0,
    outsiders: 0,
    organizations: 0,
    isKnown: true,
    ids: { guests: [], outsiders: [], organizations: [] },
  };
  const ids = { guests: ['G1'], outsiders: ['O1'], organizations: ['T2'] };

  it.each<[string, Situation, string]>([
    [
      'shares with guests who may read',
      { chosen: guestsRead, audience: { guests: 1, ids: { ...ids, outsiders: [], organizations: [] } } },
      'may',
    ],
    ['shares with others after the tick', { chosen: { ...guestsRead, ...external }, ...shared }, 'may'],
    [
      'asks about guests after the tick',
      { chosen: external, channel: 'shared', audience: { guests: 1, outsiders: 1, ids } },
      'guestsInChannel',
    ],
    [
      'shares with no one else',
      { audience: { guests: 1, ids: { ...ids, outsiders: [], organizations: [] } } },
      'guestsInChannel',
    ],
    ['shares nothing where the app is off', { chosen: { isOn: false } }, 'channelOff'],
  ])('%s', async (_, situation, expected) => {
    expect(await admit({ ...situation, named: { confirmed } })).toBe(expected);
  });
});

describe('the rules of a channel', () => {
  const stored: ChannelSettings = { ...usualRules(false), version: 1, ...place, changedBy: 'U1', changedMs: 1 };

  it('forbid everything when their record can not be read', async () => {
    const records = { get: () => Promise.reject(new AppError('corrupt', 'planned')) };
    const chosen = createChosenRules({ records, pendingAudit, log });
    expect(await chosen.of(place)).toMatchObject({ isOn: false, replies: 'mentions' });
    expect(await chosen.of({ ...place, channelId: 'D1' })).toBeUndefined();
  });

  it('fail where the storage fails, so that no question is asked by other rules', async () => {
    const records = { get: () => Promise.reject(new AppError('storage', 'planned')) };
    await expect(createChosenRules({ records, pendingAudit, log }).of(place)).rejects.toMatchObject({
      kind: 'storage',
    });
  });

  it('begin their lifetime again at most once a week, and never bring back removed settings', async () => {
    const records = createMemoryRecords([['T1:C1', stored]]);
    let writes = 0;
    let nowMs = 1_000_000_000_000;
    const rules = createChannelRules({
      chosen: createChosenRules({ records, pendingAudit, log }),
      records: {
        update: (name, change) => {
          writes += 1;
          return records.update(name, change);
        },
      },
      log,
      now: () => nowMs,
    });
    await rules.forQuestion({ place });
    await rules.forQuestion({ place });
    expect(writes).toBe(1);
    nowMs += 8 * 24 * 60 * 60 * 1_000;
    await rules.forQuestion({ place });
    expect(writes).toBe(2);
    expect(records.all.get('T1:C1')).toEqual(stored);
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
