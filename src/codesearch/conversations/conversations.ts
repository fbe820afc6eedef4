import { LIMITS } from '../limits.ts';
import { ConversationError } from './conversation-error.ts';
import { type ListQuery, selectPage } from './list.ts';
import type { Quota } from './quota.ts';
import { type ConversationRecord, emptyStats, isOpen, type QuestionRecord } from './records.ts';
import { editQuestion, type Runner } from './runner.ts';
import type { ConversationStore } from './store.ts';

export interface ConversationsSetup {
  store: ConversationStore;
  runner: Runner;
  quota: Quota;
  /** Whether a read token gives access to other users' conversations. */
  sharing: boolean;
  clock: () => number;
}

/** The operations of the conversation API, each for one user; every refusal is a {@link ConversationError}. */
export function createConversations({ store, runner, quota, sharing, clock }: ConversationsSetup) {
  function owned(userId: number, id: number): ConversationRecord {
    const conversation = store.get(id);
    if (conversation?.userId !== userId) throw new ConversationError('notFound', `There is no conversation ${id}.`);
    return conversation;
  }

  function admit(): void {
    if (runner.load() >= LIMITS.openQuestions) {
      throw new ConversationError('tooManyOpen', 'Too many questions are waiting.');
    }
  }

  /** Adds a question to a conversation and stores both; the status of the returned question shows whether it started. */
  async function ask(base: () => ConversationRecord, text: string): Promise<[ConversationRecord, QuestionRecord]> {
    admit();
    const id = await store.nextId('question');
    let stored: () => void = () => {};
    let failed: (error: unknown) => void = () => {};
    const ready = new Promise<void>((resolve, reject) => {
      stored = resolve;
      failed = reject;
    });
    const conversation = base();
    const nowMs = clock();
    const question: QuestionRecord = {
      id,
      text,
      createdMs: nowMs,
      updatedMs: nowMs,
      status: runner.add(conversation.id, id, ready),
      turns: [{ role: 'user', reasoning: text, atMs: nowMs }],
      stats: emptyStats(),
    };
    const next = { ...conversation, updatedMs: nowMs, questions: [...conversation.questions, question] };
    try {
      await store.put(next);
      stored();
    } catch (error) {
      failed(error);
      throw error;
    }
    return [next, question];
  }

  return {
    quotaOf: (userId: number) => quota.state(userId),
    async create(userId: number, text: string): Promise<ConversationRecord> {
      const empty = await store.create(userId, clock());
      const [conversation] = await ask(() => empty, text);
      return conversation;
    },
    async followUp(userId: number, id: number, text: string): Promise<QuestionRecord> {
      owned(userId, id);
      const [, question] = await ask(() => owned(userId, id), text);
      return question;
    },
    get: owned,
    /** Finds any conversation by its read token, for the shared page: the token is the permission. */
    byReadToken(readToken: string): ConversationRecord | undefined {
      for (const summary of store.summaries()) if (summary.readToken === readToken) return store.get(summary.id);
      return undefined;
    },
    list(userId: number, query: ListQuery) {
      const page = selectPage(
        store.summaries(),
        query,
        (summary) => summary.userId === userId || (sharing && summary.readToken === query.readToken),
      );
      const conversations = page.ids.flatMap((id) => store.get(id) ?? []);
      return { conversations, endCursor: page.endCursor, hasNextPage: page.hasNextPage };
    },
    async remove(userId: number, id: number): Promise<void> {
      const conversation = owned(userId, id);
      for (const question of conversation.questions) runner.abort(id, question.id);
      await store.remove(id);
    },
    /** Cancels an open question; returns a finished one unchanged. */
    async cancel(userId: number, id: number, questionId: number): Promise<QuestionRecord> {
      const find = (): QuestionRecord => {
        const question = owned(userId, id).questions.find((candidate) => candidate.id === questionId);
        if (!question)
          throw new ConversationError('notFound', `There is no question ${questionId} in conversation ${id}.`);
        return question;
      };
      if (isOpen(find())) {
        runner.abort(id, questionId);
        const nowMs = clock();
        await store.update(id, (conversation) => editQuestion(conversation, questionId, nowMs, cancelled(nowMs)));
      }
      return find();
    },
  };
}

export type Conversations = ReturnType<typeof createConversations>;

function cancelled(nowMs: number) {
  return (question: QuestionRecord): QuestionRecord => ({
    ...question,
    status: 'completed',
    error: { kind: 'Cancelled', title: 'Cancelled', message: 'The question was cancelled.', details: '' },
    stats: { ...question.stats, timeMs: nowMs - question.createdMs },
  });
}
