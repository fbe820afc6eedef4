import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { startWorld, visibleText } from '../support/world/world.ts';

const questions = 30;
const refusals = 6;
/** A channel accepts one message per second and each question needs two: at least 56 s. */
const patient = { timeoutMs: 120_000 };

test('thirty simultaneous questions in one channel are each answered once, with a Slack that limits the rate', async () => {
  const service = await startFakeService();
  const world = await startWorld({
    service: { url: service.url, token: serviceToken },
    settings: { RUNNING_PER_PERSON: '30' },
  });
  try {
    service.answerEverything();
    for (const method of ['chat.postMessage', 'chat.update']) {
      world.slack.fault(method, { retryAfterSeconds: 1 }, refusals);
    }
    const texts = Array.from({ length: questions }, (_, index) => `question ${index}?`);
    const asked = await Promise.all(texts.map((text) => world.mention(text)));
    await eventually(() => {
      for (const ts of asked) {
        expect(world.answersIn(ts)).toHaveLength(1);
        expect(visibleText(world.card(ts) ?? { text: '' })).toMatch(/Answered/);
      }
    }, patient);
    for (const ts of asked) expect(world.slack.inThread(ts).filter(({ user }) => user === 'U0BOT')).toHaveLength(2);
    for (const text of texts) expect(service.find(text)).toHaveLength(1);
    // Slack refused no call for its rate, except the planned refusals.
    const posts = world.slack.calls.filter((method) => method === 'chat.postMessage');
    expect(posts).toHaveLength(2 * questions + refusals);
    expect(world.slack.violations).toEqual([]);
  } finally {
    await world.stop();
    await service.stop();
  }
}, 130_000);
