import { describe, expect, it } from 'vitest';
import type { AccountMode } from '../../../src/core/accounts/accounts.ts';
import { wakeWaiting } from '../../../src/core/accounts/waiting.ts';
import type { Origin, Question } from '../../../src/core/question/question.ts';
import { mostWaitingForAccount } from '../../../src/core/settings.ts';
import { crash, createRequests, failing, thread } from '../../support/lifecycle/core-harness.ts';
import {
  createInMemoryLifecycle,
  type Fault,
  type InMemoryLifecycle,
  type Operation,
} from '../../support/lifecycle/in-memory-lifecycle.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A direct message of the person, where no one else reads. */
const direct = { teamId: 'T1', channelId: 'D1', threadTs: thread.threadTs };

function start(mode: AccountMode, chooseFault?: (operation: Operation, call: number) => Fault | undefined) {
  let calls = 0;
  const life = createInMemoryLifecycle({
    accounts: mode,
    ...(chooseFault === undefined
      ? {}
      : {
          chooseFault: (operation: Operation) => {
            calls += 1;
            return chooseFault(operation, calls);
          },
        }),
  });
  const accept = createRequests(life.ports).accept;
  const requests = createRequests(life.ports);
  let keys = 0;
  async function ask(
    askerId: string,
    text = `question ${keys}`,
    place = direct,
    origin: Origin = 'mention',
  ): Promise<string> {
    keys += 1;
    const accepted = await accept({
      key: `${askerId} ${text}`,
      place,
      askerId,
      text,
      origin,
      beginsThread: true,
    });
    if (accepted.kind !== 'accepted') throw new Error(accepted.kind);
    return accepted.question.id;
  }
  return { life, ask, requests };
}

function notices(life: InMemoryLifecycle, userId = 'U1'): string[] {
  return life.privateMessages.filter((message) => message.userId === userId).map(({ notice }) => notice.kind);
}

/** The account connects at this time, and everything that waits is woken. */
function connectAt(life: InMemoryLifecycle, ms: number, userId = 'U1', wakes = true): void {
  life.at(ms, async () => {
    life.people.connect(userId);
    if (wakes) await wakeWaiting(life.ports, { teamId: 'T1', userId });
  });
}

describe('the access of a question', () => {
  it.each<[AccountMode, string, Question['access'], string]>([
    ['shared', 'connected', undefined, 'app'],
    ['preferred', 'connected', 'own', 'U1'],
    ['preferred', 'none', 'app', 'app'],
    ['preferred', 'refused', 'app', 'app'],
    ['required', 'connected', 'own', 'U1'],
  ])('with %s accounts and one that is %s is %s', async (mode, state, access, by) => {
    const { life, ask } = start(mode);
    if (state === 'connected') life.people.connect('U1');
    if (state === 'refused') life.people.refuse('U1');
    const id = await ask('U1');
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' } });
    expect(life.question(id).access).toBe(access);
    expect(life.upstream().map((asked) => asked.by)).toEqual([by]);
    expect(life.violations).toEqual([]);
  });

  it('is none where people need an account and no one can connect one: the question is refused at once', async () => {
    const { life, ask } = start('required');
    Object.assign(life.ports.accounts, { offer: { can: false, reason: 'noKeys' } });
    const id = await ask('U1');
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'notAllowed', reason: 'noKeys' } });
    expect(life.upstream()).toEqual([]);
    expect(notices(life)).toEqual(['notAllowed']);
  });

  it('stays the same when the account comes or goes later', async () => {
    const { life, ask } = start('preferred');
    const id = await ask('U1');
    connectAt(life, 1_000);
    await life.run();
    expect(life.question(id)).toMatchObject({ access: 'app', outcome: { kind: 'answered' } });
    expect(life.violations).toEqual([]);
  });

  it('stays that of the app for a question that was asked before people had accounts', async () => {
    const { life, ask } = start('required', () => undefined);
    const id = await ask('U1');
    await life.ports.questions.update(id, (stored) => ({
      ...stored,
      admittedMs: life.now(),
      upstream: { ...stored.upstream, firstTriedMs: life.now() },
    }));
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' } });
    expect(life.upstream().map(({ by }) => by)).toEqual(['app']);
  });
});

describe('a question that waits for an account', () => {
  it.each([true, false])(
    'posts nothing, is in no queue, and is asked once the account is there, woken: %s',
    async (wakes) => {
      const { life, ask } = start('required');
      const id = await ask('U1');
      await life.run(life.startMs + hourMs);
      expect(life.question(id)).toMatchObject({ phase: 'parked', awaitsAccount: { reason: 'notConnected' } });
      expect(life.posted).toEqual([]);
      expect(life.threads()[0]?.queue).toEqual([]);
      expect(life.runSlotBooks().flatMap(({ running, waiting }) => [...running, ...waiting])).toEqual([]);
      expect(notices(life)).toEqual(['connectFirst']);
      connectAt(life, hourMs, 'U1', wakes);
      await life.run(life.startMs + hourMs + 3 * minuteMs);
      expect(life.question(id)).toMatchObject({ access: 'own', phase: 'closed', outcome: { kind: 'answered' } });
      expect(life.question(id).awaitsAccount).toBeUndefined();
      expect(notices(life)).toEqual(['connectFirst']);
      expect(life.violations).toEqual([]);
    },
  );

  it('ends with a private note after a day, and posts nothing', async () => {
    const { life, ask } = start('required');
    const id = await ask('U1');
    await life.run();
    expect(life.question(id)).toMatchObject({
      phase: 'closed',
      outcome: { kind: 'notAllowed', reason: 'notConnected' },
    });
    expect(life.now() - life.startMs).toBeLessThan(25 * hourMs);
    expect(notices(life)).toEqual(['connectFirst', 'notAllowed']);
    expect(life.posted).toEqual([]);
    expect(life.openIds()).toEqual([]);
  });

  it('ends silently when it is cancelled, also by a word in its thread', async () => {
    const { life, ask, requests } = start('required');
    const id = await ask('U1');
    await life.run(life.startMs + minuteMs);
    expect(await requests.cancelInThread(direct, 'U2', 'word of another')).toEqual({ kind: 'nothing' });
    expect(await requests.cancelInThread(direct, 'U1', 'word')).toEqual({ kind: 'cancelling' });
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'cancelled' } });
    expect(life.posted).toEqual([]);
    expect(notices(life)).toEqual(['connectFirst']);
  });

  it('is refused when too many of the person wait, and others are not counted', async () => {
    const { life, ask } = start('required');
    const ids: string[] = [];
    for (let count = 0; count <= mostWaitingForAccount; count += 1) {
      ids.push(await ask('U1', `question ${count}`, { ...direct, threadTs: `1700000000.${100_000 + count}` }));
      await life.run(life.now() + 1_000);
    }
    const ofAnother = await ask('U2');
    await life.run(life.now() + minuteMs);
    const ended = ids.filter((id) => life.question(id).phase === 'closed');
    expect(ended).toEqual(ids.slice(-1));
    expect(life.question(ids.at(-1) ?? '').outcome).toEqual({ kind: 'notAllowed', reason: 'tooManyWaiting' });
    expect(life.question(ofAnother).phase).toBe('parked');
    life.people.connect('U1');
    await wakeWaiting(life.ports, { teamId: 'T1', userId: 'U1' });
    await life.run(life.now() + hourMs);
    expect(life.upstream()).toHaveLength(mostWaitingForAccount);
    expect(life.violations).toEqual([]);
  });

  it('does not delay the questions of other people in its thread', async () => {
    const { life, ask } = start('required');
    life.people.connect('U2');
    await ask('U1');
    const id = await ask('U2');
    await life.run(life.startMs + 10 * minuteMs);
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' } });
  });
});

describe('a refused account', () => {
  it.each([
    ['parks a running question, which is watched further after the person connected again', true],
    ['parks a running question whose id is not known, which is watched further too', false],
  ])('%s', async (_, tellsIds) => {
    const { life, ask } = start('preferred');
    life.tellIds(tellsIds);
    life.people.connect('U1');
    const id = await ask('U1');
    life.at(2_000, () => life.people.refuse('U1'));
    await life.run(life.startMs + hourMs);
    expect(life.question(id)).toMatchObject({ phase: 'parked', awaitsAccount: { reason: 'refused' } });
    expect(life.posted.find(({ marker }) => marker === 'card')?.view).toEqual({ kind: 'awaitingAccount' });
    expect(notices(life)).toEqual(['reconnect']);
    connectAt(life, 2 * hourMs);
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' } });
    expect(life.upstream()).toHaveLength(1);
    expect(life.violations).toEqual([]);
  });

  it('is told once for all questions of the person, and to no one else', async () => {
    const { life, ask } = start('preferred');
    life.people.connect('U1');
    life.people.connect('U2');
    for (const name of ['a', 'b']) await ask('U1', name, { ...direct, channelId: `D${name}` });
    const ofAnother = await ask('U2');
    life.at(2_000, () => life.people.refuse('U1'));
    await life.run(life.startMs + 30 * minuteMs);
    expect(notices(life)).toEqual(['reconnect']);
    expect(notices(life, 'U2')).toEqual([]);
    expect(life.question(ofAnother).outcome?.kind).toBe('answered');
  });

  it('ends its question after a day as failed, with the account as the reason', async () => {
    const { life, ask } = start('preferred');
    life.people.connect('U1');
    const id = await ask('U1');
    life.at(2_000, () => life.people.refuse('U1'));
    await life.run();
    expect(life.question(id)).toMatchObject({
      phase: 'closed',
      outcome: { kind: 'failed', failure: { cause: 'accountRefused' } },
    });
    expect(life.messagesOf(life.question(id), 'part')).toHaveLength(1);
  });

  it('lets a cancelled question end at once', async () => {
    const { life, ask, requests } = start('preferred');
    life.people.connect('U1');
    const id = await ask('U1');
    life.at(2_000, () => life.people.disconnect('U1'));
    await life.run(life.startMs + hourMs);
    await requests.cancelQuestion(id, { userId: 'U1', ...direct });
    await life.run(life.now() + minuteMs);
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'cancelled' } });
  });

  it('of one person keeps no one else in the thread waiting', async () => {
    const { life, ask } = start('preferred');
    life.people.connect('U1');
    await ask('U1');
    const next = await ask('U2');
    life.at(2_000, () => life.people.refuse('U1'));
    await life.run(life.startMs + 10 * minuteMs);
    expect(life.question(next)).toMatchObject({ access: 'app', outcome: { kind: 'answered' } });
  });
});

describe('a thread of people with accounts', () => {
  it('has one conversation for each account', async () => {
    const { life, ask } = start('preferred');
    life.people.connect('U1');
    life.people.connect('U2');
    const ids: string[] = [];
    for (const [text, user] of [
      ['first', 'U1'],
      ['second', 'U2'],
      ['third', 'U1'],
      ['fourth', 'U3'],
      ['fifth', 'U2'],
    ] as const) {
      ids.push(await ask(user, text));
      await life.run();
    }
    const byText = life
      .upstream()
      .map(({ by, conversationId, text }) => ({ by, conversationId, text: text.split('\n\n').at(-1) }));
    const conversations = new Map(byText.map(({ text, by, conversationId }) => [text, `${by} in ${conversationId}`]));
    expect(conversations.get('third')).toBe(conversations.get('first'));
    expect(conversations.get('fifth')).toBe(conversations.get('second'));
    expect(new Set(conversations.values()).size).toBe(3);
    expect(ids.map((id) => life.question(id).startsOwnConversation)).toEqual([
      undefined,
      true,
      undefined,
      true,
      undefined,
    ]);
    expect(life.question(ids[1] ?? '').follows?.text).toBe('first');
    expect(life.question(ids[3] ?? '').follows).toMatchObject({ text: 'third', before: ['first', 'second'] });
    expect(life.violations).toEqual([]);
  });
});

describe('after a fault at any call', () => {
  const farCalls: Operation[] = ['create', 'followUp', 'read', 'postCard', 'postPart', 'notifyPrivately'];
  /** A crash before a call is like one after the call before it. */
  const faults: [string, Fault, Operation[] | undefined][] = [
    ['a crash after it', crash('yes'), undefined],
    ['a lost reply', failing('unavailable', { outcomeUnknown: true }, 'yes'), farCalls],
    ['a failure', failing('unavailable'), farCalls],
  ];

  /** Two people ask; one connects late, is refused while a question runs, and connects again. */
  async function live(chooseFault: (operation: Operation, call: number) => Fault | undefined) {
    const started = start('required', chooseFault);
    const { life, ask } = started;
    life.people.connect('U2');
    const asking = async (user: string, text: string): Promise<void> => {
      for (let tries = 0; tries < 3; tries += 1) {
        try {
          await ask(user, text);
          return;
        } catch {
          life.restart();
        }
      }
    };
    await asking('U1', 'by one');
    await asking('U2', 'by two');
    const wake = async (): Promise<void> => wakeWaiting(life.ports, { teamId: 'T1', userId: 'U1' }).catch(() => {});
    life.at(10 * minuteMs, async () => {
      life.people.connect('U1');
      await wake();
    });
    life.at(10 * minuteMs + 4_000, () => life.people.refuse('U1'));
    life.at(11 * minuteMs + 500, () => life.people.refuse('U1'));
    life.at(20 * minuteMs, async () => {
      life.people.connect('U1');
      await wake();
    });
    await life.run(life.startMs + 40 * minuteMs);
    return started;
  }

  it('a question uses one account only, is asked once, and is answered', async () => {
    const operations: Operation[] = [];
    const whole = await live((operation) => {
      operations.push(operation);
      return undefined;
    });
    expect(whole.life.violations).toEqual([]);
    expect(notices(whole.life)).toEqual(['connectFirst', 'reconnect']);
    for (const [name, fault, only] of faults) {
      for (const [index, at] of operations.entries()) {
        if (only?.includes(at) === false) continue;
        const { life } = await live((_operation, call) => (call === index + 1 ? fault : undefined));
        const what = `${name}, call ${index + 1}, ${at}`;
        expect(life.violations, what).toEqual([]);
        const texts = life.upstream().map(({ by, text }) => `${by}: ${text.split('\n\n').at(-1)}`);
        expect(texts.toSorted(), what).toEqual(['U1: by one', 'U2: by two']);
        for (const question of life.questions()) {
          expect(question, what).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' }, access: 'own' });
        }
      }
    }
  });
});

describe('a second root message in direct messages', () => {
  it.each([
    ['the same account', true],
    ['another account', false],
  ])('has the choice to continue a conversation of %s: %s', async (_name, isSame) => {
    const { life, ask } = start('preferred');
    if (isSame) life.people.connect('U1');
    await ask('U1', 'first?', direct, 'direct');
    await life.run();
    life.people.connect('U1');
    const id = await ask('U1', 'second?', { ...direct, threadTs: '1800000000.000001' }, 'direct');
    await life.run();
    expect(life.question(id)).toMatchObject({ access: 'own', outcome: { kind: 'answered' } });
    expect(life.question(id).previous !== undefined).toBe(isSame);
  });
});
