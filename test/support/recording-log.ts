import type { Log, LogFields } from '../../src/core/ports.ts';

/** A journal that keeps what it is told, for tests that need to know how often something was reported. */
export function createRecordingLog(): { log: Log; lines: LogFields[] } {
  const lines: LogFields[] = [];
  const keep = (fields: LogFields) => void lines.push(fields);
  return { log: { debug: keep, info: keep, warn: keep, error: keep }, lines };
}
