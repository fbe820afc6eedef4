import { describe, expect, it } from 'vitest';
import { isOverCap, resetMs } from '../../../src/core/question/daily-caps.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { crash, createCoreHarness } from '../../support/lifecycle/core-harness.ts';
import { createInMemoryLifecycle } from '../../support/lifecycle/in-memory-lifecycle.ts';

type Life = ReturnType<typeof createInMemoryLifecycle>;

/** A question of a person, in a thread of its own. */
function question(number: number, change: Partial<Question> = {}): Question {
  return {
    version: 1,
    id: `q${String(number).padStart(24, '0')}`,
    place: { teamId: 'T1', channelId: 'C1', threadTs: `17000000${number}.000001` },
    askerId: 'U1',
    text: `question ${number}`,
    origin: 'mention',
    beginsThread: true,
    fresh: false,
    acceptedMs: 1_800_000_000_000,
    phase: 'waiting',
    card: {},
    upstream: { steps: 0 },
    delivery: { round: 0, posted: [] },
    ...change,
  };
}

async function ask(life: Life, ...questions: Question[]): Promise<void> {
  for (const each of questions) {
    await life.ports.questions.create(each);
    await life.ports.scheduler.schedule(each.id, 0);
  }
  await life.run();
}

function refusals(life: Life): (string | undefined)[] {
  return life
    .questions()
    .map(({ outcome }) => (outcome?.kind === 'notAllowed' ? outcome.reason : undefined))
    .filter((reason) => reason !== undefined);
}

describe('daily caps', () => {
  it('refuse a person over theirs before anything is asked or shown, with the reset and their text', async () => {
    const life = createInMemoryLifecycle({ caps: { perPerson: 2 } });
    await ask(life, question(1), question(2), question(3), question(4, { askerId: 'U2' }));
    expect(refusals(life)).toEqual(['personCap']);
    expect(life.upstream()).toHaveLength(3);
    const [told] = life.privateMessages;
    expect(life.privateMessages).toHaveLength(1);
    expect(told?.notice).toMatchObject({ kind: 'notAllowed', reason: 'personCap', resetMs: resetMs(life.startMs) });
    const refused = life.questions().find(({ outcome }) => outcome?.kind === 'notAllowed');
    expect(refused?.text).not.toBe('');
    expect(refused?.card.ts).toBeUndefined();
    expect(life.violations).toEqual([]);
  });

  it('refuse everyone over the cap of a channel, but not in direct messages', async () => {
    const life = createInMemoryLifecycle({ caps: { perChannel: 1 } });
    const direct = { teamId: 'T1', channelId: 'D1' };
    await ask(
      life,
      question(1),
      question(2, { askerId: 'U2' }),
      question(3, { place: { ...direct, threadTs: '1.1' } }),
      question(4, { place: { ...direct, threadTs: '2.1' } }),
    );
    expect(refusals(life)).toEqual(['channelCap']);
  });

  it('do not hold for admins, whose questions count for no one', async () => {
    const life = createInMemoryLifecycle({ caps: { perPerson: 1, perChannel: 1, exempt: ['U1'] } });
    await ask(life, question(1), question(2), question(3, { askerId: 'U2' }));
    expect(refusals(life)).toEqual([]);
  });

  const dayMs = 24 * 60 * 60 * 1_000;
  it.each([
    ['the first moment of a day', 20_000 * dayMs, 20_001 * dayMs],
    ['its second one', 20_000 * dayMs + 1, 20_001 * dayMs],
    ['its last one', 20_001 * dayMs - 1, 20_001 * dayMs],
  ])('say of %s when they begin again', (_, acceptedMs, atMs) => {
    expect(resetMs(acceptedMs)).toBe(atMs);
  });

  it('begin again at midnight (UTC)', async () => {
    const life = createInMemoryLifecycle({ caps: { perPerson: 1 } });
    const midnightMs = resetMs(life.startMs);
    await ask(life, question(1), question(2, { acceptedMs: midnightMs - 1 }), question(3, { acceptedMs: midnightMs }));
    expect(refusals(life)).toEqual(['personCap']);
  });

  it('give a place back when the question ends without reaching the service', async () => {
    const life = createInMemoryLifecycle({ caps: { perPerson: 1, perChannel: 1 } });
    const cancel = { byUserId: 'U1', atMs: life.startMs };
    await ask(life, question(1, { cancel }));
    expect(life.question(question(1).id).outcome).toEqual({ kind: 'cancelled' });
    await ask(life, question(2));
    expect(refusals(life)).toEqual([]);
  });

  it('give the person’s place back when the channel has none', async () => {
    const life = createInMemoryLifecycle({ caps: { perPerson: 1, perChannel: 1 } });
    await ask(life, question(1, { askerId: 'U2' }), question(2));
    await ask(life, question(3, { place: { teamId: 'T1', channelId: 'C2', threadTs: '3.1' } }));
    expect(refusals(life)).toEqual(['channelCap']);
  });

  it('count an answer that is shown again for no one', async () => {
    const life = createInMemoryLifecycle({ caps: { perPerson: 1 } });
    const confirmed: string[] = [];
    const shares = { questionId: question(1).id, withLink: false, confirmed };
    await ask(life, question(1), question(2, { origin: 'shared', shares }));
    expect(refusals(life)).toEqual([]);
  });

  it.each(['no', 'yes'] as const)('count a question once, wherever its process dies (%s)', async (happens) => {
    for (let died = 0; died < 25; died += 1) {
      let writes = 0;
      let isFirst = true;
      const life = createInMemoryLifecycle({
        caps: { perPerson: 2, perChannel: 2 },
        chooseFault: (operation) => {
          if (operation !== 'write' || !isFirst) return undefined;
          writes += 1;
          return writes === died + 3 ? crash(happens) : undefined;
        },
      });
      await ask(life, question(1));
      life.restart();
      await life.run();
      isFirst = false;
      await ask(life, question(2), question(3));
      expect(life.upstream().map(({ text }) => text)).toEqual(['question 1', 'question 2']);
      expect(refusals(life)).toEqual(['personCap']);
      expect(life.violations).toEqual([]);
    }
  });
});

describe('the audit log of questions', () => {
  it('has each question once when it is asked and once when it ends, however often its steps are repeated', async () => {
    const { life, ask: askOne } = createCoreHarness();
    const { id, acceptedMs } = await askOne({ text: 'SECRET words' });
    await life.run();
    const byId = new Map(life.audited.map((entry) => [entry.id, entry]));
    expect([...byId.keys()]).toEqual([`asked:${id}`, `ended:${id}`]);
    expect(byId.get(`asked:${id}`)).toMatchObject({
      atMs: acceptedMs,
      userId: 'U1',
      channelId: 'C1',
      detail: 'mention',
    });
    expect(byId.get(`ended:${id}`)).toMatchObject({
      detail: 'answered',
      usage: { durationMs: 5_000, repositories: [] },
    });
    expect(JSON.stringify(life.audited)).not.toContain('SECRET');
  });

  it('has refused askers without an end, and who cancelled', async () => {
    const { life, ask: askOne } = createCoreHarness({ work: { takesMs: 60_000, ends: 'completed' } });
    life.refusedUsers.add('U7');
    const refused = await askOne({ askerId: 'U7' });
    const cancelled = await askOne({ place: { teamId: 'T1', channelId: 'C1', threadTs: '9.1' } });
    life.at(2_000, async () => {
      const cancel = { byUserId: 'U8', atMs: life.now() };
      await life.ports.questions.update(cancelled.id, (stored) => ({ ...stored, cancel }));
      await life.ports.scheduler.schedule(cancelled.id, 0);
    });
    await life.run();
    const about = (id: string) => life.audited.filter(({ questionId }) => questionId === id);
    expect(about(refused.id).map(({ action, detail }) => [action, detail])).toEqual([['refused', 'guest']]);
    expect(about(cancelled.id).map(({ action, userId, detail }) => [action, userId, detail])).toEqual([
      ['asked', 'U1', 'mention'],
      ['cancelled', 'U8', undefined],
      ['ended', 'U1', 'cancelled'],
    ]);
  });
});

it('names both caps, and no other refusal, as over a cap', () => {
  expect(isOverCap('personCap') && isOverCap('channelCap')).toBe(true);
  expect(isOverCap('guest')).toBe(false);
});
