import { describe, expect, it } from 'vitest';
import { createUsers, localeOf, type PersonKind, readPerson, type SlackUser } from '../../../src/slack/access/users.ts';
import { createScriptedSlack } from '../../support/fake-slack/web-api-replies.ts';

const home = { teamId: 'T1' };
const grid = { teamId: 'T1', enterpriseId: 'E1' };

/** A full member, as in docs.slack.dev/reference/objects/user-object. */
const member = {
  id: 'U1',
  team_id: 'T1',
  name: 'ada',
  real_name: 'Ada Example',
  deleted: false,
  is_admin: false,
  is_restricted: false,
  is_ultra_restricted: false,
  is_bot: false,
  locale: 'de-DE',
  tz: 'Europe/Berlin',
  profile: { display_name: 'ada', real_name: 'Ada Example' },
};

describe('reading a person', () => {
  it.each<[string, PersonKind, Record<string, unknown>]>([
    ['a full member', 'member', {}],
    ['an admin', 'member', { is_admin: true }],
    ['a guest of several channels', 'guest', { is_restricted: true }],
    ['a guest of one channel', 'guest', { is_restricted: true, is_ultra_restricted: true }],
    ['a guest with only one flag', 'guest', { is_restricted: undefined, is_ultra_restricted: true }],
    ['a person of another workspace', 'outsider', { team_id: 'T2' }],
    ['a guest of another workspace', 'outsider', { team_id: 'T2', is_restricted: true }],
    ['a person of another workspace who is no stranger', 'outsider', { team_id: 'T2', is_stranger: false }],
    ['a stranger in any workspace', 'outsider', { is_stranger: true }],
    [
      'a person of another workspace of some organization',
      'outsider',
      { team_id: 'T2', enterprise_user: { enterprise_id: 'E1' } },
    ],
    ['a person without a workspace', 'unknown', { team_id: undefined }],
    ['a guest without a workspace', 'guest', { team_id: undefined, is_restricted: true }],
    ['a person without a guest flag', 'unknown', { is_restricted: undefined, is_ultra_restricted: undefined }],
    ['an admin without a guest flag', 'unknown', { is_admin: true, is_restricted: undefined }],
    ['a person with the first guest flag alone', 'unknown', { is_ultra_restricted: undefined }],
    ['a person with the second guest flag alone', 'unknown', { is_restricted: undefined }],
    ['an app without a guest flag', 'bot', { is_bot: true, is_restricted: undefined }],
    ['a person without a guest flag who left', 'gone', { deleted: true, is_restricted: undefined }],
    ['an app', 'bot', { is_bot: true }],
    ['a workflow', 'bot', { is_workflow_bot: true }],
    ['a person who left', 'gone', { deleted: true }],
    ['a guest who left', 'gone', { deleted: true, is_restricted: true }],
  ])('classifies %s as %s', (_, kind, change) => {
    expect(readPerson({ ...member, ...change }, home)?.kind).toBe(kind);
  });

  it.each<[string, PersonKind, Record<string, unknown>]>([
    [
      'of another workspace of the same organization',
      'member',
      { team_id: 'T2', enterprise_user: { enterprise_id: 'E1' } },
    ],
    ['known only to the organization', 'member', { team_id: undefined, enterprise_user: { enterprise_id: 'E1' } }],
    ['of another organization', 'outsider', { team_id: 'T2', enterprise_user: { enterprise_id: 'E2' } }],
    ['of a workspace without an organization', 'outsider', { team_id: 'T2' }],
    [
      'who is a guest of the same organization',
      'guest',
      { team_id: 'T2', enterprise_user: { enterprise_id: 'E1' }, is_restricted: true },
    ],
    ['of the workspace itself', 'member', {}],
  ])('classifies, on Enterprise Grid, a person %s as %s', (_, kind, change) => {
    expect(readPerson({ ...member, ...change }, grid)?.kind).toBe(kind);
  });

  it.each<[string, PersonKind, Record<string, unknown>]>([
    ['a person without a guest flag', 'member', { is_restricted: undefined, is_ultra_restricted: undefined }],
    ['a guest', 'guest', { is_restricted: true }],
    ['a person of another workspace', 'outsider', { team_id: 'T2', is_restricted: undefined }],
    ['a person without a workspace', 'unknown', { team_id: undefined, is_restricted: undefined }],
  ])('classifies, with a stand-in for Slack, %s as %s', (_, kind, change) => {
    expect(readPerson({ ...member, ...change }, { ...home, isStandIn: true })?.kind).toBe(kind);
  });

  it.each([
    [undefined],
    [null],
    ['U1'],
    [{}],
    [{ ...member, id: '' }],
    [{ ...member, is_restricted: 'true' }],
    [{ ...member, is_stranger: 1 }],
    [{ ...member, deleted: null }],
  ])('finds nothing in %j', (raw) => {
    expect(readPerson(raw, home)).toBeUndefined();
  });

  it('finds the organization before the workspace, and neither where Slack names none', () => {
    const belongs = (change: Record<string, unknown>) => readPerson({ ...member, ...change }, home)?.organizationId;
    expect(belongs({ enterprise_user: { enterprise_id: 'E1' } })).toBe('E1');
    expect(belongs({ enterprise_user: {} })).toBe('T1');
    expect(belongs({ enterprise_user: 'odd' })).toBe('T1');
    const nothing = { team_id: undefined, locale: undefined, tz: undefined };
    expect(readPerson({ ...member, ...nothing }, home)).toEqual({ userId: 'U1', name: 'ada', kind: 'unknown' });
  });

  it('finds the name as others see it, or the id where there is none', () => {
    expect(readPerson(member, home)).toEqual({
      userId: 'U1',
      name: 'ada',
      locale: 'de-DE',
      timeZone: 'Europe/Berlin',
      organizationId: 'T1',
      kind: 'member',
    });
    expect(readPerson({ ...member, profile: { display_name: '' } }, home)?.name).toBe('Ada Example');
    const inProfile = { ...member, real_name: undefined, profile: { display_name: 7, real_name: 'In the profile' } };
    expect(readPerson(inProfile, home)?.name).toBe('In the profile');
    expect(readPerson({ ...member, real_name: '', profile: 'odd' }, home)?.name).toBe('ada');
    const nameless = { ...member, profile: undefined, real_name: undefined, name: undefined };
    expect(readPerson(nameless, home)?.name).toBe('U1');
  });
});

const listed = (userId: string): SlackUser | undefined =>
  userId === 'ULISTED' ? { userId, name: 'listed', kind: 'guest' } : undefined;

describe('asking Slack about people', () => {
  function begin(reply: Record<string, unknown> = { user: member }) {
    const slack = createScriptedSlack({ 'users.info': reply }, { ...home, botUserId: 'UBOT' });
    return { slack, people: createUsers({ ...slack.deps, listed }) };
  }

  it('makes one call for all who ask at the same time, with the locale, and another after five minutes', async () => {
    const { slack, people } = begin();
    const [first, second] = await Promise.all([people.person('U1'), people.person('U1')]);
    expect(first).toBe(second);
    expect(slack.calls[0]?.args.get('include_locale')).toBe('true');
    slack.pass(299_999);
    await people.person('U1');
    expect(slack.calls).toHaveLength(1);
    slack.pass(1);
    await people.person('U1');
    expect(slack.calls).toHaveLength(2);
  });

  it('does not remember a failed call', async () => {
    const { slack, people } = begin({ error: 'internal_error' });
    await expect(people.person('U1')).rejects.toMatchObject({ kind: 'unavailable' });
    slack.replies['users.info'] = { user: member };
    await expect(people.person('U1')).resolves.toMatchObject({ kind: 'member' });
  });

  it('uses the list of people only while rate limits delay the call', async () => {
    const limited = begin({ error: 'ratelimited' });
    await expect(limited.people.person('ULISTED')).resolves.toMatchObject({ kind: 'guest' });
    await expect(limited.people.person('U1')).rejects.toMatchObject({ kind: 'rateLimited' });
    await expect(begin({ error: 'user_not_found' }).people.person('ULISTED')).rejects.toMatchObject({
      name: 'AppError',
    });
    await expect(begin({ error: 'internal_error' }).people.person('ULISTED')).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });

  it('applies changes of known people, and keeps their known language', async () => {
    const { slack, people } = begin();
    people.note('U1', { userId: 'U1', name: 'ada', kind: 'guest' });
    await expect(people.person('U1')).resolves.toMatchObject({ kind: 'member' });
    people.note('U1', { userId: 'U1', name: 'ada', kind: 'guest' });
    await expect(people.person('U1')).resolves.toEqual({ userId: 'U1', name: 'ada', kind: 'guest', locale: 'de-DE' });
    people.note('U1', { userId: 'U1', name: 'ada', kind: 'guest', locale: 'fr-FR' });
    await expect(people.person('U1')).resolves.toMatchObject({ locale: 'fr-FR' });
    expect(slack.calls).toHaveLength(1);
    people.note('U1', undefined);
    await expect(people.person('U1')).resolves.toMatchObject({ kind: 'member' });
    expect(slack.calls).toHaveLength(2);
  });

  it('refuses a reply about a different person', async () => {
    const { people } = begin();
    await expect(people.person('U2')).rejects.toMatchObject({ kind: 'refused' });
  });

  it('finds no language where Slack names none', async () => {
    expect(await localeOf(begin().people, 'U1')).toBe('de-DE');
    expect(await localeOf(begin({ error: 'user_not_found' }).people, 'U1')).toBeUndefined();
    expect(await localeOf({ person: () => new Promise(() => {}) }, 'U1')).toBeUndefined();
  });
});
