import { describe, expect, it } from 'vitest';
import { askedToleranceMs } from '../../../src/core/settings.ts';
import { crash, createCoreHarness, lost } from '../../support/lifecycle/core-harness.ts';

const reply = { origin: 'reply', beginsThread: false } as const;
const inOtherWords = () => 'Something else entirely';
const withMarks = (text: string) => `> ${text.toUpperCase().replaceAll(' ', ' * ')}.`;

/** A service without ids that changes the texts of questions. */
function changing(change: (text: string) => string, options: Parameters<typeof createCoreHarness>[0] = {}) {
  const harness = createCoreHarness({ work: { takesMs: 20_000, ends: 'completed' }, ...options });
  harness.life.tellIds(false);
  harness.life.changeTexts(change);
  return harness;
}

describe('a question whose text the service changed', () => {
  it('is found at its position after the service stopped to tell ids', async () => {
    const { life, ask } = changing(inOtherWords);
    life.tellIds(true);
    const { id } = await ask();
    await life.run(life.now() + 5_000);
    life.tellIds(false);
    await life.run();
    expect(life.question(id)).toMatchObject({ outcome: { kind: 'answered' }, upstream: { ordinal: 0 } });
    expect(life.upstream()).toHaveLength(1);
  });

  it('is found by its time if its position is not known, and owns that position then', async () => {
    const { life, ask } = changing(inOtherWords);
    await ask();
    await life.run();
    const { id } = await ask(reply);
    await life.run(life.now() + 5_000);
    await life.ports.questions.update(id, ({ upstream: { ordinal: _, ...upstream }, ...stored }) => ({
      ...stored,
      upstream,
    }));
    await life.run();
    expect(life.question(id)).toMatchObject({ outcome: { kind: 'answered' }, upstream: { ordinal: 1 } });
    expect(life.upstream()).toHaveLength(2);
  });

  it('is stopped when it is cancelled', async () => {
    const { life, ask, requests } = changing(inOtherWords);
    const { id, place } = await ask();
    await life.run(life.now() + 5_000);
    await requests.cancelQuestion(id, { userId: 'U9', teamId: 'T1', channelId: place.channelId });
    await life.run();
    expect(life.upstream()).toMatchObject([{ state: 'cancelled' }]);
  });
});

describe('a question whose reply was lost, and whose text the service changed', () => {
  it('is found in the conversation of its thread, whatever its text', async () => {
    const { life, ask, plan } = changing(inOtherWords);
    await ask();
    await life.run();
    plan('followUp', [lost]);
    const { id } = await ask(reply);
    await life.run();
    expect(life.question(id)).toMatchObject({ outcome: { kind: 'answered' }, upstream: { ordinal: 1 } });
    expect(life.upstream()).toHaveLength(2);
    expect(life.violations).toEqual([]);
  });

  it('is found in a new conversation if only marks and cases differ', async () => {
    const { life, ask } = changing(withMarks, { faults: { create: [lost] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(1);
  });

  it('is found by its own claim, whatever its text', async () => {
    const { life, ask } = changing(inOtherWords, { faults: { claim: [undefined, crash('yes')] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(1);
  });

  it('is not asked again if a new conversation with another text may be its own, and says so', async () => {
    const { life, ask } = changing(inOtherWords, { faults: { create: [lost] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome).toEqual({
      kind: 'failed',
      failure: { cause: 'unreachable', mayBeAsked: true },
    });
    expect(life.upstream()).toHaveLength(1);
  });

  it('is not asked again, and takes neither, if two new conversations may be its own', async () => {
    const { life, ask, plan } = changing(withMarks);
    const { id, text } = await ask();
    await life.deepSearch.create(text);
    plan('create', [lost]);
    await life.run();
    expect(life.question(id).outcome).toMatchObject({ failure: { mayBeAsked: true } });
    expect(life.upstream()).toHaveLength(2);
  });
});

describe('a question whose call did not reach the service', () => {
  const notSent = { ...lost, happens: 'no' } as const;

  it('is asked again although another one of the app was created at the same time', async () => {
    const { life, ask, plan } = changing((text) => text);
    plan('create', [notSent]);
    const { id } = await ask();
    const other = await ask({ place: { teamId: 'T1', channelId: 'C2', threadTs: '1700000000.000002' } });
    await life.run();
    for (const each of [id, other.id]) expect(life.question(each).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(2);
  });

  it.each([
    ['asked again', 'a while before', askedToleranceMs + 1, 'answered'],
    ['not asked again', 'at about the same time', askedToleranceMs - 1_000, 'failed'],
  ])('is %s if someone else asked the service %s', async (_, __, earlierMs, outcome) => {
    const { life, ask, plan } = changing(inOtherWords);
    await life.deepSearch.create('asked in the browser');
    await life.run(life.now() + earlierMs);
    plan('create', [notSent]);
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe(outcome);
  });
});
