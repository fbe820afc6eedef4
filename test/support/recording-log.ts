import type { Log, LogFields } from '../../src/core/ports.ts';

/** A log that records its lines, for tests that count how often something is logged. */
export function createRecordingLog(): { log: Log; lines: LogFields[] } {
  const lines: LogFields[] = [];
  const keep = (fields: LogFields) => void lines.push(fields);
  return { log: { debug: keep, info: keep, warn: keep, error: keep }, lines };
}
