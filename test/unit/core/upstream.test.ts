import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Claims, Conversation, UpstreamQuestion } from '../../../src/core/ports.ts';
import type { Question } from '../../../src/core/question/question.ts';
import {
  claimUpstream,
  findUpstream,
  isEarlierAttempt,
  positionOf,
  upstreamCandidates,
  upstreamClaims,
  withoutAttempt,
} from '../../../src/core/question/upstream.ts';
import { mostEarlierAttempts } from '../../../src/core/settings.ts';
import { questionWith, someMs } from '../../support/lifecycle/sample-questions.ts';

const text = 'Where are retries configured?';

function upstream(change: Partial<UpstreamQuestion> = {}): UpstreamQuestion {
  return { text, state: 'processing', sources: [], followUps: [], ...change };
}

/** A conversation with these questions, numbered by their positions; `ids` adds the ids 10, 11, … */
function conversationOf(questions: UpstreamQuestion[], ids = false): Conversation {
  return {
    id: 7,
    questions: questions.map((question, ordinal) => ({ ordinal, ...question, ...(ids ? { id: 10 + ordinal } : {}) })),
  };
}

function asked(known: Partial<Question['upstream']>, change: Partial<Question> = {}): Question {
  return questionWith({
    phase: 'running',
    upstream: { steps: 0, conversationId: 7, askedMs: someMs, ...known },
    ...change,
  });
}

const other = upstream({ text: 'Who calls it?' });

describe('the question of a conversation that is the app’s question', () => {
  it.each<[string, Question, Conversation, number | undefined]>([
    ['has its id', asked({ questionId: 11 }), conversationOf([upstream(), upstream()], true), 1],
    ['has its id, whatever its text', asked({ questionId: 10 }), conversationOf([other, upstream()], true), 0],
    ['is missing if its id is', asked({ questionId: 99, ordinal: 0 }), conversationOf([upstream()], true), undefined],
    ['has its position and text', asked({ ordinal: 1 }), conversationOf([upstream(), upstream()]), 1],
    [
      'has its position, if the service stopped to tell ids',
      asked({ questionId: 10, ordinal: 1 }),
      conversationOf([other, upstream()]),
      1,
    ],
    [
      'has its position, if the service began to tell ids',
      asked({ ordinal: 1 }),
      conversationOf([other, upstream()], true),
      1,
    ],
    ['has its text, if positions shifted', asked({ ordinal: 1 }), conversationOf([other, other, upstream()]), 2],
    ['has its text, if no position is known', asked({ questionId: 10 }), conversationOf([other, upstream()]), 1],
    ['is missing if its text is', asked({ ordinal: 0 }), conversationOf([other]), undefined],
    ['is missing in an empty conversation', asked({ ordinal: 0 }), conversationOf([]), undefined],
    [
      'may have other white space',
      asked({ ordinal: 0 }),
      conversationOf([upstream({ text: ' Where are\n retries configured? ' })]),
      0,
    ],
    [
      'is the one that was created nearest to the time it was asked',
      asked({}),
      conversationOf([-9_000, 200, 4_000].map((afterMs) => upstream({ createdMs: someMs + afterMs }))),
      1,
    ],
    [
      'is not an earlier attempt that ended at a limit',
      asked({ earlierAttempts: [{ conversationId: 7, ordinal: 0 }] }),
      conversationOf([upstream({ createdMs: someMs }), upstream({ createdMs: someMs + 5_000 })]),
      1,
    ],
    ...(
      [
        ['has its position and time, if the service changed its text', 0, 1_000, 1],
        ['is missing if nothing at its position was created when it was asked', 0, 10_001, undefined],
        ['is missing if another position was created when it was asked', 2, 0, undefined],
      ] as const
    ).map(([title, shift, afterMs, expected]): [string, Question, Conversation, number | undefined] => [
      title,
      asked({ ordinal: 1 + shift }),
      conversationOf([other, upstream({ text: 'Changed', createdMs: someMs + afterMs })]),
      expected,
    ]),
    [
      'is missing with a changed text if the service would tell its id',
      asked({ questionId: 99, ordinal: 0 }),
      conversationOf([upstream({ text: 'Changed', createdMs: someMs })], true),
      undefined,
    ],
    [
      'is not found by its time if it is an earlier attempt',
      asked({ ordinal: 0, earlierAttempts: [{ conversationId: 7, ordinal: 0 }] }),
      conversationOf([upstream({ text: 'Changed', createdMs: someMs })]),
      undefined,
    ],
    [
      'is not found by an empty text',
      asked({ ordinal: 0 }, { text: '' }),
      conversationOf([upstream({ text: '' })]),
      undefined,
    ],
  ])('%s', (_, question, conversation, expected) => {
    expect(findUpstream(conversation, question)?.ordinal).toBe(expected);
  });

  it('is found after its context was forgotten, but not by the beginning of a longer question', () => {
    const context = { messages: 1, total: 1, files: 0, unreadable: 0, text: '' };
    const quoted = conversationOf([upstream({ text: `${text}\n\nEarlier messages: hello` })]);
    const closed = asked({ ordinal: 0 }, { phase: 'closed', context });
    expect(findUpstream(quoted, closed)?.ordinal).toBe(0);
    expect(findUpstream(quoted, asked({ ordinal: 0 }, { phase: 'closed' }))).toBeUndefined();
    expect(findUpstream(quoted, asked({ ordinal: 0 }, { context }))).toBeUndefined();
    expect(findUpstream(conversationOf([upstream({ text: `${text}s` })]), closed)).toBeUndefined();
  });

  it('is found after what its message forwards was forgotten, also once the app watches it again', () => {
    const quoted = conversationOf([upstream({ text: `${text}\n\nA forwarded message: hello` })]);
    const forwarded = { messages: 1, text: '' };
    expect(findUpstream(quoted, asked({ ordinal: 0 }, { phase: 'closed', forwarded }))?.ordinal).toBe(0);
    expect(findUpstream(quoted, asked({ ordinal: 0, watchedFromMs: someMs }, { forwarded }))?.ordinal).toBe(0);
    expect(findUpstream(quoted, asked({ ordinal: 0 }, { forwarded }))).toBeUndefined();
  });

  it('is also found so after the app began to watch it again, unless all that was sent is known', () => {
    const context = { messages: 1, total: 1, files: 0, unreadable: 0, text: '' };
    const quoted = conversationOf([upstream({ text: `${text}\n\nEarlier messages: hello` })]);
    const again = { ordinal: 0, watchedFromMs: someMs };
    expect(findUpstream(quoted, asked(again, { context }))?.ordinal).toBe(0);
    expect(findUpstream(quoted, asked(again, { context: { ...context, text: 'Bye' } }))).toBeUndefined();
    expect(findUpstream(quoted, asked(again))).toBeUndefined();
  });

  it('is always one with its id or its text, and the one at its position if that has its text', () => {
    const texts = fc.constantFrom(text, ` ${text}\n`, 'Who calls it?', '');
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: texts, createdMs: fc.integer({ min: someMs, max: someMs + 9 }) }), { maxLength: 6 }),
        fc.boolean(),
        fc.record({ questionId: fc.integer({ min: 9, max: 16 }), ordinal: fc.nat(6) }, { requiredKeys: [] }),
        (questions, ids, known) => {
          const conversation = conversationOf(questions.map(upstream), ids);
          const found = upstreamCandidates(conversation, asked(known));
          const byId = ids && known.questionId !== undefined;
          for (const each of found) {
            expect(byId ? each.id === known.questionId : each.text.trim() === text).toBe(true);
          }
          const atPosition = conversation.questions.find(({ ordinal }) => ordinal === known.ordinal);
          if (!byId && atPosition?.text.trim() === text) expect(found[0]).toBe(atPosition);
          expect(new Set(found).size).toBe(found.length);
        },
      ),
    );
  });
});

describe('the claim of a question of the service', () => {
  function claimsWith(owners: Record<string, string> = {}): { claims: Claims; owned: Map<string, string> } {
    const owned = new Map(Object.entries(owners));
    const claims: Claims = {
      claim: async (key, owner) => {
        if (!owned.has(key)) owned.set(key, owner);
        return owned.get(key) ?? owner;
      },
      ownerOf: async (key) => owned.get(key),
    };
    return { claims, owned };
  }
  const both = { id: 10, ordinal: 0 };

  it('has one name for the id, and one for the position', () => {
    expect(upstreamClaims(7, both)).toEqual(['upstream:7:10', 'upstream:7:#0']);
    expect(upstreamClaims('abc', { ordinal: 3 })).toEqual(['upstream:abc:#3']);
    expect(upstreamClaims(7, {})).toEqual([]);
    // A service that begins again gives out the same positions for other texts.
    const [one, same, other] = ['Where?', ' Where?\n', 'Why?'].map((text) => upstreamClaims(7, { ordinal: 0, text }));
    expect(one).toEqual(same);
    expect(one).not.toEqual(other);
  });

  it.each<[string, Record<string, string>, { id?: number; ordinal?: number }, boolean]>([
    ['takes both names', {}, both, true],
    ['succeeds again', { 'upstream:7:10': 'q1', 'upstream:7:#0': 'q1' }, both, true],
    ['completes what a crash left behind', { 'upstream:7:10': 'q1' }, both, true],
    ['fails if another question has the id', { 'upstream:7:10': 'q2' }, both, false],
    ['fails if another question has the position', { 'upstream:7:#0': 'q2' }, both, false],
    ['succeeds for the one that has the position', { 'upstream:7:10': 'q2', 'upstream:7:#0': 'q1' }, both, true],
    ['fails for the one that has only the id', { 'upstream:7:10': 'q1', 'upstream:7:#0': 'q2' }, both, false],
    ['needs only the position where there are no ids', {}, { ordinal: 0 }, true],
    ['succeeds where nothing identifies the question yet', {}, {}, true],
  ])('%s', async (_, owners, position, expected) => {
    expect(await claimUpstream(claimsWith(owners).claims, 'q1', 7, position)).toBe(expected);
  });

  it('takes no position from the question that has the id', async () => {
    const { claims, owned } = claimsWith({ 'upstream:7:10': 'q2' });
    await claimUpstream(claims, 'q1', 7, both);
    expect(owned.has('upstream:7:#0')).toBe(false);
  });

  it('belongs to exactly one of two questions in the end, in any order and after any crash', async () => {
    const step = fc.record({
      owner: fc.constantFrom('q1', 'q2'),
      sees: fc.constantFrom('both', 'ordinal'),
      crashes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const { claims, owned } = claimsWith();
        for (const { owner, sees, crashes } of steps) {
          const position = sees === 'both' ? both : { ordinal: 0 };
          const [first = ''] = upstreamClaims(7, position);
          if (crashes) await claims.claim(first, owner);
          else await claimUpstream(claims, owner, 7, position);
        }
        const wins = [];
        for (const owner of ['q1', 'q2', 'q1']) wins.push(await claimUpstream(claims, owner, 7, both));
        expect(wins[0] === true || wins[1] === true).toBe(true);
        expect(wins[1] === true && wins[2] === true).toBe(false);
        expect(owned.size).toBe(2);
      }),
    );
  });
});

describe('an attempt that ended at a limit', () => {
  it('leaves its position behind, and nothing else', () => {
    const { upstream: before } = asked({ questionId: 10, ordinal: 2, firstTriedMs: 1, cancelSentMs: 2, shareUrl: 'u' });
    const after = withoutAttempt({ ...before, steps: 4, seenMark: 'm', watchedFromMs: 3 });
    const earlierAttempts = [{ conversationId: 7, questionId: 10, ordinal: 2 }];
    expect(after).toEqual({ steps: 0, conversationId: 7, shareUrl: 'u', earlierAttempts });
    // Without another attempt there is nothing to add.
    expect(withoutAttempt(after)).toEqual(after);
  });

  it('is known by its id or its position, in its own conversation', () => {
    const question = asked({ earlierAttempts: [{ conversationId: 7, questionId: 10, ordinal: 2 }] });
    expect(isEarlierAttempt(question, 7, { id: 10 })).toBe(true);
    expect(isEarlierAttempt(question, 7, { ordinal: 2 })).toBe(true);
    expect(isEarlierAttempt(question, 7, { id: 11, ordinal: 3 })).toBe(false);
    expect(isEarlierAttempt(question, 8, { id: 10, ordinal: 2 })).toBe(false);
    expect(isEarlierAttempt(question, 7, {})).toBe(false);
    expect(isEarlierAttempt(asked({}), 7, { ordinal: 2 })).toBe(false);
  });

  it('is one of a bounded number', () => {
    let { upstream: known } = asked({});
    for (let ordinal = 0; ordinal < mostEarlierAttempts + 5; ordinal += 1) {
      known = withoutAttempt({ ...known, askedMs: someMs, ...positionOf({ ordinal }) });
    }
    expect(known.earlierAttempts).toHaveLength(mostEarlierAttempts);
    expect(known.earlierAttempts?.at(-1)?.ordinal).toBe(mostEarlierAttempts + 4);
  });
});
