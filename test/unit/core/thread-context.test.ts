import { expect, test } from 'vitest';
import { isThreadUnread, readThreadAgain, withoutOutdated } from '../../../src/core/question/prompt.ts';
import type { Question, ThreadContext } from '../../../src/core/question/question.ts';
import { createCoreHarness, down, failing, lost } from '../../support/lifecycle/core-harness.ts';
import type { Fault, Operation } from '../../support/lifecycle/in-memory-lifecycle.ts';
import { questionWith, someAnswer } from '../../support/lifecycle/sample-questions.ts';

/** Asks a question about a thread. A person edits the thread during each attempt, `edits` times in all. */
async function askWhileEdited(edits: number, faults: Partial<Record<Operation, (Fault | undefined)[]>> = {}) {
  const { life, ask } = createCoreHarness({ faults });
  const { deepSearch } = life;
  const { durations, questions, threadReader } = life.ports;
  let left = edits;
  let reads = 0;
  const sent: string[] = [];
  const { id } = await ask({ origin: 'mention', beginsThread: false });
  const edit = async (): Promise<void> => {
    if (left > 0) await questions.update(id, readThreadAgain);
    left -= 1;
  };
  threadReader.read = async () => {
    reads += 1;
    return { messages: 1, total: 1, files: 0, unreadable: 0, text: `as read ${reads}` };
  };
  const { expect: expectation } = durations;
  const { create } = deepSearch;
  return { life, id, sent, edit, durations, deepSearch, expectation, create };
}

test('a thread that is edited while a question is asked is read again first', async () => {
  const { life, edit, durations, expectation } = await askWhileEdited(2);
  durations.expect = async (teamId) => {
    await edit();
    return expectation(teamId);
  };
  await life.run();
  expect(life.upstream().map(({ text }) => text)).toEqual([expect.stringMatching(/\n\nas read 3$/)]);
});

test.each<[string, Fault, string[]]>([
  ['is limited', failing('rateLimited', { retryAfterMs: 500 }), ['1', '2']],
  ['is limited for long', failing('rateLimited', { retryAfterMs: 600_000 }), ['1', '2']],
  ['did not take the question', down, ['1', '2']],
  ['may not have taken the question', failing('unavailable', { outcomeUnknown: true }), ['1', '2']],
  ['took the question, which is seen later', lost, ['1']],
])(
  'while the service %s, an edit applies to the next attempt and not to the search for this one',
  async (_, fault, expected) => {
    const { life, edit, deepSearch, create, sent, id } = await askWhileEdited(1, { create: [fault] });
    deepSearch.create = async (text) => {
      await edit();
      sent.push(text.at(-1) ?? '');
      return create(text);
    };
    await life.run();
    expect(sent).toEqual(expected);
    expect(life.upstream()).toHaveLength(1);
    expect(life.question(id).outcome?.kind).toBe('answered');
  },
);

const context: ThreadContext = { messages: 1, total: 1, files: 0, unreadable: 0, text: 'said before' };
const outdated = { ...context, outdated: true };

test.each<[string, Partial<Question>, Partial<Question>]>([
  ['waiting and read', { context }, { context: outdated }],
  ['parked and read', { phase: 'parked', context }, { context: outdated }],
  ['running and read', { phase: 'running', context }, { context: outdated }],
  ['not read yet', {}, { threadChanges: 1 }],
  ['not read yet, after two changes', { threadChanges: 2 }, { threadChanges: 3 }],
])('a change of the thread makes a question read it again where that is %s', (_, change, expected) => {
  const question = questionWith({ readsThread: true, ...change });
  expect(readThreadAgain(question)).toEqual({ ...question, ...expected });
});

test.each<[string, Partial<Question>]>([
  ['known to be outdated already', { context: outdated }],
  ['one of those that do not read their thread', { readsThread: false }],
  ['being delivered', { phase: 'delivering', outcome: { kind: 'answered', answer: someAnswer }, context }],
  ['closed', { phase: 'closed', context }],
])('a change of the thread changes nothing of a question that is %s', (_, change) => {
  const question = questionWith({ readsThread: true, ...change });
  expect(readThreadAgain(question)).toBe(question);
});

test('a question drops what is outdated, and nothing else', () => {
  const current = questionWith({ readsThread: true, context });
  expect(withoutOutdated(current)).toBe(current);
  const unread = questionWith({ readsThread: true });
  expect(withoutOutdated({ ...current, context: outdated })).toEqual(unread);
  expect([isThreadUnread(current), isThreadUnread(unread), isThreadUnread(questionWith({}))]).toEqual([
    false,
    true,
    false,
  ]);
});
