import { describe, expect, it } from 'vitest';
import type { AccountMode } from '../../../src/core/accounts/accounts.ts';
import { forgetChoices } from '../../../src/core/accounts/connecting.ts';
import type { QuestionRules } from '../../../src/core/channels/channel-settings.ts';
import type { NewQuestion } from '../../../src/core/intake/accept.ts';
import { atOnce, decide } from '../../../src/core/lifecycle/decide.ts';
import { joinQueue } from '../../../src/core/lifecycle/steps.ts';
import { accountPatienceMs, chooseReadersMs } from '../../../src/core/settings.ts';
import { createRequests, thread } from '../../support/lifecycle/core-harness.ts';
import { createInMemoryLifecycle, type Work } from '../../support/lifecycle/in-memory-lifecycle.ts';
import { questionWith, someAnswer, someMs } from '../../support/lifecycle/sample-questions.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

function start(mode: AccountMode, work?: Work, rules?: QuestionRules) {
  const life = createInMemoryLifecycle({
    accounts: mode,
    ...(work === undefined ? {} : { work: () => work }),
    ...(rules === undefined ? {} : { rules: () => rules }),
  });
  const accept = createRequests(life.ports).accept;
  const requests = createRequests(life.ports);
  async function ask(askerId: string, text: string, change: Partial<NewQuestion> = {}): Promise<string> {
    const asked = { key: text, place: thread, askerId, text, origin: 'mention' as const, beginsThread: true };
    const accepted = await accept({ ...asked, ...change });
    if (accepted.kind !== 'accepted') throw new Error(accepted.kind);
    return accepted.question.id;
  }
  return { life, ask, requests };
}

describe('a question that waits for a person', () => {
  it('keeps no one waiting, even if a slow request adds it to the queue after it began to wait for an account', async () => {
    const { life, ask } = start('required');
    life.people.connect('U2');
    const waiting = await ask('U1', 'first');
    await life.run(life.startMs + 5_000);
    expect(life.question(waiting).awaitsAccount).toBeDefined();
    await joinQueue(life.ports, life.question(waiting));
    const other = await ask('U2', 'second');
    await life.run(life.now() + 3 * minuteMs);
    expect(life.messagesOf(life.question(other), 'card')).toHaveLength(1);
    expect(life.question(other).upstream.questionId).toBeDefined();
    expect(life.threads()[0]?.queue).not.toContain(waiting);
  });

  it('keeps no one waiting, even if a slow request adds it to the queue after its asker was asked for the readers', async () => {
    const { life, ask } = start('preferred');
    life.people.connect('U1');
    const waiting = await ask('U1', 'first');
    await life.run(life.startMs + minuteMs);
    expect(life.question(waiting).showing?.askedMs).toBeDefined();
    await joinQueue(life.ports, life.question(waiting));
    const other = await ask('U2', 'second');
    await life.run(life.now() + 3 * minuteMs);
    expect(life.question(other)).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' } });
  });

  it('is not asked by a process of an older version, which knows only parked questions', async () => {
    const { life, ask } = start('required');
    const id = await ask('U1', 'first');
    await life.run(life.startMs + 5_000);
    expect(life.question(id)).toMatchObject({ phase: 'parked', parkedUntilMs: expect.any(Number) });
    expect(life.question(id).parkedUntilMs).toBeGreaterThanOrEqual(life.startMs + accountPatienceMs);
    life.people.connect('U1');
    await life.run(life.now() + 2 * minuteMs);
    expect(life.question(id).parkedUntilMs).toBeUndefined();
  });

  it('ends although the clock was set back by a year', () => {
    const yearMs = 365 * 24 * hourMs;
    const situation = { ...atOnce, nowMs: someMs, parts: 1, positionInQueue: -1, settings: settingsOf() };
    const awaiting = { reason: 'refused', sinceMs: someMs + yearMs, noticedMs: someMs + yearMs } as const;
    expect(decide(questionWith({ phase: 'parked', access: 'own', awaitsAccount: awaiting }), situation)).toMatchObject({
      do: 'end',
    });
    const choosing = questionWith({
      phase: 'delivering',
      access: 'own',
      outcome: { kind: 'answered', answer: someAnswer },
      showing: { askedMs: someMs + yearMs, noticedMs: someMs + yearMs },
    });
    expect(decide(choosing, situation)).toEqual({ do: 'showing', step: 'expire' });
    expect(chooseReadersMs).toBeLessThan(yearMs);
  });
});

describe('a person who disconnects and connects again while a question runs', () => {
  it('is asked again who sees the answer', async () => {
    const { life, ask, requests } = start('preferred', { takesMs: 10 * minuteMs, ends: 'completed' });
    const person = { teamId: 'T1', userId: 'U1' };
    life.people.connect('U1');
    const first = await ask('U1', 'first');
    await life.run(life.now() + 15 * minuteMs);
    await requests.chooseReaders(first, person, 'always');
    await life.run(life.now() + minuteMs);
    const second = await ask('U1', 'second');
    await life.run(life.now() + 3 * minuteMs);
    expect(life.question(second).showing).toMatchObject({ choice: 'here', by: 'earlier' });
    life.people.disconnect('U1');
    await forgetChoices(life.ports, person);
    await life.run(life.now() + minuteMs);
    expect(life.question(second).awaitsAccount).toBeDefined();
    life.people.connect('U1');
    await life.run(life.now() + 30 * minuteMs);
    expect(life.question(second)).toMatchObject({ phase: 'delivering', outcome: { kind: 'answered' } });
    expect(life.messagesOf(life.question(second), 'part')).toEqual([]);
    expect(life.privateMessages.filter(({ notice }) => notice.kind === 'chooseReaders')).toHaveLength(2);
  });
});

describe('a later answer that is for its asker only', () => {
  it.each(['by a new choice', 'by the settings'])('is in no conversation whose link others have: %s', async (why) => {
    const person = { teamId: 'T1', userId: 'U1' };
    const isBySettings = why === 'by the settings';
    const { life, ask, requests } = start('preferred');
    life.people.connect('U1');
    life.openLinks.add('https://code.example/deepsearch/1').add('https://code.example/deepsearch/2');
    const first = await ask('U1', 'first');
    await life.run(life.now() + minuteMs);
    await requests.chooseReaders(first, person, 'here');
    await life.run(life.now() + minuteMs);
    expect(life.question(first).upstream.isLinkOpen).toBe(true);
    const next = await ask('U1', 'next');
    await life.run(life.now() + minuteMs);
    if (!isBySettings)
      await life.ports.readerChoices.update('T1:U1', () => ({ version: 1, threads: [], channels: [] }));
    const second = await ask('U1', 'second');
    if (isBySettings)
      await life.ports.questions.update(second, (stored) => ({
        ...stored,
        admittedMs: life.now(),
        answersPrivately: true,
      }));
    await life.run(life.now() + minuteMs);
    const [of1, ofNext, of2] = [first, next, second].map((id) => life.question(id).upstream.conversationId);
    expect(ofNext).toBe(of1);
    expect(of2).toBeDefined();
    expect(of2).not.toBe(of1);
    expect(life.question(second).follows?.text).toBe('next');
    expect(life.violations).toEqual([]);
  });

  it('continues no conversation of the app after its asker connected, where answers are private', async () => {
    const { life, ask } = start('preferred', undefined, { repositories: [], answersPrivately: true });
    const before = await ask('U1', 'first');
    await life.run(life.now() + minuteMs);
    life.people.connect('U1');
    const after = await ask('U1', 'second');
    const later = await ask('U1', 'third');
    await life.run(life.now() + minuteMs);
    const [ofApp, own, ofLater] = [before, after, later].map((id) => life.question(id).upstream.conversationId);
    expect(ofApp).toBeDefined();
    expect(own).not.toBe(ofApp);
    expect(ofLater).toBe(own);
    expect(life.violations).toEqual([]);
  });
});

describe('a question with a card whose asker never connected', () => {
  it('is told to connect once the operator requires accounts', async () => {
    const { life, ask } = start('required');
    const id = await ask('U1', 'first');
    await life.ports.questions.update(id, (stored) => ({
      ...stored,
      admittedMs: life.now(),
      card: { ts: '1800000000.000009', shown: '' },
    }));
    await life.run(life.startMs + 5_000);
    expect(life.privateMessages.map(({ notice }) => notice)).toMatchObject([
      { kind: 'connectFirst', isRefused: false },
    ]);
  });
});

function settingsOf() {
  return createInMemoryLifecycle().ports.settings;
}
