import type { LifecyclePorts } from '../../../src/core/lifecycle/lifecycle-ports.ts';

/** Side ports that allow everything and store nothing. */
export const noopPorts: Pick<
  LifecyclePorts,
  'accessPolicy' | 'dailyCaps' | 'threadReader' | 'durations' | 'askedQuestions' | 'refusedTexts' | 'observer' | 'audit'
> = {
  accessPolicy: { admit: async () => ({ may: true }) },
  dailyCaps: { take: async () => undefined, giveBack: async () => {} },
  threadReader: { read: async () => ({ messages: 0, total: 0, files: 0, unreadable: 0, text: '' }) },
  durations: { note: async () => {}, expect: async () => undefined },
  refusedTexts: { get: async () => undefined, update: async (_id, change) => change(undefined) },
  askedQuestions: { note: async () => {}, of: async () => [] },
  audit: { note: async () => {} },
  observer: { changed: () => {}, closing: async () => {} },
};
