import type { Journal, JournalFields } from '../../src/core/ports.ts';

/** A journal that keeps what it is told, for tests that need to know how often something was reported. */
export function createRecordingJournal(): { journal: Journal; lines: JournalFields[] } {
  const lines: JournalFields[] = [];
  const keep = (fields: JournalFields) => void lines.push(fields);
  return { journal: { debug: keep, info: keep, warn: keep, error: keep }, lines };
}
