import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { type BackgroundTasks, createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import type { SlackContext } from '../../../src/slack/context.ts';
import { isResponseAddress, notify, respond } from '../../../src/slack/messages/private-messages.ts';
import { createScriptedSlack } from '../../support/fake-slack/web-api-replies.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const to = { channelId: 'C1', userId: 'U1' };
const notice = { kind: 'nothingToCancel' } as const;

/** A workspace in which each call to Slack does `send`. */
function workspace(tasks: Pick<BackgroundTasks, 'run'>, send: () => Promise<void>): SlackContext {
  return only<SlackContext>({
    slack: createScriptedSlack({ 'chat.postEphemeral': {} }, undefined, send).deps.slack,
    people: only({ person: async (userId) => ({ userId, name: userId, kind: 'member' }) }),
    tasks: only(tasks),
  });
}

it('a stop waits for a private message that is on its way, and for one that is still looked for', async () => {
  const tasks = createBackgroundTasks({ log: createRecordingLog().log });
  const sent: string[] = [];
  let send = (): void => undefined;
  const mayBeSent = new Promise<void>((resolve) => {
    send = resolve;
  });
  const s = workspace(tasks, async () => {
    await mayBeSent;
    sent.push('one');
  });
  notify(s, to, notice);
  notify(
    s,
    to,
    mayBeSent.then(() => notice),
  );
  const draining = tasks.drain(60_000);
  expect(sent).toEqual([]);
  send();
  await draining;
  expect(sent).toEqual(['one', 'one']);
});

it('a private message that does not arrive is reported, and not waited for again', async () => {
  const { log, lines } = createRecordingLog();
  const tasks = createBackgroundTasks({ log });
  notify(
    workspace(tasks, () => Promise.reject(new AppError('unavailable', 'no answer'))),
    to,
    notice,
  );
  await tasks.drain(2_000);
  expect(lines).toEqual([{ event: 'private_message_failed', channelId: 'C1' }]);
  await tasks.drain(2_000);
});

it('a private message that is never started harms nothing, also when it is not found', async () => {
  const s = workspace({ run: () => undefined }, async () => undefined);
  notify(s, to, notice);
  notify(s, to, Promise.reject(new AppError('storage', 'down')));
  await new Promise((resolve) => setImmediate(resolve));
});

const slack = 'https://slack.com/api/';

describe('a response_url', () => {
  it.each([
    ['https://hooks.slack.com/commands/T1/2/three', slack],
    ['https://hooks.slack-gov.com/actions/T1/2/three', 'https://slack-gov.com/api/'],
    ['https://slack.example.com/hooks/1', 'https://slack.example.com/api/'],
    ['http://localhost:4001/_hooks/1', 'http://127.0.0.1:4000/api/'],
    ['http://[::1]:4001/_hooks/1', 'http://localhost:4000/api/'],
  ])('is used if it leads to Slack or its stand-in: %s', (url, api) => {
    expect(isResponseAddress(url, api)).toBe(true);
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data/', slack],
    ['http://127.0.0.1:6379/', slack],
    ['http://hooks.slack.com/commands/T1/2/three', slack],
    ['https://hooks.slack.com:8443/commands/T1/2/three', slack],
    ['https://hooks.slack.com.evil.example/1', slack],
    ['https://evil.example/hooks.slack.com', slack],
    ['https://hooks.slack.com@evil.example/1', slack],
    ['https://x:y@hooks.slack.com/1', slack],
    ['https://evilhooks.slack.com.', slack],
    ['file:///etc/passwd', slack],
    ['http://10.0.0.1:4000/hooks', 'http://127.0.0.1:4000/api/'],
    ['https://127.0.0.1:4000/hooks', 'http://127.0.0.1:4000/api/'],
    ['no address', slack],
  ])('is not used if it leads elsewhere: %s', async (url, api) => {
    expect(isResponseAddress(url, api)).toBe(false);
    const outbound = {
      fetch: () => {
        throw new Error('it was sent');
      },
    };
    await expect(respond({ outbound, slackApiUrl: api }, url, {})).rejects.toMatchObject({ kind: 'refused' });
  });
});
