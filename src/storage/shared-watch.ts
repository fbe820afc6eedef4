import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AppError, isAppError } from '../core/errors.ts';
import { keepNewest } from '../core/keep-newest.ts';
import type { Clock, ListedChange, MarkList, SharedWatch } from '../core/ports.ts';
import type { ConversationId } from '../core/question/question.ts';
import { watchBackstopMs } from '../core/settings.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { quotaSchema, sourceSchema } from './outcome-schema.ts';
import { createFormat, type Exactly } from './record-format.ts';
import { conversationId, upstreamId } from './records.ts';

/** How long what the leading process listed counts, in milliseconds. It lists all every 15 s. */
const listedLifeMs = watchBackstopMs;
/** How old a process's copy of that may be, in milliseconds. */
const listedFreshMs = 5_000;
/** How long a change is handed on, in milliseconds. Longer than an older list counts, which would hide the change. */
const changeLifeMs = listedLifeMs + listedFreshMs + 10_000;
/** How often a change is compared with one that another process hands on at the same moment. */
const PUT_ATTEMPTS = 3;
/** Accounts of which a process keeps a copy. */
const MAX_COPIES = 1_000;

const conversationSchema = z.object({
  id: conversationId,
  createdMs: z.number().exactOptional(),
  mark: z.string().exactOptional(),
  shareUrl: z.string().exactOptional(),
  quota: quotaSchema.exactOptional(),
  questions: z.array(
    z.object({
      id: upstreamId.exactOptional(),
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
      hasMore: z.literal(true).exactOptional(),
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
const changeSchema = z.object({
  mark: z.string(),
  listedMs: z.number(),
  updatedMs: z.number().exactOptional(),
  conversation: conversationSchema.exactOptional(),
});
const changeFormat = createFormat<ListedChange>(changeSchema satisfies Exactly<typeof changeSchema, ListedChange>);
const listedFormat = createFormat<{ atMs: number; marks: [ConversationId, string][] }>(
  z.object({ atMs: z.number(), marks: z.array(z.tuple([conversationId, z.string()])) }),
);

const noList: MarkList = { atMs: 0, marks: new Map() };

/** For a process alone: it always leads, and shares nothing. */
export const watchAlone: SharedWatch = {
  lead: async () => true,
  resign: async () => {},
  put: async () => false,
  take: async () => undefined,
  noteListed: async () => {},
  listed: async () => noList,
};

/** For any number of processes on one Redis. */
export function createSharedWatch(kv: KeyValueStore, clock: Clock): SharedWatch {
  const holder = randomUUID();
  const copies = new Map<string, { readMs: number; list: MarkList }>();

  return {
    async lead(account, leaseMs, { takesOver = false } = {}) {
      const key = leaderKey(account);
      if (takesOver) {
        await kv.set(key, holder, leaseMs);
        return true;
      }
      return (await kv.compareAndSet(key, holder, holder, leaseMs)) || kv.setIfAbsent(key, holder, leaseMs);
    },
    async resign(account) {
      await kv.compareAndDelete(leaderKey(account), holder);
    },
    async put(account, id, change) {
      const key = changeKey(account, id);
      const next = changeFormat.encode(key, change);
      // A process that lost the lead a moment ago may be late.
      for (let attempt = 1; attempt <= PUT_ATTEMPTS; attempt += 1) {
        const text = await kv.get(key);
        const { updatedMs = 0 } =
          (text === undefined ? undefined : readable(() => changeFormat.decode(key, text))) ?? {};
        // The newer one counts, and this one is not needed any more.
        if (updatedMs > (change.updatedMs ?? updatedMs)) return true;
        if (await kv.compareAndSet(key, text, next, changeLifeMs)) return change.conversation !== undefined;
      }
      throw new AppError('storage', `${key} is changed all the time`);
    },
    async take(account, id) {
      const key = changeKey(account, id);
      const text = await kv.get(key);
      const change = text === undefined ? undefined : readable(() => changeFormat.decode(key, text));
      if (change?.conversation === undefined) return change;
      const { conversation: _, ...rest } = change;
      // Only of this version: a newer one, which came meanwhile, waits for the next run.
      await kv.compareAndSet(key, text, changeFormat.encode(key, rest), changeLifeMs);
      return change;
    },
    async noteListed(account, { atMs, marks }) {
      const key = listedKey(account);
      await kv.set(key, listedFormat.encode(key, { atMs, marks: [...marks] }), listedLifeMs);
    },
    listed: listedOf,
  };

  async function listedOf(account: string): Promise<MarkList> {
    const copy = copies.get(account);
    if (copy !== undefined && clock() - copy.readMs < listedFreshMs) return copy.list;
    const key = listedKey(account);
    const text = await kv.get(key);
    const noted = text === undefined ? undefined : readable(() => listedFormat.decode(key, text));
    const list = noted === undefined ? noList : { atMs: noted.atMs, marks: new Map(noted.marks) };
    keepNewest(copies, account, { readMs: clock(), list }, MAX_COPIES);
    return list;
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

/** Prefix of all keys. The account follows: `app`, or the workspace and id of the person whose account it is. */
export const watchPrefix = 'ds:watch:';

/** Begins the rest of a key after its account if the record may have a conversation in it. */
export const changePart = ':change:';

const leaderKey = (account: string): string => `${watchPrefix}${account}:leader`;
const changeKey = (account: string, id: ConversationId): string => `${watchPrefix}${account}${changePart}${id}`;
const listedKey = (account: string): string => `${watchPrefix}${account}:listed`;
