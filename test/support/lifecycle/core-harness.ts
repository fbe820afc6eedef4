import type { Core } from '../../../src/core/context.ts';
import { AppError, type AppErrorDetails, type ErrorKind } from '../../../src/core/errors.ts';
import * as accepting from '../../../src/core/intake/accept.ts';
import * as cancelling from '../../../src/core/intake/cancel.ts';
import * as finding from '../../../src/core/intake/find-question.ts';
import * as followUps from '../../../src/core/intake/follow-ups.ts';
import * as again from '../../../src/core/intake/requests.ts';
import type { Question, ThreadPlace } from '../../../src/core/question/question.ts';
import type { LifecycleSettings } from '../../../src/core/settings.ts';
import { Crash, createInMemoryLifecycle, type Fault, type Operation, type Work } from './in-memory-lifecycle.ts';

const actions = {
  accept: accepting.accept,
  idOf: accepting.idOf,
  findQuestion: finding.findQuestion,
  startedBy: finding.startedBy,
  ...cancelling,
  ...again,
  ...followUps,
};
type Actions = typeof actions;
export type Requests = {
  [Name in keyof Actions]: Actions[Name] extends (w: Core, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** All that people can do with questions, on this context. */
export function createRequests(w: Core): Requests {
  const bound = Object.entries(actions).map(([name, action]) => [
    name,
    (...rest: unknown[]) => Reflect.apply(action, undefined, [w, ...rest]),
  ]);
  return Object.fromEntries(bound) as Requests;
}

/** The default thread for questions. */
export const thread: ThreadPlace = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000001' };
/** The person who presses buttons in tests, and where. */
export const buttonUser = { userId: 'U9', teamId: 'T1', channelId: 'C1' };

/**
 * The core with in-memory ports, and functions to ask questions and press buttons. The n-th call of an operation gets the
 * n-th of its `faults`; `work` is what the service does with every question.
 */
export function createCoreHarness(
  options: {
    faults?: Partial<Record<Operation, (Fault | undefined)[]>>;
    work?: Work;
    settings?: Partial<LifecycleSettings>;
  } = {},
) {
  const left = new Map(Object.entries(options.faults ?? {}).map(([operation, list]) => [operation, [...list]]));
  const { work } = options;
  const life = createInMemoryLifecycle({
    chooseFault: (operation) => left.get(operation)?.shift(),
    settings: options.settings ?? {},
    ...(work === undefined ? {} : { work: () => work }),
  });
  const requests = createRequests(life.ports);
  const { accept } = requests;
  let keys = 0;

  /** A new question with a unique key and text. */
  function request(change: Partial<accepting.NewQuestion> = {}): accepting.NewQuestion {
    keys += 1;
    return {
      key: `key ${keys}`,
      place: thread,
      askerId: 'U1',
      text: `question ${keys}`,
      origin: 'mention',
      beginsThread: true,
      ...change,
    };
  }

  async function ask(change: Partial<accepting.NewQuestion> = {}): Promise<Question> {
    const acceptance = await accept(request(change));
    if (acceptance.kind !== 'accepted') throw new Error(`not accepted: ${acceptance.kind}`);
    return acceptance.question;
  }

  /** Gives the next calls of an operation these faults. */
  const plan = (operation: Operation, faults: (Fault | undefined)[]): void => void left.set(operation, [...faults]);

  return { life, accept, request, ask, plan, requests };
}

export function failing(kind: ErrorKind, details: AppErrorDetails = {}, happens: Fault['happens'] = 'no'): Fault {
  return { error: new AppError(kind, `planned ${kind}`, details), happens };
}

export function crash(happens: Fault['happens']): Fault {
  return { error: new Crash('killed'), happens };
}

/** The call took effect, but its reply was lost. */
export const lost = failing('unavailable', { outcomeUnknown: true }, 'yes');

/** The call takes effect after the caller stopped waiting. */
export const late = lateBy(2_000);

export function lateBy(lateMs: number): Fault {
  return failing('unavailable', { outcomeUnknown: true }, { lateMs });
}

/** The call has no effect. */
export const down = failing('unavailable');
