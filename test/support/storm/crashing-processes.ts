import { isAppError } from '../../../src/core/errors.ts';
import { idOf, type NewQuestion } from '../../../src/core/intake/accept.ts';
import { advance } from '../../../src/core/lifecycle/advance.ts';
import type { QuestionStore, Scheduler } from '../../../src/core/ports.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { createRunSlots, runSlotsType } from '../../../src/core/run-slots.ts';
import { noTracer } from '../../../src/core/tracing.ts';
import { team } from '../../../src/local-slack/people.ts';
import { createLimiters } from '../../../src/rate-limits/limiters.ts';
import { createDeepSearch } from '../../../src/service/generation-1/deep-search.ts';
import { createOutbound } from '../../../src/service/outbound.ts';
import { createMethodLimits } from '../../../src/slack/api/method-limits.ts';
import { createSlackApi } from '../../../src/slack/api/slack-api.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import type { SlackContext } from '../../../src/slack/context.ts';
import { createMessenger } from '../../../src/slack/messages/messenger.ts';
import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
import {
  createClaims,
  createQuestionStore,
  createRecords,
  createThreadStore,
} from '../../../src/storage/repositories.ts';
import { type FakeService, serviceToken } from '../fake-service/fake-service.ts';
import type { FakeSlack } from '../fake-slack/fake-slack.ts';
import { createRequests } from '../lifecycle/core-harness.ts';
import { noopPorts } from '../lifecycle/noop-ports.ts';
import { readingAlone } from '../lifecycle/reading-alone.ts';
import { only } from '../only.ts';
import { createRecordingLog } from '../recording-log.ts';
import { createDeepSearchClient } from '../service/open-client.ts';

const storeWrites = ['set', 'delete', 'setIfAbsent', 'compareAndSet', 'addMember', 'removeMember'];
const serviceEffects = ['create', 'followUp', 'cancel'];
const slackEffects = ['postCard', 'updateCard', 'postPart', 'notifyPrivately', 'removeCopies'];
const schedulerCalls = ['schedule'];

/** A run that takes longer is checked in its current state. */
const runDeadlineMs = 240_000;

export interface CrashRunSetup {
  slack: FakeSlack;
  service: FakeService;
  kv: KeyValueStore;
  /** Creates a scheduler, like a new process. */
  createScheduler: () => Scheduler;
  request: NewQuestion;
  /** Number of writes and effects after which each process crashes, in order; the last process does not crash. */
  crashesAfter: number[];
}

export interface CrashRunResult {
  question: Question | undefined;
  /** Whether the question is still listed as open although there is nothing left to do. */
  isOpen: boolean;
  /** Names of the writes and effects of all processes, in order. */
  done: string[];
  crashes: number;
}

/**
 * Runs one question with the real store, scheduler, client and messenger, in processes that crash: after its n-th write
 * or effect, nothing that a process does has an effect, and its calls never return.
 */
export async function runThroughCrashes(setup: CrashRunSetup): Promise<CrashRunResult> {
  const { kv, request } = setup;
  const id = idOf(noopPorts, request.key);
  const store = createQuestionStore(kv);
  const done: string[] = [];
  const deadlineMs = performance.now() + runDeadlineMs;
  let isAcknowledged = false;
  let crashes = 0;
  for (;;) {
    const process = createProcess(setup, setup.crashesAfter[crashes] ?? Number.POSITIVE_INFINITY, done);
    const running = (async () => {
      await process.boot(id);
      // Slack repeats events that were not acknowledged; here as soon as the next process runs.
      if (!isAcknowledged) await process.accept(request);
      isAcknowledged = true;
      while (!(await isFinished(store, id)) && performance.now() < deadlineMs) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })();
    const ended = await Promise.race([
      running.then(() => 'finished', failedToStart),
      process.crashed.then(() => 'crashed'),
    ]);
    await process.scheduler.stop(ended === 'finished' ? 1_000 : 0);
    await process.close();
    if (ended === 'finished') break;
    if (ended === 'crashed') crashes += 1;
    if (performance.now() > deadlineMs) break;
  }
  const question = await store.get(id);
  const isListed = (await store.openIds()).includes(id);
  return { question, isOpen: isListed && question?.recheckMs === undefined, done, crashes };
}

/** Whether the question is finished, except for the check for duplicate messages. */
async function isFinished(store: QuestionStore, id: string): Promise<boolean> {
  const question = await store.get(id);
  if (question?.phase !== 'closed') return false;
  return question.recheckMs !== undefined || !(await store.openIds()).includes(id);
}

/** Storage that does not reply in time stops a process from starting or accepting the question; the next one tries again. */
function failedToStart(error: unknown): 'failed' {
  if (isAppError(error, 'storage')) return 'failed';
  throw error;
}

function createProcess({ slack, service, kv, createScheduler }: CrashRunSetup, crashesAfter: number, done: string[]) {
  const { log } = createRecordingLog();
  let callsLeft = crashesAfter;
  let crash = (): void => {};
  const crashed = new Promise<void>((resolve) => {
    crash = resolve;
  });
  const never = new Promise<never>(() => {});

  /** Wraps a port so that it stops working after the crash; calls named in `counted` count towards it. */
  function crashable<Port extends object>(port: Port, counted: string[]): Port {
    return new Proxy(port, {
      get(target, name, receiver) {
        const value = Reflect.get(target, name, receiver);
        if (typeof value !== 'function' || typeof name !== 'string') return value;
        // Pure, and needed at once; what it prepares is posted by the same process.
        if (name === 'prepare') return (...args: unknown[]) => crashable(value.apply(target, args), counted);
        return async (...args: unknown[]) => {
          if (callsLeft < 0) return never;
          if (!counted.includes(name)) return untilCrash(value.apply(target, args));
          callsLeft -= 1;
          if (callsLeft < 0) {
            crash();
            return never;
          }
          done.push(name);
          const result = await value.apply(target, args);
          return callsLeft < 0 ? never : result;
        };
      },
    });
  }

  async function untilCrash<T>(result: Promise<T>): Promise<T> {
    const value = await result;
    return callsLeft < 0 ? never : value;
  }

  const store = crashable(kv, storeWrites);
  const engine = createScheduler();
  const scheduler = crashable(engine, schedulerCalls);
  const options = webClientOptions(slack.url, createLibraryLogger(log));
  const outbound = createOutbound({});
  const client = createDeepSearchClient({
    baseUrl: service.url,
    auth: { kind: 'token', token: serviceToken },
    userAgentVersion: 'test',
    // The same as for a Slack call.
    createTimeoutMs: 10_000,
  });
  const identity = { teamId: team.id, botUserId: team.botUserId, botId: team.botId };
  const now = Date.now;
  const slackApi = createSlackApi({
    client: createWebClient(team.botToken, options),
    identity,
    methodLimits: createMethodLimits({ createLimiter: createLimiters({ log }), now, log }),
    noting: (result) => result,
    tracer: noTracer,
  });
  const messenger = createMessenger(
    only<SlackContext>({
      slack: slackApi,
      outbound,
      slackApiUrl: slack.url,
      format: 'markdown',
      log,
      now,
      people: only({ person: async (userId) => ({ userId, name: userId, kind: 'member' }) }),
    }),
  );
  const questions = createQuestionStore(store);
  const deepSearch = crashable(createDeepSearch(client, service.url), serviceEffects);
  const watching = readingAlone({
    deepSearch: () => deepSearch,
    scheduler,
    now,
    random: Math.random,
    log,
  });
  const ports = {
    ...noopPorts,
    questions,
    threads: createThreadStore(store),
    claims: createClaims(store),
    runSlots: createRunSlots(createRecords(store, runSlotsType), { perWorkspace: 10_000, perPerson: 10_000 }),
    deepSearch: () => deepSearch,
    watching,
    messenger: crashable(messenger, slackEffects),
    scheduler,
    log,
    now,
    random: Math.random,
    settings: {
      patienceMs: 120_000,
      readEveryMs: 100,
      cardEditMs: 100,
      threadLimit: 20,
      lateCallMs: 15_000,
    },
  };

  return {
    crashed,
    scheduler: engine,
    accept: createRequests(ports).accept,
    /** Like the start of the app, but only for this question: other tests share the store. */
    boot: async (id: string) => {
      await scheduler.start((questionId) => advance(ports, questionId));
      if ((await questions.openIds()).includes(id)) await scheduler.schedule(id, 0);
    },
    close: async () => void (await Promise.all([client.close(), outbound.close()])),
  };
}
