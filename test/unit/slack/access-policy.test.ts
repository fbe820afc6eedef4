import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Audience } from '../../../src/slack/access/audience.ts';
import type { ChannelKind } from '../../../src/slack/access/channels.ts';
import { type AccessSettings, createAccessPolicy, type Named } from '../../../src/slack/access/policy.ts';
import type { PersonKind } from '../../../src/slack/access/users.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const insiders: Audience = { members: 3, guests: 0, outsiders: 0, organizations: 0, isKnown: true };
const place = { teamId: 'T1', channelId: 'C1' };

interface Situation {
  person?: PersonKind | AppError;
  channel?: ChannelKind | AppError;
  audience?: Partial<Audience> | AppError;
  settings?: Partial<AccessSettings>;
  enterpriseId?: string;
  named?: Named;
  channelId?: string;
}

function admit(situation: Situation) {
  const { person = 'member', channel = 'internal', audience = {}, settings = {}, enterpriseId } = situation;
  const asked: string[] = [];
  const access = createAccessPolicy({
    people: {
      person: async (userId) => {
        asked.push('person');
        if (person instanceof AppError) throw person;
        return { userId, name: 'Ada', kind: person, locale: 'de-DE' };
      },
    },
    channels: {
      channel: async (id) => {
        asked.push('channel');
        if (channel instanceof AppError) throw channel;
        return { id, kind: channel };
      },
    },
    audiences: {
      of: async () => {
        asked.push('audience');
        if (audience instanceof AppError) throw audience;
        return { ...insiders, ...audience };
      },
    },
    identity: { teamId: 'T1', ...(enterpriseId === undefined ? {} : { enterpriseId }) },
    settings: { open: [], allowed: [], refused: [], ...settings },
    log: createRecordingLog().log,
  });
  const { channelId = 'C1', named } = situation;
  return { asked, admission: access.admit('U1', { ...place, channelId }, named) };
}

const gone = new AppError('undeliverable', 'users.info: user_not_found', { code: 'user_not_found' });
const down = new AppError('unavailable', 'no answer');
const revoked = new AppError('unauthorized', 'token_revoked', { code: 'token_revoked' });
const noScope = new AppError('unauthorized', 'missing_scope', { code: 'missing_scope' });
const may = { may: true, locale: 'de-DE' };
const no = (reason: string) => ({ may: false, reason, locale: 'de-DE' });

describe('the access policy', () => {
  it.each<[string, Situation, object]>([
    ['allows a member among members', {}, may],
    ['refuses a guest', { person: 'guest' }, no('guest')],
    ['refuses a person of another organization', { person: 'outsider' }, no('outsider')],
    ['refuses an app', { person: 'bot' }, no('unknownPerson')],
    ['refuses a person who left', { person: 'gone' }, no('unknownPerson')],
    ['refuses a person that Slack says too little about', { person: 'unknown' }, no('unknownPerson')],
    ['refuses a person that Slack does not know', { person: gone }, { may: false, reason: 'unknownPerson' }],
    [
      'refuses a person that the app may not ask Slack about',
      { person: noScope },
      { may: false, reason: 'unknownPerson' },
    ],
    ['refuses a member in a shared channel', { channel: 'shared' }, no('sharedChannel')],
    ['refuses a member in a channel that Slack says nothing about', { channel: 'unknown' }, no('unknownChannel')],
    ['refuses a member among guests', { audience: { guests: 1 } }, no('guestsInChannel')],
    [
      'refuses a member among guests and unknown people',
      { audience: { guests: 1, isKnown: false } },
      no('guestsInChannel'),
    ],
    ['refuses a member among outsiders', { audience: { outsiders: 1, guests: 1 } }, no('sharedChannel')],
    ['refuses a member among unknown people', { audience: { isKnown: false } }, no('unknownChannel')],
    [
      'refuses a member among more people than it can check',
      { audience: { isKnown: false, isTooLarge: true } },
      no('channelTooLarge'),
    ],
    [
      'allows a member in a channel that is hidden from the app',
      { channel: 'hidden', audience: { isKnown: false } },
      { ...may, isHidden: true },
    ],
    ['refuses a guest in a channel that is hidden from the app', { channel: 'hidden', person: 'guest' }, no('guest')],
    ['refuses a guest in a shared channel', { channel: 'shared', person: 'guest' }, no('guest')],
    [
      'refuses a guest while Slack does not answer about the channel',
      { channel: down, audience: down, person: 'guest' },
      no('guest'),
    ],
    ['allows a member in direct messages', { channelId: 'D1' }, may],
    ['refuses a guest in direct messages', { channelId: 'D1', person: 'guest' }, no('guest')],
    ['refuses a member in a refused channel', { settings: { refused: ['C1'] } }, no('channelRefused')],
    ['refuses a guest in a refused channel', { settings: { refused: ['C1'] }, person: 'guest' }, no('guest')],
    ['allows a member in an allowed channel', { settings: { allowed: ['C1'] } }, may],
    [
      'refuses a member among guests in an allowed channel',
      { settings: { allowed: ['C1'] }, audience: { guests: 1 } },
      no('guestsInChannel'),
    ],
    ['refuses a member in a channel that is not allowed', { settings: { allowed: ['C2'] } }, no('channelRefused')],
    [
      'allows a member in direct messages where channels are allowed',
      { settings: { allowed: ['C2'] }, channelId: 'D1' },
      may,
    ],
    ['allows a guest in an open channel', { settings: { open: ['C1'] }, person: 'guest', channel: 'shared' }, may],
    ['allows anybody in an open channel', { settings: { open: ['C1'], allowed: ['C2'] }, person: down }, { may: true }],
    [
      'allows a person named with another workspace, in an open channel',
      { settings: { open: ['C1'] }, named: { teamId: 'T2' } },
      may,
    ],
    ['allows a person named with this workspace', { named: { teamId: 'T1' } }, may],
    [
      'allows a person named with another workspace of the organization',
      { named: { teamId: 'T2' }, enterpriseId: 'E1' },
      may,
    ],
  ])('%s', async (_, situation, admission) => {
    expect(await admit(situation).admission).toEqual(admission);
  });

  it('refuses as an outsider a person named with another workspace, without a call', async () => {
    const { admission, asked } = admit({ named: { teamId: 'T2' } });
    expect(await admission).toEqual({ may: false, reason: 'outsider' });
    expect(asked).toEqual([]);
  });

  it('asks nothing about a channel that does not change the decision', async () => {
    for (const situation of [{ channelId: 'D1' }, { settings: { refused: ['C1'] } }, { settings: { open: ['C1'] } }]) {
      const { admission, asked } = admit(situation);
      await admission;
      expect(asked).toEqual(['person']);
    }
  });

  it.each<[string, Situation]>([
    ['the person', { person: down }],
    ['the channel', { channel: down }],
    ['its members', { audience: down }],
    ['anything, because the token is revoked', { person: revoked, channel: revoked, audience: revoked }],
  ])('makes no decision while Slack gives no information about %s', async (_, situation) => {
    await expect(admit(situation).admission).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('the access policy, for a share with confirmed readers,', () => {
  const ids = { guests: ['G1', 'G2'], outsiders: ['O1', 'O2'], organizations: ['T2'] };
  const counts = { guests: 2, outsiders: 2, organizations: 1, isKnown: true };
  const confirmed = { ...counts, ids };
  const settings = { shareWithOthers: true };
  const shared = { named: { confirmed }, channel: 'shared', settings } as const;
  const inside = { named: { confirmed } };
  const now = (change: Partial<typeof ids>): Partial<Audience> => {
    const readers = { ...ids, ...change };
    return {
      guests: readers.guests.length,
      outsiders: readers.outsiders.length,
      organizations: readers.organizations.length,
      ids: readers,
    };
  };
  const guestsOnly = { outsiders: [], organizations: [] };

  it.each<[string, Situation, object]>([
    ['allows the same readers', { ...shared, audience: now({}) }, may],
    ['allows fewer readers', { ...shared, audience: now({ guests: ['G2'], outsiders: ['O1'] }) }, may],
    ['allows only members', { ...inside, audience: now({ guests: [], ...guestsOnly }) }, may],
    ['refuses one more guest', { ...shared, audience: now({ guests: ['G1', 'G2', 'G3'] }) }, no('guestsInChannel')],
    [
      'refuses another guest instead of one',
      { ...shared, audience: now({ guests: ['G1', 'G3'] }) },
      no('guestsInChannel'),
    ],
    ['refuses fewer guests, one of them new', { ...shared, audience: now({ guests: ['G3'] }) }, no('guestsInChannel')],
    ['refuses one more outsider', { ...shared, audience: now({ outsiders: ['O1', 'O2', 'O3'] }) }, no('sharedChannel')],
    [
      'refuses another outsider instead of one',
      { ...shared, audience: now({ outsiders: ['O1', 'O3'] }) },
      no('sharedChannel'),
    ],
    [
      'refuses an outsider instead of a guest',
      { ...shared, audience: now({ guests: ['G1'], outsiders: ['G2'] }) },
      no('sharedChannel'),
    ],
    [
      'refuses another organization instead of one',
      { ...shared, audience: now({ organizations: ['T3'] }) },
      no('sharedChannel'),
    ],
    ['refuses readers who are unknown now', { ...shared, audience: { isKnown: false } }, no('unknownChannel')],
    [
      'refuses more readers than it can check now',
      { ...shared, audience: { isKnown: false, isTooLarge: true } },
      no('channelTooLarge'),
    ],
    ['refuses more readers than can be named', { ...shared, audience: counts }, no('unknownChannel')],
    [
      'refuses a channel that Slack says nothing about',
      { ...shared, channel: 'unknown', audience: now({}) },
      no('unknownChannel'),
    ],
    [
      'refuses readers who were unknown before',
      { ...shared, named: { confirmed: { ...confirmed, isKnown: false } }, audience: { isKnown: false } },
      no('unknownChannel'),
    ],
    [
      'refuses guests that an earlier version only counted',
      { named: { confirmed: counts }, audience: now(guestsOnly) },
      no('guestsInChannel'),
    ],
    [
      'refuses outsiders that an earlier version only counted',
      { ...shared, named: { confirmed: counts }, audience: now({}) },
      no('sharedChannel'),
    ],
    [
      'allows only members, where an earlier version counted the readers',
      { named: { confirmed: counts }, audience: now({ guests: [], ...guestsOnly }) },
      may,
    ],
    ['allows only guests, where sharing with others is off', { ...inside, audience: now(guestsOnly) }, may],
    ['refuses outsiders, where sharing with others is off', { ...inside, audience: now({}) }, no('sharedChannel')],
    [
      'refuses a shared channel without outsiders, where sharing with others is off',
      { ...inside, channel: 'shared', audience: now({ guests: [], ...guestsOnly }) },
      no('sharedChannel'),
    ],
    [
      'allows an open channel, where sharing with others is off',
      { ...inside, channel: 'shared', audience: now({}), settings: { open: ['C1'] } },
      may,
    ],
    ['refuses a refused channel', { ...shared, settings: { refused: ['C1'], ...settings } }, no('channelRefused')],
    ['refuses a guest who shares', { ...shared, person: 'guest' }, no('guest')],
  ])('%s', async (_, situation, admission) => {
    expect(await admit(situation).admission).toMatchObject(admission);
  });
});

describe('the access policy, where only the person matters,', () => {
  const named = { personOnly: true };

  it.each<[string, Situation, object]>([
    ['allows a refused channel', { settings: { refused: ['C1'] } }, may],
    ['allows a shared channel', { channel: 'shared', audience: { outsiders: 3 } }, may],
    ['allows a member in a channel that Slack gives no information about', { channel: down, audience: down }, may],
    ['refuses a guest', { person: 'guest' }, { may: false, reason: 'guest' }],
    ['refuses a person that Slack does not know of', { person: gone }, { may: false, reason: 'unknownPerson' }],
  ])('%s', async (_, situation, admission) => {
    const { asked, admission: found } = admit({ ...situation, named });
    expect(await found).toMatchObject(admission);
    expect(asked).toEqual(['person']);
  });
});

it('a question waits as long as Slack asks, whatever the app asks about', async () => {
  const limited = new AppError('rateLimited', 'planned', { retryAfterMs: 7_000 });
  for (const situation of [{ person: limited }, { channel: limited }, { audience: limited }]) {
    await expect(admit(situation).admission).rejects.toBe(limited);
  }
});

it('a refused token is reported with the error of Slack', async () => {
  await expect(admit({ person: revoked }).admission).rejects.toMatchObject({ code: 'token_revoked', cause: revoked });
});

describe('the form for sharing', () => {
  it.each<[boolean, string, Partial<AccessSettings>]>([
    [false, 'nothing is configured', {}],
    [false, 'sharing with others is switched off', { shareWithOthers: false }],
    [true, 'sharing with others is switched on', { shareWithOthers: true }],
    [true, 'there is an open channel', { open: ['C1'] }],
  ])('offers channels with other organizations (%j) where %s', (offers, _, settings) => {
    const access = createAccessPolicy({
      people: { person: () => Promise.reject(down) },
      channels: { channel: () => Promise.reject(down) },
      audiences: { of: () => Promise.reject(down) },
      identity: { teamId: 'T1' },
      settings: { open: [], allowed: [], refused: [], ...settings },
      log: createRecordingLog().log,
    });
    expect(access.sharesWithOthers).toBe(offers);
  });
});

it.each<[string, Partial<Audience>]>([
  ['a person of another organization is a member', { outsiders: 1 }],
  ['another organization is a member', { organizations: 1 }],
])('a channel where %s counts as shared, also for a person who was shown that', async (_, audience) => {
  expect(await admit({ audience }).admission).toEqual(no('sharedChannel'));
  const ids = { guests: [], outsiders: [], organizations: [] };
  const confirmed = { guests: 0, outsiders: 9, organizations: 9, isKnown: true, ids };
  expect(await admit({ audience: { ...audience, ids }, named: { confirmed } }).admission).toEqual(no('sharedChannel'));
});
