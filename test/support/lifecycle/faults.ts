import { AppError } from '../../../src/core/errors.ts';
import { crash, failing } from './core-harness.ts';
import type { ChooseFault, Fault, Operation } from './in-memory-lifecycle.ts';

const unknown = { outcomeUnknown: true };

const storageFaults = [crash('no'), crash('yes'), failing('storage'), failing('storage', unknown, 'yes')];

const readFaults = [
  crash('no'),
  failing('unavailable'),
  failing('badReply'),
  failing('rateLimited', { retryAfterMs: 5_000 }),
  failing('rateLimited', { retryAfterMs: 120_000 }),
];

/** Faults of a request with an effect: no effect, an unknown outcome, or a late effect. */
const writeFaults = [
  ...readFaults.filter(({ error }) => !(error instanceof AppError && error.kind === 'badReply')),
  crash('yes'),
  ...[1_000, 5_000, 11_000].map((lateMs) => crash({ lateMs })),
  failing('unavailable', unknown, 'yes'),
  failing('unavailable', unknown, 'no'),
  ...[1_000, 5_000, 11_000].map((lateMs) => failing('unavailable', unknown, { lateMs })),
  failing('badReply', unknown, 'yes'),
];

const temporaryFaults: Record<Operation, Fault[]> = {
  get: [crash('no'), failing('storage')],
  write: storageFaults,
  claim: storageFaults,
  create: writeFaults,
  followUp: writeFaults,
  read: readFaults,
  newest: readFaults,
  changes: readFaults,
  cancel: writeFaults.filter(({ happens }) => typeof happens !== 'object'),
  postCard: writeFaults,
  postPart: writeFaults,
  updateCard: writeFaults,
  find: readFaults,
  admit: readFaults,
  readThread: readFaults,
  attach: writeFaults,
  removeCopies: readFaults,
  note: storageFaults,
  showPrivately: writeFaults.filter(({ happens }) => typeof happens !== 'object'),
  canOpen: readFaults,
  notifyPrivately: [crash('no'), crash('yes'), failing('unavailable')],
};

/** Faults that remain however often the operation is repeated. */
const permanentFaults: Partial<Record<Operation, Fault[]>> = {
  create: [failing('refused'), failing('unauthorized')],
  followUp: [failing('refused'), failing('unauthorized'), failing('notFound')],
  read: [failing('unauthorized'), failing('notFound')],
  postCard: [failing('undeliverable'), failing('refused'), failing('unrenderable')],
  postPart: [failing('undeliverable'), failing('refused'), failing('unrenderable')],
  updateCard: [failing('undeliverable'), failing('refused')],
  find: [failing('undeliverable')],
  admit: [failing('unauthorized')],
  readThread: [failing('unauthorized'), failing('undeliverable')],
  attach: [failing('refused')],
};

/**
 * Chooses faults by a script with one number for each operation: 0 means no fault, other numbers select one of the faults
 * of the operation. After the end of the script there are no faults. Also returns a log, for the report of a failure.
 */
export function scriptedFaults(
  script: readonly number[],
  { permanent = false } = {},
): { chooseFault: ChooseFault; log: string[] } {
  const log: string[] = [];
  let index = 0;
  return {
    log,
    chooseFault: (operation) => {
      const choice = script[index] ?? 0;
      index += 1;
      if (choice === 0) return undefined;
      const faults = [...temporaryFaults[operation], ...(permanent ? (permanentFaults[operation] ?? []) : [])];
      const fault = faults[(choice - 1) % faults.length];
      if (fault !== undefined) log.push(`${index} ${operation}: ${fault.error.message}, happens ${fault.happens}`);
      return fault;
    },
  };
}
