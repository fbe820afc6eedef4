import { createHash } from 'node:crypto';
import { isAppError } from '../../../src/core/errors.ts';
import { createAccept, type NewQuestion, questionId } from '../../../src/core/intake/accept.ts';
import { createAdvance } from '../../../src/core/lifecycle/advance.ts';
import type { QuestionStore, Scheduler } from '../../../src/core/ports.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { createRunSlots } from '../../../src/core/run-slots.ts';
import { createDeepSearchClient } from '../../../src/deepsearch/client.ts';
import { createDeepSearch } from '../../../src/deepsearch/deep-search.ts';
import { createOutbound } from '../../../src/deepsearch/outbound.ts';
import { createLimiters } from '../../../src/rate-limits/limiters.ts';
import { createLibraryLogger } from '../../../src/slack/api/library-logger.ts';
import { createMethodLimits } from '../../../src/slack/api/method-limits.ts';
import { createSlackApi } from '../../../src/slack/api/slack-api.ts';
import { createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import { createMessenger } from '../../../src/slack/messages/messenger.ts';
import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
import { runSlotsType } from '../../../src/storage/records.ts';
import {
  createClaims,
  createQuestionStore,
  createRecords,
  createThreadStore,
} from '../../../src/storage/repositories.ts';
import { type FakeService, serviceToken } from '../fake-service/fake-service.ts';
import { type FakeSlack, team } from '../fake-slack/fake-slack.ts';
import { quietSurroundings } from '../lifecycle/quiet-ports.ts';
import { createRecordingLog } from '../recording-log.ts';

const storeWrites = ['set', 'delete', 'setIfAbsent', 'compareAndSet', 'addMember', 'removeMember'];
const serviceEffects = ['create', 'followUp', 'cancel'];
const slackEffects = ['postCard', 'updateCard', 'postPart', 'notifyPrivately', 'removeCopies'];
const planning = ['lookIn'];

/** A life that is not over by then is judged as it is. */
const lifeDeadlineMs = 240_000;

export interface LifeSetup {
  slack: FakeSlack;
  service: FakeService;
  kv: KeyValueStore;
  /** The engine that plans looks, as a new process would make it. */
  createScheduler: () => Scheduler;
  request: NewQuestion;
  /** After how many writes and effects each process dies, one after the other; the last one lives on. */
  diesAfter: number[];
}

export interface LifeEnd {
  question: Question | undefined;
  /** Whether it is listed as open although nothing is left to do. */
  isOpen: boolean;
  /** Names of the writes and effects of all processes, in order. */
  done: string[];
  deaths: number;
}

/**
 * One question's life with the real store, looks, client and messenger under it, in processes that die: from its n-th
 * write or effect on, nothing that a process does has an effect, and nothing it waits for comes.
 */
export async function liveThroughCrashes(setup: LifeSetup): Promise<LifeEnd> {
  const { kv, request } = setup;
  const id = questionId(digest, request.key);
  const store = createQuestionStore(kv);
  const done: string[] = [];
  const deadlineMs = performance.now() + lifeDeadlineMs;
  let isAcknowledged = false;
  let deaths = 0;
  for (;;) {
    const process = createProcess(setup, setup.diesAfter[deaths] ?? Number.POSITIVE_INFINITY, done);
    const living = (async () => {
      await process.boot(id);
      // Slack repeats what was not acknowledged; here as soon as the next process is there.
      if (!isAcknowledged) await process.accept(request);
      isAcknowledged = true;
      while (!(await isOver(store, id)) && performance.now() < deadlineMs) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })();
    const ended = await Promise.race([living.then(() => 'lived', failedToStart), process.died.then(() => 'died')]);
    await process.scheduler.stop(ended === 'lived' ? 1_000 : 0);
    await process.close();
    if (ended === 'lived') break;
    if (ended === 'died') deaths += 1;
    if (performance.now() > deadlineMs) break;
  }
  const question = await store.get(id);
  const isListed = (await store.openIds()).includes(id);
  return { question, isOpen: isListed && question?.recheckMs === undefined, done, deaths };
}

/** Whether nothing is left to do but to check the messages for copies, of which there are to be none. */
async function isOver(store: QuestionStore, id: string): Promise<boolean> {
  const question = await store.get(id);
  if (question?.phase !== 'closed') return false;
  return question.recheckMs !== undefined || !(await store.openIds()).includes(id);
}

/** A storage that does not answer in time keeps a process from starting, or from taking the question: another one tries. */
function failedToStart(error: unknown): 'failed' {
  if (isAppError(error, 'storage')) return 'failed';
  throw error;
}

function createProcess({ slack, service, kv, createScheduler }: LifeSetup, diesAfter: number, done: string[]) {
  const { log } = createRecordingLog();
  let left = diesAfter;
  let die = (): void => {};
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });
  const never = new Promise<never>(() => {});

  /** The port, until the process is dead; the calls named in `counted` bring that closer. */
  function mortal<Port extends object>(port: Port, counted: string[]): Port {
    return new Proxy(port, {
      get(target, name, receiver) {
        const value = Reflect.get(target, name, receiver);
        if (typeof value !== 'function' || typeof name !== 'string') return value;
        // Pure, and needed at once.
        if (name === 'countParts') return value;
        return async (...args: unknown[]) => {
          if (left < 0) return never;
          if (!counted.includes(name)) return untilDeath(value.apply(target, args));
          left -= 1;
          if (left < 0) {
            die();
            return never;
          }
          done.push(name);
          const result = await value.apply(target, args);
          return left < 0 ? never : result;
        };
      },
    });
  }

  async function untilDeath<T>(result: Promise<T>): Promise<T> {
    const value = await result;
    return left < 0 ? never : value;
  }

  const store = mortal(kv, storeWrites);
  const engine = createScheduler();
  const scheduler = mortal(engine, planning);
  const options = webClientOptions(slack.url, createLibraryLogger(log));
  const outbound = createOutbound({});
  const client = createDeepSearchClient({
    baseUrl: service.url,
    auth: { kind: 'token', token: serviceToken },
    userAgentVersion: 'test',
    // As long as a call of Slack.
    createTimeoutMs: 10_000,
  });
  const identity = { teamId: team.id, botUserId: team.botUserId, botId: team.botId };
  const now = Date.now;
  const slackApi = createSlackApi({
    client: createWebClient(team.botToken, options),
    identity,
    methodLimits: createMethodLimits({ createLimiter: createLimiters({ log }), now, log }),
    noting: (result) => result,
  });
  const messenger = createMessenger({
    slack: slackApi,
    outbound,
    format: 'markdown',
    log,
    now,
    localeOf: async () => undefined,
  });
  const questions = createQuestionStore(store);
  const ports = {
    ...quietSurroundings,
    questions,
    threads: createThreadStore(store),
    claims: createClaims(store),
    runSlots: createRunSlots(createRecords(store, runSlotsType), { perWorkspace: 10_000, perPerson: 10_000 }),
    deepSearch: mortal(createDeepSearch(client, service.url), serviceEffects),
    messenger: mortal(messenger, slackEffects),
    scheduler,
    log,
    now,
    random: Math.random,
    settings: {
      pacing: { firstPollMs: 50, minMs: 50, maxMs: 100, fraction: 0.1, jitter: 0, patienceMs: 120_000 },
      cardEditMs: 100,
      threadLimit: 20,
      lateCallMs: 15_000,
    },
  };

  return {
    died,
    scheduler: engine,
    accept: createAccept({ ...ports, digest }),
    /** As the app starts: all that is open is looked at again. The other lives in the same store are not its own. */
    boot: async (id: string) => {
      await scheduler.start(createAdvance(ports));
      if ((await questions.openIds()).includes(id)) await scheduler.schedule(id, 0);
    },
    close: async () => void (await Promise.all([client.close(), outbound.close()])),
  };
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24);
}
