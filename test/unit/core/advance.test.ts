import { describe, expect, it } from 'vitest';
import {
  crash,
  createLifeDesk,
  down,
  failing,
  late,
  lost,
  press,
  thread,
} from '../../support/lifecycle/memory-requests.ts';

const longLimit = failing('rateLimited', { retryAfterMs: 120_000 });

describe('asking with an unknown outcome', () => {
  it.each([
    ['the reply is lost', lost],
    ['the request arrives after its deadline', late],
    ['the process dies after it', crash('yes')],
    ['the process dies before it', crash('no')],
    ['the service is down', down],
  ])('asks once where %s', async (_, fault) => {
    const { life, ask } = createLifeDesk({ faults: { create: [fault] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(1);
    expect(life.violations).toEqual([]);
  });

  it('asks once where the search for the lost question is told to wait for long', async () => {
    const { life, ask } = createLifeDesk({ faults: { create: [lost], newest: [longLimit] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(1);
  });

  it('stops what it asked at the service where the question is cancelled while parked', async () => {
    const { life, ask, requests } = createLifeDesk({
      faults: { create: [lost], newest: [longLimit] },
      work: { takesMs: 600_000, ends: 'completed' },
    });
    const { id } = await ask();
    await life.run(life.startMs + 30_000);
    expect(life.question(id).phase).toBe('parked');
    await requests.cancel(id, press);
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'cancelled' });
    expect(life.upstream().map(({ state }) => state)).toEqual(['cancelled']);
  });
});

describe('a cancelled question', () => {
  it('goes on to say so where Slack takes no edits for longer than usual', async () => {
    const { life, ask, requests } = createLifeDesk({
      faults: { updateCard: Array.from({ length: 30 }, () => down) },
      work: { takesMs: 60_000, ends: 'completed' },
    });
    const { id } = await ask();
    await life.run(life.startMs + 5_000);
    await requests.cancel(id, press);
    await life.run();
    const question = life.question(id);
    expect(question.outcome).toEqual({ kind: 'cancelled' });
    expect(life.messagesOf(question, 'card').map(({ view }) => view?.kind)).toEqual(['cancelled']);
  });
});

describe('a failure at the service', () => {
  it.each([
    ['refused', 'refused'],
    ['unauthorized', 'unauthorized'],
  ] as const)('when asking, %s, ends the question as failed', async (kind, cause) => {
    const { life, ask } = createLifeDesk({ faults: { create: [failing(kind)] } });
    const { id } = await ask();
    await life.run();
    const question = life.question(id);
    expect(question.outcome).toEqual({ kind: 'failed', failure: { cause } });
    expect(life.messagesOf(question, 'part')).toHaveLength(1);
    expect(life.upstream()).toHaveLength(0);
  });

  it.each([
    ['notFound', 'gone'],
    ['unauthorized', 'unauthorized'],
  ] as const)('when watching, %s, ends the question as failed', async (kind, cause) => {
    const { life, ask } = createLifeDesk({ faults: { read: [failing(kind)] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'failed', failure: { cause } });
  });

  it('is waited out until patience ends, and the card says so meanwhile', async () => {
    const { life, ask } = createLifeDesk({ faults: { create: Array.from({ length: 500 }, () => down) } });
    const { id } = await ask();
    await life.run(life.startMs + 60_000);
    expect(life.messagesOf(life.question(id), 'card')[0]?.view).toEqual({ kind: 'unreachable' });
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'failed', failure: { cause: 'unreachable' } });
    expect(life.now() - life.startMs).toBeLessThan(17 * 60_000);
  });

  it('that limits the app for long parks the question until then', async () => {
    const { life, ask } = createLifeDesk({ faults: { create: [failing('rateLimited', { retryAfterMs: 3_600_000 })] } });
    const { id } = await ask();
    await life.run(life.startMs + 10_000);
    const question = life.question(id);
    expect(question.phase).toBe('parked');
    expect(life.messagesOf(question, 'card')[0]?.view?.kind).toBe('parked');
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(1);
    expect(life.now() - life.startMs).toBeGreaterThanOrEqual(3_600_000);
  });

  it('that limits one question parks it, and asks it once more when the limit is over', async () => {
    const { life, ask } = createLifeDesk({ work: { takesMs: 2_000, ends: 'limited', resetsInMs: 600_000 } });
    const { id } = await ask();
    await life.run(life.startMs + 300_000);
    expect(life.question(id).phase).toBe('parked');
    expect(life.upstream()).toHaveLength(1);
    await life.run(life.startMs + 700_000);
    expect(life.upstream()).toHaveLength(2);
  });

  it('that deleted the conversation of a thread starts a new one', async () => {
    const { life, ask } = createLifeDesk({ faults: { followUp: [failing('notFound')] } });
    await ask();
    await life.run();
    const { id } = await ask({ beginsThread: false, origin: 'reply' });
    await life.run();
    const question = life.question(id);
    expect(question.outcome?.kind).toBe('answered');
    expect(question.upstream.conversationLost).toBe(true);
    expect(life.threads()[0]?.conversationId).toBe(question.upstream.conversationId);
    expect(life.upstream()).toHaveLength(2);
  });
});

describe('patience', () => {
  it('ends the watch, not the question at the service; checking again takes it up', async () => {
    const { life, ask, requests } = createLifeDesk({ work: { takesMs: 20 * 60_000, ends: 'completed' } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'gaveUp' });
    expect((await requests.checkAgain(id, press)).kind).toBe('accepted');
    await life.run();
    const question = life.question(id);
    expect(question.outcome?.kind).toBe('answered');
    expect(life.messagesOf(question, 'part').map(({ marker }) => marker)).toEqual(['part 0.0', 'part 1.0']);
    expect(life.messagesOf(question, 'card').map(({ view }) => view?.kind)).toEqual(['answered']);
    expect(life.upstream()).toHaveLength(1);
    expect(life.openIds()).toEqual([]);
  });
});

describe('Slack', () => {
  it.each(['undeliverable', 'refused', 'unrenderable'] as const)(
    'refusing the card of a command (%s) makes the asker be told privately, and nothing is asked',
    async (kind) => {
      const { life, ask } = createLifeDesk({ faults: { postCard: [failing(kind)] } });
      const { id, text } = await ask({ place: { teamId: 'T1', channelId: 'C1' }, origin: 'command' });
      await life.run();
      expect(life.question(id)).toMatchObject({
        phase: 'closed',
        outcome: { kind: 'undeliverable', canInvite: false },
      });
      expect(life.privateMessages).toEqual([
        { questionId: id, userId: 'U1', notice: { kind: 'notInChannel', questionId: id, text, canInvite: false } },
      ]);
      expect(life.upstream()).toHaveLength(0);
    },
  );

  it('refusing the form of a card in a thread does not keep the answer from coming', async () => {
    const { life, ask } = createLifeDesk({ faults: { postCard: [failing('unrenderable')] } });
    const { id } = await ask();
    await life.run();
    const question = life.question(id);
    expect(life.messagesOf(question, 'card')).toHaveLength(0);
    expect(life.messagesOf(question, 'part')).toHaveLength(1);
  });

  it.each(['undeliverable', 'refused', 'unrenderable'] as const)(
    'refusing the answer (%s) makes the asker be told privately where it can be read',
    async (kind) => {
      const { life, ask } = createLifeDesk({ faults: { postPart: [failing(kind)] } });
      const { id } = await ask();
      await life.run();
      expect(life.privateMessages.map(({ notice }) => notice)).toEqual([
        { kind: 'undeliverable', place: thread, shareUrl: life.question(id).upstream.shareUrl },
      ]);
      expect(life.messagesOf(life.question(id), 'card')[0]?.view?.kind).toBe('answered');
    },
  );

  it('out of reach for the private word too is tried again', async () => {
    const { life, ask } = createLifeDesk({
      faults: { postCard: [failing('undeliverable')], notifyPrivately: [down, down] },
    });
    await ask({ place: { teamId: 'T1', channelId: 'C1' }, origin: 'command' });
    await life.run();
    expect(life.privateMessages).toHaveLength(1);
  });

  it('not taking the answer for hours gets it when it is back, once', async () => {
    const { life, ask } = createLifeDesk({
      faults: {
        postPart: [lost, ...Array.from({ length: 200 }, () => down)],
        find: Array.from({ length: 100 }, () => down),
      },
    });
    const { id } = await ask();
    await life.run();
    expect(life.messagesOf(life.question(id), 'part')).toHaveLength(1);
    expect(life.openIds()).toEqual([]);
  });

  it('not taking the answer for more than a day ends the tries', async () => {
    const { life, ask } = createLifeDesk({ faults: { postPart: Array.from({ length: 5_000 }, () => down) } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).phase).toBe('closed');
    expect(life.now() - life.startMs).toBeGreaterThan(24 * 3_600_000);
  });

  it('having lost the card gets an answer all the same, and a cancelled question a message of its own', async () => {
    const { life, ask, requests } = createLifeDesk({ work: { takesMs: 30_000, ends: 'completed' } });
    const { id } = await ask();
    await life.run(life.startMs + 2_000);
    for (const message of life.posted) message.deleted = true;
    await requests.cancel(id, press);
    await life.run();
    const question = life.question(id);
    expect(question.card.gone).toBe(true);
    expect(life.messagesOf(question, 'part').map(({ outcome }) => outcome)).toEqual([{ kind: 'cancelled' }]);
  });

  it('asking to wait for longer than usual gets the edit that closes the card all the same', async () => {
    const busy = failing('rateLimited', { retryAfterMs: 10_000 });
    const { life, ask } = createLifeDesk({ faults: { updateCard: Array.from({ length: 30 }, () => busy) } });
    const { id } = await ask();
    await life.run();
    const question = life.question(id);
    expect(question.phase).toBe('closed');
    expect(life.messagesOf(question, 'card').map(({ view }) => view?.kind)).toEqual(['answered']);
  });

  it('is asked for an edit of one card at most every three seconds', async () => {
    const { life, ask } = createLifeDesk({ work: { takesMs: 120_000, ends: 'completed' } });
    const edits: number[] = [];
    const { updateCard } = life.ports.messenger;
    life.ports.messenger.updateCard = (question, view) => {
      edits.push(life.now());
      return updateCard(question, view);
    };
    await ask();
    await life.run(life.startMs + 110_000);
    expect(edits.length).toBeGreaterThan(3);
    expect(edits.slice(1).every((atMs, index) => atMs - (edits[index] ?? 0) >= 3_000)).toBe(true);
  });
});

describe('the questions of one thread', () => {
  it('run one at a time, in the order in which they were taken, none dropped', async () => {
    const { life, ask } = createLifeDesk({ work: { takesMs: 7_000, ends: 'completed' } });
    const questions = [await ask(), await ask(), await ask(), await ask()];
    await life.run(life.startMs + 5_000);
    const views = questions.map((question) => life.messagesOf(question, 'card')[0]?.view);
    expect(views.slice(1)).toEqual([1, 2, 3].map((place) => ({ kind: 'queued', place })));
    await life.run();
    expect(life.upstream().map(({ text }) => text)).toEqual(questions.map(({ text }) => text));
    expect(new Set(life.upstream().map(({ conversationId }) => conversationId)).size).toBe(1);
    expect(life.violations).toEqual([]);
  });

  it('go on after one that was cancelled while it waited', async () => {
    const { life, ask, requests } = createLifeDesk({ work: { takesMs: 7_000, ends: 'completed' } });
    const [first, second, third] = [await ask(), await ask(), await ask()];
    await life.run(life.startMs + 2_000);
    await requests.cancel(second.id, press);
    await life.run();
    expect(life.question(second.id).outcome).toEqual({ kind: 'cancelled' });
    expect(life.upstream().map(({ text }) => text)).toEqual([first.text, third.text]);
  });

  it('go on where the process was restarted in the middle', async () => {
    const { life, ask } = createLifeDesk({ work: { takesMs: 7_000, ends: 'completed' } });
    for (let count = 0; count < 5; count += 1) await ask();
    await life.run(life.startMs + 16_000);
    life.restart();
    await life.run();
    expect(life.upstream()).toHaveLength(5);
    expect(life.openIds()).toEqual([]);
  });
});
