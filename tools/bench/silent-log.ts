import type { Log } from '../../src/core/ports.ts';

/** A log that writes nothing, for measurements. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
