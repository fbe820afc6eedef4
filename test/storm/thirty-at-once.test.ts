import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { startWorld, visibleText } from '../support/world/world.ts';

const questions = 30;
const refusals = 6;
/** A channel accepts one message per second: at least 26 s, and more with the cards that are posted before the answers. */
const patient = { timeoutMs: 120_000 };

test('thirty simultaneous questions in one channel are each answered once, with a Slack that limits the rate', async () => {
  const service = await startFakeService();
  const world = await startWorld({
    service: { url: service.url, token: serviceToken },
    settings: { RUNNING_PER_PERSON: '30' },
  });
  const cardsIn = (ts: string) =>
    world.slack.inThread(ts).filter((each) => each.user === 'U0BOT' && !world.answersIn(ts).includes(each));
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
        for (const card of cardsIn(ts)) expect(visibleText(card)).toMatch(/Answered/);
      }
    }, patient);
    // An answer that comes before there is room for its card needs none.
    for (const ts of asked) expect(cardsIn(ts).length).toBeLessThanOrEqual(1);
    for (const text of texts) expect(service.find(text)).toHaveLength(1);
    // Slack refused no call for its rate, except the planned refusals.
    const posts = world.slack.calls.filter((method) => method === 'chat.postMessage');
    expect(posts).toHaveLength(questions + asked.flatMap(cardsIn).length + refusals);
    expect(world.slack.violations).toEqual([]);
  } finally {
    await world.stop();
    await service.stop();
  }
}, 130_000);
