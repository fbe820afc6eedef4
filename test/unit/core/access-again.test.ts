import { describe, expect, it } from 'vitest';
import { crash, createCoreHarness, down, failing, late, lateBy } from '../../support/lifecycle/core-harness.ts';
import type { Fault } from '../../support/lifecycle/in-memory-lifecycle.ts';

const asker = 'U1';
const unknown = failing('unavailable', { outcomeUnknown: true });
const passing = undefined;
const again = (fault: Fault | undefined, times: number) => Array.from({ length: times }, () => fault);

describe('an answer whose asker loses access', () => {
  it.each<[what: string, faults: (Fault | undefined)[], shown: number]>([
    ['after the first post failed', again(down, 7), 0],
    ['after the first post ended with an unknown outcome', again(unknown, 5), 0],
    ['after the process died in the first post', [crash('no'), ...again(unknown, 4)], 0],
    ['between two parts', [passing, ...again(down, 7)], 1],
    ['between two parts, where posting the second had an unknown outcome', [passing, ...again(unknown, 5)], 1],
  ])('is withheld from then on, %s', async (_, faults, shown) => {
    const { life, ask } = createCoreHarness({
      faults: { postPart: faults },
      work: { takesMs: 5_000, ends: 'completed', parts: 3 },
    });
    const { id } = await ask();
    life.at(30_000, () => void life.refusedUsers.add(asker));
    await life.run();
    const question = life.question(id);
    expect(question.outcome).toEqual({ kind: 'notAllowed', reason: 'guest' });
    expect(life.messagesOf(question, 'part')).toHaveLength(shown);
    expect(life.messagesOf(question, 'card').map(({ view }) => view?.kind)).toEqual(['notAllowed']);
    expect(life.privateMessages.map(({ notice }) => notice)).toMatchObject([
      { kind: 'notAllowed', withheld: 'answer' },
    ]);
  });

  it.each([0, 1])(
    'is withheld where Slack does not say for a day who reads the channel, with %i parts shown',
    async (shown) => {
      const { life, ask } = createCoreHarness({
        faults: {
          admit: [...again(passing, 1 + shown), ...again(down, 3_000)],
          postPart: again(passing, shown),
        },
        work: { takesMs: 5_000, ends: 'completed', parts: 2 },
      });
      const { id } = await ask();
      await life.run();
      const question = life.question(id);
      expect(question).toMatchObject({ phase: 'closed', outcome: { kind: 'notAllowed', reason: 'unknownPerson' } });
      expect(life.messagesOf(question, 'part')).toHaveLength(shown);
      expect(life.messagesOf(question, 'card').map(({ view }) => view?.kind)).toEqual(['notAllowed']);
      expect(life.privateMessages.map(({ notice }) => notice)).toMatchObject([
        { kind: 'notAllowed', withheld: 'answer' },
      ]);
    },
  );

  it('is not attached as a file', async () => {
    const { life, ask } = createCoreHarness({
      faults: { attach: again(unknown, 4) },
      work: { takesMs: 5_000, ends: 'completed', parts: 4 },
    });
    const { id } = await ask();
    life.at(30_000, () => void life.refusedUsers.add(asker));
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'notAllowed', reason: 'guest' });
    expect(life.messagesOf(life.question(id), 'file')).toHaveLength(0);
    expect(life.messagesOf(life.question(id), 'part')).toHaveLength(3);
  });

  it('is shown where access was lost and restored before anything was due', async () => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 200_000, ends: 'completed' } });
    const { id } = await ask();
    life.at(65_000, () => void life.refusedUsers.add(asker));
    life.at(190_000, () => void life.refusedUsers.delete(asker));
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.messagesOf(life.question(id), 'part')).toHaveLength(1);
  });

  it('is found and not posted again where it was posted before', async () => {
    const { life, ask } = createCoreHarness({
      faults: { postPart: [late] },
      work: { takesMs: 5_000, ends: 'completed' },
    });
    const { id } = await ask();
    await life.run(life.startMs + 6_000);
    life.refusedUsers.add(asker);
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.messagesOf(life.question(id), 'part')).toHaveLength(1);
  });
});

describe('the card of a running question', () => {
  const work = { takesMs: 400_000, ends: 'completed' } as const;

  it('stops showing steps within about half a minute after access is lost, and shows them again when access is back', async () => {
    const { life, ask } = createCoreHarness({ work });
    const { id } = await ask();
    const stepsShown = () =>
      life.messagesOf(life.question(id), 'card').map(({ view }) => view?.kind === 'running' && view.steps);
    await life.run(life.startMs + 50_000);
    expect(stepsShown()).toEqual([5]);
    life.refusedUsers.add(asker);
    await life.run(life.startMs + 90_000);
    expect(stepsShown()).toEqual([0]);
    life.refusedUsers.delete(asker);
    await life.run(life.startMs + 130_000);
    expect(stepsShown()).toEqual([5]);
  });

  it('shows no steps while it is unknown who reads them, and the question is still watched', async () => {
    const { life, ask } = createCoreHarness({
      work,
      faults: { admit: [passing, ...again(down, 2), failing('unauthorized')] },
    });
    const { id } = await ask();
    await life.run(life.startMs + 100_000);
    expect(life.question(id)).toMatchObject({ phase: 'running' });
    expect(life.messagesOf(life.question(id), 'card').map(({ view }) => view)).toMatchObject([
      { kind: 'running', steps: 0 },
    ]);
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
  });
});

describe('a part that appears late', () => {
  it('does not bring the other parts after its answer was withheld', async () => {
    const { life, ask } = createCoreHarness({
      faults: { postPart: [lateBy(90_000), ...again(unknown, 5)] },
      work: { takesMs: 5_000, ends: 'completed', parts: 3 },
    });
    const { id } = await ask();
    life.at(20_000, () => void life.refusedUsers.add(asker));
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'notAllowed', reason: 'guest' });
    expect(life.messagesOf(life.question(id), 'part').length).toBeLessThanOrEqual(1);
  });
});
