import type { LifePorts } from '../../../src/core/life-ports.ts';

/** Ports beside the way of a question that let everything pass and keep nothing. */
export const quietSurroundings: Pick<
  LifePorts,
  'gatekeeper' | 'threadReader' | 'durations' | 'histories' | 'refusedTexts' | 'witness'
> = {
  gatekeeper: { admit: async () => ({ may: true }) },
  threadReader: { read: async () => ({ messages: 0, total: 0, files: 0, unreadable: 0, text: '' }) },
  durations: { note: async () => {}, expect: async () => undefined },
  refusedTexts: { get: async () => undefined, update: async (_id, change) => change(undefined) },
  histories: { note: async () => {}, of: async () => [] },
  witness: { changed: () => {}, closing: async () => {} },
};
