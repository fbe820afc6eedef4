import { expect, it } from 'vitest';
import { type ChannelRuleSet, usualRules } from '../../../src/core/channels/channel-settings.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { Audience } from '../../../src/slack/access/audience.ts';
import type { ChannelKind } from '../../../src/slack/access/channels.ts';
import { type AccessSettings, createAccessPolicy, type Named } from '../../../src/slack/access/policy.ts';
import type { PersonKind } from '../../../src/slack/access/users.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

/** What Slack, the operator and an admin of the channel say. Without changes, a member asks among members. */
interface Situation {
  person?: PersonKind | AppError;
  channel?: ChannelKind | AppError;
  audience?: Partial<Audience> | AppError;
  /** The settings that an admin chose for the channel. */
  chosen?: Partial<ChannelRuleSet>;
  settings?: Partial<AccessSettings>;
  enterpriseId?: string;
  named?: Named;
  channelId?: string;
}

function orThrow<Value>(value: Value | AppError): Value {
  if (value instanceof AppError) throw value;
  return value;
}

function admit(situation: Situation) {
  const { person = 'member', channel = 'internal', audience = {}, chosen, settings = {}, enterpriseId } = situation;
  const insiders: Audience = { members: 3, guests: 0, outsiders: 0, organizations: 0, isKnown: true };
  const asked: string[] = [];
  const access = createAccessPolicy({
    people: {
      person: async (userId) => {
        asked.push('person');
        return { userId, name: 'Ada', kind: orThrow(person), locale: 'de-DE' };
      },
    },
    channels: {
      channel: async (id) => {
        asked.push('channel');
        return { id, kind: orThrow(channel) };
      },
    },
    audiences: {
      of: async () => {
        asked.push('audience');
        return { ...insiders, ...orThrow(audience) };
      },
    },
    identity: { teamId: 'T1', ...(enterpriseId === undefined ? {} : { enterpriseId }) },
    settings: { open: [], allowed: [], ...settings },
    ...(chosen === undefined ? {} : { chosen: { of: async () => ({ ...usualRules(false), ...chosen }) } }),
    log: createRecordingLog().log,
  });
  const { channelId = 'C1', named } = situation;
  return { access, asked, admission: access.admit('U1', { teamId: 'T1', channelId }, named) };
}

async function wordOf(situation: Situation): Promise<string> {
  const admission = await admit(situation).admission;
  return admission.may ? 'may' : admission.reason;
}

const gone = new AppError('undeliverable', 'users.info: user_not_found', { code: 'user_not_found' });
const down = new AppError('unavailable', 'no answer');
const revoked = new AppError('unauthorized', 'token_revoked', { code: 'token_revoked' });
const noScope = new AppError('unauthorized', 'missing_scope', { code: 'missing_scope' });

const [guest, outsider] = [{ person: 'guest' }, { person: 'outsider' }] as const;
const direct = { channelId: 'D1' };
const unknown = { audience: { isKnown: false } };
const tooMany = { audience: { isKnown: false, isTooLarge: true } };
const guestReads = { audience: { guests: 1 } };
const shared = { channel: 'shared', audience: { outsiders: 1, organizations: 1 } } as const;
/** Settings of the operator. */
const open = { settings: { open: ['C1'] } };
const allowed = { settings: { allowed: ['C1'] } };
const closed = { settings: { allowed: ['C2'] } };
/** Settings of the channel. */
const off = { chosen: { isOn: false } };
const guestsRead = { chosen: { guestsMayRead: true } };
const guestsAsk = { chosen: { asking: 'guests', guestsMayRead: true } } as const;
const external = { chosen: { isExternalAllowed: true } };
const all = { chosen: { ...guestsAsk.chosen, ...external.chosen } };
/** What the event or the press says. */
const fromT2 = { named: { teamId: 'T2' } };
const press = { named: { personOnly: true } };
/** A share whose guests G1 and G2 the person has confirmed, with the readers of now. */
const share = { named: { confirmed: ['G1', 'G2'] } };
const now = (guests: string[], outsiders: string[] = [], organizations: string[] = []) => ({
  ...share,
  audience: {
    ...{ guests: guests.length, outsiders: outsiders.length, organizations: organizations.length },
    ids: { guests, outsiders, organizations },
  },
});

/** Who may ask: one row for each rule of the promise "Who may ask, and where". */
it.each<[string, Situation, string]>([
  ['a member among members', {}, 'may'],
  ['a guest', guest, 'guest'],
  ['a person of another organization', outsider, 'outsider'],
  ['an app', { person: 'bot' }, 'unknownPerson'],
  ['a person who left', { person: 'gone' }, 'unknownPerson'],
  ['a person that Slack says too little about', { person: 'unknown' }, 'unknownPerson'],
  ['a person that Slack does not know', { person: gone }, 'unknownPerson'],
  ['a person that the app may not ask Slack about', { person: noScope }, 'unknownPerson'],
  ['a person named with another workspace', fromT2, 'outsider'],
  ['a person named with this workspace', { named: { teamId: 'T1' } }, 'may'],
  ['a person named with a workspace of the same organization', { ...fromT2, enterpriseId: 'E1' }, 'may'],

  ['in a shared channel', { channel: 'shared' }, 'sharedChannel'],
  ['in a channel that Slack says nothing about', { channel: 'unknown' }, 'unknownChannel'],
  ['in a channel that is hidden from the app', { channel: 'hidden', ...unknown }, 'may'],
  ['in direct messages', direct, 'may'],
  ['among guests', guestReads, 'guestsInChannel'],
  ['among guests and unknown people', { audience: { guests: 1, isKnown: false } }, 'guestsInChannel'],
  ['among outsiders and guests', { audience: { outsiders: 1, guests: 1 } }, 'sharedChannel'],
  ['among people of another organization', { audience: { organizations: 1 } }, 'sharedChannel'],
  ['among unknown people', unknown, 'unknownChannel'],
  ['among more people than the app can check', tooMany, 'channelTooLarge'],
  ['a guest in a hidden channel', { ...guest, channel: 'hidden' }, 'guest'],
  ['a guest in a shared channel', { ...guest, channel: 'shared' }, 'guest'],
  ['a guest in direct messages', { ...guest, ...direct }, 'guest'],
  ['a guest while Slack says nothing about the channel', { ...guest, channel: down, audience: down }, 'guest'],

  ['in an allowed channel', allowed, 'may'],
  ['among guests in an allowed channel', { ...allowed, ...guestReads }, 'guestsInChannel'],
  ['in a channel that is not allowed', closed, 'channelRefused'],
  ['in direct messages where channels are allowed', { ...closed, ...direct }, 'may'],
  ['a guest in a channel that is not allowed', { ...closed, ...guest }, 'guest'],
  ['a guest in an open channel', { ...open, ...guest, channel: 'shared' }, 'may'],
  [
    'anybody in an open channel that is not allowed',
    { settings: { open: ['C1'], allowed: ['C2'] }, person: down },
    'may',
  ],
  ['an outsider in an open channel', { ...open, ...fromT2 }, 'may'],

  ['with the usual settings of a channel', { chosen: {} }, 'may'],
  ['where the app is off', off, 'channelOff'],
  ['a guest where the app is off', { ...off, ...guest }, 'guest'],
  ['among guests who may read', { ...guestsRead, ...guestReads }, 'may'],
  ['a guest where guests only read', { ...guestsRead, ...guest }, 'guest'],
  ['a guest where guests ask', { ...guestsAsk, ...guest, ...guestReads }, 'may'],
  ['among guests who may ask', { chosen: { asking: 'guests' }, ...guestReads }, 'may'],
  ['among outsiders where guests ask', { ...guestsAsk, audience: { outsiders: 1 } }, 'sharedChannel'],
  ['among unknown people where guests ask', { ...guestsAsk, ...unknown }, 'unknownChannel'],
  ['in a shared channel after the tick', { ...shared, ...external }, 'may'],
  ['among guests after the tick', { ...shared, ...guestReads, ...external }, 'guestsInChannel'],
  ['an outsider after the tick', { ...shared, ...all, ...outsider }, 'outsider'],
  ['an outsider by the event, after the tick', { ...shared, ...all, ...fromT2 }, 'outsider'],
  ['in an unknown channel after the tick', { ...all, channel: 'unknown' }, 'unknownChannel'],
  ['where the operator does not allow what the admin does', { ...closed, ...guestsAsk }, 'channelRefused'],
  ['a guest in an open channel that an admin restricts', { ...open, ...guest, chosen: {} }, 'guest'],
  ['in an open channel that an admin turns off', { ...open, ...off }, 'channelOff'],
  ['an outsider in an open channel as it is', { ...open, ...shared, ...outsider, chosen: usualRules(true) }, 'may'],

  ['a press in a channel that is not allowed', { ...press, ...closed }, 'may'],
  ['a press in a shared channel', { ...press, ...shared }, 'may'],
  ['a press while Slack says nothing about the channel', { ...press, channel: down, audience: down }, 'may'],
  ['a press of a guest', { ...press, ...guest }, 'guest'],
  ['a press of a person that Slack does not know', { ...press, person: gone }, 'unknownPerson'],
  ['a press where the app is off', { ...press, ...off }, 'may'],
  ['a press of a guest where guests ask', { ...press, ...guest, ...guestsAsk }, 'may'],

  ['a share with the same guests', now(['G1', 'G2']), 'may'],
  ['a share with fewer guests', now(['G2']), 'may'],
  ['a share with members only', now([]), 'may'],
  ['a share with one more guest', now(['G1', 'G2', 'G3']), 'guestsInChannel'],
  ['a share with another guest', now(['G1', 'G3']), 'guestsInChannel'],
  ['a share with fewer guests, one of them new', now(['G3']), 'guestsInChannel'],
  ['a share with an outsider', now(['G1'], ['G2']), 'sharedChannel'],
  ['a share with another organization', now([], [], ['T2']), 'sharedChannel'],
  ['a share to a shared channel without outsiders', { ...now([]), channel: 'shared' }, 'sharedChannel'],
  ['a share with unknown readers', { ...share, ...unknown }, 'unknownChannel'],
  ['a share with more readers than the app can check', { ...share, ...tooMany }, 'channelTooLarge'],
  ['a share with more readers than can be named', { ...share, audience: { guests: 2 } }, 'unknownChannel'],
  ['a share to a channel that Slack says nothing about', { ...now(['G1']), channel: 'unknown' }, 'unknownChannel'],
  ['a share to an open channel', { ...now([], ['O1']), ...open, channel: 'shared' }, 'may'],
  ['a share to a channel that is not allowed', { ...share, ...closed }, 'channelRefused'],
  ['a share by a guest', { ...share, ...guest }, 'guest'],
  ['a share with guests who may read', { ...now(['G3']), ...guestsRead }, 'may'],
  ['a share with others after the tick', { ...share, ...shared, chosen: all.chosen }, 'may'],
  [
    'a share with a new guest after the tick',
    { ...now(['G3'], ['O1'], ['T2']), ...external, channel: 'shared' },
    'guestsInChannel',
  ],
  ['a share where the app is off', { ...share, ...off }, 'channelOff'],
])('%s', async (_, situation, word) => {
  expect(await wordOf(situation)).toBe(word);
});

it('says the language of the person, and whether the channel is hidden', async () => {
  const hidden: Situation = { channel: 'hidden', ...unknown };
  expect(await admit(hidden).admission).toEqual({ may: true, locale: 'de-DE', isHidden: true });
  expect(await admit(guest).admission).toEqual({ may: false, reason: 'guest', locale: 'de-DE' });
});

it.each<[string, Situation, string[]]>([
  ['of a person named with another workspace', fromT2, []],
  ['where only the person matters', { ...press, ...shared }, ['person']],
  ['in direct messages', direct, ['person']],
  ['in a channel that is not allowed', closed, ['person']],
  ['in an open channel', open, ['person']],
])('asks Slack nothing that does not change the decision %s', async (_, situation, calls) => {
  const { admission, asked } = admit(situation);
  await admission;
  expect(asked).toEqual(calls);
});

const limited = new AppError('rateLimited', 'planned', { retryAfterMs: 7_000 });

it.each<[string, Situation, object]>([
  ['about the person', { person: down }, { kind: 'unavailable' }],
  ['about the channel', { channel: down }, { kind: 'unavailable' }],
  ['about its members', { audience: down }, { kind: 'unavailable' }],
  ['after a revoked token', { person: revoked }, { kind: 'unavailable', code: 'token_revoked', cause: revoked }],
  ['before its wait is over, for the person', { person: limited }, { kind: 'rateLimited', retryAfterMs: 7_000 }],
  ['before its wait is over, for the channel', { channel: limited }, { kind: 'rateLimited', retryAfterMs: 7_000 }],
  ['before its wait is over, for the members', { audience: limited }, { kind: 'rateLimited', retryAfterMs: 7_000 }],
])('decides nothing while Slack says nothing %s', async (_, situation, error) => {
  await expect(admit(situation).admission).rejects.toMatchObject(error);
});

it('offers channels with other organizations in the form for sharing only where a channel is open', () => {
  expect([admit({}).access.sharesWithOthers, admit(open).access.sharesWithOthers]).toEqual([false, true]);
});
