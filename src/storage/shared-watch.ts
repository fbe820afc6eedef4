import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isAppError } from '../core/errors.ts';
import type { Clock, Conversation, SharedWatch } from '../core/ports.ts';
import type { ConversationId } from '../core/question/question.ts';
import { watchBackstopMs } from '../core/settings.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { quotaSchema, sourceSchema } from './outcome-schema.ts';
import { createFormat, type Exactly } from './record-format.ts';
import { conversationId } from './records.ts';

/** How long a changed conversation waits for the run of its question, in milliseconds. */
const changedLifeMs = 15_000;
/** How old a process's copy of what the leading process listed may be, in milliseconds. */
const listedFreshMs = 5_000;
/** Accounts of which a process keeps a copy. */
const MAX_COPIES = 1_000;

const changedSchema = z.object({
  id: conversationId,
  createdMs: z.number().exactOptional(),
  mark: z.string().exactOptional(),
  shareUrl: z.string().exactOptional(),
  quota: quotaSchema.exactOptional(),
  questions: z.array(
    z.object({
      id: z.number().exactOptional(),
      ordinal: z.number().exactOptional(),
      text: z.string(),
      createdMs: z.number().exactOptional(),
      state: z.enum(['pending', 'processing', 'completed', 'failed', 'cancelled']),
      steps: z.number().exactOptional(),
      lastStep: z.string().exactOptional(),
      title: z.string().exactOptional(),
      answer: z.string().exactOptional(),
      sources: z.array(sourceSchema),
      citedOnly: z.literal(true).exactOptional(),
      followUps: z.array(z.string()),
      durationMs: z.number().exactOptional(),
      credits: z.number().exactOptional(),
      error: z
        .object({
          cause: z.enum(['tooLong', 'limited', 'service']),
          title: z.string(),
          message: z.string(),
          retryAtMs: z.number().exactOptional(),
        })
        .exactOptional(),
    }),
  ),
});
const changedFormat = createFormat<Conversation>(changedSchema satisfies Exactly<typeof changedSchema, Conversation>);
const listedFormat = createFormat<[ConversationId, string][]>(z.array(z.tuple([conversationId, z.string()])));

/** For a process alone: it always leads, and shares nothing. */
export const watchAlone: SharedWatch = {
  lead: async () => true,
  resign: async () => {},
  put: async () => {},
  take: async () => undefined,
  noteListed: async () => {},
  listedMark: async () => undefined,
};

/** For any number of processes on one Redis. */
export function createSharedWatch(kv: KeyValueStore, clock: Clock): SharedWatch {
  const holder = randomUUID();
  const copies = new Map<string, { atMs: number; marks: Map<ConversationId, string> }>();

  return {
    async lead(account, leaseMs) {
      const key = leaderKey(account);
      return (await kv.compareAndSet(key, holder, holder, leaseMs)) || kv.setIfAbsent(key, holder, leaseMs);
    },
    async resign(account) {
      await kv.compareAndDelete(leaderKey(account), holder);
    },
    async put(account, conversation) {
      const key = changedKey(account, conversation.id);
      await kv.set(key, changedFormat.encode(key, conversation), changedLifeMs);
    },
    async take(account, id) {
      const key = changedKey(account, id);
      const text = await kv.get(key);
      if (text === undefined) return undefined;
      // Only this version: a newer one, which came meanwhile, waits for the next run.
      await kv.compareAndDelete(key, text);
      return readable(() => changedFormat.decode(key, text));
    },
    async noteListed(account, marks) {
      const key = listedKey(account);
      await kv.set(key, listedFormat.encode(key, [...marks]), watchBackstopMs);
    },
    listedMark: async (account, id) => (await listedOf(account)).get(id),
  };

  async function listedOf(account: string): Promise<Map<ConversationId, string>> {
    const copy = copies.get(account);
    if (copy !== undefined && clock() - copy.atMs < listedFreshMs) return copy.marks;
    const key = listedKey(account);
    const text = await kv.get(key);
    const marks = new Map(text === undefined ? [] : readable(() => listedFormat.decode(key, text)));
    copies.delete(account);
    copies.set(account, { atMs: clock(), marks });
    const [oldest] = copies.keys();
    if (copies.size > MAX_COPIES && oldest !== undefined) copies.delete(oldest);
    return marks;
  }
}

/** These records only spare requests, so one of another version counts as absent. */
function readable<Value>(decode: () => Value): Value | undefined {
  try {
    return decode();
  } catch (error) {
    if (isAppError(error, 'corrupt')) return undefined;
    throw error;
  }
}

const leaderKey = (account: string): string => `ds:watch:${account}:leader`;
const changedKey = (account: string, id: ConversationId): string => `ds:watch:${account}:changed:${id}`;
const listedKey = (account: string): string => `ds:watch:${account}:listed`;
