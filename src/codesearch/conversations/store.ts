import { randomUUID } from 'node:crypto';
import type { RootDatabase } from 'lmdb';
import type { ConversationRecord } from './records.ts';

/** The fields that the list filters and sorts by, so that it does not read whole conversations. */
export interface ConversationSummary {
  id: number;
  userId: number;
  readToken: string;
  createdMs: number;
  updatedMs: number;
  starred: boolean;
  /** Of all texts of the conversation. */
  characters: number;
}

/** Durable conversations; a resolved write survives a crash of the process. */
export interface ConversationStore {
  nextId(counter: 'conversation' | 'question'): Promise<number>;
  create(userId: number, nowMs: number): Promise<ConversationRecord>;
  get(id: number): ConversationRecord | undefined;
  put(conversation: ConversationRecord): Promise<void>;
  /** Changes a conversation; readers in this process see the change at once. Resolves when it is durable. */
  update(id: number, change: (current: ConversationRecord) => ConversationRecord): Promise<void>;
  /** Stars or unstars a conversation of this user; undefined when the user has no conversation with this id. */
  star(userId: number, id: number, starred: boolean): Promise<ConversationRecord | undefined>;
  remove(id: number): Promise<void>;
  summaries(): Iterable<ConversationSummary>;
  creditsUsed(userId: number, period: string): number;
  addCredits(userId: number, period: string, credits: number): Promise<void>;
}

/** Opens the conversations of a data directory; no other process may use them. */
export function openConversationStore(root: RootDatabase<unknown, string>): ConversationStore {
  const conversations = root.openDB<ConversationRecord, number>({ name: 'conversations', encoding: 'json' });
  const numbers = root.openDB<number, string>({ name: 'numbers', encoding: 'json' });
  const summaries = new Map<number, ConversationSummary>();
  /** Writes that may not be committed yet; `null` marks a removal. */
  const uncommitted = new Map<number, ConversationRecord | null>();
  for (const { value } of conversations.getRange()) summaries.set(value.id, summarize(value));

  /** The newest counter values of this process, so that concurrent increases get different numbers. */
  const latest = new Map<string, number>();

  const current = (key: string): number => latest.get(key) ?? numbers.get(key) ?? 0;

  async function increase(key: string, by: number): Promise<number> {
    const next = current(key) + by;
    latest.set(key, next);
    await numbers.put(key, next);
    return next;
  }

  async function put(conversation: ConversationRecord): Promise<void> {
    summaries.set(conversation.id, summarize(conversation));
    uncommitted.set(conversation.id, conversation);
    await conversations.put(conversation.id, conversation);
    if (uncommitted.get(conversation.id) === conversation) uncommitted.delete(conversation.id);
  }

  function get(id: number): ConversationRecord | undefined {
    const written = uncommitted.get(id);
    return written === undefined ? conversations.get(id) : (written ?? undefined);
  }

  const store: ConversationStore = {
    nextId: (counter) => increase(`next-${counter}`, 1),
    async create(userId, nowMs) {
      const id = await store.nextId('conversation');
      return {
        version: 1,
        id,
        userId,
        readToken: randomUUID(),
        createdMs: nowMs,
        updatedMs: nowMs,
        questions: [],
      };
    },
    get,
    put,
    async update(id, change) {
      const known = get(id);
      if (known !== undefined) await put(change(known));
    },
    async star(userId, id, starred) {
      if (get(id)?.userId !== userId) return undefined;
      await store.update(id, (conversation) => ({ ...conversation, starred }));
      return get(id);
    },
    async remove(id) {
      summaries.delete(id);
      uncommitted.set(id, null);
      await conversations.remove(id);
      uncommitted.delete(id);
    },
    summaries: () => summaries.values(),
    creditsUsed: (userId, period) => current(`credits-${userId}-${period}`),
    async addCredits(userId, period, credits) {
      await increase(`credits-${userId}-${period}`, credits);
    },
  };
  return store;
}

function summarize(conversation: ConversationRecord): ConversationSummary {
  const { id, userId, readToken, createdMs, updatedMs, starred = false, questions } = conversation;
  const characters = questions.reduce(
    (sum, { text, answer = '', turns }) =>
      turns.reduce((own, { reasoning }) => own + reasoning.length, sum + text.length + answer.length),
    0,
  );
  return { id, userId, readToken, createdMs, updatedMs, starred, characters };
}
