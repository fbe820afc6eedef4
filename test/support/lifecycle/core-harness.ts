import { createHash } from 'node:crypto';
import { AppError, type AppErrorDetails, type ErrorKind } from '../../../src/core/errors.ts';
import { createAccept, type NewQuestion } from '../../../src/core/intake/accept.ts';
import { createRequests } from '../../../src/core/intake/requests.ts';
import type { Question, ThreadPlace } from '../../../src/core/question/question.ts';
import type { LifecycleSettings } from '../../../src/core/settings.ts';
import { Crash, createInMemoryLifecycle, type Fault, type Operation, type Work } from './in-memory-lifecycle.ts';

/** Where questions are asked unless a test says otherwise, and who presses buttons there. */
export const thread: ThreadPlace = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000001' };
export const buttonUser = { userId: 'U9', teamId: 'T1', channelId: 'C1' };

/**
 * A world in memory with the ways in. Of each kind of operation the first call meets the first fault, and so on; `work`
 * is what the service does with every question.
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
  const accept = createAccept({ ...life.ports, digest: digestOf });
  let keys = 0;

  /** A request as a test needs it, with a key and a text of its own. */
  function request(change: Partial<NewQuestion> = {}): NewQuestion {
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

  async function ask(change: Partial<NewQuestion> = {}): Promise<Question> {
    const acceptance = await accept(request(change));
    if (acceptance.kind !== 'accepted') throw new Error(`not accepted: ${acceptance.kind}`);
    return acceptance.question;
  }

  return { life, accept, request, ask, requests: createRequests({ ...life.ports, accept, digest: digestOf }) };
}

/** A stable digest in the form that question ids take. */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24);
}

export function failing(kind: ErrorKind, details: AppErrorDetails = {}, happens: Fault['happens'] = 'no'): Fault {
  return { error: new AppError(kind, `planned ${kind}`, details), happens };
}

export function crash(happens: Fault['happens']): Fault {
  return { error: new Crash('killed'), happens };
}

/** The far side did it, but its reply got lost. */
export const lost = failing('unavailable', { outcomeUnknown: true }, 'yes');

/** The far side does it after the caller has stopped waiting. */
export const late = lateBy(2_000);

export function lateBy(lateMs: number): Fault {
  return failing('unavailable', { outcomeUnknown: true }, { lateMs });
}

/** Certainly not done. */
export const down = failing('unavailable');
