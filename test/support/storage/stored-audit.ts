import type { AuditEntry } from '../../../src/core/history/audit.ts';
import { readAuditLog, type StorageLocation } from '../../../src/storage/open-storage.ts';
import { createRecordingLog } from '../recording-log.ts';

/** All stored entries of the audit log, read beside the running app. */
export async function storedAudit(location: StorageLocation): Promise<AuditEntry[]> {
  const { log } = createRecordingLog();
  const range = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  const found: AuditEntry[] = [];
  for await (const page of readAuditLog(location, range, { clock: Date.now, log })) found.push(...page);
  return found;
}
