import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  atOnce,
  decide,
  finalCard,
  interpret,
  isOnlyCardLeft,
  isStepCheckOld,
  parkedUntil,
  type Situation,
  type Step,
} from '../../../src/core/lifecycle/decide.ts';
import type { Conversation, UpstreamError, UpstreamQuestion } from '../../../src/core/ports.ts';
import type { Outcome, Phase, Question, Trouble } from '../../../src/core/question/question.ts';
import { someMs as now, questionWith, someAnswer } from '../../support/lifecycle/sample-questions.ts';
import { runs } from '../../support/runs.ts';

const settings = {
  ...{ patienceMs: 15 * 60_000, readEveryMs: 2_000, cardEditMs: 3_000, threadLimit: 20, lateCallMs: 15_000 },
};
const atFront: Situation = { nowMs: now, ...atOnce, parts: 1, settings };

const minuteMs = 60_000;
const card = { ts: '1.1', shown: '', editedMs: now };
const context = { messages: 1, total: 1, files: 0, unreadable: 0, text: 'said' };
const cancel = { byUserId: 'U9', atMs: now };
const nowhere = { teamId: 'T1', channelId: 'C1' };
const trouble: Trouble = { kind: 'unreachable', failures: 3, sinceMs: now - minuteMs, notBeforeMs: now - 1 };
const held = { ...trouble, notBeforeMs: now + 5_000 };
const answered: Outcome = { kind: 'answered', answer: someAnswer };
const cancelled: Outcome = { kind: 'cancelled' };
const asked = { steps: 0, conversationId: 1, questionId: 2, askedMs: now };
/** A call that was given up `agoMs` ago. */
const givenUp = (agoMs: number) => ({ intentMs: now - agoMs - 10_000, givenUpMs: now - agoMs });
const searched = (agoMs: number) => ({ ...givenUp(agoMs), searchedMs: now - 1 });
const delivery = (posted: string[], more: Partial<Question['delivery']> = {}) => ({ round: 0, posted, ...more });
const announced: Partial<Question> = { card };
/** Slack's limits leave no room for the card. */
const cardLater: Question['card'] = { notBeforeMs: now + 4_000 };
const running: Partial<Question> = { phase: 'running', card, upstream: asked };
const parked: Partial<Question> = { phase: 'parked', card, parkedUntilMs: now + minuteMs };
const ending: Partial<Question> = { phase: 'delivering', card, outcome: answered };

type Row = [what: string, change: Partial<Question>, step: Step, situation?: Partial<Situation>];

describe('decide: a waiting question', () => {
  it('is admitted before anything else', () => {
    const { admittedMs: _, ...unknown } = questionWith({ cancel });
    expect(decide(unknown, { ...atFront, positionInQueue: -1 })).toEqual({ do: 'admit' });
  });

  it.each<Row>([
    ['joins its queue first', {}, { do: 'join' }, { positionInQueue: -1 }],
    ['joins its queue also when cancelled', { cancel }, { do: 'join' }, { positionInQueue: -1 }],
    [
      'is announced before it has a queue where it is a command',
      { place: nowhere },
      { do: 'announce', checkFirst: false },
      { positionInQueue: -1 },
    ],
    ['takes a slot before its card is posted', {}, { do: 'takeSlot' }, { slot: undefined }],
    ['takes a slot where it lost the one it had', announced, { do: 'takeSlot' }, { slot: undefined }],
    [
      'takes no slot while others are before it',
      announced,
      { do: 'wait', ms: 15_000 },
      { slot: undefined, positionInQueue: 1 },
    ],
    ['takes no slot when it is cancelled', { card, cancel }, { do: 'end', outcome: cancelled }, { slot: undefined }],
    [
      'removes a stale head from its queue first',
      announced,
      { do: 'repairQueue', head: 'q-stale' },
      { staleHead: 'q-stale', positionInQueue: 1 },
    ],
    [
      'removes a stale head also while it waits for another try',
      { card, trouble: { kind: 'unreachable', failures: 1, sinceMs: now, notBeforeMs: now + minuteMs } },
      { do: 'repairQueue', head: 'q-stale' },
      { staleHead: 'q-stale', positionInQueue: 1 },
    ],
    ['is announced', {}, { do: 'announce', checkFirst: false }],
    ['is announced while others are before it', {}, { do: 'announce', checkFirst: false }, { positionInQueue: 2 }],
    ['is announced although cancelled, so that its end is visible', { cancel }, { do: 'announce', checkFirst: false }],
    [
      'notes as given up a card that a dead process left unfinished',
      { card: { intentMs: now - minuteMs } },
      { do: 'giveUp', effect: 'announce' },
    ],
    [
      'waits where the outcome of its card is unknown and the card makes the thread',
      { place: nowhere, card: givenUp(1_000) },
      { do: 'wait', ms: 2_000 },
    ],
    ['is asked where the outcome of its card is unknown', { card: givenUp(1_000) }, { do: 'ask', checkFirst: false }],
    ['has its card searched for after that wait', { card: givenUp(3_000) }, { do: 'search', effect: 'announce' }],
    [
      'keeps waiting where the search did not find the card that makes the thread',
      { place: nowhere, card: searched(3_000) },
      { do: 'wait', ms: 12_000 },
    ],
    ['is asked where the search did not find the card', { card: searched(3_000) }, { do: 'ask', checkFirst: false }],
    [
      'waits until the card that makes the thread can no longer appear',
      { place: nowhere, card: searched(14_999) },
      { do: 'wait', ms: 1 },
    ],
    ['is asked while its card waits for room', { card: cardLater }, { do: 'ask', checkFirst: false }],
    ['is announced when there is room', { card: { notBeforeMs: now } }, { do: 'announce', checkFirst: false }],
    [
      'is run for its card while it waits for the questions before it',
      { card: cardLater },
      { do: 'wait', ms: 4_000 },
      { positionInQueue: 1 },
    ],
    [
      'is run for its card while it waits for a free slot at the service',
      { card: givenUp(1_000) },
      { do: 'wait', ms: 2_000 },
      { slot: { granted: false, ahead: 1 } },
    ],
    ['is not run for its card earlier than after failures', { card: {}, trouble: held }, { do: 'wait', ms: 5_000 }],
    ['ends when cancelled while its card waits', { card: cardLater, cancel }, { do: 'end', outcome: cancelled }],
    [
      'posts the card again, after a search, when it can no longer appear',
      { card: searched(15_000) },
      { do: 'announce', checkFirst: true },
    ],
    [
      'posts the card again, after a search, also without the early search',
      { card: givenUp(15_000) },
      { do: 'announce', checkFirst: true },
    ],
    ['is asked without a card that is gone', { card: { gone: true } }, { do: 'ask', checkFirst: false }],
    ['waits for the questions before it', announced, { do: 'wait', ms: 15_000 }, { positionInQueue: 1 }],
    [
      'waits for a free slot at the service',
      announced,
      { do: 'wait', ms: 15_000 },
      { slot: { granted: false, ahead: 1 } },
    ],
    ['is asked when it is the first in its queue', announced, { do: 'ask', checkFirst: false }],
    ['is admitted again where the admission was long ago', { card, admittedMs: now - minuteMs - 1 }, { do: 'admit' }],
    [
      'is not admitted again while it may be on its way to the service',
      { card, admittedMs: 0, upstream: { steps: 0, ...givenUp(15_000) } },
      { do: 'ask', checkFirst: true },
    ],
    ['reads the thread when it is the first in its queue', { card, readsThread: true }, { do: 'gather' }],
    [
      'does not read the thread while others are before it',
      { card, readsThread: true },
      { do: 'wait', ms: 15_000 },
      { positionInQueue: 1 },
    ],
    ['is asked when the thread was read', { card, readsThread: true, context }, { do: 'ask', checkFirst: false }],
    ['asks nothing where it shows an answer again', { card, origin: 'shared' }, { do: 'recall' }],
    [
      'notes as given up a call to ask that a dead process left unfinished',
      { card, upstream: { steps: 0, intentMs: now - 1 } },
      { do: 'giveUp', effect: 'ask' },
    ],
    [
      'waits where the outcome of asking is unknown',
      { card, upstream: { steps: 0, ...givenUp(1) } },
      { do: 'wait', ms: 2_999 },
    ],
    [
      'searches for what it may have asked after that wait',
      { card, upstream: { steps: 0, ...givenUp(3_000) } },
      { do: 'search', effect: 'ask' },
    ],
    [
      'asks again, after a search, when the first call can no longer take effect',
      { card, upstream: { steps: 0, ...searched(15_000) } },
      { do: 'ask', checkFirst: true },
    ],
    ['ends when cancelled', { card, cancel }, { do: 'end', outcome: cancelled }],
    ['ends when cancelled in the queue', { card, cancel }, { do: 'end', outcome: cancelled }, { positionInQueue: 4 }],
    [
      'ends when cancelled while it waits after failures',
      { card, cancel, trouble: held },
      { do: 'end', outcome: cancelled },
    ],
    [
      'searches for what it may have asked although it was cancelled long before that call was given up',
      {
        card,
        cancel: { ...cancel, atMs: now - minuteMs },
        trouble: held,
        upstream: { steps: 0, intentMs: now - minuteMs, givenUpMs: now - 3_000 },
      },
      { do: 'search', effect: 'ask' },
    ],
    [
      'notes what a dead process may have asked although it was cancelled long before',
      {
        card,
        cancel: { ...cancel, atMs: now - minuteMs },
        trouble: held,
        upstream: { steps: 0, intentMs: now - minuteMs },
      },
      { do: 'giveUp', effect: 'ask' },
    ],
    [
      'ends as cancelled where the search for what it may have asked fails for long',
      {
        card,
        cancel: { ...cancel, atMs: now - minuteMs },
        trouble: held,
        upstream: { steps: 0, intentMs: now - 2 * minuteMs, givenUpMs: now - 45_001 },
      },
      { do: 'end', outcome: cancelled },
    ],
    [
      'searches for what it may have asked before it ends as cancelled',
      { card, cancel, upstream: { steps: 0, ...searched(15_000) } },
      { do: 'ask', checkFirst: true },
    ],
    [
      'ends as cancelled where that search could not reach the service in time',
      { card, cancel: { ...cancel, atMs: now - 30_001 }, trouble, upstream: { steps: 0, ...searched(45_001) } },
      { do: 'end', outcome: cancelled },
    ],
    [
      'still searches for what it may have asked just before that time ends',
      { card, cancel: { ...cancel, atMs: now - 30_000 }, trouble, upstream: { steps: 0, ...searched(45_001) } },
      { do: 'ask', checkFirst: true },
    ],
    [
      'still searches for what may have begun at the service in that time',
      { card, cancel: { ...cancel, atMs: now - 30_001 }, trouble, upstream: { steps: 0, ...searched(45_000) } },
      { do: 'ask', checkFirst: true },
    ],
    [
      'searches for it however long ago it was cancelled, while there is no trouble',
      { card, cancel: { ...cancel, atMs: 0 }, upstream: { steps: 0, ...searched(15_000) } },
      { do: 'ask', checkFirst: true },
    ],
    [
      'searches for what it may have asked without a free slot at the service',
      { card, upstream: { steps: 0, ...searched(15_000) } },
      { do: 'ask', checkFirst: true },
      { slot: { granted: false, ahead: 1 } },
    ],
    [
      'needs no slot where it shows an answer again',
      { card, origin: 'shared' },
      { do: 'recall' },
      { slot: { granted: false, ahead: 1 } },
    ],
    ['counts as admitted for a minute', { card, admittedMs: now - minuteMs }, { do: 'ask', checkFirst: false }],
    ['waits after failures', { card, trouble: held }, { do: 'wait', ms: 5_000 }],
    ['is tried again after that wait', { card, trouble }, { do: 'ask', checkFirst: false }],
    [
      'is given up after a quarter of an hour of failures',
      { card, trouble, upstream: { steps: 0, firstTriedMs: now - 15 * minuteMs } },
      { do: 'end', outcome: { kind: 'failed', failure: { cause: 'unreachable' } } },
    ],
    [
      'is given up as limited where the service kept limiting requests',
      { card, trouble: { ...trouble, kind: 'limited' }, upstream: { steps: 0, firstTriedMs: now - 15 * minuteMs } },
      { do: 'end', outcome: { kind: 'failed', failure: { cause: 'limited' } } },
    ],
    [
      'is not given up only because its tries took long',
      { card, upstream: { steps: 0, firstTriedMs: now - 15 * minuteMs } },
      { do: 'ask', checkFirst: false },
    ],
    [
      'is not given up just before that time',
      { card, trouble, upstream: { steps: 0, firstTriedMs: now - 15 * minuteMs + 1 } },
      { do: 'ask', checkFirst: false },
    ],
    [
      'is not given up because it waited in the queue',
      { card, acceptedMs: now - 60 * minuteMs },
      { do: 'ask', checkFirst: false },
    ],
  ])('%s', (_, change, step, situation) => {
    expect(decide(questionWith(change), { ...atFront, ...situation })).toEqual(step);
  });
});

describe('decide: a parked question', () => {
  it.each<Row>([
    ['waits until its time', parked, { do: 'wait', ms: minuteMs }],
    ['is run every hour', { ...parked, parkedUntilMs: now + 1e9 }, { do: 'wait', ms: 60 * minuteMs }],
    ['continues when its time has come', { ...parked, parkedUntilMs: now }, { do: 'unpark' }],
    ['continues where it has no time', { phase: 'parked', card }, { do: 'unpark' }],
    ['ends when cancelled', { ...parked, cancel }, { do: 'end', outcome: cancelled }],
    ['is announced, so that people see until when', { ...parked, card: {} }, { do: 'announce', checkFirst: false }],
    ['is run when there is room for its card', { ...parked, card: cardLater }, { do: 'wait', ms: 4_000 }],
    [
      'is not announced while it waits for an account',
      { ...parked, card: {}, awaitsAccount: { reason: 'notConnected', sinceMs: now, noticedMs: now } },
      { do: 'wait', ms: minuteMs },
      { positionInQueue: -1, isAccountBack: false },
    ],
    [
      'first searches for what it may have asked',
      { ...parked, cancel, upstream: { steps: 0, intentMs: now - minuteMs } },
      { do: 'unpark' },
    ],
  ])('%s', (_, change, step, situation) => {
    expect(decide(questionWith(change), { ...atFront, ...situation })).toEqual(step);
  });
});

describe('decide: a running question', () => {
  it.each<Row>([
    ['is watched', running, { do: 'watch' }],
    ['is watched while its card waits for room', { ...running, card: cardLater }, { do: 'watch' }],
    ['is watched while the outcome of its card is unknown', { ...running, card: givenUp(1_000) }, { do: 'watch' }],
    [
      'is announced when there is room',
      { ...running, card: { notBeforeMs: now } },
      { do: 'announce', checkFirst: false },
    ],
    [
      'has its card searched for, after an unknown outcome',
      { ...running, card: givenUp(3_000) },
      { do: 'search', effect: 'announce' },
    ],
    ['gets no card any more when it is cancelled', { ...running, card: {}, cancel }, { do: 'cancelUpstream' }],
    ['is watched although it is in no queue, after "Check again"', running, { do: 'watch' }, { positionInQueue: -1 }],
    ['waits after failures', { ...running, trouble: held }, { do: 'wait', ms: 5_000 }],
    ['is cancelled at the service', { ...running, cancel }, { do: 'cancelUpstream' }],
    [
      'is cancelled at the service also while it waits after failures',
      { ...running, cancel, trouble: held },
      { do: 'cancelUpstream' },
    ],
    [
      'is watched until the service confirms the cancellation',
      { ...running, cancel, upstream: { ...asked, cancelSentMs: now - 30_000 } },
      { do: 'watch' },
    ],
    [
      'ends as cancelled where no confirmation comes',
      { ...running, cancel, upstream: { ...asked, cancelSentMs: now - 30_001 } },
      { do: 'end', outcome: cancelled },
    ],
  ])('%s', (_, change, step, situation) => {
    expect(decide(questionWith(change), { ...atFront, ...situation })).toEqual(step);
  });
});

describe("decide: a question that needs its asker's account", () => {
  const dayMs = 24 * 60 * minuteMs;
  const own = { settings: { ...settings, accounts: 'preferred' as const } };
  const waits = { reason: 'notConnected' as const, sinceMs: now };
  const awaiting: Partial<Question> = { phase: 'parked', card, awaitsAccount: { ...waits, noticedMs: now } };
  const since = (sinceMs: number): Partial<Question> => ({
    ...awaiting,
    awaitsAccount: { ...waits, sinceMs, noticedMs: now },
  });
  const outside = { positionInQueue: -1 };
  const isBack = { ...outside, isAccountBack: true };

  it.each<Row>([
    ['has its access chosen before it joins its queue', {}, { do: 'chooseAccess' }, { ...own, ...outside }],
    ['has it chosen once', { access: 'own' }, { do: 'join' }, { ...own, ...outside }],
    [
      "keeps the app's access where it shows an answer again",
      { origin: 'shared' },
      { do: 'join' },
      { ...own, ...outside },
    ],
    ...(['firstTriedMs', 'intentMs', 'conversationId'] as const).map((mark): Row => {
      const change = { upstream: { steps: 0, [mark]: 1 } };
      return [
        `keeps the app's access where ${mark} says that it was tried`,
        change,
        { do: 'join' },
        { ...own, ...outside },
      ];
    }),
    ['tells its asker', { ...awaiting, awaitsAccount: waits }, { do: 'noticeAccount' }, outside],
    ['leaves the queue of its thread first', { ...awaiting, awaitsAccount: waits }, { do: 'leaveQueue' }],
    ['looks every minute whether the account is there', awaiting, { do: 'wait', ms: minuteMs }, outside],
    ['waits for a day', since(now - dayMs + 7_000), { do: 'wait', ms: 7_000 }, outside],
    [
      'ends after a day as not connected',
      since(now - dayMs),
      { do: 'end', outcome: { kind: 'notAllowed', reason: 'notConnected' } },
      outside,
    ],
    [
      'ends after a day as refused where it had an account',
      { ...since(now - dayMs), access: 'own' },
      { do: 'end', outcome: { kind: 'failed', failure: { cause: 'accountRefused' } } },
      outside,
    ],
    [
      'ends where its wait began in the far future, because a clock was set back',
      since(now + dayMs),
      { do: 'end', outcome: { kind: 'notAllowed', reason: 'notConnected' } },
      outside,
    ],
    ['continues when the account is back', awaiting, { do: 'resume' }, isBack],
    ['continues also after a day', since(now - dayMs), { do: 'resume' }, isBack],
    ['ends when cancelled', { ...awaiting, cancel }, { do: 'end', outcome: cancelled }, outside],
    ['ends when cancelled before it was asked', { ...awaiting, cancel }, { do: 'end', outcome: cancelled }, isBack],
    [
      'ends when cancelled although the service has it, because nothing can stop it without the account',
      { ...awaiting, cancel, upstream: asked },
      { do: 'end', outcome: cancelled },
      outside,
    ],
    [
      'continues when cancelled where the service has it',
      { ...awaiting, cancel, upstream: asked },
      { do: 'resume' },
      isBack,
    ],
    [
      'continues when cancelled where the service may have it',
      { ...awaiting, cancel, upstream: { steps: 0, intentMs: now } },
      { do: 'resume' },
      isBack,
    ],
    [
      'closes without a word where it was cancelled and no one else knows of it',
      { ...awaiting, phase: 'delivering', card: {}, outcome: cancelled },
      { do: 'close' },
    ],
    [
      'says on its card that it was cancelled where others know of it',
      { ...awaiting, phase: 'delivering', outcome: cancelled },
      { do: 'closeCard' },
    ],
    [
      'reads what its asker chose before its card shows a step',
      { ...running, access: 'own' },
      { do: 'showing', step: 'read' },
    ],
    ['is watched after that', { ...running, access: 'own', showing: {} }, { do: 'watch' }],
    ['is admitted again before its asker is asked', { ...ending, access: 'own', admittedMs: 0 }, { do: 'admit' }],
    ['asks its asker', { ...ending, access: 'own' }, { do: 'showing', step: 'ask' }],
    [
      'is given up where its asker can not be asked for long',
      { ...ending, access: 'own', trouble: { ...trouble, sinceMs: now - dayMs - 1 } },
      { do: 'close' },
    ],
    [
      'makes the choice for its asker however long there was trouble',
      {
        ...ending,
        access: 'own',
        showing: { askedMs: now - dayMs },
        trouble: { ...trouble, sinceMs: now - 2 * dayMs },
      },
      { do: 'showing', step: 'expire' },
    ],
    [
      'waits for its asker and for the room of its card, whichever comes first',
      { ...ending, access: 'own', card: cardLater, showing: { askedMs: now, noticedMs: now } },
      { do: 'wait', ms: 4_000 },
    ],
  ])('%s', (_, change, step, situation) => {
    expect(decide(questionWith(change), { ...atFront, ...situation })).toEqual(step);
  });

  it('ends without a word where its workspace removed the app, whatever it waits for', () => {
    const phases: Phase[] = ['waiting', 'parked', 'running', 'delivering'];
    const steps = phases.map((phase) => decide(questionWith({ ...awaiting, phase, endsQuietlyMs: now }), atFront).do);
    expect(steps).toEqual(phases.map(() => 'endQuietly'));
    expect(decide(questionWith({ phase: 'closed', endsQuietlyMs: now }), atFront)).toEqual({ do: 'nothing' });
  });
});

describe('a question whose card alone is left', () => {
  const unknownCard = { ...ending, card: givenUp(1_000) };
  it.each<[what: string, change: Partial<Question>, isLeft: boolean]>([
    ['has all its messages', { ...unknownCard, delivery: delivery(['1', '2']) }, true],
    ['has a message to come', { ...unknownCard, delivery: delivery(['1']) }, false],
    ['has its card', { ...ending, delivery: delivery(['1', '2']) }, false],
    ['has a card that was never tried', { ...ending, card: {}, delivery: delivery(['1', '2']) }, false],
    ['has not ended', { ...unknownCard, phase: 'running' }, false],
    ['was cancelled', { ...unknownCard, outcome: cancelled }, true],
    ['was cancelled before its card was tried', { ...ending, card: {}, outcome: cancelled }, false],
    ['was sent to its asker', { ...ending, card: {}, answersPrivately: true, showing: { sentMs: now } }, true],
    ['is still to be sent to its asker', { ...ending, card: {}, answersPrivately: true }, false],
  ])('%s', (_, change, isLeft) => {
    expect(isOnlyCardLeft(questionWith(change), 2)).toBe(isLeft);
  });
});

it('checks the readers of a card every half minute, also where a clock was set back', () => {
  const isOld = (stepsHiddenMs: number | undefined, admittedMs: number) =>
    isStepCheckOld(questionWith({ admittedMs, card: { stepsHiddenMs } }), now);
  expect([isOld(now - 30_000, 0), isOld(now - 30_001, now), isOld(now + 30_001, now)]).toEqual([false, true, true]);
  expect([isOld(undefined, now - 30_000), isOld(undefined, now - 30_001)]).toEqual([false, true]);
});

describe('decide: a question that has ended', () => {
  const dayMs = 24 * 60 * minuteMs;
  const final = { ...card, shown: finalCard };

  it.each<Row>([
    ['is posted part by part', ending, { do: 'post', part: 0, checkFirst: false }, { parts: 3 }],
    [
      'continues with the next part',
      { ...ending, delivery: delivery(['1', '2']) },
      { do: 'post', part: 2, checkFirst: false },
      { parts: 3 },
    ],
    [
      'waits where the outcome of a part is unknown',
      { ...ending, delivery: delivery([], givenUp(2_000)) },
      { do: 'wait', ms: 1_000 },
    ],
    [
      'notes as given up a part that a dead process left unfinished',
      { ...ending, delivery: delivery([], { intentMs: now - 2_000 }) },
      { do: 'giveUp', effect: 'post' },
    ],
    [
      'has that part searched for after that wait',
      { ...ending, delivery: delivery([], givenUp(3_000)) },
      { do: 'search', effect: 'post' },
    ],
    [
      'posts that part again, after a search, when it can no longer appear',
      { ...ending, delivery: delivery(['1'], searched(15_000)) },
      { do: 'post', part: 1, checkFirst: true },
      { parts: 2 },
    ],
    ['is admitted again before an answer is shown', { ...ending, admittedMs: now - minuteMs - 1 }, { do: 'admit' }],
    ['is admitted again where a clock was set back', { ...ending, admittedMs: now + minuteMs + 1 }, { do: 'admit' }],
    [
      'is admitted again before a part that may exist is posted again',
      { ...ending, admittedMs: 0, delivery: delivery([], searched(15_000)) },
      { do: 'admit' },
    ],
    [
      'is admitted again between two parts',
      { ...ending, admittedMs: now - minuteMs - 1, delivery: delivery(['1']) },
      { do: 'admit' },
      { parts: 2 },
    ],
    [
      'is admitted again before its file is attached',
      { ...ending, admittedMs: now - minuteMs - 1, delivery: delivery(['1', '2', '3']) },
      { do: 'admit' },
      { parts: 4 },
    ],
    [
      'is admitted again before the link to what still runs is shown',
      { ...ending, outcome: { kind: 'gaveUp' }, admittedMs: now - minuteMs - 1 },
      { do: 'admit' },
    ],
    [
      "is admitted again before the service's words about a refusal are shown",
      { ...ending, outcome: { kind: 'failed', failure: { cause: 'refused', message: 'acme/secret?' } }, admittedMs: 0 },
      { do: 'admit' },
    ],
    [
      'is not admitted again for a refusal without words of the service',
      { ...ending, outcome: { kind: 'failed', failure: { cause: 'refused' } }, admittedMs: 0 },
      { do: 'post', part: 0, checkFirst: false },
    ],
    [
      'is not admitted again where its end shows no answer',
      { ...ending, outcome: { kind: 'failed', failure: { cause: 'gone' } }, admittedMs: 0 },
      { do: 'post', part: 0, checkFirst: false },
    ],
    [
      'is not admitted again to close its card',
      { ...ending, admittedMs: 0, delivery: delivery(['1']) },
      { do: 'closeCard' },
    ],
    [
      'gets a file before the last of many messages',
      { ...ending, delivery: delivery(['1', '2', '3']) },
      { do: 'attach', checkFirst: false },
      { parts: 4 },
    ],
    [
      'waits where the outcome of a file is unknown',
      { ...ending, delivery: delivery(['1', '2', '3'], { file: { ...givenUp(1_000), state: 'intended' } }) },
      { do: 'wait', ms: 2_000 },
      { parts: 4 },
    ],
    [
      'has that file searched for after that wait',
      { ...ending, delivery: delivery(['1', '2', '3'], { file: { ...givenUp(3_000), state: 'intended' } }) },
      { do: 'search', effect: 'attach' },
      { parts: 4 },
    ],
    [
      'attaches that file again, after a search, when it can no longer appear',
      { ...ending, delivery: delivery(['1', '2', '3'], { file: { ...searched(15_000), state: 'intended' } }) },
      { do: 'attach', checkFirst: true },
      { parts: 4 },
    ],
    [
      'continues without a file that is refused',
      { ...ending, delivery: delivery(['1', '2', '3'], { file: { intentMs: now, state: 'refused' } }) },
      { do: 'post', part: 3, checkFirst: false },
      { parts: 4 },
    ],
    [
      'gets a file only before the last message',
      { ...ending, delivery: delivery(['1', '2', '3']) },
      { do: 'post', part: 3, checkFirst: false },
      { parts: 5 },
    ],
    [
      'gets no file where it has no answer',
      { ...ending, outcome: { kind: 'gaveUp' }, delivery: delivery(['1', '2', '3']) },
      { do: 'post', part: 3, checkFirst: false },
      { parts: 4 },
    ],
    [
      'gets no file where it has three messages',
      { ...ending, delivery: delivery(['1', '2']) },
      { do: 'post', part: 2, checkFirst: false },
      { parts: 3 },
    ],
    [
      'is reported privately where it was not allowed',
      { ...ending, outcome: { kind: 'notAllowed', reason: 'guest' } },
      { do: 'sayUndeliverable' },
    ],
    ['waits after failures, cancelled or not', { ...ending, cancel, trouble: held }, { do: 'wait', ms: 5_000 }],
    ['closes its card after the last part', { ...ending, delivery: delivery(['1']) }, { do: 'closeCard' }],
    ['is closed after its card', { ...ending, delivery: delivery(['1']), card: final }, { do: 'close' }],
    ['is closed without a card', { ...ending, delivery: delivery(['1']), card: {} }, { do: 'close' }],
    [
      'is closed where its card is gone',
      { ...ending, delivery: delivery(['1']), card: { ...card, gone: true } },
      { do: 'close' },
    ],
    ['shows on its card that it was cancelled', { ...ending, outcome: cancelled }, { do: 'closeCard' }],
    [
      'says in a message that it was cancelled where the card is gone',
      { ...ending, outcome: cancelled, card: { ...card, gone: true } },
      { do: 'post', part: 0, checkFirst: false },
    ],
    [
      'says in a message that it was cancelled where there is no card',
      { ...ending, outcome: cancelled, card: {} },
      { do: 'post', part: 0, checkFirst: false },
    ],
    [
      'is reported privately where the place is closed',
      { ...ending, outcome: { kind: 'undeliverable', canInvite: true } },
      { do: 'sayUndeliverable' },
    ],
    ['is reported privately where it has no thread', { ...ending, place: nowhere }, { do: 'sayUndeliverable' }],
    [
      'closes its card after the private report',
      { ...ending, delivery: delivery([], { refused: true }) },
      { do: 'closeCard' },
    ],
    ['needs no card for its answer', { ...ending, card: cardLater }, { do: 'post', part: 0, checkFirst: false }],
    ['is closed without a card', { ...ending, card: cardLater, delivery: delivery(['1']) }, { do: 'close' }],
    [
      'gets its card before its answer where the card repeats the question',
      { ...ending, card: {}, origin: 'followUp' },
      { do: 'announce', checkFirst: false },
    ],
    [
      'waits for room for the card that repeats the question',
      { ...ending, card: cardLater, origin: 'followUp' },
      { do: 'wait', ms: 4_000 },
    ],
    [
      'is admitted again before a card that repeats the question',
      { ...ending, card: {}, origin: 'followUp', admittedMs: 0 },
      { do: 'admit' },
    ],
    [
      'gets a card that says that only its asker sees the answer',
      { ...ending, card: {}, answersPrivately: true, showing: { sentMs: now } },
      { do: 'announce', checkFirst: false },
    ],
    [
      'is answered before its card is searched for, after an unknown outcome',
      { ...ending, card: givenUp(3_000) },
      { do: 'post', part: 0, checkFirst: false },
    ],
    [
      'has that card searched for after its answer',
      { ...ending, card: givenUp(3_000), delivery: delivery(['1']) },
      { do: 'search', effect: 'announce' },
    ],
    [
      'waits until that card can no longer appear',
      { ...ending, card: searched(14_999), delivery: delivery(['1']) },
      { do: 'wait', ms: 1 },
    ],
    [
      'does not post that card again after its answer',
      { ...ending, card: searched(15_000), delivery: delivery(['1']) },
      { do: 'dropCard' },
    ],
    [
      'has that card searched for before a message says that it was cancelled',
      { ...ending, outcome: cancelled, card: givenUp(3_000) },
      { do: 'search', effect: 'announce' },
    ],
    [
      'shows a fault of our own where it has no outcome',
      { phase: 'delivering', card },
      { do: 'end', outcome: { kind: 'failed', failure: { cause: 'internal' } } },
    ],
    [
      'is tried for a day',
      { ...ending, trouble: { ...trouble, sinceMs: now - dayMs } },
      { do: 'post', part: 0, checkFirst: false },
    ],
    [
      'is not tried for longer than a day',
      { ...ending, trouble: { ...trouble, sinceMs: now - dayMs - 1 } },
      { do: 'close' },
    ],
    [
      'is not reported privately after more than a day either',
      {
        ...ending,
        outcome: { kind: 'undeliverable', canInvite: true },
        trouble: { ...trouble, sinceMs: now - dayMs - 1 },
      },
      { do: 'close' },
    ],
    ['has its messages checked for copies when it is time', { ...ending, recheckMs: now }, { do: 'recheck' }],
    ['has its messages checked also once closed', { ...ending, phase: 'closed', recheckMs: now }, { do: 'recheck' }],
    [
      'has its messages checked also while it waits after failures',
      { ...ending, trouble: held, recheckMs: now },
      { do: 'recheck' },
    ],
    ['waits for that check once closed', { ...ending, phase: 'closed', recheckMs: now + 9 }, { do: 'wait', ms: 9 }],
    [
      'is run for that check while it waits after failures',
      { ...ending, trouble: held, recheckMs: now + 9 },
      { do: 'wait', ms: 9 },
    ],
    [
      'is run before that check where another step is due',
      { ...ending, trouble: held, recheckMs: now + 9_000 },
      { do: 'wait', ms: 5_000 },
    ],
    ['is posted before that check', { ...ending, recheckMs: now + 9 }, { do: 'post', part: 0, checkFirst: false }],
    ['needs nothing once closed', { ...ending, phase: 'closed', cancel, trouble: held }, { do: 'nothing' }],
  ])('%s', (_, change, step, situation) => {
    expect(decide(questionWith(change), { ...atFront, ...situation })).toEqual(step);
  });
});

describe('the decision about a question', () => {
  const time = fc.integer({ min: now - 2 * 24 * 60 * minuteMs, max: now + 2 * 24 * 60 * minuteMs });
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
  const anyQuestion = fc
    .record({
      phase: fc.constantFrom<Phase>('waiting', 'running', 'parked', 'delivering', 'closed'),
      threaded: fc.boolean(),
      ts: maybe(fc.constant('1.1')),
      gone: fc.boolean(),
      shown: maybe(fc.constantFrom('', finalCard)),
      cardIntentMs: maybe(time),
      intentMs: maybe(time),
      firstTriedMs: maybe(time),
      cancelSentMs: maybe(time),
      notBeforeMs: maybe(time),
      sinceMs: time,
      untilMs: maybe(time),
      isCancelled: fc.boolean(),
      outcome: maybe(
        fc.constantFrom<Outcome>(answered, cancelled, { kind: 'gaveUp' }, { kind: 'undeliverable', canInvite: true }),
      ),
      posted: fc.array(fc.constant('1.2'), { maxLength: 3 }),
      deliveryIntentMs: maybe(time),
      givenUpMs: maybe(time),
      recheckMs: maybe(time),
      refused: fc.boolean(),
    })
    .map((some) => {
      const call = (intentMs: number | undefined) => ({
        ...(intentMs === undefined ? {} : { intentMs }),
        ...(intentMs === undefined || some.givenUpMs === undefined ? {} : { givenUpMs: some.givenUpMs }),
      });
      return questionWith({
        phase: some.phase,
        ...(some.recheckMs === undefined ? {} : { recheckMs: some.recheckMs }),
        place: some.threaded ? questionWith().place : nowhere,
        card: {
          ...(some.ts === undefined ? {} : { ts: some.ts }),
          ...(some.gone ? { gone: true } : {}),
          ...(some.shown === undefined ? {} : { shown: some.shown }),
          ...call(some.cardIntentMs),
        },
        upstream: {
          steps: 0,
          ...call(some.intentMs),
          ...(some.firstTriedMs === undefined ? {} : { firstTriedMs: some.firstTriedMs }),
          ...(some.cancelSentMs === undefined ? {} : { cancelSentMs: some.cancelSentMs }),
        },
        ...(some.notBeforeMs === undefined
          ? {}
          : {
              trouble: {
                kind: 'unreachable' as const,
                failures: 1,
                sinceMs: some.sinceMs,
                notBeforeMs: some.notBeforeMs,
              },
            }),
        ...(some.untilMs === undefined ? {} : { parkedUntilMs: some.untilMs }),
        ...(some.isCancelled ? { cancel } : {}),
        ...(some.outcome === undefined ? {} : { outcome: some.outcome }),
        delivery: {
          round: 0,
          posted: some.posted,
          ...call(some.deliveryIntentMs),
          ...(some.refused ? { refused: true } : {}),
        },
      });
    });

  it('never waits without need, never repeats a call of unknown outcome without a search, and never posts a part too many', () => {
    fc.assert(
      fc.property(
        anyQuestion,
        fc.integer({ min: -1, max: 3 }),
        fc.integer({ min: 0, max: 3 }),
        (question, positionInQueue, parts) => {
          const step = decide(question, { ...atFront, positionInQueue, parts });
          if (step.do === 'wait') expect(step.ms).toBeGreaterThan(0);
          if (step.do === 'announce') expect(step.checkFirst).toBe(question.card.intentMs !== undefined);
          if (step.do === 'ask') expect(step.checkFirst).toBe(question.upstream.intentMs !== undefined);
          if (step.do === 'post') {
            expect(step.checkFirst).toBe(question.delivery.intentMs !== undefined);
            expect(step.part).toBeLessThan(parts);
            expect(step.part).toBe(question.delivery.posted.length);
          }
          if (step.do === 'announce' || step.do === 'ask' || step.do === 'post') {
            const call = { announce: question.card, ask: question.upstream, post: question.delivery }[step.do];
            if (step.checkFirst) expect(now - (call.givenUpMs ?? now)).toBeGreaterThanOrEqual(settings.lateCallMs);
          }
          expect(step.do === 'nothing').toBe(question.phase === 'closed' && question.recheckMs === undefined);
        },
      ),
      runs(500),
    );
  });
});

describe('the reading of a reply from the service', () => {
  const observed: UpstreamQuestion = {
    id: 2,
    text: 'Where?',
    state: 'completed',
    steps: 3,
    sources: [],
    followUps: [],
  };
  const conversation: Conversation = { id: 1, questions: [observed] };
  const failure = (cause: UpstreamError['cause'], retryAtMs?: number): UpstreamQuestion => ({
    ...observed,
    state: 'failed',
    error: { cause, title: 'No', message: 'It failed', ...(retryAtMs === undefined ? {} : { retryAtMs }) },
  });

  it.each(['pending', 'processing'] as const)('shows that a question that is %s is being worked on', (state) => {
    expect(interpret({ ...observed, state }, conversation, 5, now)).toEqual({ is: 'working' });
  });

  it('completes a finished question as answered, with defaults for missing fields', () => {
    expect(interpret(observed, conversation, 4_000, now)).toEqual({
      is: 'ended',
      outcome: {
        kind: 'answered',
        answer: { title: '', markdown: '', sources: [], followUps: [], durationMs: 4_000, steps: 3 },
      },
    });
  });

  it('keeps what the service reports about an answer', () => {
    const quota = { used: 9, limit: 10 };
    const full = { ...observed, title: 'T', answer: 'A', durationMs: 7_000, credits: 2 };
    const reading = interpret(full, { ...conversation, quota }, 4_000, now);
    expect(reading).toMatchObject({
      outcome: { answer: { title: 'T', markdown: 'A', durationMs: 7_000, credits: 2, quota } },
    });
  });

  it.each([0, -1])('does not trust a duration of %i', (durationMs) => {
    expect(interpret({ ...observed, durationMs }, conversation, 4_000, now)).toMatchObject({
      outcome: { answer: { durationMs: 4_000 } },
    });
  });

  it('ends a cancelled question as cancelled', () => {
    expect(interpret({ ...observed, state: 'cancelled' }, conversation, 1, now)).toEqual({
      is: 'ended',
      outcome: cancelled,
    });
  });

  it.each([
    ['tooLong', { cause: 'tooLong' }],
    ['service', { cause: 'service', title: 'No', message: 'It failed' }],
  ] as const)('ends a question whose failure has the cause %s', (cause, expected) => {
    expect(interpret(failure(cause), conversation, 1, now)).toEqual({
      is: 'ended',
      outcome: { kind: 'failed', failure: expected },
    });
  });

  it('counts a failure without an error as one of the service', () => {
    expect(interpret({ ...observed, state: 'failed' }, conversation, 1, now)).toEqual({
      is: 'ended',
      outcome: { kind: 'failed', failure: { cause: 'service', title: '', message: '' } },
    });
  });

  it.each([
    ['a limit that is not over', now + 9_000],
    ['a limit that ended before it was read', now - 59_999],
  ])('tells the end of %s', (_, retryAtMs) => {
    const reading = interpret(failure('limited', retryAtMs), conversation, 60_000, now);
    expect(reading).toEqual({ is: 'limited', untilMs: retryAtMs });
  });

  it('compares the end of a limit with the time at which the service got the question, if it tells that', () => {
    const observed = { ...failure('limited', now - 90_000), createdMs: now - 90_001 };
    expect(interpret(observed, conversation, 60_000, now)).toMatchObject({ is: 'limited' });
    expect(interpret({ ...observed, createdMs: now - 90_000 }, conversation, 60_000, now)).toEqual({ is: 'limited' });
  });

  it.each([undefined, now - 60_000])('knows no end of a limit that names %s', (retryAtMs) => {
    expect(interpret(failure('limited', retryAtMs), conversation, 60_000, now)).toEqual({ is: 'limited' });
  });
});

describe('a question that a limit refused', () => {
  const refused = (times: number) =>
    questionWith({
      upstream: { steps: 0, earlierAttempts: Array.from({ length: times }, () => ({ conversationId: 1 })) },
    });

  it('waits until the limit ends', () => {
    expect(parkedUntil(questionWith(), now + 9_000, now)).toBe(now + 9_000);
  });

  it.each([
    [0, 1_000],
    [1, 2_000],
    [5, 32_000],
    [20, 600_000],
  ])('waits after %d refusals for %d ms at least', (times, ms) => {
    expect(parkedUntil(refused(times), now - 1, now)).toBe(now + ms);
    expect(parkedUntil(refused(times), now + 1, now)).toBe(now + ms);
  });
});
