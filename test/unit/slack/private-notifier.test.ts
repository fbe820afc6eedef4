import { expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import { createPrivateNotifier } from '../../../src/slack/messages/private-notifier.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const to = { channelId: 'C1', userId: 'U1' };
const notice = { kind: 'nothingToCancel' } as const;

it('a stop waits for a private message that is on its way, and for one that is still looked for', async () => {
  const tasks = createBackgroundTasks({ log: createRecordingLog().log });
  const sent: string[] = [];
  let send = (): void => undefined;
  const mayBeSent = new Promise<void>((resolve) => {
    send = resolve;
  });
  const sendPrivately = async (): Promise<void> => {
    await mayBeSent;
    sent.push('one');
  };
  const { notify } = createPrivateNotifier({ removePressed: async () => {}, sendPrivately, tasks });
  notify(to, notice);
  notify(
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
  const sendPrivately = (): Promise<void> => Promise.reject(new AppError('unavailable', 'no answer'));
  const { notify } = createPrivateNotifier({ removePressed: async () => {}, sendPrivately, tasks });
  notify(to, notice);
  await tasks.drain(2_000);
  expect(lines).toEqual([{ event: 'private_message_failed', channelId: 'C1' }]);
  await tasks.drain(2_000);
});

it('a private message that is never started harms nothing, also when it is not found', async () => {
  const { notify } = createPrivateNotifier({
    removePressed: async () => {},
    sendPrivately: async () => undefined,
    tasks: { run: () => undefined },
  });
  notify(to, notice);
  notify(to, Promise.reject(new AppError('storage', 'down')));
  await new Promise((resolve) => setImmediate(resolve));
});
