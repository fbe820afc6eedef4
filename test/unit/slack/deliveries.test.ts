import { describe, expect, it } from 'vitest';
import {
  endedInstallationIdsOf,
  installationIdsOf,
  mentionedIdsOf,
  tellNotInstalled,
} from '../../../src/slack/install/deliveries.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const authorization = (more: Record<string, unknown>) => ({
  enterprise_id: null,
  team_id: 'T1',
  is_enterprise_install: false,
  ...more,
});

describe('the installation of a delivery', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['an event', { team_id: 'T9', authorizations: [authorization({})] }, ['T1', 'T9']],
    ['an event without authorizations', { team_id: 'T1' }, ['T1']],
    [
      'an event for an organization',
      { team_id: 'T1', authorizations: [authorization({ enterprise_id: 'E1', is_enterprise_install: true })] },
      ['E1'],
    ],
    [
      'an event for a workspace of an organization that installed it alone',
      { team_id: 'T1', enterprise_id: 'E1', authorizations: [authorization({ enterprise_id: 'E1' })] },
      ['T1'],
    ],
    ['a command', { team_id: 'T1', command: '/deepsearch', is_enterprise_install: 'false' }, ['T1']],
    [
      'a command for an organization',
      { team_id: 'T1', enterprise_id: 'E1', command: '/deepsearch', is_enterprise_install: 'true' },
      ['E1'],
    ],
    ['an action', { type: 'block_actions', team: { id: 'T1' }, user: { team_id: 'T1' } }, ['T1']],
    [
      'an action of a person of another workspace, on a message of the app',
      { type: 'block_actions', team: { id: 'T9' }, user: { team_id: 'T9' }, message: { team: 'T1' } },
      ['T1', 'T9'],
    ],
    [
      'a shortcut on a message of a person of another workspace',
      { type: 'message_action', team: { id: 'T1' }, user: { team_id: 'T1' }, message: { team: 'T9' } },
      ['T1'],
    ],
    [
      'an action for an organization, which has no team',
      { type: 'block_actions', team: null, enterprise: { id: 'E1' }, is_enterprise_install: true },
      ['E1'],
    ],
    [
      'a form that was opened in another workspace',
      { type: 'view_submission', team: { id: 'T9' }, view: { app_installed_team_id: 'T1' } },
      ['T1', 'T9'],
    ],
    [
      'what a person of another organization says in a channel of several',
      {
        ...{ team_id: 'T1', is_ext_shared_channel: true, authorizations: [authorization({ team_id: 'T1' })] },
        event: { type: 'app_mention', text: '<@UBOT2> where?', user_team: 'T2', team: 'T1' },
      },
      ['T2', 'T1'],
    ],
    ['no organization although it says so', { team_id: 'T1', is_enterprise_install: true }, []],
    ['ids of another type', { team_id: 7, team: 'T1' }, []],
  ])('is found for %s', (_, body, ids) => {
    expect(installationIdsOf(body)).toEqual(ids);
  });

  it('is also told by whom the message mentions', () => {
    const event = { type: 'message', text: 'hey <@UBOT1> and <@W2|two> <#C1>, not `<@UBOT3>` or ```\n<@UBOT4>```' };
    expect(mentionedIdsOf({ is_ext_shared_channel: true, event })).toEqual(['UBOT1', 'W2']);
    for (const body of [
      undefined,
      {},
      { event },
      { is_ext_shared_channel: false, event },
      { event: { type: 'message' } },
    ])
      expect(mentionedIdsOf(body)).toEqual([]);
  });

  it.each([undefined, null, 'T1', []])('is unknown for %j', (body) => {
    expect(installationIdsOf(body)).toEqual([]);
  });
});

describe('the installations that an event may end', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['of a workspace', { team_id: 'T1', authorizations: [authorization({})] }, ['T1']],
    ['that names no authorization any more', { team_id: 'T1', enterprise_id: 'E1', authorizations: [] }, ['T1', 'E1']],
    [
      'of an organization',
      { team_id: 'T1', authorizations: [authorization({ enterprise_id: 'E1', is_enterprise_install: true })] },
      ['E1', 'T1'],
    ],
  ])('are those of an event %s', (_, body, ids) => {
    expect(endedInstallationIdsOf(body)).toEqual(ids);
  });

  it('are unknown for what is no delivery', () => {
    expect(endedInstallationIdsOf(undefined)).toEqual([]);
  });
});

const text = 'Deep Search is not installed in this workspace. Ask an admin of the workspace to install it.';
const trigger = { trigger_id: '1.2.3', team: { id: 'T9' }, user: { id: 'U1' } };

it.each<[string, Record<string, unknown>, string[]]>([
  ['a command', { command: '/deepsearch' }, ['acknowledged with text']],
  ['a form', { type: 'view_submission', ...trigger, view: {} }, ['acknowledged with a view']],
  [
    'a shortcut on a message',
    { type: 'message_action', ...trigger, response_url: 'https://hooks.slack.com/app/1' },
    ['acknowledged', 'posted to the response_url'],
  ],
  [
    'a global shortcut in an organization with the app',
    { type: 'shortcut', ...trigger, enterprise: { id: 'E1' } },
    ['acknowledged', 'opened a modal'],
  ],
  [
    'a global shortcut in another organization',
    { type: 'shortcut', ...trigger, enterprise: { id: 'E9' } },
    ['acknowledged'],
  ],
  ['an event', { type: 'event_callback', event: { type: 'message' } }, ['acknowledged']],
])('%s from a workspace without the app is answered as far as Slack lets the app', async (_, body, expected) => {
  const done: string[] = [];
  const note = (what: string, said: unknown) => {
    if (said !== undefined) expect(JSON.stringify(said)).toContain(text);
    done.push(what);
  };
  await tellNotInstalled(
    {
      outbound: {
        fetch: async (_url, init) => {
          note('posted to the response_url', JSON.parse(String(init?.body)));
          return new Response('ok');
        },
      },
      slackApiUrl: 'https://slack.com/api/',
      openModal: async (id, modal) => {
        if (id === 'E1') note('opened a modal', modal);
      },
      log: createRecordingLog().log,
    },
    {
      body,
      ack: async (response) => {
        const kind = typeof response === 'object' && 'view' in response ? ' with a view' : ' with text';
        note(`acknowledged${response === undefined ? '' : kind}`, response);
      },
    },
  );
  expect(done).toEqual(expected);
});
