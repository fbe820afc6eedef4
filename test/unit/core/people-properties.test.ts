import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forgetChoices } from '../../../src/core/accounts/connecting.ts';
import { wakeWaiting } from '../../../src/core/accounts/waiting.ts';
import type { QuestionRules } from '../../../src/core/channels/channel-settings.ts';
import { questionIn } from '../../../src/core/question/prompt.ts';
import { isBetweenTwo, type Question } from '../../../src/core/question/question.ts';
import { createRequests, type Requests, thread } from '../../support/lifecycle/core-harness.ts';
import { scriptedFaults } from '../../support/lifecycle/faults.ts';
import {
  createInMemoryLifecycle,
  type InMemoryLifecycle,
  type Work,
} from '../../support/lifecycle/in-memory-lifecycle.ts';
import { runs } from '../../support/runs.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Events happen within this time. */
const eventfulMs = 3 * hourMs;
/** From the last event to the end of the last question: two waits for an account, and one for a choice of readers. */
const longestMs = 80 * hourMs;

const kinds = [
  'ask',
  'ask',
  'ask',
  'connect',
  'connect',
  'disconnect',
  'refuse',
  'choose',
  'choose',
  'cancel',
  'cancelInThread',
  'edit',
  'askAgain',
  'checkAgain',
  'followUp',
  'loseConversation',
  'answersPrivately',
  'answersHere',
  'mayNotAsk',
  'mayAsk',
  'restart',
  'forgetIds',
  'tellIds',
] as const;

const event = fc.record({
  atMs: fc.oneof(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: eventfulMs })),
  kind: fc.constantFrom(...kinds),
  who: fc.constantFrom('U1', 'U2'),
  /** Which question it is about. */
  nth: fc.nat(5),
  choice: fc.constantFrom('here', 'always', 'onlyMe'),
  wakes: fc.boolean(),
});

const work: fc.Arbitrary<Work> = fc.record({
  takesMs: fc.oneof(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: 0, max: 2 * hourMs })),
  ends: fc.constantFrom('completed', 'completed', 'completed', 'failed', 'limited'),
  resetsInMs: fc.integer({ min: 1, max: 2 * hourMs }),
  isPartial: fc.boolean(),
  parts: fc.integer({ min: 1, max: 4 }),
});

const story = fc.record({
  mode: fc.constantFrom('preferred', 'required'),
  connected: fc.subarray(['U1', 'U2']),
  caps: fc.record({ perPerson: fc.constantFrom(0, 0, 3), perChannel: fc.constantFrom(0, 0, 4) }),
  events: fc.array(event, { minLength: 3, maxLength: 14 }),
  works: fc.array(work, { minLength: 1, maxLength: 6 }),
  /** In the end everyone connects and chooses. Otherwise time ends what waits. */
  settles: fc.boolean(),
  faults: fc.array(fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(40) }), {
    maxLength: 150,
  }),
});

type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** Two people ask in one thread of a channel while their accounts, its settings and its readers change. */
async function live({ mode, connected, caps, events, works, settles, faults }: Story) {
  const { chooseFault, log } = scriptedFaults(faults);
  let rules: QuestionRules = { repositories: [], answersPrivately: false };
  const life: InMemoryLifecycle = createInMemoryLifecycle({
    chooseFault,
    accounts: mode,
    caps,
    rules: () => rules,
    mostRounds: 60_000,
    settings: {
      patienceMs: hourMs,
      readEveryMs: 60_000,
    },
    showPrivately: async ({ id, askerId }) => {
      await requests.showWithheld(id, { teamId: 'T1', channelId: `D${askerId}` }, { userId: askerId, teamId: 'T1' });
    },
    work: (text, attempt) => {
      const own = works[Number.parseInt(questionIn(text).split(' ')[1] ?? '', 10) % works.length];
      if (own === undefined) return { takesMs: 2_000, ends: 'completed' };
      return attempt > 1 && own.ends === 'limited' ? { ...own, ends: 'completed' } : own;
    },
  });
  const accept = createRequests(life.ports).accept;
  const requests: Requests = createRequests(life.ports);
  for (const userId of connected) life.people.connect(userId);

  function settle(change: Partial<QuestionRules>): void {
    rules = { ...rules, ...change };
  }

  /** Does it again until storage takes it. */
  async function surely(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch {
      life.at(life.now() - life.startMs + 1_000, () => surely(work));
    }
  }

  async function connect(userId: string, wakes = true): Promise<void> {
    life.people.connect(userId);
    if (wakes) await surely(() => wakeWaiting(life.ports, { teamId: 'T1', userId }));
  }

  events.forEach(({ atMs, kind, who, nth, choice, wakes }, index) => {
    const target = (): string | undefined => life.questions().filter(({ place }) => !isBetweenTwo(place))[nth]?.id;
    const on = async (act: (id: string) => Promise<unknown>): Promise<void> => {
      const id = target();
      if (id !== undefined) await surely(() => act(id));
    };
    const by = { userId: who, teamId: 'T1', channelId: thread.channelId };
    const happens: Record<(typeof kinds)[number], () => Promise<void> | void> = {
      ask: () =>
        surely(() =>
          accept({
            key: `message ${index}`,
            place: thread,
            askerId: who,
            text: `question ${index}`,
            origin: 'mention',
            beginsThread: false,
            readsThread: false,
          }),
        ),
      connect: () => connect(who, wakes),
      disconnect: () => {
        life.people.disconnect(who);
        return surely(() => forgetChoices(life.ports, { teamId: 'T1', userId: who }));
      },
      refuse: () => life.people.refuse(who),
      choose: () => on((id) => requests.chooseReaders(id, by, choice)),
      cancel: () => on((id) => requests.cancelQuestion(id, by)),
      cancelInThread: () => surely(() => requests.cancelInThread(thread, who, `word ${index}`)),
      edit: () =>
        on(async (id) => {
          const key = events.flatMap((_, asked) => (life.question(id).text === `question ${asked}` ? [asked] : []))[0];
          await requests.noteEdit(`message ${key}`, { text: `question ${100 + index}`, atMs: life.now() });
          await requests.askEdited(id, by);
        }),
      askAgain: () => on((id) => requests.askAgain(id, by)),
      checkAgain: () => on((id) => requests.checkAgain(id, by)),
      followUp: () => on((id) => requests.followUp(id, 0, by, { text: `question ${200 + index}` })),
      loseConversation: () => on(async (id) => life.deleteConversation(life.question(id).upstream.conversationId ?? 0)),
      answersPrivately: () => settle({ answersPrivately: true }),
      answersHere: () => settle({ answersPrivately: false }),
      mayNotAsk: () => void life.refusedUsers.add(who),
      mayAsk: () => void life.refusedUsers.delete(who),
      restart: () => life.restart(),
      forgetIds: () => life.tellIds(false),
      tellIds: () => life.tellIds(true),
    };
    life.at(atMs, happens[kind]);
  });
  if (settles) {
    for (const userId of ['U1', 'U2']) life.at(eventfulMs + minuteMs, () => connect(userId));
    life.at(eventfulMs + 6 * hourMs, async () => {
      for (const { id, askerId } of life.questions()) {
        await surely(() => requests.chooseReaders(id, { userId: askerId, teamId: 'T1' }, 'here'));
      }
    });
  }
  await life.run();
  return { life, log };
}

function expectRest(life: InMemoryLifecycle): void {
  // A question that was given up, or whose asker has no account any more, may still run at the service.
  expect(life.violations.filter((what) => !what.startsWith('two questions of conversation'))).toEqual([]);
  expect(life.openIds()).toEqual([]);
  expect(life.threads().flatMap(({ queue }) => queue)).toEqual([]);
  expect(life.runSlotBooks().flatMap(({ running, waiting, parked }) => [...running, ...waiting, ...parked])).toEqual(
    [],
  );
  expect(life.now() - life.startMs).toBeLessThan(eventfulMs + longestMs);
}

function expectEnd(life: InMemoryLifecycle, question: Question): void {
  const { id, outcome, askerId, cancel } = question;
  expect(question.phase).toBe('closed');
  const parts = life.messagesOf(question, 'part');
  expect(question.delivery.posted).toEqual(
    parts.slice(-question.delivery.posted.length || parts.length).map(({ ts }) => ts),
  );
  const markers = parts.map(({ marker }) => marker);
  expect(new Set(markers).size).toBe(markers.length);
  const cards = life.messagesOf(question, 'card');
  expect(cards.length).toBeLessThanOrEqual(1);
  const views = cards.map(({ view }) => view?.kind);
  const isTold = life.privateMessages.some(
    ({ questionId, userId, notice }) =>
      questionId === id && userId === askerId && !['connectFirst', 'reconnect', 'chooseReaders'].includes(notice.kind),
  );
  // Only its asker, or no one, knew of a question that was cancelled while it waited for an account.
  const isUnseen = outcome?.kind === 'cancelled' && cancel !== undefined && cards.length === 0;
  const isPrivate = life.sentPrivately.has(id);
  expect(parts.length > 0 || isTold || views.includes('cancelled') || isPrivate || isUnseen).toBe(true);
  if (cards.length === 1 && question.card.gone !== true) {
    expect(views[0]).toBeOneOf([
      'answered',
      'failed',
      'cancelled',
      'gaveUp',
      'notAllowed',
      'answeredPrivately',
      'shared',
    ]);
  }
  if (isPrivate) {
    expect(outcome?.kind).toBeOneOf(['answered', 'notAllowed']);
    expect(parts.filter(({ outcome: said }) => said?.kind === 'answered')).toEqual([]);
  }
}

/** An answer with own access stands in the channel only with its asker's agreement. */
function expectAgreement(life: InMemoryLifecycle, question: Question): void {
  const { access, place, showing, answersPrivately, askerId } = question;
  const isShown = life.messagesOf(question, 'part').some(({ outcome }) => outcome?.kind === 'answered');
  if (!isShown || access !== 'own' || isBetweenTwo(place)) return;
  expect(answersPrivately).toBeUndefined();
  expect(showing?.choice).toBeOneOf(['here', 'always']);
  if (showing?.by === 'asker') return;
  const agreed = life
    .questions()
    .filter((other) => other.askerId === askerId && other.showing?.by === 'asker')
    .map((other) => other.showing?.choice);
  expect(agreed.some((choice) => choice === 'here' || choice === 'always')).toBe(true);
}

function expectAskedOnce(life: InMemoryLifecycle, mode: Story['mode']): void {
  const own = life.questions().filter(({ shares }) => shares === undefined);
  // A question that was refused after it was asked keeps no text, but knows what was asked for it.
  const refused = own.filter(({ text }) => text === '').map(({ upstream }) => upstream);
  const isOfRefused = (conversationId: number | string, ordinal: number): boolean =>
    refused.some((upstream) => upstream.conversationId === conversationId && upstream.ordinal === ordinal);
  for (const text of new Set(own.map((question) => question.text).filter((each) => each !== ''))) {
    const asked = life
      .upstream()
      .filter((upstream) => questionIn(upstream.text) === text)
      .filter(({ conversationId, ordinal }) => !isOfRefused(conversationId, ordinal));
    const limited = asked.filter(({ error }) => error?.cause === 'limited').length;
    expect(asked.length).toBeLessThanOrEqual(own.filter((question) => question.text === text).length + limited);
  }
  for (const { by, conversationId, ordinal } of life.upstream()) {
    if (mode === 'required') expect(by).not.toBe('app');
    const isBound = ({ upstream }: Question) =>
      upstream.conversationId === conversationId && upstream.ordinal === ordinal;
    for (const question of own.filter(isBound)) {
      expect(by).toBe(question.access === 'own' ? question.askerId : 'app');
    }
  }
  const bound = own.flatMap(({ upstream: { conversationId, ordinal } }) =>
    conversationId === undefined || ordinal === undefined ? [] : [`${conversationId}#${ordinal}`],
  );
  expect(new Set(bound).size).toBe(bound.length);
}

describe('whatever two people with accounts of their own do in one thread,', () => {
  it('each question ends in time, is asked once with the right account, and is shown only where its asker agreed', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        const { life, log } = await live(told);
        try {
          expectRest(life);
          expectAskedOnce(life, told.mode);
          for (const question of life.questions()) {
            expectEnd(life, question);
            expectAgreement(life, question);
          }
        } catch (error) {
          throw new Error(`after ${log.join('; ')}`, { cause: error });
        }
      }),
      runs(60),
    );
  });
});
