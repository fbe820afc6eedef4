import { describe, expect, it } from 'vitest';
import { buttonUser, crash, createCoreHarness, failing } from '../../support/lifecycle/core-harness.ts';

const asker = { ...buttonUser, userId: 'U1' };
const work = { takesMs: 30_000, ends: 'completed' } as const;

/** A question that runs for three seconds, with an edited version and a follow-up that may be asked instead. */
async function running() {
  const harness = createCoreHarness({ work });
  await harness.ask({ text: 'first?' });
  await harness.life.run();
  const { id } = await harness.ask({
    key: 'm',
    text: 'endpoints?',
    readsThread: false,
    fresh: true,
    beginsThread: false,
    asFollowUp: { text: 'new endpoints?' },
  });
  await harness.life.run(harness.life.now() + 3_000);
  return { ...harness, id };
}

type Running = Awaited<ReturnType<typeof running>>;

const replacements: [string, string, (harness: Running) => Promise<unknown>][] = [
  ['its follow-up', 'new endpoints?', ({ requests, id }) => requests.askAsFollowUp(id, asker)],
  [
    'its edited version',
    'edited?',
    async ({ requests, id }) => {
      await requests.noteEdit('m', { text: 'edited?', atMs: 5 });
      return requests.askEdited(id, asker);
    },
  ],
];

describe.each(replacements)('a question that is replaced by %s', (_name, text, press) => {
  it.each(['no', 'yes'] as const)(
    'is cancelled, and the other one answered once, after a crash at any write (carried out: %s)',
    async (happens) => {
      for (let index = 0; index < 8; index += 1) {
        const harness = await running();
        const { life, plan, id } = harness;
        await press(harness);
        plan('write', [...Array.from({ length: index }, () => undefined), crash(happens)]);
        await life.run();
        expect(life.question(id).outcome, `write ${index}`).toEqual({ kind: 'cancelled' });
        const others = life.questions().filter((question) => question.text === text);
        expect(others.map(({ outcome, phase }) => [outcome?.kind, phase])).toEqual([['answered', 'closed']]);
        expect(life.upstream().filter((asked) => asked.text === text)).toHaveLength(1);
        expect(life.violations).toEqual([]);
      }
    },
  );

  it('is asked directly after it, before the questions that wait in the thread', async () => {
    const harness = await running();
    const { life, ask } = harness;
    const { id: waiting } = await ask({ text: 'and then?', origin: 'reply', beginsThread: false });
    await press(harness);
    const [, replacement] = life.threads()[0]?.queue ?? [];
    expect(life.question(replacement ?? '').text).toBe(text);
    expect(life.threads()[0]?.queue).toEqual([harness.id, replacement, waiting]);
  });
});

describe('a question that replaces another', () => {
  it('cancels it at once when its request was acknowledged, and once', async () => {
    const harness = await running();
    const { life, requests, id } = harness;
    const result = await requests.askAsFollowUp(id, asker);
    if (result.kind !== 'accepted') throw new Error(result.kind);
    await requests.cancelReplacedBy(result.question.id);
    const { cancel } = life.question(id);
    expect(cancel).toEqual({ byUserId: 'U1', atMs: life.now(), isFinal: true });
    await life.run(life.now() + 1_000);
    await requests.cancelReplacedBy(result.question.id);
    expect(life.question(id).cancel).toEqual(cancel);
  });

  it('cancels it after twenty seconds where its request was never acknowledged', async () => {
    const harness = await running();
    const { life, requests, id } = harness;
    const pressedMs = life.now();
    await requests.askAsFollowUp(id, asker);
    await life.run();
    expect((life.question(id).cancel?.atMs ?? 0) - pressedMs).toBe(20_000);
  });

  it('leaves it alone when it may not be asked itself', async () => {
    const { life, requests, id } = await running();
    life.ports.accessPolicy.admit = async () => ({ may: false, reason: 'sharedChannel' });
    const result = await requests.askAsFollowUp(id, asker);
    if (result.kind !== 'accepted') throw new Error(result.kind);
    await life.run(life.now() + 25_000);
    expect(life.question(result.question.id).outcome?.kind).toBe('notAllowed');
    expect(life.question(id).cancel).toBeUndefined();
  });

  it('is cancelled together with it when the message of both is deleted first', async () => {
    const { life, requests, id } = await running();
    await requests.askAsFollowUp(id, asker);
    expect(await requests.cancelStartedBy('m')).toEqual({ kind: 'cancelling' });
    await life.run();
    expect(life.questions().map(({ outcome }) => outcome?.kind)).toEqual(['answered', 'cancelled', 'cancelled']);
  });

  it('does not count when storage failed before it was accepted', async () => {
    const { life, requests, id, plan } = await running();
    plan('write', [undefined, failing('storage')]);
    await expect(requests.askAsFollowUp(id, asker)).rejects.toMatchObject({ kind: 'storage' });
    expect((await requests.startedBy('m'))?.id).toBe(id);
    await requests.cancelStartedBy('m');
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'cancelled' });
  });

  it('leaves it alone when it was taken back before', async () => {
    const { life, requests, id } = await running();
    const result = await requests.askAsFollowUp(id, asker);
    if (result.kind !== 'accepted') throw new Error(result.kind);
    await requests.cancel(result.question.id, asker);
    await requests.cancelReplacedBy(result.question.id);
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.question(result.question.id).outcome).toEqual({ kind: 'cancelled' });
  });

  it('is asked although the record of the other is gone', async () => {
    const { life, ask } = createCoreHarness({ work });
    const { id } = await ask({ insteadOf: 'q000000000000000000000000' });
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
  });
});
