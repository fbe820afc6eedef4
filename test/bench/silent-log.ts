import type { Log } from '../../src/core/ports.ts';

/** For what is measured without a log. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
