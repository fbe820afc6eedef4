import { describe, expect, it } from 'vitest';
import { type ChannelKind, createChannels, readChannel } from '../../../src/slack/access/channels.ts';
import { createScriptedSlack } from '../../support/fake-slack/web-api-replies.ts';

/** A channel as docs.slack.dev/reference/objects/conversation-object shows one. */
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

describe('what a channel is', () => {
  it.each<[string, ChannelKind, Record<string, unknown>]>([
    ['of the workspace', 'internal', {}],
    ['shared within the organization', 'internal', { is_shared: true, is_org_shared: true }],
    ['shared with others', 'shared', { is_shared: true, is_ext_shared: true }],
    ['to which others are invited', 'shared', { is_pending_ext_shared: true }],
    ['of which only the invitation is told', 'shared', { is_ext_shared: undefined, is_pending_ext_shared: true }],
    ['of which sharing is not told', 'unknown', { is_ext_shared: undefined, is_shared: undefined }],
    ['of which it is only told that nobody shares it', 'unknown', { is_ext_shared: undefined }],
    ['of which invitations are not told', 'unknown', { is_pending_ext_shared: undefined }],
    [
      'shared with others, of which invitations are not told',
      'shared',
      { is_ext_shared: true, is_pending_ext_shared: undefined },
    ],
    ['shared with nobody knows whom', 'unknown', { is_ext_shared: undefined, is_shared: true }],
    ['with an odd flag', 'unknown', { is_ext_shared: 'true' }],
    ['with a flag that is nothing', 'unknown', { is_ext_shared: null }],
    ['another than was asked for', 'unknown', { id: 'C2' }],
  ])('%s: %s', (_, kind, change) => {
    expect(readChannel('C1', { ...internal, ...change }).kind).toBe(kind);
  });

  it.each<[string, ChannelKind, Record<string, unknown>]>([
    ['of which sharing is not told', 'internal', { is_ext_shared: undefined, is_pending_ext_shared: undefined }],
    ['shared with others', 'shared', { is_ext_shared: true }],
    ['with an odd flag', 'unknown', { is_ext_shared: 'true' }],
  ])('by a stand-in for Slack, %s: %s', (_, kind, change) => {
    expect(readChannel('C1', { ...internal, ...change }, { isStandIn: true }).kind).toBe(kind);
  });

  it.each([[undefined], [null], ['C1'], [{}]])('is not known from %j', (raw) => {
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

  it('are all that are in it or invited, each once, but those of the app', () => {
    const { organizationIds } = readChannel('C1', shared, { teamId: 'T1', enterpriseId: 'E1' });
    expect(organizationIds?.toSorted()).toEqual(['T2', 'T3', 'T4', 'T5']);
    expect(readChannel('C1', shared).organizationIds).toContain('T1');
  });

  it('are none that Slack tells in an odd way, and none of a channel that is not shared', () => {
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

  it('asks once a minute', async () => {
    const { slack, channels } = begin();
    expect(await channels.channel('C1')).toEqual({ id: 'C1', kind: 'internal', name: 'general' });
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
  ])('after %s it is %s, and asked for anew', async (error, kind) => {
    const { slack, channels } = begin({ error });
    expect((await channels.channel('C1')).kind).toBe(kind);
    slack.replies['conversations.info'] = { channel: { ...internal, is_ext_shared: true } };
    expect((await channels.channel('C1')).kind).toBe('shared');
  });

  it.each([['internal_error'], ['ratelimited'], ['token_revoked']])('after %s nothing is decided', async (error) => {
    await expect(begin({ error }).channels.channel('C1')).rejects.toMatchObject({ name: 'AppError' });
  });

  it('remembers two thousand channels that an event called shared, and makes room when their minute is over', async () => {
    const { slack, channels } = begin();
    slack.replies['conversations.info'] = (args) => ({ channel: { ...internal, id: args.get('channel') } });
    const kindOf = async (index: number) => (await channels.channel(`C${index}`)).kind;
    for (let index = 0; index < 1_999; index += 1) channels.noteShared(`C${index}`);
    slack.pass(1);
    channels.noteShared('C1999');
    channels.noteShared('C2000');
    expect([await kindOf(0), await kindOf(1_999), await kindOf(2_000)]).toEqual(['shared', 'shared', 'internal']);
    slack.pass(59_999);
    channels.noteShared('C2000');
    expect([await kindOf(0), await kindOf(1_999), await kindOf(2_000)]).toEqual(['internal', 'shared', 'shared']);
  });

  it('names a channel only where everybody may know of it', () => {
    const named = { id: 'C1', name: 'layoffs', is_private: false };
    expect(readChannel('C1', named).name).toBe('layoffs');
    for (const change of [{ is_private: true }, { is_private: undefined }, { is_im: true }, { is_mpim: true }]) {
      expect(readChannel('C1', { ...named, ...change })).not.toHaveProperty('name');
    }
    for (const name of ['', 7, undefined]) expect(readChannel('C1', { ...named, name })).not.toHaveProperty('name');
  });

  it('takes a channel for shared for a minute after an event said so, and asks again then', async () => {
    const { slack, channels } = begin();
    await channels.channel('C1');
    channels.noteShared('C1');
    expect(await channels.channel('C1')).toMatchObject({ kind: 'shared', name: 'general' });
    slack.pass(60_000);
    expect((await channels.channel('C1')).kind).toBe('internal');
    expect(slack.calls).toHaveLength(2);
  });
});
