import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { people, team } from '../../../src/local-slack/people.ts';
import { createMemberships } from '../../../src/slack/access/membership.ts';
import type { SlackUser } from '../../../src/slack/access/users.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import { type FakeSlack, startFakeSlack } from '../../support/fake-slack/fake-slack.ts';
import { createUnlimitedSlackApi } from '../../support/fake-slack/unlimited-slack-api.ts';
import { createScriptedSlack, type Reply } from '../../support/fake-slack/web-api-replies.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

let slack: FakeSlack;

beforeEach(async () => {
  slack = await startFakeSlack();
});
afterEach(async () => {
  expect(slack.violations).toEqual([]);
  await slack.stop();
});

const kinds = new Map<string, SlackUser['kind']>([
  [people.mia, 'guest'],
  [people.olga, 'outsider'],
  [people.otto, 'gone'],
]);

function memberships(person = async (userId: string): Promise<SlackUser> => whoIs(userId)) {
  const { log } = createRecordingLog();
  const client = createWebClient(team.botToken, webClientOptions(slack.url, createLibraryLogger(log)));
  return createMemberships({ slack: createUnlimitedSlackApi(client), people: { person } });
}

function whoIs(userId: string): SlackUser {
  return { userId, name: 'somebody', kind: kinds.get(userId) ?? 'member' };
}

describe('the access of a person to a conversation', () => {
  it.each([
    [people.gerd, 'C0PUBLIC', 'open'],
    [people.ada, 'C0GENERAL', 'open'],
    [people.mia, 'C0GENERAL', 'none'],
    [people.olga, 'C0GENERAL', 'none'],
    [people.otto, 'C0GENERAL', 'none'],
    [people.olga, 'C0SHARED', 'member'],
    [people.mia, 'C0GUESTS', 'member'],
    [people.gerd, 'C0GUESTS', 'none'],
    [people.ada, 'C0PRIVATE', 'hidden'],
    [people.ada, 'D0ADA', 'member'],
    [people.ada, 'D0BOB', 'none'],
  ])('for %s in %s is %s', async (userId, channelId, reach) => {
    expect(await memberships().of(userId, channelId)).toBe(reach);
  });

  describe('according to Slack', () => {
    function scripted(replies: Record<string, Reply>, kind: SlackUser['kind'] = 'member') {
      const slack = createScriptedSlack(replies);
      const person = async (userId: string): Promise<SlackUser> => ({ userId, name: 'somebody', kind });
      return { slack, memberships: createMemberships({ ...slack.deps, people: { person } }) };
    }

    const members = { members: ['U1'] };

    it.each<[string, string, unknown, string, Reply]>([
      ['an open channel', 'open', { is_private: false }, 'U2', members],
      ['a channel that Slack does not report as open, for a member,', 'member', {}, 'U1', members],
      ['a channel that Slack does not report as open, for another person,', 'none', {}, 'U2', members],
      ['a group that Slack does not report as private', 'none', { is_private: false, is_mpim: true }, 'U2', members],
      ['a direct message of the person', 'member', { is_im: true, user: 'U1' }, 'U1', {}],
      ['a direct message of another person', 'none', { is_im: true, user: 'U2' }, 'U1', members],
      ['a direct message without a named person', 'member', { is_private: false, is_im: true }, 'U1', members],
      ['a reply without a conversation', 'none', 'C1', 'U1', members],
      ['a conversation with an odd flag', 'none', { is_private: 'no' }, 'U1', members],
      ['a channel whose members are hidden', 'hidden', {}, 'U1', { error: 'channel_not_found' }],
      ['a channel without a list of members', 'none', {}, 'U1', {}],
    ])('for %s is %s', async (_, reach, channel, userId, conversationMembers) => {
      const { memberships } = scripted({
        'conversations.info': { channel },
        'conversations.members': conversationMembers,
      });
      expect(await memberships.of(userId, 'C1')).toBe(reach);
    });

    it('does not exist for guests in an open channel, unless they are members', async () => {
      const { memberships } = scripted(
        { 'conversations.info': { channel: { is_private: false } }, 'conversations.members': members },
        'guest',
      );
      expect([await memberships.of('U1', 'C1'), await memberships.of('U2', 'C1')]).toEqual(['member', 'none']);
    });

    it('is looked up on every page of members, up to the twentieth', async () => {
      const paged =
        (last: number): Reply =>
        (args) => {
          const page = Number(args.get('cursor') ?? 1);
          const next = page < last ? String(page + 1) : '';
          return { members: [`U${page}`], response_metadata: { next_cursor: next } };
        };
      const short = scripted({ 'conversations.members': paged(3) });
      expect(await short.memberships.inChannel('U3', 'C1')).toBe('member');
      expect(await short.memberships.inChannel('U4', 'C1')).toBe('none');
      expect(short.slack.calls.map(({ args }) => [args.get('channel'), args.get('cursor')]).slice(0, 3)).toEqual([
        ['C1', null],
        ['C1', '2'],
        ['C1', '3'],
      ]);
      const long = scripted({ 'conversations.members': paged(99) });
      expect(await long.memberships.inChannel('U20', 'C1')).toBe('member');
      expect(await long.memberships.inChannel('U21', 'C1')).toBe('none');
      expect(long.slack.calls).toHaveLength(40);
    });

    it.each(['conversations.info', 'conversations.members'])('is undecided where %s fails', async (method) => {
      const { slack, memberships } = scripted({
        'conversations.info': { channel: {} },
        'conversations.members': members,
      });
      slack.replies[method] = { error: 'internal_error' };
      await expect(memberships.of('U1', 'C1')).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });

  it('is undecided while Slack does not say who a person is', async () => {
    const down = new AppError('unavailable', 'planned');
    await expect(memberships(() => Promise.reject(down)).of(people.ada, 'C0GENERAL')).rejects.toBe(down);
  });
});
