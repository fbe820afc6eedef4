import { AppError } from '../../../src/core/errors.ts';
import type { Conversation, UpstreamQuestion } from '../../../src/core/ports.ts';
import { type ConversationId, literalId } from '../../../src/core/question/question.ts';
import type { DeepSearchAdapter, Generation, GenerationNumber } from '../../../src/service/generation.ts';

/** What an instance does with the calls of one generation. */
export type Surface = 'works' | 'gone' | 'down' | 'refuses' | 'lostReply';

/** Both generations over one list of conversations, as one account sees them. Calls are noted as `1.create`. */
export function createFakeGenerations() {
  const conversations = new Map<ConversationId, Conversation>();
  const calls: string[] = [];
  const surfaces: Record<GenerationNumber, Surface> = { 1: 'works', 2: 'works' };
  let nextId = 100;

  return { generations: { 1: createOne(1), 2: createOne(2) }, conversations, calls, surfaces };

  function createOne(number: GenerationNumber): Generation {
    const deepSearch: DeepSearchAdapter = {
      create: (text) =>
        answer('create', () => {
          nextId += 2;
          const conversation: Conversation = { id: nextId, questions: [questionOf(text, nextId + 1, 0)] };
          conversations.set(nextId, conversation);
          return conversation;
        }),
      followUp: (id, text) =>
        answer('followUp', () => {
          const { questions } = find(id);
          nextId += 2;
          const question = questionOf(text, nextId, questions.length);
          questions.push(question);
          return question;
        }),
      read: (id) => answer('read', () => find(id)),
      byReadToken: () => answer('byReadToken', () => find(Number.NaN)),
      changes: (_most, after) => answer(`changes ${after ?? ''}`.trim(), () => ({ conversations: [], next: 'page 2' })),
      newest: () => answer('newest', () => [...conversations.values()]),
      cancel: (id, target) =>
        answer(`cancel ${target.id ?? 'conversation'}`, () => {
          const question = find(id).questions.at(-1);
          const isNamed = number === 2 || target.id === undefined || question?.id === target.id;
          if (question !== undefined && isNamed) question.state = 'cancelled';
        }),
      delete: (id) => answer('delete', () => void conversations.delete(id)),
    };
    return { number, deepSearch };

    function find(id: ConversationId): Conversation {
      const found = number === 1 && literalId(id) === undefined ? undefined : conversations.get(id);
      if (found !== undefined) return found;
      throw new AppError('notFound', 'no such conversation', { code: 404 });
    }

    function questionOf(text: string, id: number, ordinal: number): UpstreamQuestion {
      return { ...(number === 1 ? { id } : {}), ordinal, text, state: 'processing', sources: [], followUps: [] };
    }

    async function answer<Result>(call: string, act: () => Result): Promise<Result> {
      calls.push(`${number}.${call}`);
      switch (surfaces[number]) {
        case 'works':
          return act();
        case 'gone':
          throw new AppError('notFound', 'no route', { code: 'apiGone' });
        case 'down':
          throw new AppError('unavailable', 'answered 503', { code: 503, outcomeUnknown: isWrite(call) });
        case 'refuses':
          throw new AppError('unauthorized', 'answered 401', { code: 401 });
        case 'lostReply':
          act();
          throw new AppError('unavailable', 'connection lost', { outcomeUnknown: isWrite(call) });
      }
    }
  }
}

function isWrite(call: string): boolean {
  return call === 'create' || call === 'followUp';
}
