import { expect, it } from 'vitest';
import { tellNotInstalled } from '../../../src/slack/install/not-installed.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

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
