import type { Journal } from '../../src/core/ports.ts';

/** For what is measured without a log. */
export const silentJournal: Journal = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
