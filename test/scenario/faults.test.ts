import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  type FakeService,
  type Quirks,
  type ServiceCall,
  type ServiceFault,
  serviceToken,
  startFakeService,
} from '../support/fake-service/fake-service.ts';
import type { Fault } from '../support/fake-slack/fake-slack.ts';
import { one } from '../support/one.ts';
import { startWorld, visibleText, type World } from '../support/world/world.ts';

/** The app searches for unknown outcomes after a wait of some seconds, and repeats failed calls with back-off. */
const patient = { timeoutMs: 45_000 };

async function inWorld(run: (world: World, service: FakeService) => Promise<void>, quirks: Quirks = {}): Promise<void> {
  const service = await startFakeService(quirks);
  const world = await startWorld({ service: { url: service.url, token: serviceToken } });
  try {
    await run(world, service);
    expect(world.slack.violations).toEqual([]);
  } finally {
    await world.stop();
    await service.stop();
  }
}

/** Expects one closed card and one answer in the thread. */
async function expectOneEnd(world: World, ts: string): Promise<void> {
  await eventually(() => {
    expect(world.answersIn(ts)).toHaveLength(1);
    const root = world.slack.messages.find((message) => message.ts === ts);
    const cards = [...world.slack.inThread(ts), ...(root?.bot_id === undefined ? [] : [root])].filter(
      (message) => message.bot_id !== undefined && !world.answersIn(ts).includes(message),
    );
    expect(visibleText(one(cards))).toMatch(/Answered/);
  }, patient);
}

describe.concurrent('the service', () => {
  const faults: [ServiceCall, string, ServiceFault, number][] = [
    ['create', 'breaks after taking the question', { breakAfterEffect: true }, 1],
    ['create', 'breaks before taking the question', { breakBeforeEffect: true }, 1],
    ['create', 'answers 503 twice', { status: 503 }, 2],
    ['create', 'answers an HTML 502', { status: 502, body: '<html>bad gateway</html>' }, 1],
    ['create', 'answers 200 with HTML', { status: 200, body: '<html>login</html>' }, 1],
    ['list', 'is down while a lost question is looked for', { breakBeforeEffect: true }, 4],
    ['read', 'is down while the question runs', { status: 500 }, 3],
    ['read', 'answers nonsense while the question runs', { status: 200, body: '{"id": "x"}' }, 2],
    ['read', 'is rate limited', { status: 429, headers: { 'retry-after': '1' } }, 2],
  ];
  test.each(faults)('(%s) %s, and each question is answered once', async (call, _name, fault, times) => {
    await inWorld(async (world, service) => {
      if (call === 'list') service.fault('create', { breakAfterEffect: true });
      service.fault(call, fault, times);
      service.answerEverything();
      const ts = await world.mention('only once?');
      await expectOneEnd(world, ts);
      expect(service.find('only once?')).toHaveLength(1);
    });
  });

  test('breaks after accepting a follow-up, which is asked once', async () => {
    await inWorld(async (world, service) => {
      service.answerEverything();
      const ts = await world.mention('first?');
      await world.answered(ts);
      service.fault('followUp', { breakAfterEffect: true });
      await world.reply(ts, 'second?');
      await eventually(() => expect(world.answersIn(ts)).toHaveLength(2), patient);
      expect(service.find('second?')).toHaveLength(1);
    });
  });

  test('breaks after accepting each of five equal simultaneous questions, and each is answered once', async () => {
    await inWorld(async (world, service) => {
      service.answerEverything();
      service.fault('create', { breakAfterEffect: true }, 5);
      const asked = await Promise.all(Array.from({ length: 5 }, () => world.mention('the same?')));
      for (const ts of asked) await expectOneEnd(world, ts);
      expect(service.find('the same?')).toHaveLength(5);
    });
  });

  test.each([
    ['shows as many as asked for', undefined],
    ['never shows more than 20 at once', 20],
  ])('has 30 newer conversations than a lost one, in a list without cursors that %s', async (_name, longestPage) => {
    const quirks: Quirks = { listEnvelope: 'array', ...(longestPage === undefined ? {} : { longestPage }) };
    await inWorld(async (world, service) => {
      service.answerEverything();
      service.fault('create', { breakAfterEffect: true });
      const ts = await world.mention('only once?');
      const lost = await eventually(() => one(service.conversations));
      for (let id = 1_001; id <= 1_030; id += 1) {
        const questions = lost.questions.map((each) => ({
          ...each,
          id,
          conversation_id: id,
          question: `Other ${id}?`,
        }));
        service.know({ ...lost, id, questions, read_token: `${id}` });
      }
      if (longestPage !== undefined) {
        await eventually(() => {
          expect(world.slack.inThread(ts).map(visibleText).join('\n')).toContain('still trying');
        }, patient);
        expect(world.answersIn(ts)).toEqual([]);
        delete quirks.longestPage;
      }
      await expectOneEnd(world, ts);
      expect(service.find('only once?')).toHaveLength(1);
    }, quirks);
  });

  test('has an older equal question, which is not mistaken for a lost one', async () => {
    await inWorld(async (world, service) => {
      service.answerEverything();
      const first = await world.mention('again and again?');
      await expectOneEnd(world, first);
      service.fault('create', { breakBeforeEffect: true });
      const second = await world.mention('again and again?');
      await expectOneEnd(world, second);
      expect(service.find('again and again?')).toHaveLength(2);
    });
  });
});

describe.concurrent('Slack', () => {
  const faults: [string, Fault, number][] = [
    ['breaks after posting', { breakAfterEffect: true }, 1],
    ['breaks before posting', { breakBeforeEffect: true }, 1],
    ['answers 500', { status: 500 }, 2],
    ['limits the rate', { retryAfterSeconds: 1 }, 2],
    ['has an internal error', { error: 'internal_error' }, 1],
  ];
  test.each(faults)(
    '%s when the card is due in a thread, and there is one card and one answer',
    async (_name, fault, times) => {
      await inWorld(async (world, service) => {
        world.slack.fault('chat.postMessage', fault, times);
        const ts = await world.mention('how?');
        const question = await eventually(() => one(service.find('how?')), patient);
        await eventually(() => expect(world.card(ts)).toBeDefined(), patient);
        service.answer(question);
        await expectOneEnd(world, ts);
      });
    },
  );

  test.each(faults)(
    '%s when the card of a question is due that is answered at once, and there is one answer and no open card',
    async (_name, fault, times) => {
      await inWorld(async (world, service) => {
        service.answerEverything();
        world.slack.fault('chat.postMessage', fault, times);
        const ts = await world.mention('how?');
        await eventually(() => {
          const [first, ...more] = world.slack.inThread(ts).map(visibleText).toSorted();
          expect(world.answersIn(ts)).toHaveLength(1);
          // The answer, and possibly the card: "✅ Answered in 1 s".
          expect(more.filter((text) => !text.includes('Answered in'))).toEqual([]);
          expect(more.length).toBeLessThanOrEqual(1);
          expect(first).toContain('The answer to');
        }, patient);
        expect(service.find('how?')).toHaveLength(1);
      });
    },
  );

  test.each(faults)(
    '%s when the card of a command is due, and there is one card and one answer',
    async (_name, fault, times) => {
      await inWorld(async (world, service) => {
        service.answerEverything();
        world.slack.fault('chat.postMessage', fault, times);
        await world.command('how?');
        const root = await eventually(
          () => one(world.slack.messages.filter(({ thread_ts: at }) => at === undefined)),
          patient,
        );
        await expectOneEnd(world, root.ts);
      });
    },
  );

  test.each(faults)(
    '%s when each part of a long answer is due, and each part is posted once',
    async (_name, fault, times) => {
      await inWorld(async (world, service) => {
        const ts = await world.mention('how?');
        const question = await eventually(() => one(service.find('how?')));
        await eventually(() => expect(world.card(ts)).toBeDefined());
        world.slack.fault('chat.postMessage', fault, times);
        const lines = Array.from({ length: 300 }, (_, index) => `Line ${index} ${'word '.repeat(18)}`);
        service.answer(question, { answer: lines.join('\n\n') });
        await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toMatch(/Answered/), patient);
        const said = world.answersIn(ts).map(visibleText).join('\n');
        expect([...said.matchAll(/Line (\d+) /g)].map(([, number]) => Number(number))).toEqual(
          lines.map((_, index) => index),
        );
      });
    },
  );

  test('refuses to edit the card for a while, and the card is still closed', async () => {
    await inWorld(async (world, service) => {
      world.slack.fault('chat.update', { retryAfterSeconds: 1 }, 3);
      service.answerEverything();
      await expectOneEnd(world, await world.mention('how?'));
    });
  });

  test('archives the channel while the question runs, and the asker is told by direct message', async () => {
    await inWorld(async (world, service) => {
      await world.mention('how?');
      const question = await eventually(() => one(service.find('how?')));
      const channel = world.slack.channels.get('C0GENERAL');
      if (channel) channel.isArchived = true;
      service.answer(question);
      const told = await eventually(
        () => one(world.slack.messages.filter(({ channel: at }) => at === 'D0ADA')),
        patient,
      );
      expect(visibleText(told)).toContain('<#C0GENERAL>');
    });
  });
});

describe.concurrent('a restart of the app', () => {
  test('while questions wait, run and end leaves each answered once', async () => {
    await inWorld(async (world, service) => {
      const first = await world.mention('q1?');
      await eventually(() => one(service.find('q1?')));
      await world.reply(first, 'q2?');
      const second = await world.mention('q3?');
      await world.restart();
      for (const text of ['q1?', 'q3?', 'q2?']) {
        service.answer(await eventually(() => one(service.find(text)), patient));
        await world.restart();
      }
      await eventually(() => expect(world.answersIn(first)).toHaveLength(2), patient);
      await eventually(() => expect(world.answersIn(second)).toHaveLength(1), patient);
      expect(service.questions()).toHaveLength(3);
      await world.restart();
      await world.reply(first, 'q4?');
      service.answer(await eventually(() => one(service.find('q4?'))));
      await eventually(() => expect(world.answersIn(first)).toHaveLength(3), patient);
      expect(service.conversations).toHaveLength(2);
    });
  });

  test('starts no second question from a delivery that is repeated later', async () => {
    await inWorld(async (world, service) => {
      service.answerEverything();
      const ts = await world.mention('once?');
      await world.answered(ts);
      await world.restart();
      await world.mention('once?', { ts });
      const other = await world.mention('other?');
      await world.answered(other);
      expect(service.find('once?')).toHaveLength(1);
    });
  });
});
