import { createHash } from 'node:crypto';
import { noRules } from '../../../src/core/channels/channel-settings.ts';
import type { Core } from '../../../src/core/context.ts';
import { noTracer } from '../../../src/core/tracing.ts';

/** Side ports that allow everything and store nothing. */
export const noopPorts: Pick<
  Core,
  | 'accounts'
  | 'accountWaits'
  | 'nameOf'
  | 'answerReaders'
  | 'readerChoices'
  | 'accessPolicy'
  | 'dailyCaps'
  | 'channelRules'
  | 'repositoriesFor'
  | 'threadReader'
  | 'durations'
  | 'askedQuestions'
  | 'refusedTexts'
  | 'observer'
  | 'tracer'
  | 'audit'
  | 'digest'
> = {
  accounts: { mode: 'shared', offer: { can: false, reason: 'off' }, statusOf: async () => ({ state: 'none' }) },
  accountWaits: { get: async () => undefined, update: async (_name, change) => change(undefined) },
  nameOf: async () => undefined,
  repositoriesFor: async () => undefined,
  accessPolicy: { admit: async () => ({ may: true }) },
  dailyCaps: { take: async () => undefined, giveBack: async () => {} },
  channelRules: { forQuestion: async () => noRules },
  threadReader: { read: async () => ({ messages: 0, total: 0, files: 0, unreadable: 0, text: '' }) },
  durations: { note: async () => {}, expect: async () => undefined },
  refusedTexts: { get: async () => undefined, update: async (_id, change) => change(undefined) },
  readerChoices: { get: async () => undefined, update: async (_name, change) => change(undefined) },
  answerReaders: { count: async () => undefined, showPrivately: async () => {}, canOpen: async () => false },
  askedQuestions: { note: async () => {}, of: async () => [] },
  audit: { note: () => {} },
  observer: { changed: () => {}, closing: async () => {} },
  tracer: noTracer,
  digest: digestOf,
};

/** A stable digest in the form of a question id. */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24);
}
