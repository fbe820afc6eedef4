import type { Viewer } from '../accounts/viewer.ts';
import { cites } from '../ask/finding.ts';
import { LIMITS } from '../limits.ts';
import { type ListQuery, selectPage } from './list.ts';
import type { Quota } from './quota.ts';
import { ConversationError, type ConversationRecord, emptyStats, isOpen, type QuestionRecord } from './records.ts';
import { editQuestion, type Runner } from './runner.ts';
import type { ConversationStore } from './store.ts';

export interface ConversationsSetup {
  store: ConversationStore;
  runner: Runner;
  quota: Quota;
  /** Names of all repositories. */
  repositories: readonly string[];
  /** Whether a read token gives access to other users' conversations. */
  sharing: boolean;
  clock: () => number;
  /** What is kept for each user; default: the bounds of {@link LIMITS}. */
  most?: { conversations: number; characters: number };
}

/** Who reads: the user, and what this user may read. */
export type Reader = Pick<Viewer, 'userId' | 'canRead'>;

/** A conversation opened by its read token. */
export interface SharedConversation {
  conversation: ConversationRecord;
  isOwner: boolean;
}

/** The operations of the conversation API, each for one user; every refusal is a {@link ConversationError}. */
export function createConversations(setup: ConversationsSetup) {
  const { store, runner, quota, repositories, sharing, clock } = setup;
  const most = setup.most ?? {
    conversations: LIMITS.conversationsPerUser,
    characters: LIMITS.conversationCharactersPerUser,
  };

  function owned(userId: number, id: number): ConversationRecord {
    const conversation = store.get(id);
    if (conversation?.userId !== userId) throw new ConversationError('notFound', `There is no conversation ${id}.`);
    return conversation;
  }

  /**
   * The conversation as this viewer may see it: its owner all of it; while sharing is on, others all but what shows code of a
   * repository that they may not read. An answer shows code of the repositories it cites, a step of all that were searched.
   */
  function visibleTo(viewer: Reader, conversation: ConversationRecord): ConversationRecord | undefined {
    if (conversation.userId === viewer.userId) return conversation;
    const { questions } = conversation;
    const sources = questions.flatMap((question) => question.sources ?? []).filter(({ type }) => type === 'Repository');
    // A repository of an old answer may not be served any more.
    const known = new Set([...repositories, ...sources.map(({ label }) => label)]);
    const closed = [...known].filter((name) => !viewer.canRead(name));
    if (!sharing || questions.some((question) => closed.some((name) => cites(question, name)))) return undefined;
    if (closed.length === 0) return conversation;
    return { ...conversation, questions: questions.map((question) => ({ ...question, turns: [] })) };
  }

  function admit(userId: number): void {
    if (runner.load() >= LIMITS.openQuestions) {
      throw new ConversationError('tooManyOpen', 'Too many questions are waiting.');
    }
    if (runner.load(userId) >= LIMITS.openQuestionsPerUser) {
      throw new ConversationError(
        'tooManyOpen',
        `You have ${LIMITS.openQuestionsPerUser} open questions. Wait for some.`,
      );
    }
  }

  /** Removes the oldest conversations of a user beyond the bounds, those with a star last; never one with an open question. */
  async function makeRoom(userId: number): Promise<void> {
    const own = [...store.summaries()].filter((summary) => summary.userId === userId);
    own.sort((a, b) => Number(b.starred) - Number(a.starred) || b.updatedMs - a.updatedMs);
    let characters = 0;
    const beyond = own.filter((summary, index) => {
      characters += summary.characters;
      return index >= most.conversations || characters > most.characters;
    });
    for (const { id } of beyond) if (store.get(id)?.questions.some(isOpen) === false) await store.remove(id);
  }

  /** Adds a question to a conversation and stores both. */
  async function ask(base: () => ConversationRecord, text: string): Promise<[ConversationRecord, QuestionRecord]> {
    const id = await store.nextId('question');
    let stored: () => void = () => {};
    let failed: (error: unknown) => void = () => {};
    const ready = new Promise<void>((resolve, reject) => {
      stored = resolve;
      failed = reject;
    });
    const conversation = base();
    admit(conversation.userId);
    if (conversation.questions.length > LIMITS.questionsPerConversation) {
      throw new ConversationError('tooLong', 'The conversation has grown too long. Ask in a new conversation.');
    }
    if (conversation.questions.some(isOpen)) {
      throw new ConversationError(
        'stillProcessing',
        'A question of this conversation is still processing. Ask when it has finished.',
      );
    }
    const nowMs = clock();
    const question: QuestionRecord = {
      id,
      text,
      createdMs: nowMs,
      updatedMs: nowMs,
      status: 'processing',
      turns: [],
      stats: emptyStats(),
    };
    const next = { ...conversation, updatedMs: nowMs, questions: [...conversation.questions, question] };
    runner.add(conversation.userId, conversation.id, id, ready);
    try {
      await store.put(next);
      stored();
      await makeRoom(conversation.userId);
    } catch (error) {
      failed(error);
      throw error;
    }
    return [next, question];
  }

  function question(userId: number, id: number, questionId: number): QuestionRecord {
    const found = owned(userId, id).questions.find((candidate) => candidate.id === questionId);
    if (found === undefined) {
      throw new ConversationError('notFound', `There is no question ${questionId} in conversation ${id}.`);
    }
    return found;
  }

  /** Cancels an open question; returns a finished one unchanged. */
  async function cancel(userId: number, id: number, questionId: number): Promise<QuestionRecord> {
    if (isOpen(question(userId, id, questionId))) {
      runner.abort(id, questionId);
      const nowMs = clock();
      await store.update(id, (conversation) => editQuestion(conversation, questionId, nowMs, cancelled(nowMs)));
    }
    return question(userId, id, questionId);
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
    question,
    /**
     * Opens a conversation by its read token: for its owner, and while sharing is on for every other viewer who may
     * read the repositories that its sources name. Undefined for all others and for an unknown token.
     */
    byReadToken(viewer: Reader, readToken: string): SharedConversation | undefined {
      for (const summary of store.summaries()) {
        if (summary.readToken !== readToken) continue;
        const stored = store.get(summary.id);
        const conversation = stored === undefined ? undefined : visibleTo(viewer, stored);
        return conversation && { conversation, isOwner: conversation.userId === viewer.userId };
      }
      return undefined;
    },
    /** Stars or unstars a conversation of this user; `updatedMs` stays. */
    async star(userId: number, id: number, starred: boolean): Promise<ConversationRecord> {
      owned(userId, id);
      return (await store.star(userId, id, starred)) ?? owned(userId, id);
    },
    list(viewer: Reader, query: ListQuery) {
      const read = (id: number): ConversationRecord | undefined => {
        const conversation = store.get(id);
        return conversation === undefined ? undefined : visibleTo(viewer, conversation);
      };
      const page = selectPage(
        store.summaries(),
        query,
        ({ id, userId, readToken }) =>
          userId === viewer.userId || (readToken === query.readToken && read(id) !== undefined),
        read,
      );
      const conversations = page.ids.flatMap((id) => read(id) ?? []);
      return { conversations, endCursor: page.endCursor, hasNextPage: page.hasNextPage };
    },
    async remove(userId: number, id: number): Promise<void> {
      const conversation = owned(userId, id);
      for (const question of conversation.questions) runner.abort(id, question.id);
      await store.remove(id);
    },
    /** Cancels the open question of a conversation, if it has one. */
    async cancelOpen(userId: number, id: number): Promise<ConversationRecord> {
      const open = owned(userId, id).questions.find(isOpen);
      if (open !== undefined) await cancel(userId, id, open.id);
      return owned(userId, id);
    },
    cancel,
  };
}

export type Conversations = ReturnType<typeof createConversations>;

function cancelled(nowMs: number) {
  return (question: QuestionRecord): QuestionRecord => ({
    ...question,
    status: 'completed',
    error: { kind: 'Cancelled', title: 'Cancelled', message: 'The question was cancelled.', details: '' },
    stats: { ...question.stats, timeMs: nowMs - (question.startedMs ?? nowMs) },
  });
}
