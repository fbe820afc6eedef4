import { LRUCache } from 'lru-cache';
import { isAppError } from '../../core/errors.ts';
import type { Conversation, ConversationSearch, DeepSearch } from '../../core/ports.ts';
import { isApiGone } from '../api-gone.ts';
import { parseTime } from '../reply-values.ts';
import { searchCut } from '../search-cut.ts';
import type { ConversationApi } from './conversation-api.ts';
import type { ApiConversation, ApiSummary } from './schemas.ts';

/** The most conversations that a search looks at, over all its repetitions. */
const MAX_NEWEST = 1_000;
/** The most conversations that one search for a conversation reads, each with a request of its own. */
const MAX_READS = 100;
const PAGE_SIZE = 100;
/** The most pages of a list that is not sorted by time. */
const MAX_PAGES = 100;
const READS_AT_ONCE = 4;
/** How long one search sends requests. */
const MAX_SEARCH_MS = 60_000;
/**
 * How many characters of questions are remembered. A conversation that has not changed since is not read again, so
 * searches at the same time share what they read, and a repeated search goes on where it stopped.
 */
const MAX_REMEMBERED_LENGTH = 5_000_000;

/**
 * Creates `newest` of the core's port. The list of this generation has no texts of questions, so it reads each
 * conversation that was created since `sinceMs`, those created about the time of the search first, until it finds the sought
 * one. A conversation was changed when it was created or later, so a list with the last changed first ends at `sinceMs`. The
 * order of the list is in no description of the API: in a list without order the search reads all pages, at most 100.
 */
export function createNewest(
  api: Pick<ConversationApi, 'get' | 'summaries'>,
  toConversation: (raw: ApiConversation) => Conversation,
  now: () => number = () => performance.now(),
): DeepSearch['newest'] {
  const known = new LRUCache<ApiSummary['name'], { updateTime: string; conversation: Conversation }>({
    maxSize: MAX_REMEMBERED_LENGTH,
    sizeCalculation: ({ conversation }) => lengthOf(conversation),
  });

  return async function newest(limit, sinceMs = 0, search = undefined) {
    const endsAtMs = now() + MAX_SEARCH_MS;
    const checkTime = () => {
      if (now() > endsAtMs) throw searchCut('it took too long');
    };
    const beforeRequest = async () => {
      checkTime();
      await search?.beforeRequest?.();
    };
    const wanted = Math.min(Math.max(1, limit), MAX_NEWEST);
    const { summaries, isCut } = await list(wanted, sinceMs, search, beforeRequest);
    const found: Conversation[] = [];
    let reads = 0;
    let isFound = false;
    for (let at = 0; at < summaries.length && !isFound; at += READS_AT_ONCE) {
      checkTime();
      const next = summaries.slice(at, at + READS_AT_ONCE);
      reads += next.filter((summary) => rememberedOf(summary) === undefined).length;
      if (search !== undefined && reads > MAX_READS) throw searchCut(`more than ${MAX_READS} conversations to read`);
      const read = await Promise.all(next.map((summary) => readBare(summary, beforeRequest)));
      for (const conversation of read.filter((each) => each !== undefined)) {
        found.push(conversation);
        isFound ||= (await search?.isSought(conversation)) ?? false;
      }
    }
    if (isCut && !isFound && search !== undefined) throw searchCut(`more than ${wanted} conversations`);
    return found
      .filter(({ createdMs = sinceMs }) => createdMs >= sinceMs)
      .toSorted((one, other) => (other.createdMs ?? 0) - (one.createdMs ?? 0));
  };

  /**
   * The newest conversations of the list that may have been created since `sinceMs`, newest first. For a search those that
   * were created nearest to its time first. `isCut`: there may be more.
   */
  async function list(
    wanted: number,
    sinceMs: number,
    search: ConversationSearch | undefined,
    beforeRequest: () => Promise<void>,
  ): Promise<{ summaries: ApiSummary[]; isCut: boolean }> {
    const found = new Map<ApiSummary['name'], ApiSummary>();
    const orders = [createOrder(({ updateTime }) => updateTime), createOrder(({ createTime }) => createTime)];
    const pageSize = sinceMs > 0 ? PAGE_SIZE : Math.min(wanted, PAGE_SIZE);
    const add = (page: ApiSummary[]) => {
      for (const summary of page) {
        const isTooLate = search !== undefined && createdMs(summary, sinceMs) > search.untilMs;
        if (createdMs(summary, sinceMs) >= sinceMs && !isTooLate) found.set(summary.name, summary);
      }
    };
    let pages = 0;
    for await (const page of api.summaries(pageSize, beforeRequest)) {
      pages += 1;
      add(page);
      // Each order has to see every page.
      const isPast = orders.map((order) => order.isPast(page, sinceMs)).includes(true);
      if (isPast || (sinceMs <= 0 && found.size >= wanted) || pages === MAX_PAGES) break;
    }
    // A conversation that changes meanwhile moves from a later page to the first one.
    if (pages > 1) {
      await beforeRequest();
      add((await api.summaries(pageSize).next()).value ?? []);
    }
    const latestMs = Number.POSITIVE_INFINITY;
    const rank = (summary: ApiSummary): number =>
      search === undefined
        ? -createdMs(summary, latestMs)
        : Math.abs(createdMs(summary, search.aboutMs) - search.aboutMs);
    const summaries = [...found.values()].toSorted((one, other) => rank(one) - rank(other)).slice(0, wanted);
    return { summaries, isCut: found.size > wanted || pages === MAX_PAGES };
  }

  /** Undefined if the conversation was deleted meanwhile. */
  async function readBare(summary: ApiSummary, beforeRequest: () => Promise<void>): Promise<Conversation | undefined> {
    const remembered = rememberedOf(summary);
    if (remembered !== undefined) return remembered;
    const { name, updateTime } = summary;
    await beforeRequest();
    try {
      const conversation = bare(toConversation(await api.get(name)));
      known.set(name, { updateTime, conversation });
      return conversation;
    } catch (error) {
      if (isAppError(error, 'notFound') && !isApiGone(error)) return undefined;
      throw error;
    }
  }

  /** What was read of a conversation that has not changed since. */
  function rememberedOf({ name, updateTime }: ApiSummary): Conversation | undefined {
    const remembered = known.get(name);
    return updateTime !== '' && remembered?.updateTime === updateTime ? remembered.conversation : undefined;
  }
}

function createdMs({ createTime }: ApiSummary, otherwiseMs: number): number {
  return parseTime(createTime) ?? otherwiseMs;
}

/** Watches whether a list has the latest of these times first, and says when all that follows is before a time. */
function createOrder(timeOf: (summary: ApiSummary) => string) {
  let isSorted = true;
  let seen = 0;
  let earliestMs = Number.POSITIVE_INFINITY;
  return {
    isPast(page: ApiSummary[], sinceMs: number): boolean {
      for (const timeMs of page.map((summary) => parseTime(timeOf(summary)))) {
        if (timeMs === undefined) continue;
        seen += 1;
        if (timeMs > earliestMs) isSorted = false;
        earliestMs = Math.min(earliestMs, timeMs);
      }
      // One time alone shows no order.
      return isSorted && seen > 1 && earliestMs < sinceMs;
    },
  };
}

/** The questions without what `newest` does not return. */
function bare(conversation: Conversation): Conversation {
  const questions = conversation.questions.map(({ answer: _, ...question }) => ({ ...question, followUps: [] }));
  return { ...conversation, questions };
}

function lengthOf({ questions }: Conversation): number {
  return questions.reduce((length, { text }) => length + text.length, 1_000);
}
