import { describe, expect, it } from 'vitest';
import { decideShowing, isChoiceUnread } from '../../../src/core/lifecycle/decide.ts';
import type { Question } from '../../../src/core/question/question.ts';
import {
  areReadersAccepted,
  type ReaderChoices,
  withReadersAccepted,
} from '../../../src/core/question/reader-choices.ts';
import {
  areStepsPrivate,
  isChoiceAwaited,
  isKeptPrivate,
  maySeeAnswer,
  type Readers,
  shareUrlFor,
} from '../../../src/core/question/readers.ts';
import { chooseReadersMs, mostChannelsChosen, mostThreadsChosen, parkedCheckMs } from '../../../src/core/settings.ts';
import { someMs as now, questionWith, someAnswer } from '../../support/lifecycle/sample-questions.ts';

const direct = { teamId: 'T1', channelId: 'D1', threadTs: '1700000000.000001' };
const url = 'https://code.example/deepsearch/1';
const upstream = { steps: 0, conversationId: 1, questionId: 2, shareUrl: url };
const shares = {
  questionId: 'q1',
  withLink: true,
  confirmed: [],
};

/** A question that was answered with own access in a channel. */
function answered(change: Partial<Question> = {}): Question {
  return questionWith({
    access: 'own',
    phase: 'delivering',
    outcome: { kind: 'answered', answer: someAnswer },
    upstream: { steps: 0 },
    ...change,
  });
}

type Row = [what: string, change: Partial<Question>, step: ReturnType<typeof decideShowing>];

describe('before an answer is shown', () => {
  const asked = { askedMs: now - 1_000, noticedMs: now - 500 };
  it.each<Row>([
    ['its asker is asked', {}, { do: 'showing', step: 'ask' }],
    ['its asker is asked although the earlier choices were read', { showing: {} }, { do: 'showing', step: 'ask' }],
    [
      'its asker is asked again after the message failed',
      { showing: { askedMs: now } },
      { do: 'showing', step: 'ask' },
    ],
    ['it waits for the asker, but checks every hour', { showing: asked }, { do: 'wait', ms: parkedCheckMs }],
    [
      'it waits for the asker until 24 hours are over',
      { showing: { ...asked, askedMs: now - chooseReadersMs + 7_000 } },
      { do: 'wait', ms: 7_000 },
    ],
    [
      'the choice is made for the asker after 24 hours',
      { showing: { ...asked, askedMs: now - chooseReadersMs } },
      { do: 'showing', step: 'expire' },
    ],
    [
      'the choice is made for an asker who could not be asked for 24 hours',
      { showing: { askedMs: now - chooseReadersMs } },
      { do: 'showing', step: 'expire' },
    ],
    [
      'a choice is remembered',
      { showing: { ...asked, choice: 'here', by: 'asker' } },
      { do: 'showing', step: 'remember' },
    ],
    [
      'a choice for the channel is remembered',
      { showing: { ...asked, choice: 'always', by: 'asker' } },
      { do: 'showing', step: 'remember' },
    ],
    [
      'nothing stands in its way after that',
      { showing: { choice: 'here', by: 'asker', rememberedMs: now } },
      undefined,
    ],
    ['nothing stands in its way after an earlier choice', { showing: { choice: 'here', by: 'earlier' } }, undefined],
    ['it is sent to its asker only', { showing: { choice: 'onlyMe', by: 'asker' } }, { do: 'showing', step: 'send' }],
    ['it is sent to its asker once', { showing: { choice: 'onlyMe', by: 'time', sentMs: now } }, undefined],
    ['it is sent to its asker where a setting says so', { answersPrivately: true }, { do: 'showing', step: 'send' }],
    [
      'it is sent to its asker where a setting says so, with every access',
      { answersPrivately: true, access: 'app' },
      { do: 'showing', step: 'send' },
    ],
    [
      'a setting for a channel does not matter in direct messages',
      { answersPrivately: true, place: direct },
      undefined,
    ],
    ['no one is asked in direct messages', { place: direct }, undefined],
    ['no one is asked with the access of the app', { access: 'app' }, undefined],
    ['no one is asked by whom it is shared', { shares, origin: 'shared' }, undefined],
    ['no one is asked about a failure', { outcome: { kind: 'failed', failure: { cause: 'service' } } }, undefined],
    ['no one is asked about the end of watching', { outcome: { kind: 'gaveUp' } }, undefined],
    [
      'its link is proven',
      { showing: { choice: 'here', by: 'earlier' }, upstream },
      { do: 'showing', step: 'proveLink' },
    ],
    [
      'the link of a shared answer is proven',
      { shares, origin: 'shared', upstream },
      { do: 'showing', step: 'proveLink' },
    ],
    [
      'its link is proven once',
      { showing: { choice: 'here', by: 'earlier' }, upstream: { ...upstream, isLinkOpen: false } },
      undefined,
    ],
    [
      'its link is not proven after its first message',
      { showing: { choice: 'here', by: 'earlier' }, upstream, delivery: { round: 0, posted: ['1.1'] } },
      undefined,
    ],
    ['the link of the app needs no proof', { access: 'app', upstream }, undefined],
    ['a link in direct messages needs no proof', { place: direct, upstream }, undefined],
  ])('%s', (_, change, step) => {
    expect(decideShowing(answered(change), now)).toEqual(step);
  });
});

describe('the steps on a card', () => {
  it.each<[string, Partial<Question>, boolean]>([
    ['hidden while its asker was not asked', {}, true],
    ['hidden while its asker chooses', { showing: { askedMs: now } }, true],
    ['hidden where the answer is for its asker only', { showing: { choice: 'onlyMe', by: 'asker' } }, true],
    [
      'hidden where answers are private, with the access of the app too',
      { answersPrivately: true, access: 'app' },
      true,
    ],
    ['shown where the asker agreed', { showing: { choice: 'here', by: 'earlier' } }, false],
    ['shown in direct messages', { place: direct }, false],
    ['shown with the access of the app', { access: 'app' }, false],
  ])('are %s', (_, change, isHidden) => {
    expect(areStepsPrivate(questionWith({ access: 'own', phase: 'running', ...change }))).toBe(isHidden);
  });

  it('need the earlier choices once', () => {
    const running = questionWith({ access: 'own', phase: 'running' });
    expect(isChoiceUnread(running)).toBe(true);
    expect(isChoiceUnread({ ...running, showing: {} })).toBe(false);
    expect(isChoiceUnread({ ...running, place: direct })).toBe(false);
    expect(isChoiceUnread({ ...running, access: 'app' })).toBe(false);
  });
});

describe('anything of an answer', () => {
  it.each<[string, Partial<Question>, boolean]>([
    ['before the earlier choices of its asker were read', {}, false],
    ['while its asker chooses', { showing: { askedMs: now } }, false],
    ['where its asker kept it', { showing: { choice: 'onlyMe', by: 'asker' } }, false],
    ['where answers are private', { answersPrivately: true, access: 'app' }, false],
    ['where its asker agreed', { showing: { choice: 'always', by: 'earlier' } }, true],
    ['with the access of the app', { access: 'app' }, true],
  ])('is seen by its asker, and by others %s only if that is certain', (_, change, isSeen) => {
    const question = answered(change);
    expect(maySeeAnswer(question, question.askerId)).toBe(true);
    expect(maySeeAnswer(question, 'U2')).toBe(isSeen);
  });
});

describe('an answer', () => {
  it('waits for its asker only between the question to them and their choice', () => {
    expect(isChoiceAwaited(answered())).toBe(false);
    expect(isChoiceAwaited(answered({ showing: { askedMs: now } }))).toBe(true);
    expect(isChoiceAwaited(answered({ showing: { askedMs: now, choice: 'here' } }))).toBe(false);
    expect(isChoiceAwaited(answered({ showing: { askedMs: now }, phase: 'closed' }))).toBe(false);
    expect(
      isChoiceAwaited(answered({ showing: { askedMs: now }, outcome: { kind: 'notAllowed', reason: 'guest' } })),
    ).toBe(false);
  });

  it('is kept private by a choice or a setting, outside of direct messages', () => {
    expect(isKeptPrivate(answered({ showing: { choice: 'onlyMe' } }))).toBe(true);
    expect(isKeptPrivate(answered({ answersPrivately: true, access: 'app' }))).toBe(true);
    expect(isKeptPrivate(answered({ answersPrivately: true, outcome: { kind: 'gaveUp' } }))).toBe(false);
    expect(isKeptPrivate(answered({ showing: { choice: 'onlyMe' }, place: direct }))).toBe(false);
    expect(isKeptPrivate(answered({ showing: { choice: 'onlyMe' }, access: 'app' }))).toBe(false);
  });
});

describe('the share URL', () => {
  const asker: Readers = { userId: 'U1' };
  const other: Readers = { userId: 'U2' };
  const proven = { ...upstream, isLinkOpen: true };
  it.each<[string, Partial<Question>, Readers, boolean]>([
    ['of the app is shown in a channel', { access: 'app' }, 'channel', true],
    ['of the app is shown to other people', { access: 'app' }, other, true],
    ['of an own conversation is shown to its asker', {}, asker, true],
    ['of an own conversation is not shown to other people', {}, other, false],
    ['of an own conversation is not shown in a channel', {}, 'channel', false],
    [
      'that no other account can open is not shown in a channel',
      { upstream: { ...upstream, isLinkOpen: false } },
      'channel',
      false,
    ],
    ['that another account opened is shown in a channel', { upstream: proven }, 'channel', true],
    ['that another account opened is shown to other people', { upstream: proven }, other, true],
    ['of an answer for its asker only is shown to the asker', { answersPrivately: true, access: 'app' }, asker, true],
    [
      'of an answer for its asker only is shown to no one else',
      { answersPrivately: true, access: 'app' },
      'channel',
      false,
    ],
    [
      'of an answer kept private is shown to no one else',
      { upstream: proven, showing: { choice: 'onlyMe' } },
      'channel',
      false,
    ],
  ])('%s', (_, change, readers, isShown) => {
    const question = answered({ upstream, ...change });
    expect(shareUrlFor(question, readers)).toBe(isShown ? url : undefined);
  });

  it('is absent if the service gave none', () => {
    expect(shareUrlFor(answered(), 'channel')).toBeUndefined();
    expect(shareUrlFor(answered(), asker)).toBeUndefined();
  });
});

describe('the choices of a person', () => {
  const place = (channelId: string, threadTs = '1.1') => ({ channelId, threadTs });
  const chosen = (...all: [ReturnType<typeof place>, 'here' | 'always' | 'onlyMe'][]) =>
    all.reduce<ReaderChoices | undefined>(
      (choices, [where, choice]) => withReadersAccepted(choices, where, choice),
      undefined,
    );

  it('count for the thread, or for all threads of the channel', () => {
    const choices = chosen([place('C1'), 'here'], [place('C2'), 'always'], [place('C3'), 'onlyMe']);
    expect(areReadersAccepted(choices, place('C1'))).toBe(true);
    expect(areReadersAccepted(choices, place('C1', '2.2'))).toBe(false);
    expect(areReadersAccepted(choices, { channelId: 'C1' })).toBe(false);
    expect(areReadersAccepted(choices, place('C2', '2.2'))).toBe(true);
    expect(areReadersAccepted(choices, place('C3'))).toBe(false);
    expect(areReadersAccepted(undefined, place('C1'))).toBe(false);
  });

  it('stay the same object if nothing changes', () => {
    const choices = chosen([place('C1'), 'here'], [place('C2'), 'always']);
    expect(withReadersAccepted(choices, place('C1'), 'here')).toBe(choices);
    expect(withReadersAccepted(choices, place('C2'), 'always')).toBe(choices);
    expect(withReadersAccepted(choices, place('C3'), 'onlyMe')).toBe(choices);
    expect(withReadersAccepted(choices, { channelId: 'C3' }, 'here')).toBe(choices);
  });

  it('are bounded: the oldest are forgotten, so the person is asked again there', () => {
    let choices: ReaderChoices | undefined;
    for (let count = 0; count <= Math.max(mostThreadsChosen, mostChannelsChosen); count += 1) {
      choices = withReadersAccepted(choices, place('C1', `${count}.1`), 'here');
      choices = withReadersAccepted(choices, place(`X${count}`), 'always');
    }
    expect(choices?.threads).toHaveLength(mostThreadsChosen);
    expect(choices?.channels).toHaveLength(mostChannelsChosen);
    expect(areReadersAccepted(choices, place('C1', '0.1'))).toBe(false);
    expect(areReadersAccepted(choices, place('C1', `${mostThreadsChosen}.1`))).toBe(true);
  });
});
