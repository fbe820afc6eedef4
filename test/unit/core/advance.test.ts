import { describe, expect, it } from 'vitest';
import {
  buttonUser,
  crash,
  createCoreHarness,
  down,
  failing,
  late,
  lost,
  thread,
} from '../../support/lifecycle/core-harness.ts';

const longLimit = failing('rateLimited', { retryAfterMs: 120_000 });

describe('asking with an unknown outcome', () => {
  it.each([
    ['the reply is lost', lost],
    ['the request arrives after its deadline', late],
    ['the process dies after it', crash('yes')],
    ['the process dies before it', crash('no')],
    ['the service is down', down],
  ])('asks once where %s', async (_, fault) => {
    const { life, ask } = createCoreHarness({ faults: { create: [fault] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(1);
    expect(life.violations).toEqual([]);
  });

  it('asks once where the service asks to wait for long in the search for the lost question', async () => {
    const { life, ask } = createCoreHarness({ faults: { create: [lost], newest: [longLimit] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(1);
  });

  it('stops what it asked at the service where the question is cancelled while parked', async () => {
    const { life, ask, requests } = createCoreHarness({
      faults: { create: [lost], newest: [longLimit] },
      work: { takesMs: 600_000, ends: 'completed' },
    });
    const { id } = await ask();
    await life.run(life.startMs + 30_000);
    expect(life.question(id).phase).toBe('parked');
    await requests.cancelQuestion(id, buttonUser);
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'cancelled' });
    expect(life.upstream().map(({ state }) => state)).toEqual(['cancelled']);
  });
});

describe('a cancelled question', () => {
  it('still says that it was cancelled where Slack takes no edits for longer than usual', async () => {
    const { life, ask, requests } = createCoreHarness({
      faults: { updateCard: Array.from({ length: 30 }, () => down) },
      work: { takesMs: 60_000, ends: 'completed' },
    });
    const { id } = await ask();
    await life.run(life.startMs + 5_000);
    await requests.cancelQuestion(id, buttonUser);
    await life.run();
    const question = life.question(id);
    expect(question.outcome).toEqual({ kind: 'cancelled' });
    expect(life.messagesOf(question, 'card').map(({ view }) => view?.kind)).toEqual(['cancelled']);
  });

  it.each([
    ['the limit has parked it', 30_000, 'parked'],
    ['its search meets the limit', 1_000, 'waiting'],
  ])('ends within minutes although the service has a limit for hours, where %s', async (_, atMs, phase) => {
    const hours = failing('rateLimited', { retryAfterMs: 3 * 3_600_000 });
    const { life, ask, requests } = createCoreHarness({
      faults: { create: [lost], newest: Array.from({ length: 500 }, () => hours) },
    });
    const { id } = await ask();
    await life.run(life.startMs + atMs);
    expect(life.question(id).phase).toBe(phase);
    await requests.cancelQuestion(id, buttonUser);
    await life.run(life.now() + 3 * 60_000);
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'cancelled' } });
  });
});

describe('a failure at the service', () => {
  it.each([
    ['refused', 'refused'],
    ['unauthorized', 'unauthorized'],
  ] as const)('ends the question as failed where asking meets %s', async (kind, cause) => {
    const { life, ask } = createCoreHarness({ faults: { create: [failing(kind)] } });
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
  ] as const)('ends the question as failed where watching meets %s', async (kind, cause) => {
    const { life, ask } = createCoreHarness({ faults: { read: [failing(kind)] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'failed', failure: { cause } });
  });

  it('is waited out until the question is given up, and the card says so in the meantime', async () => {
    const { life, ask } = createCoreHarness({ faults: { create: Array.from({ length: 500 }, () => down) } });
    const { id } = await ask();
    await life.run(life.startMs + 60_000);
    expect(life.messagesOf(life.question(id), 'card')[0]?.view).toEqual({ kind: 'unreachable' });
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'failed', failure: { cause: 'unreachable' } });
    expect(life.now() - life.startMs).toBeLessThan(17 * 60_000);
  });

  it('that is a long rate limit of the app parks the question until its end', async () => {
    const { life, ask } = createCoreHarness({
      faults: { create: [failing('rateLimited', { retryAfterMs: 3_600_000 })] },
    });
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

  it('that is a limit for one question parks it, and asks it again when the limit is over', async () => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 2_000, ends: 'limited', resetsInMs: 600_000 } });
    const { id } = await ask();
    await life.run(life.startMs + 300_000);
    expect(life.question(id).phase).toBe('parked');
    expect(life.upstream()).toHaveLength(1);
    await life.run(life.startMs + 700_000);
    expect(life.upstream()).toHaveLength(2);
  });

  it('that shows a deleted conversation starts a new one', async () => {
    const { life, ask } = createCoreHarness({ faults: { followUp: [failing('notFound')] } });
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

describe('giving up on a question', () => {
  it('ends the watch, not the question at the service, and "Check again" resumes the watch', async () => {
    const { life, ask, requests } = createCoreHarness({ work: { takesMs: 20 * 60_000, ends: 'completed' } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'gaveUp' });
    expect((await requests.checkAgain(id, buttonUser)).kind).toBe('accepted');
    await life.run();
    const question = life.question(id);
    expect(question.outcome?.kind).toBe('answered');
    expect(life.messagesOf(question, 'part').map(({ marker }) => marker)).toEqual(['part 0.0', 'part 1.0']);
    expect(life.messagesOf(question, 'card').map(({ view }) => view?.kind)).toEqual(['answered']);
    expect(life.upstream()).toHaveLength(1);
    expect(life.openIds()).toEqual([]);
  });

  it('lets "Check again" ask it again after a limit, with its thread and with time to be answered', async () => {
    const { life, ask, requests } = createCoreHarness({
      work: { takesMs: 20 * 60_000, ends: 'limited', resetsInMs: 3_600_000 },
    });
    const { id } = await ask({ readsThread: true });
    await life.run();
    await requests.checkAgain(id, buttonUser);
    await life.run(life.startMs + 90 * 60_000);
    const [first, second] = life.upstream().map(({ text }) => text);
    expect(first).toContain('what people said');
    expect(second).toBe(first);
    expect(life.question(id).phase).toBe('running');
  });
});

describe('a question, where Slack', () => {
  it.each(['undeliverable', 'refused', 'unrenderable'] as const)(
    'refuses the card of a command (%s), is reported privately to its asker and not asked',
    async (kind) => {
      const { life, ask } = createCoreHarness({
        faults: { postCard: [failing(kind, { invitationHelps: kind !== 'undeliverable' })] },
      });
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

  it('refuses the form of a card in a thread, is still answered', async () => {
    const { life, ask } = createCoreHarness({ faults: { postCard: [failing('unrenderable')] } });
    const { id } = await ask();
    await life.run();
    const question = life.question(id);
    expect(life.messagesOf(question, 'card')).toHaveLength(0);
    expect(life.messagesOf(question, 'part')).toHaveLength(1);
  });

  it.each(['undeliverable', 'refused', 'unrenderable'] as const)(
    'refuses the answer (%s), is reported privately with a link to the answer',
    async (kind) => {
      const { life, ask } = createCoreHarness({ faults: { postPart: [failing(kind)] } });
      const { id } = await ask();
      await life.run();
      expect(life.privateMessages.map(({ notice }) => notice)).toEqual([
        { kind: 'undeliverable', questionId: id, place: thread, shareUrl: life.question(id).upstream.shareUrl },
      ]);
      expect(life.messagesOf(life.question(id), 'card')[0]?.view?.kind).toBe('answered');
    },
  );

  it('is not reachable for the private message either, is tried again', async () => {
    const { life, ask } = createCoreHarness({
      faults: { postCard: [failing('undeliverable')], notifyPrivately: [down, down] },
    });
    await ask({ place: { teamId: 'T1', channelId: 'C1' }, origin: 'command' });
    await life.run();
    expect(life.privateMessages).toHaveLength(1);
  });

  it('takes no answer for hours, gets its answer once when Slack is back', async () => {
    const { life, ask } = createCoreHarness({
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

  it('takes no answer for more than a day, is not tried any longer', async () => {
    const { life, ask } = createCoreHarness({ faults: { postPart: Array.from({ length: 5_000 }, () => down) } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).phase).toBe('closed');
    expect(life.now() - life.startMs).toBeGreaterThan(24 * 3_600_000);
  });

  it('has lost the card, is still answered, or gets a message that it was cancelled', async () => {
    const { life, ask, requests } = createCoreHarness({ work: { takesMs: 30_000, ends: 'completed' } });
    const { id } = await ask();
    await life.run(life.startMs + 2_000);
    for (const message of life.posted) message.deleted = true;
    await requests.cancelQuestion(id, buttonUser);
    await life.run();
    const question = life.question(id);
    expect(question.card.gone).toBe(true);
    expect(life.messagesOf(question, 'part').map(({ outcome }) => outcome)).toEqual([{ kind: 'cancelled' }]);
  });

  it('asks to wait for longer than usual, still gets the edit that closes its card', async () => {
    const busy = failing('rateLimited', { retryAfterMs: 10_000 });
    const { life, ask } = createCoreHarness({ faults: { updateCard: Array.from({ length: 30 }, () => busy) } });
    const { id } = await ask();
    await life.run();
    const question = life.question(id);
    expect(question.phase).toBe('closed');
    expect(life.messagesOf(question, 'card').map(({ view }) => view?.kind)).toEqual(['answered']);
  });

  it('works as usual, has its card edited at most every three seconds', async () => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 120_000, ends: 'completed' } });
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
  it('run one at a time, in the order in which they were accepted, and none is lost', async () => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 7_000, ends: 'completed' } });
    const questions = [await ask(), await ask(), await ask(), await ask()];
    await life.run(life.startMs + 5_000);
    const views = questions.map((question) => life.messagesOf(question, 'card')[0]?.view);
    expect(views.slice(1)).toEqual([1, 2, 3].map((place) => ({ kind: 'queued', place })));
    await life.run();
    expect(life.upstream().map(({ text }) => text)).toEqual(questions.map(({ text }) => text));
    expect(new Set(life.upstream().map(({ conversationId }) => conversationId)).size).toBe(1);
    expect(life.violations).toEqual([]);
  });

  it('continue after one that was cancelled while it waited', async () => {
    const { life, ask, requests } = createCoreHarness({ work: { takesMs: 7_000, ends: 'completed' } });
    const [first, second, third] = [await ask(), await ask(), await ask()];
    await life.run(life.startMs + 2_000);
    await requests.cancelQuestion(second.id, buttonUser);
    await life.run();
    expect(life.question(second.id).outcome).toEqual({ kind: 'cancelled' });
    expect(life.upstream().map(({ text }) => text)).toEqual([first.text, third.text]);
  });

  it('continue where the process was restarted in the middle', async () => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 7_000, ends: 'completed' } });
    for (let count = 0; count < 5; count += 1) await ask();
    await life.run(life.startMs + 16_000);
    life.restart();
    await life.run();
    expect(life.upstream()).toHaveLength(5);
    expect(life.openIds()).toEqual([]);
  });
});

describe('a run slot that an overlapping run took for a closed question', () => {
  it('is given back by the next run', async () => {
    const { life, ask } = createCoreHarness();
    const { id } = await ask();
    await life.run();
    await life.ports.runSlots.takeSlot(life.question(id));
    expect(life.runSlotBooks()[0]?.running).toHaveLength(1);
    await life.ports.scheduler.schedule(id, 0);
    await life.run();
    expect(life.runSlotBooks()[0]?.running).toEqual([]);
  });
});
