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
      noteShared: () => {},
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

describe('who may ask where', () => {
  it.each<[string, Situation, object]>([
    ['a member among members', {}, may],
    ['a guest', { person: 'guest' }, no('guest')],
    ['somebody of others', { person: 'outsider' }, no('outsider')],
    ['an app', { person: 'bot' }, no('unknownPerson')],
    ['somebody who left', { person: 'gone' }, no('unknownPerson')],
    ['somebody of whom too little is told', { person: 'unknown' }, no('unknownPerson')],
    ['nobody Slack knows', { person: gone }, { may: false, reason: 'unknownPerson' }],
    ['where the app may not ask', { person: noScope }, { may: false, reason: 'unknownPerson' }],
    ['a member in a shared channel', { channel: 'shared' }, no('sharedChannel')],
    ['a member in a channel of which nothing is told', { channel: 'unknown' }, no('unknownChannel')],
    ['a member among guests', { audience: { guests: 1 } }, no('guestsInChannel')],
    ['a member among guests and unknown people', { audience: { guests: 1, isKnown: false } }, no('guestsInChannel')],
    ['a member among outsiders', { audience: { outsiders: 1, guests: 1 } }, no('sharedChannel')],
    ['a member among unknown people', { audience: { isKnown: false } }, no('unknownChannel')],
    ['a member where the app is not', { channel: 'hidden', audience: { isKnown: false } }, { ...may, isHidden: true }],
    ['a guest where the app is not', { channel: 'hidden', person: 'guest' }, no('guest')],
    ['a guest in a shared channel', { channel: 'shared', person: 'guest' }, no('guest')],
    [
      'a guest while the channel cannot be asked about',
      { channel: down, audience: down, person: 'guest' },
      no('guest'),
    ],
    ['a member in direct messages', { channelId: 'D1' }, may],
    ['a guest in direct messages', { channelId: 'D1', person: 'guest' }, no('guest')],
    ['a member in a refused channel', { settings: { refused: ['C1'] } }, no('channelRefused')],
    ['a guest in a refused channel', { settings: { refused: ['C1'] }, person: 'guest' }, no('guest')],
    ['a member in an allowed channel', { settings: { allowed: ['C1'] } }, may],
    [
      'a member among guests in an allowed channel',
      { settings: { allowed: ['C1'] }, audience: { guests: 1 } },
      no('guestsInChannel'),
    ],
    ['a member in a channel that is not allowed', { settings: { allowed: ['C2'] } }, no('channelRefused')],
    ['a member in direct messages where channels are allowed', { settings: { allowed: ['C2'] }, channelId: 'D1' }, may],
    ['a guest in an open channel', { settings: { open: ['C1'] }, person: 'guest', channel: 'shared' }, may],
    ['anybody in an open channel', { settings: { open: ['C1'], allowed: ['C2'] }, person: down }, { may: true }],
    ['somebody named as of others, in an open channel', { settings: { open: ['C1'] }, named: { teamId: 'T2' } }, may],
    ['somebody named as of here', { named: { teamId: 'T1' } }, may],
    [
      'somebody named as of another workspace of the organization',
      { named: { teamId: 'T2' }, enterpriseId: 'E1' },
      may,
    ],
  ])('%s', async (_, situation, admission) => {
    expect(await admit(situation).admission).toEqual(admission);
  });

  it('takes who is named as of others for an outsider, without a call', async () => {
    const { admission, asked } = admit({ named: { teamId: 'T2' } });
    expect(await admission).toEqual({ may: false, reason: 'outsider' });
    expect(asked).toEqual([]);
  });

  it('asks nothing about channels where that decides nothing', async () => {
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
  ])('decides nothing while Slack does not tell %s', async (_, situation) => {
    await expect(admit(situation).admission).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('a share, with the readers that were confirmed', () => {
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
    ['the same readers', { ...shared, audience: now({}) }, may],
    ['fewer readers', { ...shared, audience: now({ guests: ['G2'], outsiders: ['O1'] }) }, may],
    ['members only', { ...inside, audience: now({ guests: [], ...guestsOnly }) }, may],
    ['one more guest', { ...shared, audience: now({ guests: ['G1', 'G2', 'G3'] }) }, no('guestsInChannel')],
    ['another guest instead of one', { ...shared, audience: now({ guests: ['G1', 'G3'] }) }, no('guestsInChannel')],
    ['fewer guests, and another', { ...shared, audience: now({ guests: ['G3'] }) }, no('guestsInChannel')],
    ['one more outsider', { ...shared, audience: now({ outsiders: ['O1', 'O2', 'O3'] }) }, no('sharedChannel')],
    ['another outsider instead of one', { ...shared, audience: now({ outsiders: ['O1', 'O3'] }) }, no('sharedChannel')],
    [
      'an outsider instead of a guest',
      { ...shared, audience: now({ guests: ['G1'], outsiders: ['G2'] }) },
      no('sharedChannel'),
    ],
    [
      'another organization instead of one',
      { ...shared, audience: now({ organizations: ['T3'] }) },
      no('sharedChannel'),
    ],
    ['readers nobody knows', { ...shared, audience: { isKnown: false } }, no('unknownChannel')],
    ['readers too many to be named', { ...shared, audience: counts }, no('unknownChannel')],
    ['a channel of which nothing is told', { ...shared, channel: 'unknown', audience: now({}) }, no('unknownChannel')],
    [
      'readers nobody knew',
      { ...shared, named: { confirmed: { ...confirmed, isKnown: false } }, audience: { isKnown: false } },
      no('unknownChannel'),
    ],
    [
      'guests whom an earlier version only counted',
      { named: { confirmed: counts }, audience: now(guestsOnly) },
      no('guestsInChannel'),
    ],
    [
      'outsiders whom an earlier version only counted',
      { ...shared, named: { confirmed: counts }, audience: now({}) },
      no('sharedChannel'),
    ],
    [
      'members only, by an earlier version',
      { named: { confirmed: counts }, audience: now({ guests: [], ...guestsOnly }) },
      may,
    ],
    ['guests alone, where nothing is shared with others', { ...inside, audience: now(guestsOnly) }, may],
    ['outsiders, where nothing is shared with others', { ...inside, audience: now({}) }, no('sharedChannel')],
    [
      'a shared channel to which nobody has come, where nothing is shared with others',
      { ...inside, channel: 'shared', audience: now({ guests: [], ...guestsOnly }) },
      no('sharedChannel'),
    ],
    [
      'an open channel, where nothing is shared with others',
      { ...inside, channel: 'shared', audience: now({}), settings: { open: ['C1'] } },
      may,
    ],
    ['a refused channel', { ...shared, settings: { refused: ['C1'], ...settings } }, no('channelRefused')],
    ['a guest who shares', { ...shared, person: 'guest' }, no('guest')],
  ])('%s', async (_, situation, admission) => {
    expect(await admit(situation).admission).toMatchObject(admission);
  });
});

describe('what is about the person only', () => {
  const named = { personOnly: true };

  it.each<[string, Situation, object]>([
    ['a refused channel', { settings: { refused: ['C1'] } }, may],
    ['a shared channel', { channel: 'shared', audience: { outsiders: 3 } }, may],
    ['a channel Slack tells nothing of', { channel: down, audience: down }, may],
    ['a guest', { person: 'guest' }, { may: false, reason: 'guest' }],
    ['nobody known', { person: gone }, { may: false, reason: 'unknownPerson' }],
  ])('%s', async (_, situation, admission) => {
    const { asked, admission: found } = admit({ ...situation, named });
    expect(await found).toMatchObject(admission);
    expect(asked).toEqual(['person']);
  });
});

it('a question waits as long as Slack asks to, whatever it is asked about', async () => {
  const limited = new AppError('rateLimited', 'planned', { retryAfterMs: 7_000 });
  for (const situation of [{ person: limited }, { channel: limited }, { audience: limited }]) {
    await expect(admit(situation).admission).rejects.toBe(limited);
  }
});

it('a token that is refused is told with what Slack said of it', async () => {
  await expect(admit({ person: revoked }).admission).rejects.toMatchObject({ code: 'token_revoked', cause: revoked });
});

describe('the form for sharing', () => {
  it.each<[boolean, string, Partial<AccessSettings>]>([
    [false, 'nothing is set', {}],
    [false, 'it is set that they must not', { shareWithOthers: false }],
    [true, 'it is set that they may', { shareWithOthers: true }],
    [true, 'there is an open channel', { open: ['C1'] }],
  ])('offers channels with other organizations (%j) where %s', (offers, _, settings) => {
    const access = createAccessPolicy({
      people: { person: () => Promise.reject(down) },
      channels: { channel: () => Promise.reject(down), noteShared: () => {} },
      audiences: { of: () => Promise.reject(down) },
      identity: { teamId: 'T1' },
      settings: { open: [], allowed: [], refused: [], ...settings },
      log: createRecordingLog().log,
    });
    expect(access.sharesWithOthers).toBe(offers);
  });
});

it.each<[string, Partial<Audience>]>([
  ['somebody of others is', { outsiders: 1 }],
  ['another organization is', { organizations: 1 }],
])('a channel where %s is a shared one, also for who was shown that', async (_, audience) => {
  expect(await admit({ audience }).admission).toEqual(no('sharedChannel'));
  const ids = { guests: [], outsiders: [], organizations: [] };
  const confirmed = { guests: 0, outsiders: 9, organizations: 9, isKnown: true, ids };
  expect(await admit({ audience: { ...audience, ids }, named: { confirmed } }).admission).toEqual(no('sharedChannel'));
});
