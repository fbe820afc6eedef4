import { describe, expect, it } from 'vitest';
import { asRestored } from '../../../src/core/lifecycle/sweep.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { createRequests, thread } from '../../support/lifecycle/core-harness.ts';
import {
  createInMemoryLifecycle,
  type InMemoryLifecycle,
  type Operation,
} from '../../support/lifecycle/in-memory-lifecycle.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';

const hourMs = 3_600_000;
const restored = { fromMs: 1, toMs: 2 };
/** An answer of four messages and a file. */
const work = { takesMs: 5_000, ends: 'completed', parts: 4 } as const;

/** Asks questions in one thread, and backs everything up just before the operation with this number. */
async function backedUpBefore(operationNumber: number, texts: string[]) {
  let operations = 0;
  let restore: (() => void) | undefined;
  let lastOperation: Operation | undefined;
  const life = createInMemoryLifecycle({
    work: () => work,
    chooseFault: (operation) => {
      operations += 1;
      if (operations === operationNumber) {
        restore = life.backUp();
        lastOperation = operation;
      }
      return undefined;
    },
  });
  const accept = createRequests(life.ports).accept;
  for (const text of texts) {
    await accept({ key: text, place: thread, askerId: 'U1', text, origin: 'mention', beginsThread: true });
  }
  await life.run();
  return { life, restore, lastOperation };
}

function messagesOf(life: InMemoryLifecycle, id: string): string[] {
  return life.posted
    .filter(({ questionId, deleted }) => questionId === id && !deleted)
    .map(({ marker }) => marker)
    .sort();
}

describe('a question that comes from a backup', () => {
  it.each([
    ['one question', ['first?']],
    ['two questions of a thread', ['first?', 'second?']],
  ])('is asked and answered once, whatever the app did after the backup, for %s', async (_, texts) => {
    const operations = new Set<Operation>();
    for (let number = 1; ; number += 1) {
      const { life, restore, lastOperation } = await backedUpBefore(number, texts);
      if (restore === undefined || lastOperation === undefined) break;
      operations.add(lastOperation);
      const before = texts.map((text) => life.upstream().filter((asked) => asked.text === text).length);
      await life.run(life.now() + hourMs);
      restore();
      await life.run();
      const at = `backed up before operation ${number}, ${lastOperation}`;
      const ids = life.questions().map(({ id }) => id);
      expect(life.openIds(), at).toEqual([]);
      for (const id of ids) {
        const question = life.question(id);
        expect(question, at).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' } });
        expect(question.restored, at).toBeUndefined();
        expect(messagesOf(life, id), at).toEqual(['card', 'file', 'part 0.0', 'part 0.1', 'part 0.2', 'part 0.3']);
      }
      expect(before, at).toEqual(texts.map(() => 1));
      for (const text of texts)
        expect(
          life.upstream().filter((asked) => asked.text === text),
          at,
        ).toHaveLength(1);
      expect(life.violations, at).toEqual([]);
    }
    for (const operation of ['postCard', 'create', 'read', 'postPart', 'attach'] as const) {
      expect(operations).toContain(operation);
    }
  });

  it('is asked where the service does not have it', async () => {
    for (let number = 1; ; number += 1) {
      const { life, restore, lastOperation } = await backedUpBefore(number, ['first?']);
      if (lastOperation !== 'postCard') continue;
      life.deleteConversation(life.upstream()[0]?.conversationId ?? 0);
      restore?.();
      await life.run();
      expect(life.upstream()).toHaveLength(2);
      expect(life.questions()).toMatchObject([{ phase: 'closed', outcome: { kind: 'answered' } }]);
      return;
    }
  });

  it('begins a new conversation where the one of its thread is gone', async () => {
    const life = createInMemoryLifecycle({ work: () => work });
    const accept = createRequests(life.ports).accept;
    const asked = { place: thread, askerId: 'U1', origin: 'mention' } as const;
    await accept({ ...asked, key: 'first', text: 'first?', beginsThread: true });
    await life.run();
    await accept({ ...asked, key: 'second', text: 'second?', origin: 'reply' });
    life.backUp()();
    life.deleteConversation(life.upstream()[0]?.conversationId ?? 0);
    await life.run();
    expect(life.questions()[1]).toMatchObject({
      phase: 'closed',
      outcome: { kind: 'answered' },
      upstream: { conversationLost: true },
    });
    expect(life.upstream()).toHaveLength(2);
  });
});

describe('the mark of a question from a backup', () => {
  it('is set while the question is open', () => {
    for (const phase of ['waiting', 'running', 'parked', 'delivering'] satisfies Question['phase'][]) {
      expect(asRestored(questionWith({ phase }), restored)).toEqual({ ...questionWith({ phase }), restored });
    }
    expect(asRestored(questionWith({ phase: 'closed' }), restored)).toEqual(questionWith({ phase: 'closed' }));
  });
});
