import { describe, expect, test } from 'vitest';
import { createAccessControl } from '../../../src/slack/access/access-control.ts';
import { createMemberships } from '../../../src/slack/access/membership.ts';
import { createDirectory } from '../../../src/slack/access/users.ts';
import { createScriptedSlack, type Reply } from '../../support/fake-slack/web-api-replies.ts';
import { createMemoryRecords } from '../../support/memory-records.ts';

const minuteMs = 60_000;

function user(id: string, more: Record<string, unknown> = {}) {
  return { id, team_id: 'T1', name: id, locale: 'de-DE', is_restricted: false, is_ultra_restricted: false, ...more };
}

/** The user object of a change event, which has no language. */
function changed(id: string, more: Record<string, unknown> = {}) {
  const { locale: _, ...told } = user(id, more);
  return told;
}

function begin() {
  const slack = createScriptedSlack({
    'users.list': { members: [user('U1'), user('U2')] },
    'users.info': (args) => ({ user: user(args.get('user') ?? '') }),
  });
  const settings = { open: [], allowed: [], refused: [] };
  return { slack, ...createAccessControl({ ...slack.deps, settings, channelSettings: createMemoryRecords() }) };
}

test('every call is counted under its name, as one without a waiting person', async () => {
  const counted: string[] = [];
  const slack = createScriptedSlack(
    {
      'users.list': { members: [] },
      'users.info': (args) => ({ user: user(args.get('user') ?? '') }),
      'conversations.info': { channel: { id: 'C1', is_private: true } },
      'conversations.members': { members: ['U1'] },
    },
    undefined,
    (method, { priority }) => void counted.push(`${method} ${priority}`),
  );
  const settings = { open: [], allowed: [], refused: [] };
  const { directory, audiences, people } = createAccessControl({
    ...slack.deps,
    settings,
    channelSettings: createMemoryRecords(),
  });
  await directory.tend();
  await audiences.of('C1');
  await createMemberships({ ...slack.deps, people }).of('U1', 'C1');
  expect(counted.toSorted()).toEqual(slack.calls.map(({ method }) => `${method} private`).toSorted());
  expect(new Set(counted).size).toBe(4);
});

test('a list is read every 15 minutes, and not used after 20', async () => {
  const { slack, directory } = begin();
  await directory.tend();
  slack.replies['users.list'] = { error: 'internal_error' };
  slack.pass(15 * minuteMs);
  await directory.tend();
  expect(slack.called('users.list')).toBe(2);
  slack.pass(5 * minuteMs - 1);
  expect(directory.find('U1')?.kind).toBe('member');
  slack.pass(1);
  expect(directory.find('U1')).toBeUndefined();
  expect(directory.state()).toBe('reading');
});

test('a person who becomes a guest counts as one at once, listed and asked for, in the language known before', async () => {
  const { slack, directory, people, noteChanged } = begin();
  await directory.tend();
  expect((await people.person('U1')).kind).toBe('member');
  noteChanged(changed('U1', { is_restricted: true }));
  expect(directory.find('U1')).toMatchObject({ kind: 'guest', locale: 'de-DE' });
  expect(await people.person('U1')).toMatchObject({ kind: 'guest', locale: 'de-DE' });
  noteChanged(changed('U1', { deleted: true }));
  expect(directory.find('U1')?.kind).toBe('gone');
  expect((await people.person('U1')).kind).toBe('gone');
  expect(slack.called('users.info')).toBe(1);
});

test('a person is asked about again where a change says too little', async () => {
  const { slack, directory, people, noteChanged } = begin();
  await directory.tend();
  for (const [id, told] of [
    ['U1', { id: 'U1' }],
    ['U2', changed('U2', { is_restricted: 'yes' })],
  ] as const) {
    await people.person(id);
    noteChanged(told);
    expect(directory.find(id)).toBeUndefined();
    const asked = slack.called('users.info');
    await people.person(id);
    expect(slack.called('users.info')).toBe(asked + 1);
  }
  for (const odd of [undefined, null, 'U1', {}, { id: 7 }]) noteChanged(odd);
});

test('a person without an earlier request is not remembered for a change, and asked about with their language', async () => {
  const { people, noteChanged } = begin();
  noteChanged(changed('U9'));
  expect((await people.person('U9')).locale).toBe('de-DE');
});

test('a change is newer than the list that is being read', async () => {
  const slack = createScriptedSlack();
  const directory = createDirectory(slack.deps);
  slack.replies['users.list'] = () => {
    directory.note('U1', { userId: 'U1', name: 'U1', kind: 'guest' });
    directory.note('U3', { userId: 'U3', name: 'U3', kind: 'member' });
    return { members: [user('U1'), user('U2')] };
  };
  await directory.tend();
  expect(directory.find('U1')?.kind).toBe('guest');
  expect(directory.find('U2')?.kind).toBe('member');
  expect(directory.find('U3')).toBeUndefined();
});

/** One page for each list of users. The last page is the end of the list. */
function pages(...lists: Record<string, unknown>[][]): Reply {
  return (args) => {
    const page = Number(args.get('cursor') ?? 0);
    const next = page + 1 < lists.length ? String(page + 1) : '';
    return { members: lists[page] ?? [], response_metadata: { next_cursor: next } };
  };
}

describe('the list of all people', () => {
  function listing(reply: Reply) {
    const slack = createScriptedSlack({ 'users.list': reply });
    return { slack, directory: createDirectory(slack.deps) };
  }

  test('comes from all pages, with the language of each person', async () => {
    const { slack, directory } = listing(pages([user('U1')], [user('U2')], [user('U3')]));
    expect([directory.state(), directory.find('U1')]).toEqual(['reading', undefined]);
    await directory.tend();
    expect(directory.state()).toBe('ready');
    expect(['U1', 'U2', 'U3', 'U4'].map((id) => directory.find(id)?.locale)).toEqual([
      'de-DE',
      'de-DE',
      'de-DE',
      undefined,
    ]);
    expect(slack.calls.map(({ args }) => [args.get('limit'), args.get('include_locale'), args.get('cursor')])).toEqual([
      ['500', 'true', null],
      ['500', 'true', '1'],
      ['500', 'true', '2'],
    ]);
  });

  test('leaves out people that Slack says too little about, so that they are asked about', async () => {
    const unknown = user('U2', { is_admin: undefined, is_restricted: undefined });
    const { directory } = listing({ members: [user('U1'), unknown, 'odd', { id: 7 }] });
    await directory.tend();
    expect([directory.find('U1')?.kind, directory.find('U2')]).toEqual(['member', undefined]);
  });

  test('is empty where Slack names no people', async () => {
    const { directory } = listing({});
    await directory.tend();
    expect([directory.state(), directory.find('U1')]).toEqual(['ready', undefined]);
  });

  test('is read once for all who request it at the same time', async () => {
    const { slack, directory } = listing({ members: [] });
    await Promise.all([directory.tend(), directory.tend()]);
    expect(slack.calls).toHaveLength(1);
  });

  test('is continued where Slack asked to wait, and restarted after a cursor that Slack does not know any more', async () => {
    const { slack, directory } = listing(pages([user('U1')], [user('U2')]));
    const whole = slack.replies['users.list'] ?? {};
    const failingAt =
      (cursor: string | null, error: string): Reply =>
      (args) => {
        if (args.get('cursor') === cursor) return { error };
        return typeof whole === 'function' ? whole(args) : whole;
      };
    const cursors = (): (string | null)[] => slack.calls.splice(0).map(({ args }) => args.get('cursor'));
    slack.replies['users.list'] = failingAt('1', 'ratelimited');
    await directory.tend();
    expect([cursors(), directory.state()]).toEqual([[null, '1'], 'reading']);
    slack.replies['users.list'] = failingAt('1', 'invalid_cursor');
    await directory.tend();
    expect([cursors(), directory.state()]).toEqual([['1'], 'reading']);
    slack.replies['users.list'] = whole;
    await directory.tend();
    expect([cursors(), directory.state()]).toEqual([[null, '1'], 'ready']);
  });

  test('is requested again as soon as Slack accepts the token again', async () => {
    const { slack, directory } = listing({ error: 'token_revoked' });
    await directory.tend();
    expect(directory.state()).toBe('reading');
    slack.replies['users.list'] = { members: [user('U1')] };
    await directory.tend();
    expect(directory.find('U1')?.kind).toBe('member');
  });

  test('is missing for a quarter of an hour where Slack refuses it, while the old one counts until it is too old', async () => {
    const { slack, directory } = listing({ members: [user('U1')] });
    await directory.tend();
    slack.replies['users.list'] = { error: 'missing_scope' };
    slack.pass(15 * minuteMs);
    await directory.tend();
    expect([directory.state(), directory.find('U1')?.kind]).toEqual(['ready', 'member']);
    slack.pass(5 * minuteMs);
    expect([directory.state(), directory.find('U1')]).toEqual(['none', undefined]);
    await directory.tend();
    expect(slack.calls).toHaveLength(2);
    slack.pass(10 * minuteMs);
    expect(directory.state()).toBe('reading');
    await directory.tend();
    expect(slack.calls).toHaveLength(3);
  });

  test('of a hundred pages is read, and a longer one is never read again', async () => {
    const single = Array.from({ length: 100 }, (_, index) => [user(`U${index}`)]);
    const whole = listing(pages(...single));
    await whole.directory.tend();
    expect(whole.directory.find('U99')?.kind).toBe('member');
    const long = listing(pages(...single, [user('U100')]));
    await long.directory.tend();
    long.slack.pass(365 * 24 * 60 * minuteMs);
    await long.directory.tend();
    expect([long.directory.state(), long.slack.calls.length]).toEqual(['none', 100]);
  });

  test.each<[string, Reply]>([
    ['is read', { members: [] }],
    ['is refused', { error: 'missing_scope' }],
  ])('is ready when the first one %s, and not before', async (_, reply) => {
    const { directory } = listing(reply);
    let isSettled = false;
    const settled = directory.settled(60_000).then(() => {
      isSettled = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).toBe(false);
    await directory.tend();
    await settled;
  });

  test('is not waited for beyond a limit', async () => {
    const { directory } = listing({ members: [] });
    await directory.settled(1);
    expect(directory.state()).toBe('reading');
  });

  test('drops a person who is reported as gone while it is read, and names no person it did not list', async () => {
    const { slack, directory } = listing({ members: [] });
    slack.replies['users.list'] = () => {
      directory.note('U1', undefined);
      return { members: [user('U1'), user('U2')] };
    };
    await directory.tend();
    expect([directory.find('U1'), directory.find('U2')?.kind]).toEqual([undefined, 'member']);
    directory.note('U2', undefined);
    directory.note('U9', { userId: 'U9', name: 'nine', kind: 'member' });
    expect([directory.find('U2'), directory.find('U9')]).toEqual([undefined, undefined]);
  });
});
