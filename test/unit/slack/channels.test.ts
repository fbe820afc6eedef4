import { describe, expect, it } from 'vitest';
import { type ChannelKind, createChannels, readChannel } from '../../../src/slack/access/channels.ts';
import { createScriptedSlack } from '../../support/fake-slack/web-api-replies.ts';

/** A channel, as in docs.slack.dev/reference/objects/conversation-object. */
const internal = {
  id: 'C1',
  name: 'general',
  is_channel: true,
  is_private: false,
  is_shared: false,
  is_ext_shared: false,
  is_org_shared: false,
  is_pending_ext_shared: false,
};

describe('reading a channel', () => {
  it.each<[string, ChannelKind, Record<string, unknown>]>([
    ['of the workspace', 'internal', {}],
    ['shared within the organization', 'internal', { is_shared: true, is_org_shared: true }],
    ['shared with others', 'shared', { is_shared: true, is_ext_shared: true }],
    ['to which others are invited', 'shared', { is_pending_ext_shared: true }],
    ['with only its invitation known', 'shared', { is_ext_shared: undefined, is_pending_ext_shared: true }],
    ['with nothing known about sharing', 'unknown', { is_ext_shared: undefined, is_shared: undefined }],
    ['with no information except that it is not shared', 'unknown', { is_ext_shared: undefined }],
    ['with nothing known about invitations', 'unknown', { is_pending_ext_shared: undefined }],
    [
      'shared with others, with nothing known about invitations,',
      'shared',
      { is_ext_shared: true, is_pending_ext_shared: undefined },
    ],
    ['shared with unknown others', 'unknown', { is_ext_shared: undefined, is_shared: true }],
    ['with an odd flag', 'unknown', { is_ext_shared: 'true' }],
    ['with the flag null', 'unknown', { is_ext_shared: null }],
    ['other than the one asked for', 'unknown', { id: 'C2' }],
  ])('classifies one %s as %s', (_, kind, change) => {
    expect(readChannel('C1', { ...internal, ...change }).kind).toBe(kind);
  });

  it.each<[string, ChannelKind, Record<string, unknown>]>([
    ['with nothing known about sharing', 'internal', { is_ext_shared: undefined, is_pending_ext_shared: undefined }],
    ['shared with others', 'shared', { is_ext_shared: true }],
    ['with an odd flag', 'unknown', { is_ext_shared: 'true' }],
  ])('classifies, with a stand-in for Slack, one %s as %s', (_, kind, change) => {
    expect(readChannel('C1', { ...internal, ...change }, { isStandIn: true }).kind).toBe(kind);
  });

  it.each([[undefined], [null], ['C1'], [{}]])('finds nothing in %j', (raw) => {
    expect(readChannel('C1', raw)).toEqual({ id: 'C1', kind: 'unknown' });
  });
});

describe('the other organizations in a channel', () => {
  const shared = {
    ...internal,
    is_ext_shared: true,
    shared_team_ids: ['T1', 'T2'],
    connected_team_ids: ['T3', 'T2', 'E1'],
    internal_team_ids: ['T9'],
    pending_connected_team_ids: ['T4', 'T9'],
    pending_shared: ['T5'],
  };

  it('are all those in it or invited, each once, without the app’s', () => {
    const { organizationIds } = readChannel('C1', shared, { teamId: 'T1', enterpriseId: 'E1' });
    expect(organizationIds?.toSorted()).toEqual(['T2', 'T3', 'T4', 'T5']);
    expect(readChannel('C1', shared).organizationIds).toContain('T1');
  });

  it('leave out those that Slack names in an odd way, and do not exist for a channel that is not shared', () => {
    const odd = { shared_team_ids: 'T2', connected_team_ids: [7], internal_team_ids: null, pending_shared: ['T5'] };
    expect(readChannel('C1', { ...internal, is_ext_shared: true, ...odd }).organizationIds).toEqual(['T5']);
    expect(readChannel('C1', { ...shared, is_ext_shared: false })).not.toHaveProperty('organizationIds');
  });
});

describe('asking about channels', () => {
  function begin(reply: Record<string, unknown> = { channel: internal }) {
    const slack = createScriptedSlack({ 'conversations.info': reply });
    return { slack, channels: createChannels(slack.deps) };
  }

  it('makes one call a minute', async () => {
    const { slack, channels } = begin();
    expect(await channels.channel('C1')).toMatchObject({ id: 'C1', kind: 'internal', name: 'general' });
    slack.pass(59_999);
    await channels.channel('C1');
    expect(slack.calls).toHaveLength(1);
    slack.pass(1);
    await channels.channel('C1');
    expect(slack.calls).toHaveLength(2);
  });

  it('needs no call for direct messages', async () => {
    const { slack, channels } = begin();
    expect((await channels.channel('D1')).kind).toBe('direct');
    expect(slack.calls).toEqual([]);
  });

  it.each([
    ['channel_not_found', 'hidden'],
    ['missing_scope', 'unknown'],
    ['team_access_not_granted', 'unknown'],
    ['an_error_of_tomorrow', 'unknown'],
  ])('classifies it after %s as %s, and asks again', async (error, kind) => {
    const { slack, channels } = begin({ error });
    expect((await channels.channel('C1')).kind).toBe(kind);
    slack.replies['conversations.info'] = { channel: { ...internal, is_ext_shared: true } };
    expect((await channels.channel('C1')).kind).toBe('shared');
  });

  it.each([['internal_error'], ['ratelimited'], ['token_revoked']])('decides nothing after %s', async (error) => {
    await expect(begin({ error }).channels.channel('C1')).rejects.toMatchObject({ name: 'AppError' });
  });

  it('remembers the last two thousand channels that an event reported as shared, each for a minute', async () => {
    const { slack, channels } = begin();
    slack.replies['conversations.info'] = (args) => ({ channel: { ...internal, id: args.get('channel') } });
    const kindOf = async (index: number) => (await channels.channel(`C${index}`)).kind;
    for (let index = 0; index < 1_999; index += 1) channels.noteShared(`C${index}`);
    slack.pass(1);
    channels.noteShared('C1999');
    channels.noteShared('C2000');
    expect([await kindOf(0), await kindOf(1), await kindOf(2_000)]).toEqual(['internal', 'shared', 'shared']);
    slack.pass(59_999);
    expect([await kindOf(2), await kindOf(1_999), await kindOf(2_000)]).toEqual(['internal', 'shared', 'shared']);
  });

  it('names a channel only where everybody may know about it', () => {
    const named = { id: 'C1', name: 'layoffs', is_private: false };
    expect(readChannel('C1', named).name).toBe('layoffs');
    for (const change of [{ is_private: true }, { is_private: undefined }, { is_im: true }, { is_mpim: true }]) {
      expect(readChannel('C1', { ...named, ...change })).not.toHaveProperty('name');
    }
    for (const name of ['', 7, undefined]) expect(readChannel('C1', { ...named, name })).not.toHaveProperty('name');
  });

  it('treats a channel as shared for a minute after an event said so, and asks again then', async () => {
    const { slack, channels } = begin();
    await channels.channel('C1');
    channels.noteShared('C1');
    expect(await channels.channel('C1')).toMatchObject({ kind: 'shared', name: 'general' });
    slack.pass(60_000);
    expect((await channels.channel('C1')).kind).toBe('internal');
    expect(slack.calls).toHaveLength(2);
  });
});
