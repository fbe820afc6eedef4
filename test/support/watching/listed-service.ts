import type { AppError } from '../../../src/core/errors.ts';
import type { Conversation, DeepSearch, ListedConversation } from '../../../src/core/ports.ts';
import type { ConversationId, Question } from '../../../src/core/question/question.ts';
import { questionWith } from '../lifecycle/sample-questions.ts';

/** The text of every question and answer, so that a search of a store shows whether one is in it. */
export const wordsOfService = 'the words of a conversation';

/** A service whose list shows the latest change first. Its clock stands still until a test moves it. */
export function createListedService() {
  let nowMs = 1_800_000_000_000;
  const changes = new Map<ConversationId, { atMs: number; state: 'processing' | 'completed' }>();
  const calls: string[] = [];
  let failure: AppError | undefined;
  let carriesAll = true;
  let isRepeating = false;
  let longestPage = Number.POSITIVE_INFINITY;
  let held: { until: Promise<void>; began: () => void } | undefined;
  let listed = 0;
  const shownMs = new Map<ConversationId, number>();
  const hidden = new Set<ConversationId>();

  const markOf = (id: ConversationId): string => {
    const { atMs = 0, state = 'processing' } = changes.get(id) ?? {};
    return `${atMs} ${state}`;
  };
  const conversationOf = (id: ConversationId): Conversation => {
    const { state = 'processing' } = changes.get(id) ?? {};
    const answer = state === 'completed' ? { answer: wordsOfService } : {};
    return {
      id,
      // Where a list leaves the quota out, a read is made for it (test/unit/core/listed-quota.test.ts).
      quota: { used: 1, limit: 100 },
      ...(carriesAll ? { mark: markOf(id) } : {}),
      questions: [
        {
          id: Number(id) * 10,
          ordinal: 0,
          text: wordsOfService,
          state,
          steps: 0,
          sources: [],
          followUps: [],
          ...answer,
        },
      ],
    };
  };
  const deepSearch: Pick<DeepSearch, 'read' | 'changes'> = {
    async read(id) {
      calls.push(`read ${id}`);
      shownMs.set(id, nowMs);
      return conversationOf(id);
    },
    async changes(most, after) {
      calls.push(`list ${after ?? ''}`.trim());
      if (failure !== undefined) throw failure;
      const from = Number(after ?? 0);
      const all = [...changes]
        .filter(([id]) => !hidden.has(id))
        .toSorted(([, one], [, other]) => other.atMs - one.atMs)
        .map(([id, { atMs }]): ListedConversation => {
          const conversation = conversationOf(id);
          const carried = carriesAll ? { conversation: () => conversation } : {};
          return { id, mark: markOf(id), updatedMs: atMs, ...carried };
        });
      const end = from + Math.min(most, longestPage);
      const conversations = all.slice(from, end);
      listed += conversations.length;
      for (const { id } of conversations) shownMs.set(id, nowMs);
      const hold = held;
      held = undefined;
      hold?.began();
      await hold?.until;
      const next = isRepeating ? '0' : String(end);
      return { conversations, ...(isRepeating || all.length > end ? { next } : {}) };
    },
  };

  return {
    deepSearch,
    now: () => nowMs,
    /** Moves the clock. */
    pass(ms: number): void {
      nowMs += ms;
    },
    /** The conversation of a running question changes, or its question ends. */
    change(id: ConversationId, state: 'processing' | 'completed' = 'processing'): void {
      nowMs += 1;
      changes.set(id, { atMs: nowMs, state });
    },
    /** No list shows the conversation until `show`. */
    hide(id: ConversationId): void {
      hidden.add(id);
    },
    show(id: ConversationId): void {
      hidden.delete(id);
    },
    fail(error?: AppError): void {
      failure = error;
    },
    /** Lists tell only when conversations changed, as in the second generation of the API. */
    listOnlyMarks(): void {
      carriesAll = false;
    },
    /** Every page says that a further one follows, which is the first page. */
    repeatCursor(): void {
      isRepeating = true;
    },
    /** Pages are not longer than this, however many conversations are asked for. */
    shortenPages(conversations: number): void {
      longestPage = conversations;
    },
    /** The reply to the next list arrives after `until`, with what there was before. Resolves once it was asked for. */
    holdNextList(until: Promise<void>): Promise<void> {
      return new Promise((began) => {
        held = { until, began };
      });
    },
    /** When a list or a read last showed the conversation. */
    shownMs: (id: ConversationId) => shownMs.get(id),
    /** The calls since the last time. */
    taken: () => calls.splice(0),
    /** How many conversations the lists showed since the last time. */
    takenConversations(): number {
      const taken = listed;
      listed = 0;
      return taken;
    },
  };
}

export type ListedService = ReturnType<typeof createListedService>;

/** Question `q<id>`, which runs in the conversation with this id. */
export function runningQuestion(id: number, more: Partial<Question> = {}): Question {
  return questionWith({
    id: `q${id}`,
    phase: 'running',
    upstream: { conversationId: id, questionId: id * 10, steps: 0 },
    ...more,
  });
}

/** The question after a run that read this, as its record would be. */
export function afterReading(question: Question, conversation: Conversation | undefined): Question {
  if (conversation?.mark === undefined) return question;
  return { ...question, upstream: { ...question.upstream, seenMark: conversation.mark } };
}
