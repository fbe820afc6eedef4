import { isAppError } from '../core/errors.ts';
import type { Subject } from '../core/personal-data/person-data.ts';
import { type KeyValueStore, lost, retryLost } from './key-value-store.ts';
import { type RecordKind, recordKinds } from './record-kinds.ts';

/** What is stored about a person, by kind. `unreadable`: keys of records that can't be read. */
export interface PersonExport {
  parts: Record<string, unknown[]>;
  unreadable: string[];
}

/** Collects what is stored about a person. Changes nothing. Throws `AppError` of kind `storage`. */
export async function exportPerson(kv: Pick<KeyValueStore, 'get' | 'keys'>, subject: Subject): Promise<PersonExport> {
  const parts: Record<string, unknown[]> = {};
  const unreadable = new Set<string>();
  for (const { kind, prefix, part } of recordKinds) {
    if (part === undefined) continue;
    const found = new Map<string, unknown>();
    for await (const key of kv.keys(prefix)) {
      const text = await kv.get(key);
      const own = text === undefined ? undefined : ifReadable(key, unreadable, () => part(key, text, subject));
      if (own !== undefined) found.set(key, own);
    }
    parts[kind] = [...found].map(([key, record]) => ({ key, record }));
  }
  return { parts, unreadable: [...unreadable] };
}

/** How many records were deleted or changed, by kind, and what could not be erased. */
export interface Erasure {
  erased: Record<string, number>;
  /** Keys of records that an open question needs. */
  inUse: string[];
  /** Keys of records that can't be read, so that it is not known whose they are. */
  unreadable: string[];
}

/**
 * Erases what is stored about a person, record by record, except the keys in `kept`. Safe beside a
 * running app: each record is replaced or deleted only if it is still the one that was read. Safe to interrupt and to
 * repeat. Throws `AppError` of kind `storage`.
 */
export async function erasePerson(
  kv: KeyValueStore,
  subject: Subject,
  { retentionMs, kept }: { retentionMs: number; kept: ReadonlySet<string> },
): Promise<Erasure> {
  const erased: Record<string, number> = {};
  const inUse: string[] = [];
  const unreadable = new Set<string>();
  for (const kind of recordKinds) {
    if (kind.without === undefined) continue;
    for await (const key of kv.keys(kind.prefix)) {
      if (kept.has(key)) continue;
      const erase = () => eraseOnce(kv, kind, key, { subject, retentionMs, unreadable });
      const done = await retryLost(key, erase, () => 'inUse' as const);
      if (done === 'inUse') inUse.push(key);
      if (done === 'erased') erased[kind.kind] = (erased[kind.kind] ?? 0) + 1;
    }
  }
  return { erased, inUse, unreadable: [...unreadable] };
}

async function eraseOnce(
  kv: KeyValueStore,
  { prefix, listKey, without }: RecordKind,
  key: string,
  { subject, retentionMs, unreadable }: { subject: Subject; retentionMs: number; unreadable: Set<string> },
): Promise<'erased' | 'inUse' | 'same' | typeof lost> {
  const text = await kv.get(key);
  if (text === undefined) return 'same';
  const next = ifReadable(key, unreadable, () => without?.(key, text, subject, retentionMs)) ?? 'same';
  if (next === 'same' || next === 'inUse') return next;
  if (next !== 'delete') return (await kv.compareAndSet(key, text, next.text, next.lifeMs)) ? 'erased' : lost;
  if (!(await kv.compareAndDelete(key, text))) return lost;
  if (listKey !== undefined) await kv.removeMember(listKey, key.slice(prefix.length));
  return 'erased';
}

/** Notes the key of a record that can't be read. Throws other errors. */
function ifReadable<Result>(key: string, unreadable: Set<string>, read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    unreadable.add(key);
    return undefined;
  }
}
