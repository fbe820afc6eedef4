import { expect, test } from 'vitest';
import type { SlackMessage } from '../../src/local-slack/messages.ts';
import { eventually } from '../support/eventually.ts';
import { serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { startWorld, visibleText } from '../support/world/world.ts';

const mentions = 50;
const patient = { timeoutMs: 120_000 };

test('fifty mentions in one channel are all asked while Slack has no room for most of their cards', async () => {
  const service = await startFakeService();
  const world = await startWorld({
    service: { url: service.url, token: serviceToken },
    settings: { RUNNING_PER_PERSON: '50' },
  });
  const ours = (): SlackMessage[] => world.slack.messages.filter(({ bot_id: botId }) => botId !== undefined);
  // Slack refuses further messages until the test lets them through, so that no time decides.
  let isFull = true;
  world.slack.scriptFaults((method) =>
    method === 'chat.postMessage' && isFull && ours().length >= 5 ? { retryAfterSeconds: 1 } : undefined,
  );
  try {
    const texts = Array.from({ length: mentions }, (_, index) => `question ${index}?`);
    const threads = await Promise.all(texts.map((text) => world.mention(text)));
    await eventually(() => {
      for (const text of texts) expect(service.find(text)).toHaveLength(1);
    }, patient);
    expect(ours().length).toBe(5);

    const unseen = threads.findIndex((ts) => world.slack.inThread(ts).length === 0);
    const [unseenThread = '', unseenText = ''] = [threads[unseen], texts[unseen]];
    for (const question of service.find(unseenText)) service.answer(question);
    // Of the calls that wait, the one with the answer goes first.
    await eventually(() => {
      const refused = world.slack.requests.filter(({ args }) => args.thread_ts === unseenThread);
      expect(JSON.stringify(refused)).toContain('The answer to');
    }, patient);
    isFull = false;
    await eventually(() => expect(world.answersIn(unseenThread)).toHaveLength(1), patient);
    expect(world.slack.inThread(unseenThread)).toHaveLength(1);

    // A question whose card waited gets it while it runs. That card shows the answer's end too.
    const late = await eventually(() => {
      const found = threads.find((ts, n) => n !== unseen && world.slack.inThread(ts).length === 1);
      return found ?? Promise.reject(new Error('no further card'));
    }, patient);
    const lateText = texts[threads.indexOf(late)] ?? '';
    for (const question of service.find(lateText)) service.answer(question);
    await eventually(() => {
      expect(world.answersIn(late)).toHaveLength(1);
      expect(visibleText(world.card(late) ?? { text: '' })).toContain('Answered in');
    }, patient);
    for (const text of texts) expect(service.find(text)).toHaveLength(1);
    expect(world.slack.violations).toEqual([]);
  } finally {
    await world.stop();
    await service.stop();
  }
}, 300_000);
