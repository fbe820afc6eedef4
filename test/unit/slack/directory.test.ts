import { expect, test } from 'vitest';
import { createDirectory } from '../../../src/slack/people/directory.ts';
import { createGatehouse } from '../../../src/slack/people/gatehouse.ts';
import { createScriptedSlack } from '../../support/fake-slack/web-api-replies.ts';

const identity = { teamId: 'T1', botUserId: 'UBOT' };
const minuteMs = 60_000;

function user(id: string, more: Record<string, unknown> = {}) {
  return { id, team_id: 'T1', name: id, locale: 'de-DE', is_restricted: false, is_ultra_restricted: false, ...more };
}

/** A change as Slack tells it: without the language. */
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
  return { slack, ...createGatehouse({ ...slack.deps, identity, settings }) };
}

test('a list is read every 15 minutes, and not believed after 20', async () => {
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

test('who is made a guest is one at once, listed and asked for, in the language known before', async () => {
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

test('of whom the change tells too little, they are asked about again', async () => {
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

test('whom nobody asked about is not remembered for a change, and asked about with their language', async () => {
  const { people, noteChanged } = begin();
  noteChanged(changed('U9'));
  expect((await people.person('U9')).locale).toBe('de-DE');
});

test('a change is newer than the list that is being read', async () => {
  const slack = createScriptedSlack();
  const directory = createDirectory({ ...slack.deps, identity });
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
