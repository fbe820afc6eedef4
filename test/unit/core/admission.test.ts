import { describe, expect, it } from 'vitest';
import { readThreadAgain, threadQuestion } from '../../../src/core/question/prompt.ts';
import { crash, createCoreHarness, down, failing } from '../../support/lifecycle/core-harness.ts';

const reply = { origin: 'mention', beginsThread: false } as const;

describe('the admission of a question', () => {
  it('privately tells people who may not ask, and shows and asks nothing', async () => {
    const { life, ask } = createCoreHarness();
    life.refusedUsers.add('U1');
    const { id } = await ask();
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'notAllowed', reason: 'guest' } });
    expect(life.posted).toEqual([]);
    expect(life.upstream()).toEqual([]);
    expect(life.privateMessages).toMatchObject([{ userId: 'U1', notice: { kind: 'notAllowed', reason: 'guest' } }]);
    expect(life.threads().flatMap(({ queue }) => queue)).toEqual([]);
  });

  it('waits while Slack cannot be reached, and then continues', async () => {
    const { life, ask } = createCoreHarness({ faults: { admit: [down, failing('rateLimited'), down, crash('no')] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
  });

  it('is refused where Slack will never answer', async () => {
    const { life, ask } = createCoreHarness({ faults: { admit: [failing('unauthorized')] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'notAllowed', reason: 'unknownPerson' });
    expect(life.upstream()).toEqual([]);
  });

  it('is refused where Slack does not answer for a day, so that no question waits forever', async () => {
    const { life, ask } = createCoreHarness({ faults: { admit: Array.from({ length: 5_000 }, () => down) } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'notAllowed', reason: 'unknownPerson' });
    expect(life.privateMessages).toHaveLength(1);
  });

  it('does not leave a refused question in the way of the next', async () => {
    const { life, ask } = createCoreHarness();
    life.refusedUsers.add('U1');
    await ask();
    const { id } = await ask({ askerId: 'U2' });
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
  });

  it('lists the question for its asker', async () => {
    const { life, ask } = createCoreHarness();
    const { id } = await ask();
    await life.run();
    expect(await life.ports.askedQuestions.of('T1', 'U1')).toEqual([id]);
  });
});

describe('a question that Slack gives no decision for', () => {
  it('holds no slot that others could have', async () => {
    const { life, ask } = createCoreHarness({ faults: { admit: Array.from({ length: 12 }, () => down) } });
    const place = (channelId: string) => ({ place: { teamId: 'T1', channelId, threadTs: '1700000000.000009' } });
    for (const channelId of ['C2', 'C3', 'C4']) await ask({ ...place(channelId), askerId: 'U1', beginsThread: false });
    await life.run(life.startMs + 3_000);
    expect(life.runSlotBooks().flatMap(({ running, waiting }) => [...running, ...waiting])).toEqual([]);
    await life.run();
    expect(life.questions().map(({ outcome }) => outcome?.kind)).toEqual(['answered', 'answered', 'answered']);
  });
});

describe('an old admission', () => {
  const work = { takesMs: 300_000, ends: 'completed' } as const;

  it('is checked again before the answer is shown, and withholds it where access is refused by then', async () => {
    const { life, ask } = createCoreHarness({ work });
    const { id } = await ask();
    await life.run(life.startMs + 30_000);
    life.refusedUsers.add('U1');
    await life.run();
    const question = life.question(id);
    expect(question).toMatchObject({ phase: 'closed', outcome: { kind: 'notAllowed', reason: 'guest' } });
    expect(life.messagesOf(question, 'part')).toEqual([]);
    expect(life.messagesOf(question, 'card').map(({ view }) => view?.kind)).toEqual(['notAllowed']);
    expect(life.privateMessages).toMatchObject([{ userId: 'U1', notice: { kind: 'notAllowed', withheld: 'answer' } }]);
  });

  it('is checked again before a waiting question is asked', async () => {
    const { life, ask } = createCoreHarness({ work });
    await ask();
    const { id } = await ask({ askerId: 'U2' });
    await life.run(life.startMs + 30_000);
    life.refusedUsers.add('U2');
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'notAllowed', reason: 'guest' });
    expect(life.upstream()).toHaveLength(1);
  });

  it('waits with the answer while Slack cannot be reached', async () => {
    const { life, ask } = createCoreHarness({ work, faults: { admit: [undefined, down, down, crash('no')] } });
    const { id } = await ask();
    await life.run();
    expect(life.messagesOf(life.question(id), 'part')).toHaveLength(1);
  });

  it('withholds the link to what still runs when the app gives up on it', async () => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 86_400_000, ends: 'completed' } });
    const { id } = await ask();
    await life.run(life.startMs + 30_000);
    life.refusedUsers.add('U1');
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'notAllowed', reason: 'guest' });
    expect(life.messagesOf(life.question(id), 'part')).toEqual([]);
  });

  it('lists the question once', async () => {
    const { life, ask } = createCoreHarness({ work });
    const { id } = await ask();
    await life.run();
    expect(await life.ports.askedQuestions.of('T1', 'U1')).toEqual([id]);
  });
});

describe('the text of the thread', () => {
  it('is sent to the service with the question, and removed afterwards', async () => {
    const { life, ask } = createCoreHarness();
    const { id } = await ask(reply);
    await life.run();
    const question = life.question(id);
    expect(life.upstream().map(({ text }) => text)).toEqual([`${question.text}\n\nwhat people said`]);
    expect(question.context).toEqual({ messages: 1, total: 1, files: 0, unreadable: 0, text: '' });
  });

  it.each([
    ['Slack refuses', [failing('unauthorized')]],
    ['Slack stays out of reach', Array.from({ length: 9 }, () => down)],
  ])('is left out where %s, and the question says so', async (_, readThread) => {
    const { life, ask } = createCoreHarness({ faults: { readThread } });
    const { id } = await ask(reply);
    await life.run();
    const question = life.question(id);
    expect(question.outcome?.kind).toBe('answered');
    expect(question.context).toMatchObject({ refused: true, messages: 0 });
    expect(life.upstream().map(({ text }) => text)).toEqual([question.text]);
  });

  it('is waited for while the rate limit leaves no room to read it', async () => {
    const noRoom = failing('rateLimited', { retryAfterMs: 20_000 });
    const { life, ask } = createCoreHarness({ faults: { readThread: [noRoom, noRoom, noRoom, noRoom] } });
    const { id } = await ask(reply);
    await life.run();
    expect(life.question(id).context).toMatchObject({ messages: 1 });
  });

  it('is not waited for longer than two minutes', async () => {
    const noRoom = failing('rateLimited', { retryAfterMs: 20_000 });
    const { life, ask } = createCoreHarness({ faults: { readThread: Array.from({ length: 20 }, () => noRoom) } });
    const { id } = await ask(reply);
    await life.run();
    expect(life.question(id)).toMatchObject({ context: { refused: true }, outcome: { kind: 'answered' } });
  });

  it('is read again where the first try fails', async () => {
    const { life, ask } = createCoreHarness({ faults: { readThread: [down] } });
    const { id } = await ask(reply);
    await life.run();
    expect(life.question(id).context).toMatchObject({ messages: 1 });
  });

  it('is read again where a person deletes a message while it is read', async () => {
    const { life, ask } = createCoreHarness();
    const { read } = life.ports.threadReader;
    let reads = 0;
    life.ports.threadReader.read = async (question, thread) => {
      reads += 1;
      const context = await read(question, thread);
      if (reads === 1) await life.ports.questions.update(question.id, readThreadAgain);
      return { ...context, text: `said ${reads}` };
    };
    const { id } = await ask(reply);
    await life.run();
    expect(life.upstream().map(({ text }) => text)).toEqual([`${life.question(id).text}\n\nsaid 2`]);
  });

  it('is all that a mention without text asks about: where it cannot be read, nothing is asked', async () => {
    const { life, ask } = createCoreHarness({ faults: { readThread: [failing('unauthorized')] } });
    const { id } = await ask({ ...reply, text: threadQuestion });
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'failed', failure: { cause: 'threadUnread' } });
    expect(life.upstream()).toEqual([]);
  });

  it('is not read for the message that begins a thread, nor for a plain reply', async () => {
    const { life, ask } = createCoreHarness();
    const { id } = await ask();
    const { id: replyId } = await ask({ origin: 'reply', beginsThread: false });
    await life.run();
    expect(life.question(id).context).toBeUndefined();
    expect(life.question(replyId).context).toBeUndefined();
  });
});

describe('an unreadable record beside the question', () => {
  it('delays nothing', async () => {
    const corrupt = failing('corrupt');
    const { life, ask } = createCoreHarness({ faults: { note: [corrupt, corrupt] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' } });
  });
});

describe('the usual duration of answers', () => {
  it('is known from the tenth answer on', async () => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 20_000, ends: 'completed' } });
    for (let count = 0; count < 10; count += 1) {
      await ask({ place: { teamId: 'T1', channelId: `C${count}` }, askerId: `U${count}`, origin: 'command' });
    }
    await life.run();
    const { id } = await ask();
    await life.run();
    const { expected } = life.question(id);
    expect(expected?.fromMs).toBe(20_000);
    expect(expected?.lateMs).toBeGreaterThanOrEqual(20_000);
  });
});
