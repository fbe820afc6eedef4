import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { AppError } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { StoreContents } from './contents.ts';
import { openEmbeddedContents } from './embedded-contents.ts';
import { storeFile } from './embedded-store.ts';
import { type HomeMark, readHomeMark, writeHomeMark } from './home-mark.ts';
import type { EngineStore } from './key-value-store.ts';
import type { RecordCounts } from './record-counts.ts';
import { leaseMigration } from './running-copies.ts';
import { compareContents, isEmpty, transferContents } from './transfer.ts';

/** Entries of the audit log that have to go within this time may go while they are moved, so they stay behind. */
const MARGIN_MS = 3_600_000;

export interface MigrationOptions {
  dataDir: string;
  redisUrl: string;
  to: 'redis' | 'embedded';
  clock: Clock;
  log: Log;
  /** The least life of entries of the audit log, from now on. */
  auditKeepMs: number;
}

export interface Migrated {
  /** Records by kind, each compared in both storages. */
  counts: RecordCounts;
  /** The records were moved by an earlier run already. Nothing was done and counted. */
  wasDone: boolean;
}

type Store = EngineStore & { contents: StoreContents };

/**
 * Moves every record from the embedded storage to Redis, or back, while no app runs on either. The records stay in the
 * former storage too, marked so that no app runs on them. A run that was interrupted is continued by the next one. Throws
 * `AppError` of kind `storage`.
 */
export async function migrateStore(options: MigrationOptions): Promise<Migrated> {
  const { dataDir, redisUrl, to, clock, log } = options;
  if (to === 'redis' && !existsSync(storeFile(dataDir))) {
    throw new AppError('storage', `There is no store of this app in ${dataDir}`);
  }
  const { openRedisContents } = await import('./redis-contents.ts');
  const redis = await openRedisContents(redisUrl, log);
  try {
    const lease = await leaseMigration(redis);
    try {
      const embedded: Store = openEmbeddedContents(dataDir, clock, log);
      try {
        const [source, target] = to === 'redis' ? [embedded, redis] : [redis, embedded];
        return await migrate(source, target, options, lease.prove);
      } finally {
        await embedded.close();
      }
    } finally {
      await lease.stop();
    }
  } finally {
    await redis.close();
  }
}

async function migrate(
  source: Store,
  target: Store,
  { clock, auditKeepMs }: MigrationOptions,
  proveAlone: () => Promise<void>,
): Promise<Migrated> {
  const from = await readHomeMark(source);
  const to = await readHomeMark(target);
  const isThere = from?.state === 'moved' && to?.state === 'here' && to.id === from.otherId;
  if (isThere) return { counts: {}, wasDone: true };
  if (from?.state === 'arriving') {
    throw new AppError('storage', 'The records are not all in this storage: first end the migration into it');
  }
  if (!isContinued(from, to) && !isReturn(from, to) && !(await isEmpty(target.contents))) {
    throw new AppError('storage', 'The other storage holds records already, and none may be lost: empty it first');
  }
  const atMs = clock();
  const sourceId = from?.id ?? randomUUID();
  const targetId = to?.id ?? randomUUID();
  if (from === undefined) await writeHomeMark(source, { id: sourceId, state: 'here', atMs });
  await writeHomeMark(target, { id: targetId, state: 'arriving', otherId: sourceId, atMs });
  await target.contents.removePlans();
  const fromMs = clock() - auditKeepMs + MARGIN_MS;
  await transferContents(source.contents, target.contents, { fromMs, keepMs: auditKeepMs });
  const { counts, different } = await compareContents(source.contents, target.contents, { fromMs, clock });
  if (different > 0) {
    throw new AppError('storage', `${different} records differ after the migration, so it has not ended: run it again`);
  }
  await proveAlone();
  // In this order, so that an app runs on at most one of them, wherever this process is killed.
  await writeHomeMark(source, { id: sourceId, state: 'moved', otherId: targetId, atMs: clock() });
  await writeHomeMark(target, { id: targetId, state: 'here', otherId: sourceId, atMs: clock() });
  return { counts, wasDone: false };
}

/** An earlier run from the same storage was interrupted. */
function isContinued(from: HomeMark | undefined, to: HomeMark | undefined): boolean {
  return from !== undefined && to?.state === 'arriving' && to.otherId === from.id;
}

/** What the target holds is what was moved to the source before. */
function isReturn(from: HomeMark | undefined, to: HomeMark | undefined): boolean {
  return from?.state === 'here' && to?.state === 'moved' && to.otherId === from.id;
}
