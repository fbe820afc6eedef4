import { expect, it } from 'vitest';
import { usualRules } from '../../../src/core/channels/channel-settings.ts';
import { newThread } from '../../../src/core/question/question.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const move = { teamId: 'T1', from: 'C1', to: 'C2' };

it('settings, threads, counts and choices of a channel move along to its new id, and nothing of another channel', async () => {
  const data = await createTempDir();
  const storage = await openStorage({ dataDir: data.path }, { clock: Date.now, log: createRecordingLog().log });
  const at = (channelId: string) => ({ teamId: 'T1', channelId, threadTs: '1.1' });
  for (const channelId of ['C1', 'C11']) {
    const settings = { ...usualRules(false), isOn: false, changedBy: 'U1', changedMs: 1 };
    await storage.channelSettings.update(`T1:${channelId}`, () => ({
      version: 1,
      teamId: 'T1',
      channelId,
      ...settings,
    }));
    await storage.threads.update(at(channelId), () => ({
      ...newThread(at(channelId), true),
      conversationId: 7,
      queue: ['q1'],
    }));
    await storage.dayCounts.update(`T1:${channelId}:20000`, () => ({ version: 1, questionIds: ['q1'] }));
  }
  // A message came under the new id before the event did.
  await storage.threads.update(at('C2'), () => ({ ...newThread(at('C2'), false), queue: ['q2'] }));
  const threads = [{ channelId: 'C1', threadTs: '1.1' }];
  for (const person of ['T1:U1', 'T2:U2']) {
    await storage.readerChoices.update(person, () => ({ version: 1, threads, channels: ['C1', 'C11'] }));
  }

  const attended = [{ channelId: 'C1', threadTs: '1.1', atMs: 1 }];
  for (const teamId of ['T1', 'T2']) {
    await storage.attendance.update(teamId, () => ({ version: 1, lastMs: 1, threads: attended }));
  }

  expect([await storage.moveChannel(move), await storage.moveChannel(move)]).toEqual([5, 0]);

  expect(await storage.channelSettings.get('T1:C2')).toMatchObject({ channelId: 'C2', isOn: false });
  expect(await storage.threads.get(at('C2'))).toMatchObject({
    ...{ channelId: 'C2', followsReplies: true, conversationId: 7, queue: ['q1', 'q2'] },
  });
  expect(await storage.dayCounts.get('T1:C2:20000')).toMatchObject({ questionIds: ['q1'] });
  expect(await storage.readerChoices.get('T1:U1')).toMatchObject({
    ...{ channels: ['C2', 'C11'], threads: [{ channelId: 'C2', threadTs: '1.1' }] },
  });
  expect(await storage.attendance.get('T1')).toMatchObject({ threads: [{ channelId: 'C2', threadTs: '1.1' }] });
  // Another workspace that shares the channel is told by Slack itself.
  expect(await storage.readerChoices.get('T2:U2')).toMatchObject({ threads, channels: ['C1', 'C11'] });
  expect(await storage.attendance.get('T2')).toMatchObject({ threads: attended });
  for (const gone of [await storage.channelSettings.get('T1:C1'), await storage.threads.get(at('C1'))]) {
    expect(gone).toBeUndefined();
  }
  expect(await storage.threads.get(at('C11'))).toMatchObject({ channelId: 'C11' });
  await storage.close();
  await data.remove();
});
