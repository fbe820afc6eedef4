import { expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { type BackgroundTasks, createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import type { SlackContext } from '../../../src/slack/context.ts';
import { notify } from '../../../src/slack/messages/private-messages.ts';
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
