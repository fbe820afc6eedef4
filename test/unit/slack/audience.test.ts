import { describe, expect, it } from 'vitest';
import { type Audience, createAudiences, isInsidersOnly } from '../../../src/slack/access/audience.ts';
import { type ChannelKind, createChannels } from '../../../src/slack/access/channels.ts';
import { createDirectory, createUsers } from '../../../src/slack/access/users.ts';
import { createScriptedSlack, type Reply } from '../../support/fake-slack/web-api-replies.ts';

/** Ids name the kind of user: `M…` a member, `G…` a guest, `O…` of another workspace, `B…` an app, `X…` unknown. */
function userOf(id: string): Record<string, unknown> {
  return {
    id,
    team_id: id.startsWith('O') ? `T-${id.slice(0, 2)}` : 'T1',
    name: id,
    is_admin: false,
    is_restricted: id.startsWith('G'),
    is_ultra_restricted: false,
    is_bot: id.startsWith('B'),
  };
}

function many(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index}`);
}

/** Replies with the pages of a list, by Slack's cursors. */
function paged(name: string, items: () => unknown[], pageSize: number): Reply {
  return (args) => {
    const from = Number(args.get('cursor') ?? 0);
    const next = from + pageSize < items().length ? String(from + pageSize) : '';
    return { [name]: items().slice(from, from + pageSize), response_metadata: { next_cursor: next } };
  };
}

function begin(options: { members: string[]; listed?: string[]; kind?: ChannelKind; pageSize?: number }) {
  const { members, listed = members, kind = 'internal', pageSize = 1_000 } = options;
  const slack = createScriptedSlack({
    'conversations.members': paged('members', () => members, pageSize),
    'users.list': paged('members', () => listed.map(userOf), pageSize),
    'users.info': (args) => {
      const id = args.get('user') ?? '';
      return id.startsWith('X') ? { error: 'user_not_found' } : { user: userOf(id) };
    },
    'conversations.info': { channel: { id: 'C1', is_ext_shared: kind === 'shared', is_pending_ext_shared: false } },
  });
  const people = createUsers({ ...slack.deps, listed: () => undefined });
  const channels = createChannels(slack.deps);
  const directory = createDirectory(slack.deps);
  const audiences = createAudiences({ ...slack.deps, people, channels, directory });
  return { slack, directory, audiences };
}

/** The ids of the audience. */
async function idsOf(options: Parameters<typeof begin>[0]): Promise<Audience['ids']> {
  const { directory, audiences } = begin(options);
  await directory.tend();
  return (await audiences.of('C1')).ids;
}

/** The counts of the audience. */
async function audienceOf(options: Parameters<typeof begin>[0]): Promise<Audience> {
  const { directory, audiences } = begin(options);
  await directory.tend();
  return counted(await audiences.of('C1'));
}

function counted({ ids: _, ...counts }: Audience): Audience {
  return counts;
}

const known = { members: 0, guests: 0, outsiders: 0, organizations: 0, isKnown: true };

describe('the audience of a channel', () => {
  it('counts members, guests and others by their workspace, and no apps', async () => {
    const members = ['UBOT', 'B1', 'M1', 'M2', 'G1', 'OA1', 'OA2', 'OB1'];
    expect(await audienceOf({ members })).toEqual({ ...known, members: 2, guests: 1, outsiders: 3, organizations: 2 });
  });

  it('names guests and others, and no members', async () => {
    const members = ['UBOT', 'B1', 'M1', 'G1', 'G2', 'OA1', 'OA2', 'OB1'];
    expect(await idsOf({ members })).toEqual({
      guests: ['G1', 'G2'],
      outsiders: ['OA1', 'OA2', 'OB1'],
      organizations: ['T-OA', 'T-OB'],
    });
  });

  it('names the organizations that a channel is shared with, without the app’s', async () => {
    const { slack, audiences } = begin({ members: ['M1', 'OA1'], kind: 'shared' });
    slack.replies['conversations.info'] = {
      channel: {
        id: 'C1',
        is_ext_shared: true,
        shared_team_ids: ['T1', 'T-OA', 'T-OB'],
        connected_team_ids: ['T-OB'],
        pending_connected_team_ids: ['T-OC'],
        internal_team_ids: ['T1'],
      },
    };
    expect(await audiences.of('C1')).toMatchObject({
      organizations: 3,
      ids: { guests: [], outsiders: ['OA1'], organizations: ['T-OA', 'T-OB', 'T-OC'] },
    });
  });

  it.each<[string, Parameters<typeof begin>[0]]>([
    ['one reader is unknown', { members: ['G1', 'X1'], listed: ['G1'] }],
    ['there are too many', { members: many('G', 1_001) }],
  ])('names no readers where %s', async (_, options) => {
    expect(await idsOf(options)).toBeUndefined();
  });

  it('is read from all pages', async () => {
    const members = [...many('M', 950), 'G1'];
    expect(await audienceOf({ members, pageSize: 300 })).toEqual({ ...known, members: 950, guests: 1 });
  });

  it('counts another organization where the channel is shared, though none of its people has joined', async () => {
    expect(await audienceOf({ members: ['M1'], kind: 'shared' })).toEqual({ ...known, members: 1, organizations: 1 });
  });

  it('is completed by questions about people who are not listed', async () => {
    expect(await audienceOf({ members: ['M1', 'G1', 'M2'], listed: ['M1'] })).toEqual({
      ...known,
      members: 2,
      guests: 1,
    });
  });

  it.each<[string, Parameters<typeof begin>[0]]>([
    ['too many members are not listed', { members: many('M', 51), listed: ['M99'] }],
    ['there are too many members to read', { members: many('M', 30), pageSize: 1 }],
  ])('is too large to check where %s, and is not read again at once', async (_, options) => {
    const { slack, directory, audiences } = begin(options);
    await directory.tend();
    expect(await audiences.of('C1')).toMatchObject({ isKnown: false, isTooLarge: true });
    const calls = slack.calls.length;
    expect(await audiences.of('C1')).toMatchObject({ isKnown: false, isTooLarge: true });
    expect(slack.calls.length).toBe(calls);
  });

  it('is unknown, and not too large, where Slack says nothing about one member', async () => {
    const audience = await audienceOf({ members: ['M1', 'X1'], listed: ['M1'] });
    expect(audience).toEqual({ ...known, members: 1, isKnown: false });
  });

  it.each([['missing_scope'], ['fetch_members_failed'], ['channel_not_found']])(
    'is unknown after %s',
    async (error) => {
      const { slack, audiences } = begin({ members: ['M1'] });
      slack.replies['conversations.members'] = { error };
      expect((await audiences.of('C1')).isKnown).toBe(false);
    },
  );

  it.each([
    ['ratelimited', 'rateLimited'],
    ['internal_error', 'unavailable'],
    ['token_revoked', 'unauthorized'],
  ])('is undecided while Slack answers %s about the members, and asked for again', async (error, kind) => {
    const { slack, audiences } = begin({ members: ['M1'] });
    const members = slack.replies['conversations.members'] ?? {};
    slack.replies['conversations.members'] = { error };
    await expect(audiences.of('C1')).rejects.toMatchObject({ name: 'AppError', kind });
    slack.replies['conversations.members'] = members;
    expect(counted(await audiences.of('C1'))).toEqual({ ...known, members: 1 });
  });

  it.each([
    ['ratelimited', 'rateLimited'],
    ['internal_error', 'unavailable'],
    ['token_revoked', 'unauthorized'],
  ])('is undecided while Slack answers %s about a person, and asked for again', async (error, kind) => {
    const { slack, audiences } = begin({ members: ['M1', 'G1'] });
    const info = slack.replies['users.info'] ?? {};
    slack.replies['users.info'] = { error };
    await expect(audiences.of('C1')).rejects.toMatchObject({ name: 'AppError', kind });
    slack.replies['users.info'] = info;
    expect(counted(await audiences.of('C1'))).toEqual({ ...known, members: 1, guests: 1 });
  });

  it('counts the known people beside a person that Slack says nothing about', async () => {
    const counts = { ...known, members: 1, guests: 1, isKnown: false };
    expect(await audienceOf({ members: ['M1', 'G1', 'X1'], listed: ['M1'] })).toEqual(counts);
  });

  it('is undecided while Slack does not say what the channel is', async () => {
    const { slack, audiences } = begin({ members: ['M1'] });
    slack.replies['conversations.info'] = { error: 'ratelimited' };
    await expect(audiences.of('C1')).rejects.toMatchObject({ kind: 'rateLimited' });
  });

  it.each([
    ['hidden from the app', { error: 'channel_not_found' }],
    ['of a kind that Slack does not name', { error: 'missing_scope' }],
  ])('is unknown where the channel is %s', async (_, info) => {
    const { slack, audiences } = begin({ members: ['M1'] });
    slack.replies['conversations.info'] = info;
    expect(await audiences.of('C1')).toEqual({ ...known, members: 1, isKnown: false });
  });

  it('is unknown where the reply names no members', async () => {
    const { slack, audiences } = begin({ members: [] });
    slack.replies['conversations.members'] = {};
    expect((await audiences.of('C1')).isKnown).toBe(false);
  });

  it('is remembered for a minute, unless it is unknown', async () => {
    const { slack, audiences } = begin({ members: ['M1'] });
    slack.replies['conversations.members'] = { error: 'fetch_members_failed' };
    expect((await audiences.of('C1')).isKnown).toBe(false);
    slack.replies['conversations.members'] = { members: ['M1'] };
    expect((await audiences.of('C1')).isKnown).toBe(true);
    slack.pass(59_999);
    await audiences.of('C1');
    expect(slack.called('conversations.members')).toBe(2);
    slack.pass(1);
    await audiences.of('C1');
    expect(slack.called('conversations.members')).toBe(3);
  });

  it('is the one person in a direct message, without a call', async () => {
    const { slack, audiences } = begin({ members: [] });
    expect(counted(await audiences.of('D1'))).toEqual({ ...known, members: 1 });
    expect(slack.calls).toEqual([]);
  });
});

describe('the list of people', () => {
  it('is waited for where too many people would need a call each, and the question is tried again', async () => {
    const { directory, audiences } = begin({ members: many('M', 51) });
    await expect(audiences.of('C1')).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 2_000 });
    await directory.tend();
    expect(counted(await audiences.of('C1'))).toEqual({ ...known, members: 51 });
  });

  it('is read further where Slack asked to wait, and again after a quarter of an hour', async () => {
    const { slack, directory } = begin({ members: [], listed: many('M', 30), pageSize: 10 });
    const pages = slack.replies['users.list'];
    slack.replies['users.list'] = (args) => {
      if (args.get('cursor') === '20') return { error: 'ratelimited' };
      return typeof pages === 'function' ? pages(args) : {};
    };
    await directory.tend();
    expect([directory.state(), directory.find('M0')]).toEqual(['reading', undefined]);
    if (pages !== undefined) slack.replies['users.list'] = pages;
    await directory.tend();
    expect([directory.state(), directory.find('M0')]).toEqual([
      'ready',
      expect.objectContaining({ kind: 'member', organizationId: 'T1' }),
    ]);
    expect(slack.called('users.list')).toBe(4);
    await directory.tend();
    expect(slack.called('users.list')).toBe(4);
    slack.pass(15 * 60_000);
    await directory.tend();
    expect(slack.called('users.list')).toBe(7);
  });

  it('is not used any more when it is old', async () => {
    const { slack, directory } = begin({ members: [], listed: ['M1'] });
    await directory.tend();
    slack.replies['users.list'] = { error: 'internal_error' };
    slack.pass(19 * 60_000);
    await directory.tend();
    expect(directory.find('M1')).toBeDefined();
    slack.pass(60_000);
    expect([directory.state(), directory.find('M1')]).toEqual(['reading', undefined]);
  });

  it('is not used where Slack gives none, and asked for again later', async () => {
    const { slack, directory, audiences } = begin({ members: ['M1', 'G1'] });
    const pages = slack.replies['users.list'];
    slack.replies['users.list'] = { error: 'missing_scope' };
    await directory.tend();
    expect(directory.state()).toBe('none');
    expect(counted(await audiences.of('C1'))).toEqual({ ...known, members: 1, guests: 1 });
    await directory.tend();
    expect(slack.called('users.list')).toBe(1);
    if (pages !== undefined) slack.replies['users.list'] = pages;
    slack.pass(15 * 60_000);
    await directory.tend();
    expect(directory.state()).toBe('ready');
  });

  it('is not used where it would be too long', async () => {
    const { slack, directory } = begin({ members: [], listed: many('M', 101), pageSize: 1 });
    await directory.tend();
    expect(directory.state()).toBe('none');
    slack.pass(60 * 60_000);
    await directory.tend();
    expect(slack.called('users.list')).toBe(100);
  });
});

it('an audience is of insiders only where there are no others and no others may join', () => {
  const only = { ...known, members: 3 };
  expect(isInsidersOnly(only)).toBe(true);
  for (const more of [{ guests: 1 }, { outsiders: 1 }, { organizations: 1 }, { isKnown: false }]) {
    expect(isInsidersOnly({ ...only, ...more })).toBe(false);
  }
});

describe('the names of the other readers', () => {
  it('are listed up to a thousand, and beyond that only counted', async () => {
    expect((await idsOf({ members: [...many('M', 5), ...many('G', 1_000)] }))?.guests).toHaveLength(1_000);
    const more = { members: [...many('M', 5), ...many('G', 1_001)] };
    expect(await audienceOf(more)).toEqual({ ...known, members: 5, guests: 1_001 });
    expect(await idsOf(more)).toBeUndefined();
  });

  it('include outsiders and their organizations', async () => {
    const members = [...many('G', 997), 'OA1', 'OA2', 'OB1'];
    const told = await idsOf({ members: members.slice(2) });
    expect(told).toMatchObject({ outsiders: ['OA1', 'OA2', 'OB1'], organizations: ['T-OA', 'T-OB'] });
    expect(await idsOf({ members })).toBeUndefined();
  });

  it('are not listed where a reader or the channel is unknown', async () => {
    expect(await idsOf({ members: ['M1', 'G1', 'X1'], listed: ['M1', 'G1'] })).toBeUndefined();
    const { slack, audiences } = begin({ members: ['M1', 'G1'] });
    slack.replies['conversations.info'] = { error: 'missing_scope' };
    expect(await audiences.of('C1')).not.toHaveProperty('ids');
  });

  it('include organizations without a member in the channel, each once', async () => {
    const { slack, audiences } = begin({ members: ['M1', 'OA1'] });
    const shared = (...ids: string[]) => ({ channel: { id: 'C1', is_ext_shared: true, shared_team_ids: ids } });
    slack.replies['conversations.info'] = shared('T-OA', 'T7', 'T7');
    expect(await audiences.of('C1')).toMatchObject({ organizations: 2, ids: { organizations: ['T-OA', 'T7'] } });
    slack.pass(60_000);
    slack.replies['conversations.info'] = shared();
    expect(await audiences.of('C1')).toMatchObject({ organizations: 1, ids: { organizations: ['T-OA'] } });
  });

  it('are not listed where Slack names no organization that a channel is shared with or offered to', async () => {
    const { slack, audiences } = begin({ members: ['M1'] });
    const channel = { id: 'C1', is_ext_shared: false, is_pending_ext_shared: true, shared_team_ids: [] };
    slack.replies['conversations.info'] = { channel };
    const audience = await audiences.of('C1');
    expect(audience).toMatchObject({ organizations: 1, isKnown: true });
    expect(audience.ids).toBeUndefined();
  });

  it('leave the count of organizations as it is where no readers are listed', async () => {
    const { slack, audiences } = begin({ members: ['M1', 'X1'], listed: ['M1'] });
    slack.replies['conversations.info'] = { channel: { id: 'C1', is_ext_shared: true, shared_team_ids: ['T7', 'T8'] } };
    const audience = await audiences.of('C1');
    expect(audience).toMatchObject({ organizations: 2, isKnown: false });
    expect(audience).not.toHaveProperty('ids');
  });
});

describe('people who are not listed', () => {
  it('are asked for one by one up to fifty, where there is no list', async () => {
    const { slack, directory, audiences } = begin({ members: many('M', 50) });
    slack.replies['users.list'] = { error: 'missing_scope' };
    await directory.tend();
    expect(await audiences.of('C1')).toMatchObject({ members: 50, isKnown: true });
    const larger = begin({ members: many('M', 51) });
    larger.slack.replies['users.list'] = { error: 'missing_scope' };
    await larger.directory.tend();
    expect(await larger.audiences.of('C1')).toMatchObject({ members: 0, isKnown: false });
    expect(larger.slack.called('users.info')).toBe(0);
  });

  it('are asked for at once where they are five, while the list is being read', async () => {
    const { slack, audiences } = begin({ members: many('M', 5) });
    expect(await audiences.of('C1')).toMatchObject({ members: 5, isKnown: true });
    expect(slack.called('users.info')).toBe(5);
  });

  it('are not asked for where the list arrives while it is waited for', async () => {
    const { slack, directory, audiences } = begin({ members: many('M', 6) });
    const asked = audiences.of('C1');
    await directory.tend();
    expect(await asked).toMatchObject({ members: 6, isKnown: true });
    expect(slack.called('users.info')).toBe(0);
  });
});

describe('the members of a channel', () => {
  it('are read in pages of nine hundred, without the app', async () => {
    const { slack, audiences } = begin({ members: ['UBOT', 'M1'] });
    expect(await audiences.of('C1')).toMatchObject({ members: 1 });
    const [call] = slack.calls.filter(({ method }) => method === 'conversations.members');
    expect([call?.args.get('channel'), call?.args.get('limit'), call?.args.get('cursor')]).toEqual(['C1', '900', null]);
    expect(slack.called('users.info')).toBe(1);
  });

  it('are read from twenty pages, and not from more', async () => {
    expect(await audienceOf({ members: many('M', 20), pageSize: 1 })).toMatchObject({ members: 20, isKnown: true });
    expect(await audienceOf({ members: many('M', 21), pageSize: 1 })).toMatchObject({ members: 0, isKnown: false });
  });
});
