import type { AccountMode } from '../../../src/core/accounts/accounts.ts';
import { noRules, type QuestionRules } from '../../../src/core/channels/channel-settings.ts';
import type { Core } from '../../../src/core/context.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { AuditEntry } from '../../../src/core/history/audit.ts';
import { expectation } from '../../../src/core/history/lists.ts';
import { advance } from '../../../src/core/lifecycle/advance.ts';
import { asRestored } from '../../../src/core/lifecycle/sweep.ts';
import type {
  CardView,
  Conversation,
  DeepSearch,
  Log,
  Messenger,
  PrivateNotice,
  UpstreamError,
  UpstreamQuestion,
} from '../../../src/core/ports.ts';
import { type CapSettings, createDailyCaps, dayCountType } from '../../../src/core/question/daily-caps.ts';
import {
  type ConversationId,
  type Question,
  questionType,
  type ThreadPlace,
  threadName,
  threadType,
} from '../../../src/core/question/question.ts';
import type { ReaderChoices } from '../../../src/core/question/reader-choices.ts';
import type { RefusedText } from '../../../src/core/question/refused-text.ts';
import type { RecordFormat } from '../../../src/core/record.ts';
import { createRunSlots, runSlotsType, type SlotLimits } from '../../../src/core/run-slots.ts';
import { fewestWatchedTogether, type LifecycleSettings, watchTickMs } from '../../../src/core/settings.ts';
import { createWatching, type Watching } from '../../../src/core/watching/watching.ts';
import { tooLate } from '../../../src/storage/key-value-store.ts';
import { createRecordingLog } from '../recording-log.ts';
import { createInMemoryAccounts } from './in-memory-accounts.ts';
import { digestOf, noopPorts } from './noop-ports.ts';

/** Few, so that several pages are read. */
const longestPageOfChanges = 2;

/** A crash of the process: the core must not catch it. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** The error of one operation, and whether the operation still takes effect: not at all, at once, or `lateMs` later. */
export interface Fault {
  error: Error;
  happens: 'no' | 'yes' | { lateMs: number };
}

export type Operation =
  | 'get'
  | 'write'
  | 'claim'
  | 'create'
  | 'followUp'
  | 'read'
  | 'newest'
  | 'changes'
  | 'cancel'
  | 'postCard'
  | 'updateCard'
  | 'postPart'
  | 'find'
  | 'admit'
  | 'readThread'
  | 'attach'
  | 'removeCopies'
  | 'note'
  | 'notifyPrivately'
  | 'showPrivately'
  | 'canOpen';

/** Called before every operation; undefined means no fault. */
export type ChooseFault = (operation: Operation) => Fault | undefined;

/** What the service does with one question: the duration and the result. */
export interface Work {
  takesMs: number;
  ends: 'completed' | 'failed' | 'tooLong' | 'limited' | 'cancelled';
  /** For `limited`: milliseconds from the end until the limit resets. */
  resetsInMs?: number;
  parts?: number;
  /** A question that fails has an answer beside its error. */
  isPartial?: boolean;
}

export interface PostedMessage {
  ts: string;
  channelId: string;
  threadTs: string | undefined;
  questionId: string;
  /** `card`, or the round and number of a part. */
  marker: string;
  /** The current view of a card. */
  view?: CardView;
  /** The outcome that a part belongs to. */
  outcome?: Question['outcome'];
  deleted: boolean;
}

interface Asked extends UpstreamQuestion {
  id: number;
  work: Work;
  startedMs: number;
}

/** A scheduled run; `againMs` is the time of another run requested while it was running. */
/** A record as a store keeps it. A change replaces it as a whole. */
interface StoredRecord {
  readonly text: string;
  readonly revision: number;
}

interface Due {
  atMs: number;
  isRunning: boolean;
  againMs: number | undefined;
}

/** The lifecycle with strict in-memory ports and a simulated clock, which advances only during `run`. */
export function createInMemoryLifecycle(
  options: {
    chooseFault?: ChooseFault;
    work?: (text: string, attempt: number) => Work;
    settings?: Partial<LifecycleSettings>;
    /** Default: no caps. `exempt`: the people for whom they do not hold. */
    caps?: Partial<CapSettings> & { exempt?: readonly string[] };
    /** Default: few slots, so that questions often wait for one. */
    slotLimits?: SlotLimits;
    random?: () => number;
    /** Whose account people ask with. Default: `shared`. */
    accounts?: AccountMode;
    /** What the channel's settings decide about a question. Default: nothing. */
    rules?: () => QuestionRules;
    /** What happens when an answer is sent to direct messages, besides noting it. */
    showPrivately?: (question: Question) => Promise<void>;
    /** What replaces parts of the messenger. */
    messenger?: (clock: () => number) => Partial<Messenger>;
    /** Most moments at which something happens in one `run`. */
    mostRounds?: number;
  } = {},
) {
  const chooseFault: ChooseFault = options.chooseFault ?? (() => undefined);
  const startMs = 1_800_000_000_000;
  let nowMs = startMs;
  const agenda: { atMs: number; run: () => Promise<void> | void }[] = [];
  const violations: string[] = [];
  const questions = new Map<string, StoredRecord>();
  const threads = new Map<string, StoredRecord>();
  const runSlotBooks = new Map<string, StoredRecord>();
  const dayCounts = new Map<string, StoredRecord>();
  const open = new Set<string>();
  const claims = new Map<string, string>();
  const conversations = new Map<
    ConversationId,
    { owner: string; createdMs: number; questions: Asked[]; deleted: boolean }
  >();
  const attempts = new Map<string, number>();
  const posted: PostedMessage[] = [];
  const privateMessages: { questionId: string; userId: string; notice: PrivateNotice }[] = [];
  const due = new Map<string, Due>();
  const durations = new Map<string, number>();
  const asked = new Map<string, string>();
  const refusedTexts = new Map<string, RefusedText>();
  const readerChoices = new Map<string, ReaderChoices>();
  const sentPrivately = new Set<string>();
  const openLinks = new Set<string>();
  const audited: AuditEntry[] = [];
  const refusedUsers = new Set<string>();
  const { log: recorded } = createRecordingLog();
  const log: Log = {
    ...recorded,
    error(fields, error) {
      if (fields.event === 'advance_does_not_settle') violations.push('a run repeats a decision');
      recorded.error(fields, error);
    },
  };
  let lastId = 0;
  let isTickPlanned = false;
  let hasIds = true;
  let changeText = (text: string): string => text;

  const settings: LifecycleSettings = {
    patienceMs: 15 * 60_000,
    readEveryMs: 2_000,
    cardEditMs: 3_000,
    threadLimit: 20,
    lateCallMs: 15_000,
    accounts: options.accounts ?? 'shared',
    ...options.settings,
  };

  /** Carries out one operation with its fault, if any; yields before and after, so that operations interleave. */
  async function operate<Result>(operation: Operation, effect: () => Result): Promise<Result> {
    await yieldToOthers();
    const fault = chooseFault(operation);
    if (fault === undefined) {
      const result = effect();
      await yieldToOthers();
      return result;
    }
    if (fault.happens === 'yes') effect();
    if (typeof fault.happens === 'object')
      agenda.push({ atMs: nowMs + fault.happens.lateMs, run: () => void effect() });
    throw fault.error;
  }

  /** Read-modify-write by comparing revisions, as with Redis and LMDB; shows that `apply` is pure. */
  async function change<Value>(
    records: Map<string, StoredRecord>,
    key: string,
    codec: RecordFormat<Value>,
    apply: (current: Value | undefined) => Value | undefined,
  ): Promise<Value | undefined> {
    for (;;) {
      const read = records.get(key);
      await yieldToOthers();
      const before = read && decodeOnce(key, read, codec);
      const after = apply(before);
      const again = apply(before);
      if (JSON.stringify(again) !== JSON.stringify(after)) violations.push(`change of ${key} is not pure`);
      if (after === undefined || after === before) return before;
      const text = codec.encode(key, after);
      const stored = { text, revision: (read?.revision ?? 0) + 1 };
      const written = await operate('write', () => {
        if (records.get(key)?.revision !== read?.revision) return false;
        records.set(key, stored);
        return true;
      });
      if (written) return decodeOnce(key, stored, codec);
    }
  }

  function put(id: string, question: Question): boolean {
    if (questions.has(id)) return false;
    open.add(id);
    questions.set(id, { text: questionType.format.encode(id, question), revision: 1 });
    return true;
  }

  function readQuestion(id: string): Question | undefined {
    const record = questions.get(id);
    return record && decodeOnce(id, record, questionType.format);
  }

  const _threadKey = ({ teamId, channelId, threadTs }: ThreadPlace): string => `${teamId}/${channelId}/${threadTs}`;

  const people = createInMemoryAccounts(options.accounts ?? 'shared', () => nowMs, operate);
  const deepSearch = serviceOf('app');

  /** The service as one account sees it. No account may use a conversation of another. */
  function serviceOf(by: string): DeepSearch {
    const call = async <Result>(operation: Operation, effect: () => Result): Promise<Result> => {
      people.check(by);
      return operate(operation, effect);
    };
    return {
      create: (text) =>
        call('create', () => {
          lastId += 1;
          const id = lastId;
          conversations.set(id, { owner: by, createdMs: nowMs, questions: [], deleted: false });
          addUpstream(id, text);
          return conversationOf(id);
        }),
      followUp: (conversationId, text) =>
        call('followUp', () => {
          ownConversation(conversationId, by);
          const { id, ...added } = addUpstream(conversationId, text);
          const ordinal = (conversations.get(conversationId)?.questions.length ?? 1) - 1;
          if (hasIds) return { id, ...added };
          // A client that could not read the conversation after its call does not know the position.
          return withoutNumbers({ ...added, ...(id % 3 === 0 ? {} : { ordinal }) });
        }),
      read: (conversationId) => call('read', () => ownConversation(conversationId, by)),
      byReadToken: (readToken) => call('read', () => conversationOf(Number(readToken))),
      newest: (limit) =>
        call('newest', () =>
          [...conversations]
            .filter(([, { deleted, owner }]) => !deleted && owner === by)
            .toReversed()
            .slice(0, limit)
            .map(([id]) => conversationOf(id)),
        ),
      changes: (most, after = '0') =>
        call('changes', () => {
          const from = Number(after);
          const end = from + Math.min(most, longestPageOfChanges);
          const all = [...conversations]
            .filter(([, { deleted, owner }]) => !deleted && owner === by)
            .map(([id]) => ({ id, mark: markOf(id), updatedMs: changedMs(id), conversation: () => conversationOf(id) }))
            .toSorted((one, other) => other.updatedMs - one.updatedMs);
          return { conversations: all.slice(from, end), ...(end < all.length ? { next: String(end) } : {}) };
        }),
      cancel: async (conversationId, { id, find }) => {
        const isNamed = hasIds && id !== undefined;
        const found = isNamed ? undefined : await find(ownConversation(conversationId, by));
        return call('cancel', () => {
          ownConversation(conversationId, by);
          const known = conversations.get(conversationId)?.questions ?? [];
          // Without ids the service stops whatever runs.
          const last = hasIds || found?.ordinal === known.length - 1 ? known.at(-1) : undefined;
          const asked = isNamed || found?.id !== undefined ? known.find((each) => each.id === (id ?? found?.id)) : last;
          if (found === undefined && !isNamed) return;
          if (asked !== undefined && stateOf(asked) === 'processing') asked.work = { takesMs: 0, ends: 'cancelled' };
        });
      },
    };
  }

  function ownConversation(id: ConversationId, by: string): Conversation {
    const owner = conversations.get(id)?.owner;
    if (owner !== undefined && owner !== by) violations.push(`${by} used conversation ${id} of ${owner}`);
    return conversationOf(id);
  }

  function addUpstream(conversationId: ConversationId, text: string): UpstreamQuestion & { id: number } {
    const asked = conversations.get(conversationId)?.questions ?? [];
    if (asked.some((other) => stateOf(other) === 'processing')) {
      violations.push(`two questions of conversation ${conversationId} at once`);
    }
    const attempt = (attempts.get(text) ?? 0) + 1;
    attempts.set(text, attempt);
    const work: Work = { ...(options.work?.(text, attempt) ?? { takesMs: 5_000, ends: 'completed' }) };
    lastId += 1;
    const question: Asked = {
      id: lastId,
      text: changeText(text),
      createdMs: nowMs,
      startedMs: nowMs,
      state: 'processing',
      steps: 0,
      sources: [],
      followUps: [],
      work,
    };
    asked.push(question);
    return reported(question);
  }

  function stateOf({ startedMs, work }: Asked): UpstreamQuestion['state'] {
    if (nowMs < startedMs + work.takesMs) return 'processing';
    return work.ends === 'completed' || work.ends === 'cancelled' ? work.ends : 'failed';
  }

  /** The question as a service with ids, steps and durations reports it. */
  function reported(asked: Asked): UpstreamQuestion & { id: number } {
    const { work, startedMs, ...question } = asked;
    const state = stateOf(asked);
    const steps = Math.min(5, Math.floor((nowMs - startedMs) / 2_000));
    return {
      ...question,
      state,
      steps,
      ...(state === 'completed' ? { followUps: ['And then?', 'Why?'], durationMs: work.takesMs } : {}),
      ...(state === 'completed' || (state === 'failed' && work.isPartial === true)
        ? { title: 'Title', answer: `${'x'.repeat(work.parts ?? 1)} ${question.text}` }
        : {}),
      ...(state === 'failed'
        ? { error: { cause: causeOf(work), title: 'No', message: 'It failed', ...retryOf(asked) } }
        : {}),
    };
  }

  /** The question as a service without ids, progress and statistics reports it. */
  function withoutNumbers({ text, createdMs, ordinal, state, answer, error }: UpstreamQuestion): UpstreamQuestion {
    return {
      text,
      state,
      sources: [],
      citedOnly: true,
      followUps: [],
      ...(createdMs === undefined ? {} : { createdMs }),
      ...(ordinal === undefined ? {} : { ordinal }),
      ...(answer === undefined ? {} : { answer }),
      ...(error === undefined ? {} : { error }),
    };
  }

  /** A service without ids tells only the state of the last question. Of earlier ones it tells the answer. */
  function ofThePast(question: UpstreamQuestion): UpstreamQuestion {
    const { error: _, ...rest } = withoutNumbers(question);
    if (question.answer !== undefined) return { ...rest, state: 'completed' };
    return { ...rest, state: 'failed', error: { cause: 'service', title: '', message: '' } };
  }

  function causeOf({ ends }: Work): UpstreamError['cause'] {
    return ends === 'tooLong' || ends === 'limited' ? ends : 'service';
  }

  function retryOf({ startedMs, work }: Asked): Pick<UpstreamError, 'retryAtMs'> {
    return work.ends === 'limited' ? { retryAtMs: startedMs + work.takesMs + (work.resetsInMs ?? 0) } : {};
  }

  function markOf(id: ConversationId): string {
    const asked = conversations.get(id)?.questions ?? [];
    return [asked.length, ...asked.slice(-1).map((last) => `${stateOf(last)} ${reported(last).steps}`)].join(' ');
  }

  /** When a conversation last changed: when its last question began or ended. */
  function changedMs(id: ConversationId): number {
    const last = conversations.get(id)?.questions.at(-1);
    if (last === undefined) return 0;
    return stateOf(last) === 'processing' ? last.startedMs : last.startedMs + last.work.takesMs;
  }

  function conversationOf(id: ConversationId): Conversation {
    const conversation = conversations.get(id);
    if (conversation === undefined || conversation.deleted) throw new AppError('notFound', 'no such conversation');
    return {
      id,
      createdMs: conversation.createdMs,
      mark: markOf(id),
      shareUrl: `https://code.example/deepsearch/${id}`,
      questions: conversation.questions.map((asked, ordinal) => {
        const question = { ...reported(asked), ordinal };
        if (hasIds) return question;
        return ordinal === conversation.questions.length - 1 ? withoutNumbers(question) : ofThePast(question);
      }),
    };
  }

  const messenger: Messenger = {
    postCard: (question, view) => operate('postCard', () => addMessage(question, 'card', { view })),
    findCard: (question) => operate('find', () => findMessage(question, 'card')),
    updateCard: async (question, view, confirm) => {
      await confirm?.();
      return operate('updateCard', () => {
        const card = posted.find(({ ts }) => ts === question.card.ts);
        if (card === undefined || card.deleted) throw new AppError('notFound', 'no such message');
        if (card.marker !== 'card') violations.push(`${card.marker} of ${question.id} edited as a card`);
        card.view = view;
      });
    },
    prepare: (prepared) => {
      const parts = countParts(prepared);
      return {
        parts,
        postPart: async (question, part, confirm) => {
          const { outcome } = question;
          if (outcome === undefined) throw new Error('a part of a question that has not ended');
          if (outcome.kind !== prepared.outcome?.kind) throw new Error('a part of an earlier outcome');
          if (part >= parts) throw new Error(`part ${part} of ${parts}`);
          await confirm();
          return operate('postPart', () => addMessage(question, partMarker(question, part), { outcome }));
        },
      };
    },
    findPart: (question, part) => operate('find', () => findMessage(question, partMarker(question, part))),
    attachAnswer: async (question, confirm) => {
      await confirm();
      return operate('attach', () => void addMessage(question, 'file', {}));
    },
    findAttachment: (question) => operate('find', () => findMessage(question, 'file') !== undefined),
    removeCopies: (question) => operate('removeCopies', () => removeCopies(question)),
    notifyPrivately: (question, userId, notice) =>
      operate('notifyPrivately', () => void privateMessages.push({ questionId: question.id, userId, notice })),
    ...options.messenger?.(() => nowMs),
  };

  function countParts({ outcome }: Question): number {
    return outcome?.kind === 'answered' ? (outcome.answer.markdown.split(' ')[0]?.length ?? 1) : 1;
  }

  function partMarker({ delivery }: Question, part: number): string {
    return `part ${delivery.round}.${part}`;
  }

  function addMessage(question: Question, marker: string, content: Partial<PostedMessage>): { ts: string } {
    lastId += 1;
    const { channelId, threadTs } = question.place;
    const ts = `${Math.floor(nowMs / 1000)}.${String(lastId).padStart(6, '0')}`;
    posted.push({ ts, channelId, threadTs, questionId: question.id, marker, deleted: false, ...content });
    return { ts };
  }

  /**
   * Keeps one message for each marker: the one that the question names, or else the first. Of a question that ended
   * without a card it keeps none.
   */
  function removeCopies({ id, card, delivery }: Question): number {
    const named = [card.ts, ...delivery.posted];
    const endedWithoutCard = card.ts === undefined && card.gone === true;
    const standing = posted.filter(({ questionId, deleted }) => questionId === id && !deleted);
    const copies = standing.filter((message) => {
      const same = standing.filter(({ marker }) => marker === message.marker);
      if (message.marker === 'card' && endedWithoutCard) return true;
      return message !== (same.find(({ ts }) => named.includes(ts)) ?? same[0]);
    });
    for (const copy of copies) copy.deleted = true;
    return copies.length;
  }

  function findMessage({ id }: Question, marker: string): string | undefined {
    return posted.find((message) => message.questionId === id && message.marker === marker && !message.deleted)?.ts;
  }

  const scheduler = { schedule: async (id: string, delayMs: number) => plan(id, nowMs + delayMs) };
  const ports: Core = {
    digest: digestOf,
    questions: {
      create: async (question, byMs = Number.POSITIVE_INFINITY) => {
        const created = await operate('write', () => {
          if (nowMs > byMs && !questions.has(question.id)) throw tooLate();
          return put(question.id, question);
        });
        return { question: readQuestion(question.id) ?? question, created };
      },
      get: (id) => operate('get', () => readQuestion(id)),
      update: (id, apply) => change(questions, id, questionType.format, (current) => current && apply(current)),
      openIds: async () => [...open],
      markOpen: (id) => operate('write', () => void open.add(id)),
      markClosed: (id) => operate('write', () => void open.delete(id)),
    },
    threads: {
      get: (place) =>
        operate('get', () => {
          const record = threads.get(threadType.key(threadName(place)));
          return record && decodeOnce('thread', record, threadType.format);
        }),
      update: async (place, apply) => {
        const thread = await change(threads, threadType.key(threadName(place)), threadType.format, apply);
        if (thread === undefined) throw new Error('a change of a thread made none');
        return thread;
      },
    },
    runSlots: createRunSlots(
      {
        get: (teamId) =>
          operate('get', () => {
            const record = runSlotBooks.get(teamId);
            return record && decodeOnce('run slots', record, runSlotsType.format);
          }),
        update: async (teamId, apply) => {
          const book = await change(runSlotBooks, teamId, runSlotsType.format, apply);
          if (book === undefined) throw new Error('a change of a book of turns made none');
          return book;
        },
      },
      options.slotLimits ?? { perWorkspace: 3, perPerson: 2 },
    ),
    claims: {
      claim: (key, owner) =>
        operate('claim', () => {
          if (!claims.has(key)) claims.set(key, owner);
          return claims.get(key) ?? owner;
        }),
      ownerOf: async (key) => claims.get(key),
    },
    deepSearch: (account) => (account === 'app' ? deepSearch : serviceOf(account.userId)),
    watching: {
      read: (question) => watching.read(question),
      goesOn: (question, ...wait) => watching.goesOn(question, ...wait),
      leave: (question) => watching.leave(question),
    },
    accounts: people.accounts,
    accountWaits: people.accountWaits,
    nameOf: async (userId) => `Name of ${userId}`,
    messenger,
    accessPolicy: {
      admit: (userId) =>
        operate('admit', () => (refusedUsers.has(userId) ? { may: false, reason: 'guest' } : { may: true })),
    },
    dailyCaps: createDailyCaps({
      counts: {
        get: (name) =>
          operate('get', () => {
            const record = dayCounts.get(name);
            return record && decodeOnce('day count', record, dayCountType.format);
          }),
        update: async (name, apply) => {
          const count = await change(dayCounts, name, dayCountType.format, apply);
          if (count === undefined) throw new Error('a change of a count made none');
          return count;
        },
      },
      settings: { perPerson: 0, perChannel: 0, ...options.caps },
      isExempt: async (userId) => options.caps?.exempt?.includes(userId) === true,
    }),
    channelRules: { forQuestion: async () => options.rules?.() ?? noRules },
    repositoriesFor: async () => undefined,
    threadReader: {
      read: () =>
        operate('readThread', () => ({ messages: 1, total: 1, files: 0, unreadable: 0, text: 'what people said' })),
    },
    durations: {
      note: (_team, id, durationMs) => operate('note', () => void durations.set(id, durationMs)),
      expect: async () => expectation([...durations.values()]),
    },
    askedQuestions: {
      note: ({ id, askerId }) => operate('note', () => void asked.set(id, askerId)),
      of: async (_team, userId) => {
        const own = [...asked].filter(([, askerId]) => askerId === userId);
        return own.map(([id]) => id).toReversed();
      },
    },
    refusedTexts: {
      get: async (id) => refusedTexts.get(id),
      update: async (id, apply) => {
        const kept = apply(refusedTexts.get(id));
        await operate('write', () => void refusedTexts.set(id, kept));
        return kept;
      },
    },
    readerChoices: {
      get: (name) => operate('get', () => readerChoices.get(name)),
      update: async (name, apply) => {
        const kept = apply(readerChoices.get(name));
        await operate('write', () => void readerChoices.set(name, kept));
        return kept;
      },
    },
    answerReaders: {
      count: async () => 3,
      showPrivately: async (question) => {
        await operate('showPrivately', () => void sentPrivately.add(question.id));
        await options.showPrivately?.(question);
      },
      canOpen: (shareUrl) => operate('canOpen', () => openLinks.has(shareUrl)),
    },
    observer: { changed: () => {}, closing: async () => {} },
    tracer: noopPorts.tracer,
    audit: { note: (entry) => void audited.push(entry) },
    scheduler,
    log,
    now: () => nowMs,
    random: options.random ?? (() => 0.5),
    settings,
  };

  let watching = startWatching();

  function plan(id: string, atMs: number): void {
    const entry = due.get(id);
    if (entry === undefined) due.set(id, { atMs, isRunning: false, againMs: undefined });
    else if (entry.isRunning) entry.againMs = Math.min(entry.againMs ?? atMs, atMs);
    else entry.atMs = Math.min(entry.atMs, atMs);
  }

  function startWatching(): Watching {
    const { deepSearch, now, random } = ports;
    return createWatching({ deepSearch, scheduler, now, random, log });
  }

  /** Ticks every second while the app has enough running questions, so that they are watched together. A crash forgets what was watched. */
  async function tick(): Promise<void> {
    try {
      await watching.tick();
    } catch (error) {
      if (!(error instanceof Crash)) violations.push(`a tick threw ${String(error)}`);
      watching = startWatching();
    }
    isTickPlanned = false;
    planTick();
  }

  function planTick(): void {
    const running = [...open].filter((id) => questions.get(id)?.text.includes('"phase":"running"'));
    if (isTickPlanned || running.length < fewestWatchedTogether) return;
    isTickPlanned = true;
    agenda.push({ atMs: nowMs + watchTickMs, run: tick });
  }

  async function advanceOne(id: string): Promise<void> {
    const entry: Due = { atMs: nowMs, isRunning: true, againMs: undefined };
    due.set(id, entry);
    let nextMs: number | undefined;
    try {
      const waitMs = await advance(ports, id);
      nextMs = waitMs === undefined ? undefined : nowMs + waitMs;
    } catch (error) {
      const isExpected = error instanceof Crash || (error instanceof AppError && error.kind === 'storage');
      if (!isExpected) violations.push(`a run threw ${String(error)}`);
      nextMs = nowMs + 1_000;
    }
    due.delete(id);
    const againMs = entry.againMs ?? nextMs;
    if (againMs !== undefined) plan(id, Math.min(againMs, nextMs ?? againMs));
  }

  /** Runs everything in order of time, concurrently for the same time, until nothing is left or `untilMs` is reached. */
  async function run(untilMs = Number.POSITIVE_INFINITY): Promise<void> {
    for (let rounds = 0; rounds < (options.mostRounds ?? 5_000); rounds += 1) {
      const times = [...agenda.map(({ atMs }) => atMs), ...[...due.values()].map(({ atMs }) => atMs)];
      const nextMs = Math.min(...times);
      if (nextMs > untilMs || times.length === 0) {
        if (untilMs !== Number.POSITIVE_INFINITY) nowMs = Math.max(nowMs, untilMs);
        return;
      }
      nowMs = Math.max(nowMs, nextMs);
      const happening = agenda.filter(({ atMs }) => atMs <= nowMs);
      for (const event of happening) agenda.splice(agenda.indexOf(event), 1);
      const dueIds = [...due].filter(([, { atMs }]) => atMs <= nowMs).map(([id]) => id);
      await Promise.all([...happening.map(async (event) => event.run()), ...dueIds.map(advanceOne)]);
      planTick();
    }
    violations.push('the questions do not come to rest');
  }

  return {
    ports,
    /** The service as the app's account sees it. */
    deepSearch,
    /** People's accounts: connects, refuses and disconnects them. */
    people,
    startMs,
    now: () => nowMs,
    at: (delayMs: number, run: () => Promise<void> | void) => void agenda.push({ atMs: startMs + delayMs, run }),
    run,
    /** Forgets all scheduled runs and schedules one for each open question, like a restart. */
    restart: () => {
      watching = startWatching();
      due.clear();
      for (const id of open) plan(id, nowMs);
    },
    /** Copies everything that is stored, as a backup does. Returns what puts it back, like a restore and a start. */
    backUp: () => {
      const stores: Map<string, unknown>[] = [questions, threads, runSlotBooks, dayCounts, claims];
      const copies = stores.map((store) => new Map(store));
      const openThen = [...open];
      const fromMs = nowMs;
      return function restore(): void {
        for (const [index, store] of stores.entries()) {
          store.clear();
          for (const [key, value] of copies[index] ?? []) store.set(key, value);
        }
        open.clear();
        for (const id of openThen) {
          open.add(id);
          const restored = asRestored(readQuestion(id) ?? fail(id), { fromMs, toMs: nowMs });
          questions.set(id, { text: questionType.format.encode(id, restored), revision: 1 });
        }
        watching = startWatching();
        due.clear();
        for (const id of open) plan(id, nowMs);
      };
    },
    violations,
    posted,
    privateMessages,
    /** What the lifecycle noted, in order, with repetitions. */
    audited,
    /** Turns the service into one with or without ids, progress, sources and statistics. Keeps what it was asked. */
    tellIds: (tells: boolean): void => {
      hasIds = tells;
    },
    /** Makes the service change the texts of later questions. */
    changeTexts: (change: (text: string) => string): void => {
      changeText = change;
    },
    /** Deletes a conversation at the service. */
    deleteConversation: (id: ConversationId): void => {
      const conversation = conversations.get(id);
      if (conversation !== undefined) conversation.deleted = true;
    },
    /** People who may not ask anywhere. */
    refusedUsers,
    /** Questions whose answers were sent to direct messages. */
    sentPrivately,
    /** Share URLs that another account can open. */
    openLinks,
    questions: () => [...questions.keys()].flatMap((id) => readQuestion(id) ?? []),
    question: (id: string): Question => readQuestion(id) ?? fail(id),
    runSlotBooks: () => [...runSlotBooks.values()].map(({ text }) => runSlotsType.format.decode('turns', text)),
    threads: () => [...threads.values()].map(({ text }) => threadType.format.decode('thread', text)),
    openIds: () => [...open],
    /** All questions that reached the service, in order. */
    upstream: (): (UpstreamQuestion & { id: number; ordinal: number; conversationId: ConversationId; by: string })[] =>
      [...conversations]
        .flatMap(([conversationId, { questions: asked, owner }]) =>
          asked.map((question, ordinal) => ({ ...reported(question), ordinal, conversationId, by: owner })),
        )
        .toSorted((one, other) => one.id - other.id),
    messagesOf: (question: Question, kind: 'card' | 'part' | 'file') =>
      posted.filter(({ questionId, marker }) => questionId === question.id && marker.startsWith(kind)),
  };
}

export type InMemoryLifecycle = ReturnType<typeof createInMemoryLifecycle>;

function fail(id: string): never {
  throw new Error(`no question ${id}`);
}

/** Lets other work continue, as every real operation does. */
async function yieldToOthers(): Promise<void> {
  await Promise.resolve();
}

const decodedRecords = new WeakMap<StoredRecord, unknown>();

/** The frozen value of a stored record. Decodes its text at the first read only, because that is most of a run's work. */
function decodeOnce<Value>(key: string, record: StoredRecord, format: RecordFormat<Value>): Value {
  const known = decodedRecords.get(record) as Value | undefined;
  if (known !== undefined) return known;
  const value = deepFrozen(format.decode(key, record.text));
  decodedRecords.set(record, value);
  return value;
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const field of Object.values(value)) deepFrozen(field);
    Object.freeze(value);
  }
  return value;
}
