import { describe, expect, it } from 'vitest';
import { noRules } from '../../../src/core/channels/channel-settings.ts';
import { chooseReaders } from '../../../src/core/intake/requests.ts';
import type { ReadersChoice } from '../../../src/core/question/reader-choices.ts';
import { chooseReadersMs } from '../../../src/core/settings.ts';
import { crash, createCoreHarness, down, failing, thread } from '../../support/lifecycle/core-harness.ts';
import type { Fault, Operation } from '../../support/lifecycle/in-memory-lifecycle.ts';

const asker = { userId: 'U1', teamId: 'T1' };
const hourMs = 60 * 60 * 1000;

type Harness = ReturnType<typeof createCoreHarness>;

/** Asks with own access and lets the answer arrive, but not the end of the time to choose. */
async function answered(harness: Harness, change: Parameters<Harness['ask']>[0] = {}) {
  const { id } = await harness.ask({ access: 'own', ...change });
  await harness.life.run(harness.life.now() + hourMs);
  return id;
}

async function choose({ life, requests }: Harness, id: string, choice: ReadersChoice) {
  const result = await requests.chooseReaders(id, asker, choice);
  await life.run(life.now() + hourMs);
  return result;
}

function notices({ life }: Harness) {
  return life.privateMessages.map(({ notice }) => notice.kind);
}

function parts({ life }: Harness, id: string) {
  return life.messagesOf(life.question(id), 'part');
}

function cardOf({ life }: Harness, id: string) {
  return life.messagesOf(life.question(id), 'card').at(-1)?.view?.kind;
}

describe('an answer with own access in a channel', () => {
  it('is not shown before its asker chose, and lets other questions go on', async () => {
    const harness = createCoreHarness();
    const id = await answered(harness);
    expect(parts(harness, id)).toEqual([]);
    expect(cardOf(harness, id)).toBe('choosing');
    expect(harness.life.privateMessages).toMatchObject([
      { userId: 'U1', notice: { kind: 'chooseReaders', questionId: id, channelId: 'C1', people: 3 } },
    ]);
    expect(harness.life.threads()[0]?.queue).toEqual([]);
    expect(harness.life.runSlotBooks()[0]?.running).toEqual([]);
    const other = await answered(harness, { access: 'app', askerId: 'U2' });
    expect(parts(harness, other)).toHaveLength(1);
  });

  it.each<[ReadersChoice, number, string]>([
    ['here', 1, 'answered'],
    ['always', 1, 'answered'],
    ['onlyMe', 0, 'answeredPrivately'],
  ])('is shown as chosen: %s', async (choice, posted, card) => {
    const harness = createCoreHarness();
    const id = await answered(harness);
    expect(await choose(harness, id, choice)).toEqual({ kind: 'chosen', channelId: 'C1' });
    expect(parts(harness, id)).toHaveLength(posted);
    expect(cardOf(harness, id)).toBe(card);
    expect(harness.life.question(id).phase).toBe('closed');
    expect([...harness.life.sentPrivately]).toEqual(choice === 'onlyMe' ? [id] : []);
    expect(notices(harness)).toEqual(['chooseReaders']);
  });

  it('is asked about once in a thread after Show here, and again in another thread', async () => {
    const harness = createCoreHarness();
    await choose(harness, await answered(harness), 'here');
    const next = await answered(harness);
    expect(parts(harness, next)).toHaveLength(1);
    expect(notices(harness)).toEqual(['chooseReaders']);
    const elsewhere = await answered(harness, { place: { ...thread, threadTs: '1800000000.000001' } });
    expect(parts(harness, elsewhere)).toEqual([]);
    expect(notices(harness)).toEqual(['chooseReaders', 'chooseReaders']);
  });

  it('is asked about once in a channel after Always here, and for each person', async () => {
    const harness = createCoreHarness();
    await choose(harness, await answered(harness), 'always');
    const elsewhere = await answered(harness, { place: { ...thread, threadTs: '1800000000.000001' } });
    expect(parts(harness, elsewhere)).toHaveLength(1);
    const others = await answered(harness, { askerId: 'U2' });
    expect(parts(harness, others)).toEqual([]);
    expect(harness.life.privateMessages.map(({ userId }) => userId)).toEqual(['U1', 'U2']);
  });

  it('is asked about again after Only for me', async () => {
    const harness = createCoreHarness();
    await choose(harness, await answered(harness), 'onlyMe');
    await answered(harness);
    expect(notices(harness)).toEqual(['chooseReaders', 'chooseReaders']);
  });

  it('goes to its asker only after 24 hours, and a press after that is told so', async () => {
    const harness = createCoreHarness();
    const id = await answered(harness);
    await harness.life.run();
    expect(parts(harness, id)).toEqual([]);
    expect([...harness.life.sentPrivately]).toEqual([id]);
    expect(cardOf(harness, id)).toBe('answeredPrivately');
    expect(harness.life.now() - harness.life.startMs).toBeGreaterThanOrEqual(chooseReadersMs);
    for (const choice of ['here', 'always', 'onlyMe'] as const) {
      expect(await choose(harness, id, choice)).toEqual({ kind: 'tooLate' });
    }
    expect(parts(harness, id)).toEqual([]);
  });

  it('is not shown by a press after 24 hours that comes before the app noticed the time', async () => {
    const harness = createCoreHarness();
    const id = await answered(harness);
    const now = () => harness.life.startMs + chooseReadersMs + hourMs;
    expect(await chooseReaders({ ...harness.life.ports, now }, id, asker, 'here')).toEqual({ kind: 'tooLate' });
    expect(harness.life.question(id).showing?.choice).toBeUndefined();
  });

  it('is chosen for once, by its asker, in their workspace', async () => {
    const harness = createCoreHarness();
    const id = await answered(harness);
    const { requests } = harness;
    expect(await requests.chooseReaders(id, { ...asker, userId: 'U9' }, 'here')).toEqual({
      kind: 'notAsker',
      askerId: 'U1',
    });
    expect(await requests.chooseReaders(id, { ...asker, teamId: 'T9' }, 'here')).toEqual({ kind: 'expired' });
    expect(await requests.chooseReaders(`q${'0'.repeat(24)}`, asker, 'here')).toEqual({ kind: 'expired' });
    const results = await Promise.all(
      (['here', 'onlyMe', 'always'] as const).map((choice) => requests.chooseReaders(id, asker, choice)),
    );
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['alreadyChosen', 'alreadyChosen', 'chosen']);
    await harness.life.run();
    expect(await requests.chooseReaders(id, asker, 'here')).toEqual({ kind: 'alreadyChosen' });
  });

  it('is not chosen for by a press that could not be stored in time', async () => {
    const harness = createCoreHarness();
    const id = await answered(harness);
    const { requests, life } = harness;
    await expect(requests.chooseReaders(id, asker, 'here', life.now() - 1)).rejects.toMatchObject({ kind: 'storage' });
    expect(life.question(id).showing?.choice).toBeUndefined();
  });

  it('is not shown to readers who changed while the asker chose', async () => {
    const harness = createCoreHarness();
    const id = await answered(harness);
    harness.life.ports.accessPolicy.admit = async () => ({ may: false, reason: 'guestsInChannel' });
    await choose(harness, id, 'here');
    expect(parts(harness, id)).toEqual([]);
    expect(notices(harness)).toEqual(['chooseReaders', 'notAllowed']);
    expect(cardOf(harness, id)).toBe('notAllowed');
  });

  it('has no steps on its card before its asker agreed, and has them afterwards', async () => {
    const harness = createCoreHarness({ work: { takesMs: 20_000, ends: 'completed' } });
    const runningView = async () => {
      const { id } = await harness.ask({ access: 'own' });
      await harness.life.run(harness.life.now() + 12_000);
      const view = harness.life.messagesOf(harness.life.question(id), 'card').at(-1)?.view;
      await harness.life.run(harness.life.now() + hourMs);
      return { id, view };
    };
    const { id, view } = await runningView();
    expect(view).toMatchObject({ kind: 'running', steps: 0 });
    await choose(harness, id, 'here');
    expect((await runningView()).view).toMatchObject({
      kind: 'running',
      steps: expect.toSatisfy((steps) => steps > 0),
    });
  });

  it('is not asked about where its readers changed before', async () => {
    const harness = createCoreHarness({ work: { takesMs: 120_000, ends: 'completed' } });
    const { id } = await harness.ask({ access: 'own' });
    harness.life.at(60_000, () => {
      harness.life.ports.accessPolicy.admit = async () => ({ may: false, reason: 'guestsInChannel' });
    });
    await harness.life.run();
    expect(notices(harness)).toEqual(['notAllowed']);
    expect(parts(harness, id)).toEqual([]);
  });

  it('is sent to the asker by a setting of the channel, without asking', async () => {
    const harness = createCoreHarness();
    harness.life.ports.channelRules.forQuestion = async () => ({ ...noRules, answersPrivately: true });
    const { id } = await harness.ask();
    await harness.life.run();
    expect([...harness.life.sentPrivately]).toEqual([id]);
    expect(cardOf(harness, id)).toBe('answeredPrivately');
    expect(notices(harness)).toEqual([]);
    expect(parts(harness, id)).toEqual([]);
  });

  it('that can be sent nowhere is told to its asker with its link', async () => {
    const harness = createCoreHarness({ faults: { showPrivately: [failing('undeliverable')] } });
    const id = await answered(harness);
    await choose(harness, id, 'onlyMe');
    expect(harness.life.privateMessages.at(-1)?.notice).toMatchObject({
      kind: 'undeliverable',
      shareUrl: expect.any(String),
    });
    expect(harness.life.question(id).phase).toBe('closed');
  });

  it('is for its asker only where Slack never takes the question to them', async () => {
    const harness = createCoreHarness({ faults: { notifyPrivately: [failing('refused')] } });
    const id = await answered(harness);
    expect([...harness.life.sentPrivately]).toEqual([id]);
    expect(parts(harness, id)).toEqual([]);
  });

  it('does not show the link of a conversation with an answer for its asker only, however old that answer is', async () => {
    const harness = createCoreHarness();
    const { life } = harness;
    life.openLinks.add('https://code.example/deepsearch/2');
    const first = await answered(harness);
    await choose(harness, first, 'onlyMe');
    // Claims and records of ended questions end by themselves. The thread lasts, because it is used.
    const { claims, questions } = life.ports;
    const { ownerOf } = claims;
    const { get } = questions;
    claims.ownerOf = async (key) => (key.startsWith('kept-private:') ? undefined : ownerOf(key));
    questions.get = async (id) => (id === first ? undefined : get(id));
    const next = await answered(harness);
    await choose(harness, next, 'here');
    expect(life.question(next).upstream).toMatchObject({
      conversationId: 2,
      isLinkOpen: false,
    });
  });
});

describe('the link of an own conversation', () => {
  const open = (harness: Harness) => harness.life.openLinks.add('https://code.example/deepsearch/2');
  const linkOf = ({ life }: Harness, id: string) => life.question(id).upstream.isLinkOpen;

  it.each([true, false])('is proven once after the choice: %s', async (isOpen) => {
    const harness = createCoreHarness();
    if (isOpen) open(harness);
    const id = await answered(harness);
    expect(linkOf(harness, id)).toBeUndefined();
    await choose(harness, id, 'here');
    expect(linkOf(harness, id)).toBe(isOpen);
  });

  it('is not shown if that could not be found out', async () => {
    const harness = createCoreHarness({ faults: { canOpen: [down] } });
    open(harness);
    const id = await answered(harness);
    await choose(harness, id, 'here');
    expect(linkOf(harness, id)).toBe(false);
    expect(parts(harness, id)).toHaveLength(1);
  });

  it('is not shown once an answer of the conversation was kept private', async () => {
    const harness = createCoreHarness();
    open(harness);
    await choose(harness, await answered(harness), 'onlyMe');
    const id = await answered(harness);
    await choose(harness, id, 'here');
    expect(harness.life.upstream().map(({ conversationId }) => conversationId)).toEqual([2, 2]);
    expect(linkOf(harness, id)).toBe(false);
  });

  it('is not shown while an answer of the conversation may still be kept private', async () => {
    const harness = createCoreHarness();
    open(harness);
    await answered(harness);
    const id = await answered(harness);
    await choose(harness, id, 'here');
    expect(linkOf(harness, id)).toBe(false);
  });
});

describe('after a crash at any line', () => {
  const operations: Operation[] = [
    'get',
    'write',
    'claim',
    'notifyPrivately',
    'updateCard',
    'postPart',
    'showPrivately',
    'canOpen',
    'admit',
  ];
  const faults: Fault[] = [crash('no'), crash('yes')];
  const cases = operations.flatMap((operation) =>
    faults.flatMap((fault) =>
      Array.from({ length: operation === 'write' || operation === 'get' ? 20 : 3 }, (_, nth) => ({
        operation,
        fault,
        nth,
      })),
    ),
  );

  it.each(['here', 'onlyMe', 'always'] as const)('an answer is shown exactly as chosen: %s', async (choice) => {
    for (const { operation, fault, nth } of cases) {
      const what = `${operation} ${nth} ${fault.happens}`;
      const harness = createCoreHarness();
      const { life, plan } = harness;
      const id = await answered(harness);
      plan(operation, [...Array.from({ length: nth }, () => undefined), fault]);
      // A person presses again until the app says that the choice is stored.
      for (let presses = 0; presses < 3; presses += 1) {
        const result = await harness.requests.chooseReaders(id, asker, choice).catch(() => undefined);
        if (result !== undefined) break;
      }
      await life.run(life.now() + hourMs);
      plan(operation, []);
      life.restart();
      await life.run(life.now() + hourMs);
      expect(
        parts(harness, id).map(({ marker }) => marker),
        what,
      ).toHaveLength(choice === 'onlyMe' ? 0 : 1);
      expect([...life.sentPrivately], what).toEqual(choice === 'onlyMe' ? [id] : []);
      expect(life.question(id), what).toMatchObject({ phase: 'closed', showing: { choice, by: 'asker' } });
      const next = await answered(harness);
      expect(parts(harness, next), what).toHaveLength(choice === 'onlyMe' ? 0 : 1);
      expect(life.violations, what).toEqual([]);
    }
  });

  it('an asker is asked, and the answer is shown nowhere before the choice', async () => {
    for (const { operation, fault, nth } of cases) {
      const what = `${operation} ${nth} ${fault.happens}`;
      const harness = createCoreHarness();
      const { life, plan } = harness;
      const { id } = await harness.ask({ access: 'own' });
      plan(operation, [...Array.from({ length: nth }, () => undefined), fault]);
      await life.run(life.now() + hourMs);
      plan(operation, []);
      life.restart();
      await life.run(life.now() + hourMs);
      expect(parts(harness, id), what).toEqual([]);
      expect(notices(harness), what).toContain('chooseReaders');
      expect(life.threads()[0]?.queue, what).toEqual([]);
      expect(life.runSlotBooks()[0]?.running, what).toEqual([]);
      await choose(harness, id, 'here');
      expect(parts(harness, id), what).toHaveLength(1);
      expect(life.violations, what).toEqual([]);
    }
  });
});
