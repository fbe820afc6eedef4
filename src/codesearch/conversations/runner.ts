import { setTimeout as wait } from 'node:timers/promises';
import type { Finding, Investigate, ModelUse } from '../ask/finding.ts';
import { separateRestriction } from '../ask/question/surroundings.ts';
import { estimateTokens, LIMITS } from '../limits.ts';
import type { Quota } from './quota.ts';
import { type ConversationRecord, isOpen, type QuestionError, type QuestionRecord } from './records.ts';
import type { ConversationStore } from './store.ts';

export interface RunnerSetup {
  store: ConversationStore;
  quota: Quota;
  investigate: Investigate;
  /** Whether a user may read a repository now; answers come from these only. */
  canRead: (userId: number, repository: string) => boolean;
  /** Names of the repositories that git can't read at the moment. */
  unreadable: () => string[];
  concurrency: number;
  stepDelayMs: number;
  clock: () => number;
  /** Called with each internal failure of the service. */
  onProblem: (error: unknown) => void;
}

interface Job {
  userId: number;
  conversationId: number;
  questionId: number;
  ready: Promise<void>;
  abort: AbortController;
}

/** Answers a bounded number of questions at once, one at a time per conversation, and takes turns between users. */
export function createRunner(setup: RunnerSetup) {
  const { store, quota, clock } = setup;
  const waiting: Job[] = [];
  const running = new Map<Job, Promise<void>>();
  let stopping = false;

  const isBusy = (conversationId: number): boolean =>
    [...running.keys()].some((job) => job.conversationId === conversationId);

  /** Counts the questions that were begun; the last one of each user who waits or is served. */
  let turn = 0;
  const lastTurn = new Map<number, number>();

  const runningOf = (userId: number): number => [...running.keys()].filter((job) => job.userId === userId).length;

  /** Of the user with the fewest running questions, then of the one whose last turn is longest ago, the first that arrived. */
  function nextJob(): Job | undefined {
    const order = (a: Job, b: Job): number =>
      runningOf(a.userId) - runningOf(b.userId) || (lastTurn.get(a.userId) ?? 0) - (lastTurn.get(b.userId) ?? 0);
    const ready = waiting.filter((job) => !isBusy(job.conversationId));
    const firsts = new Map(ready.toReversed().map((job) => [job.userId, job]));
    return [...firsts.values()].sort(order)[0];
  }

  function pump(): void {
    while (running.size < setup.concurrency && !stopping) {
      const job = nextJob();
      if (job === undefined) return;
      waiting.splice(waiting.indexOf(job), 1);
      turn += 1;
      lastTurn.set(job.userId, turn);
      const work = run(job)
        .catch(setup.onProblem)
        .finally(() => {
          running.delete(job);
          if (!waiting.some(({ userId }) => userId === job.userId)) lastTurn.delete(job.userId);
          pump();
        });
      running.set(job, work);
    }
  }

  function change(job: Job, edit: (question: QuestionRecord) => QuestionRecord): Promise<void> {
    return store.update(job.conversationId, (conversation) =>
      editQuestion(conversation, job.questionId, clock(), (question) => (isOpen(question) ? edit(question) : question)),
    );
  }

  /** Frees the slot together with the last change: a client that sees the question finished can use the slot at once. */
  function conclude(job: Job, edit: (question: QuestionRecord) => QuestionRecord): Promise<void> {
    running.delete(job);
    const durable = change(job, edit);
    pump();
    return durable;
  }

  async function run(job: Job): Promise<void> {
    await job.ready;
    const startedMs = clock();
    const conversation = store.get(job.conversationId);
    const question = conversation?.questions.find((candidate) => candidate.id === job.questionId);
    if (!conversation || !question || !isOpen(question) || job.abort.signal.aborted) return;
    const starts = question.starts ?? 0;
    if (starts >= LIMITS.questionStarts) {
      setup.onProblem(new Error(`The service was killed ${starts} times while it answered question ${question.id}.`));
      return finish(job, startedMs, INTERNAL);
    }
    await change(job, (current) => ({ ...current, startedMs, starts: starts + 1 }));
    const refusal = refuse(conversation, question) ?? quotaRefusal(quota, conversation.userId);
    if (refusal) return finish(job, startedMs, refusal);
    const deadline = AbortSignal.timeout(LIMITS.questionDeadlineMs);
    const signal = AbortSignal.any([job.abort.signal, deadline]);
    const step = async (reasoning: string): Promise<void> => {
      signal.throwIfAborted();
      const turn = { reasoning, atMs: clock() };
      await change(job, (current) => ({
        ...current,
        turns: current.turns.length < LIMITS.turnsPerQuestion ? [...current.turns, turn] : current.turns,
      }));
      if (setup.stepDelayMs > 0) await wait(setup.stepDelayMs, undefined, { signal });
      signal.throwIfAborted();
    };
    const free = quota.reserve(conversation.userId);
    const earlier = conversation.questions.filter((candidate) => candidate.id < question.id);
    const { onlyIn } = separateRestriction(question.text);
    // Here, and not where answers are written: it must hold for all that search, also for a model's tools.
    const canRead = (name: string): boolean =>
      setup.canRead(conversation.userId, name) && (onlyIn.length === 0 || onlyIn.includes(name.toLowerCase()));
    let modelUse: ModelUse | undefined;
    const onModelUse = (use: ModelUse): void => {
      modelUse = use;
    };
    try {
      const user = `user ${conversation.userId}`;
      const endsMs = startedMs + LIMITS.questionDeadlineMs;
      const asking = { user, signal, endsMs, onModelUse };
      const finding = await setup.investigate(question.text, earlier, step, canRead, asking);
      signal.throwIfAborted();
      free();
      const missing = setup.unreadable().filter(canRead);
      const answered = complete(withNote(finding, missing), question.text, clock() - startedMs);
      modelUse = undefined;
      await quota.charge(conversation.userId, answered.stats.credits);
      await conclude(job, (current) => ({ ...current, ...answered }));
      // Cancelled since: the answer came too late, and was paid for.
      if (job.abort.signal.aborted) await addModelUse(job, finding.modelUse);
    } catch (error) {
      free();
      // What a model used is paid for, whether there is an answer or not.
      if (modelUse !== undefined) await quota.charge(conversation.userId, modelUse.credits);
      if (job.abort.signal.aborted) return await addModelUse(job, modelUse);
      if (!deadline.aborted) setup.onProblem(error);
      await finish(job, startedMs, deadline.aborted ? TOOK_TOO_LONG : INTERNAL, modelUse);
    } finally {
      free();
    }
  }

  function finish(job: Job, startedMs: number, error: QuestionError, modelUse?: ModelUse): Promise<void> {
    return conclude(job, (current) => ({
      ...current,
      status: 'completed',
      error,
      stats: { ...current.stats, ...modelUse, timeMs: clock() - startedMs },
    }));
  }

  /** Notes what a cancelled question has used; one that is only interrupted starts again. */
  async function addModelUse(job: Job, modelUse: ModelUse | undefined): Promise<void> {
    if (modelUse === undefined) return;
    await store.update(job.conversationId, (conversation) =>
      editQuestion(conversation, job.questionId, clock(), (question) =>
        isOpen(question) ? question : { ...question, stats: { ...question.stats, ...modelUse } },
      ),
    );
  }

  return {
    /** Open questions, running or waiting; of one user, or of all. */
    load: (userId?: number): number =>
      [...running.keys(), ...waiting].filter((job) => userId === undefined || job.userId === userId).length,
    /** Adds a question, whose record is durable once `ready` resolves. */
    add(userId: number, conversationId: number, questionId: number, ready: Promise<void>): void {
      waiting.push({ userId, conversationId, questionId, ready, abort: new AbortController() });
      pump();
    },
    /** Stops work on a question, with its git processes and its request to a model. The caller updates the record. */
    abort(conversationId: number, questionId: number): void {
      const matches = (job: Job): boolean => job.conversationId === conversationId && job.questionId === questionId;
      const index = waiting.findIndex(matches);
      if (index >= 0) waiting.splice(index, 1);
      for (const job of running.keys()) if (matches(job)) job.abort.abort();
    },
    /** Resumes every question that was open when the process last ended. */
    resume(): void {
      const open = [...store.summaries()].flatMap(({ id, userId }) =>
        (store.get(id)?.questions ?? []).filter(isOpen).map((question) => ({ userId, id, questionId: question.id })),
      );
      open.sort((a, b) => a.questionId - b.questionId);
      for (const { userId, id, questionId } of open) this.add(userId, id, questionId, Promise.resolve());
    },
    /** Interrupts all work; open questions stay open in the store and are resumed at the next start. */
    async stop(): Promise<void> {
      stopping = true;
      waiting.length = 0;
      const uncounted = [...running.keys()].map((job) =>
        change(job, (current) => ({ ...current, starts: (current.starts ?? 1) - 1 })),
      );
      for (const job of running.keys()) job.abort.abort();
      await Promise.race([
        Promise.allSettled([...uncounted, ...running.values()]),
        wait(LIMITS.stopDeadlineMs, undefined, { ref: false }),
      ]);
    },
  };
}

export type Runner = ReturnType<typeof createRunner>;

/** Replaces one question of a conversation and updates both timestamps when something changed. */
export function editQuestion(
  conversation: ConversationRecord,
  questionId: number,
  nowMs: number,
  edit: (question: QuestionRecord) => QuestionRecord,
): ConversationRecord {
  let changed = false;
  const questions = conversation.questions.map((question) => {
    if (question.id !== questionId) return question;
    const edited = edit(question);
    if (edited === question) return question;
    changed = true;
    return { ...edited, updatedMs: nowMs };
  });
  return changed ? { ...conversation, questions, updatedMs: nowMs } : conversation;
}

/** Says which repositories are missing in an answer: without that, "nothing was found" would be said of them too. */
function withNote(finding: Finding, missing: readonly string[]): Finding {
  if (missing.length === 0 || finding.focus.kind === 'smalltalk') return finding;
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : '';
  const note = `git can't read ${missing.slice(0, 3).join(', ')}${more} at the moment, so this answer is without ${missing.length === 1 ? 'it' : 'them'}.`;
  return { ...finding, answer: `${finding.answer}\n\n${note}` };
}

function complete(finding: Finding, text: string, timeMs: number) {
  const { modelUse, isNoAnswer = false } = finding;
  return {
    status: 'completed' as const,
    title: finding.title,
    answer: finding.answer,
    sources: finding.sources,
    followUps: finding.followUps,
    focus: finding.focus,
    stats: {
      timeMs,
      toolCalls: finding.toolCalls,
      promptTokens: estimateTokens(text) + finding.tokensRead,
      completionTokens: estimateTokens(finding.answer),
      ...modelUse,
      credits: isNoAnswer && modelUse === undefined ? 0 : Math.max(1, modelUse?.credits ?? 1),
    },
  };
}

function refuse(conversation: ConversationRecord, question: QuestionRecord): QuestionError | undefined {
  const own = estimateTokens(question.text);
  if (own > LIMITS.questionTokens) {
    return tooLong(`The question is about ${own} tokens long; at most ${LIMITS.questionTokens} are read.`);
  }
  const texts = conversation.questions.flatMap(({ text, answer }) => [text, answer ?? '']);
  const total = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  if (total > LIMITS.conversationTokens || conversation.questions.length > LIMITS.questionsPerConversation) {
    return tooLong('The conversation has grown too long. Ask in a new conversation.');
  }
  return undefined;
}

function tooLong(message: string): QuestionError {
  return { kind: 'TokenLimitExceeded', title: 'Token limit exceeded', message, details: '' };
}

function quotaRefusal(quota: Quota, userId: number): QuestionError | undefined {
  const state = quota.state(userId);
  if (!state.exhausted) return undefined;
  const reset = new Date(state.resetMs).toISOString();
  return {
    kind: 'RateLimitExceeded',
    title: 'Quota used up',
    message: `All ${state.limit} credits for today are used. The quota resets at ${reset}.`,
    details: '',
    retryAtMs: state.resetMs,
  };
}

const INTERNAL: QuestionError = {
  kind: 'InternalError',
  title: 'Internal error',
  message: 'The search failed because of an internal error. Try asking again.',
  details: '',
};

const TOOK_TOO_LONG: QuestionError = {
  ...INTERNAL,
  title: 'Took too long',
  message: 'The search did not finish within five minutes. Try a narrower question.',
};
