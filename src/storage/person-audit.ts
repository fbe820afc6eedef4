import type { AuditEntry } from '../core/history/audit.ts';
import { isSubject, type Subject } from '../core/personal-data/person-data.ts';
import type { Log } from '../core/ports.ts';
import { createAuditStore, readAuditPages } from './audit-store.ts';
import type { EngineStore } from './key-value-store.ts';
import { DAY_MS } from './records.ts';
import type { TimedTexts } from './timed-texts.ts';

const always = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
/** Unreadable entries name no one, so they are left out without a word. */
const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The entries of the audit log about what a person did, oldest first. Throws `AppError` of kind `storage`. */
export async function exportAudit(
  store: { timed: Pick<TimedTexts, 'pages'> },
  subject: Subject,
): Promise<AuditEntry[]> {
  const own: AuditEntry[] = [];
  for await (const page of readAuditPages(store.timed, always, silent)) {
    own.push(...page.filter((entry) => isBy(entry, subject)));
  }
  return own;
}

/**
 * Removes a person from the audit log. An entry stays without the person, for the usage report, or goes if its id or
 * its detail names the person. Returns how many entries changed. Safe to repeat. Throws `AppError` of kind `storage`.
 */
export async function eraseFromAudit(store: EngineStore, subject: Subject): Promise<number> {
  const audit = createAuditStore(store, 0, silent);
  let changed = 0;
  for await (const page of audit.pages(always)) {
    for (const entry of page.filter((each) => isBy(each, subject))) {
      const { userId: _userId, ...rest } = entry;
      const namesPerson = JSON.stringify(rest).includes(subject.userId);
      if (await audit.replace(entry, namesPerson ? undefined : rest)) changed += 1;
    }
  }
  return changed;
}

/** Adds an entry to the audit log, which keeps it for `auditDays`. Throws `AppError` of kind `storage`. */
export async function noteInAudit(store: EngineStore, entry: AuditEntry, auditDays: number): Promise<void> {
  await createAuditStore(store, auditDays * DAY_MS, silent).append(entry);
}

/** Whether the person did it, or the entry's id or detail names them. */
function isBy(entry: AuditEntry, subject: Subject): boolean {
  const names =
    entry.userId === subject.userId || [entry.id, entry.detail].some((each) => each?.includes(subject.userId));
  return names && isSubject(subject, { teamId: entry.teamId, userId: subject.userId });
}
