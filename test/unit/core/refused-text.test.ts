import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../../src/core/question/question.ts';
import { buttonUser, crash, createCoreHarness } from '../../support/lifecycle/core-harness.ts';

const direct = { teamId: 'T1', channelId: 'D1' };
const asked = {
  text: 'a secret question?',
  askerId: buttonUser.userId,
  files: [
    { id: 'F1', name: 'secret.txt', type: 'text/plain', bytes: 1, url: 'https://files.slack.com/files-pri/T1-F1/a' },
  ],
  forwarded: { messages: 1, text: 'a secret message' },
  follows: { text: 'a secret answer' },
};

/** A lifecycle with one refused question. */
async function refused(reason: Refusal, options: Parameters<typeof createCoreHarness>[0] = {}) {
  const harness = createCoreHarness(options);
  harness.life.ports.accessPolicy.admit = async (_userId, { channelId }) =>
    channelId === direct.channelId ? { may: true } : { may: false, reason };
  const { id } = await harness.ask(asked);
  await harness.life.run();
  return { ...harness, id };
}

describe('a refused question', () => {
  it.each<[Refusal]>([['guest'], ['outsider'], ['unknownPerson']])(
    'keeps nothing of what was asked, and cannot be asked elsewhere, for the reason %s',
    async (reason) => {
      const { life, requests, id } = await refused(reason);
      expect(life.privateMessages).toMatchObject([{ notice: { kind: 'notAllowed', reason, text: asked.text } }]);
      expect(life.question(id)).toMatchObject({ phase: 'closed', text: '', outcome: { kind: 'notAllowed', reason } });
      expect(JSON.stringify(life.question(id))).not.toContain('secret');
      expect(await life.ports.refusedTexts.get(id)).toBeUndefined();
      expect(await requests.askIn(id, direct, buttonUser)).toEqual({ kind: 'expired' });
      expect(await requests.askAgain(id, buttonUser)).toEqual({ kind: 'expired' });
    },
  );

  it.each<[Refusal]>([['unknownChannel'], ['sharedChannel'], ['guestsInChannel'], ['channelRefused']])(
    'keeps its text in another record, for the button that asks it in a direct message, for the reason %s',
    async (reason) => {
      const { life, requests, id } = await refused(reason);
      expect(JSON.stringify(life.question(id))).not.toContain('secret');
      expect(await life.ports.refusedTexts.get(id)).toEqual({ version: 1, text: asked.text });
      const result = await requests.askIn(id, direct, buttonUser);
      expect(result).toMatchObject({ kind: 'accepted', question: { text: asked.text, place: direct } });
      expect(await requests.askIn(id, direct, buttonUser)).toMatchObject({ kind: 'duplicate' });
      await life.run();
      expect(life.upstream()).toHaveLength(1);
    },
  );

  it('is treated as a button that is too old once its text is deleted', async () => {
    const { life, requests, id } = await refused('sharedChannel');
    life.ports.refusedTexts.get = async () => undefined;
    expect(await requests.askIn(id, direct, buttonUser)).toEqual({ kind: 'expired' });
  });

  it.each(['no', 'yes'] as const)(
    'still has its text for the button after a crash at any write (carried out: %s)',
    async (happens) => {
      for (let index = 0; index < 12; index += 1) {
        const faults = {
          write: Array.from({ length: index + 1 }, (_, at) => (at === index ? crash(happens) : undefined)),
        };
        const harness = createCoreHarness({ faults });
        harness.life.ports.accessPolicy.admit = async () => ({ may: false, reason: 'sharedChannel' });
        const question = await harness.ask(asked).catch(() => undefined);
        if (question === undefined) continue;
        await harness.life.run();
        expect(harness.life.question(question.id)).toMatchObject({ phase: 'closed', text: '' });
        expect(await harness.life.ports.refusedTexts.get(question.id)).toMatchObject({ text: asked.text });
      }
    },
  );
});

describe('a withheld answer', () => {
  /** A question that is admitted first, and refused when its answer is about to be shown. */
  async function withheld(reason: Refusal) {
    const harness = createCoreHarness({ work: { takesMs: 120_000, ends: 'completed' } });
    const { life } = harness;
    life.ports.accessPolicy.admit = async () => (life.upstream().length === 0 ? { may: true } : { may: false, reason });
    const { id } = await harness.ask(asked);
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'notAllowed', reason } });
    return life.question(id);
  }

  it('leaves the text in its asker’s list where it is withheld from a channel', async () => {
    expect((await withheld('sharedChannel')).text).toBe(asked.text);
  });

  it('leaves no text where it is withheld from a person who is no member any more', async () => {
    expect(JSON.stringify(await withheld('guest'))).not.toContain('secret');
  });
});
