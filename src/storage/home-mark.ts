import { z } from 'zod';
import { AppError } from '../core/errors.ts';
import type { KeyValueStore } from './key-value-store.ts';

/** Key of the note where the records of a store live, after a migration. A store without it never took part in one. */
export const HOME_MARK_KEY = 'ds:home';

const markSchema = z.object({
  /** Names the store in the marks of others. */
  id: z.string(),
  /** `here`: the app runs on this store. `arriving`: it is being filled. `moved`: its records live in the other store. */
  state: z.enum(['here', 'arriving', 'moved']),
  /** The other store of the last migration. */
  otherId: z.string().optional(),
  atMs: z.number(),
});
export type HomeMark = z.infer<typeof markSchema>;

/** Throws `AppError` of kind `corrupt` for a mark that can't be read. */
export async function readHomeMark(kv: Pick<KeyValueStore, 'get'>): Promise<HomeMark | undefined> {
  const text = await kv.get(HOME_MARK_KEY);
  if (text === undefined) return undefined;
  try {
    return markSchema.parse(JSON.parse(text));
  } catch {
    throw new AppError('corrupt', `Record ${HOME_MARK_KEY} can't be read`);
  }
}

export async function writeHomeMark(kv: Pick<KeyValueStore, 'set'>, mark: HomeMark): Promise<void> {
  await kv.set(HOME_MARK_KEY, JSON.stringify(mark));
}

/** Throws `AppError` of kind `storage` for a store on which nothing may run, because its records are not all here. */
export async function refuseElsewhere(kv: Pick<KeyValueStore, 'get'>): Promise<void> {
  const refusal = await findElsewhere(kv);
  if (refusal !== undefined) throw refusal;
}

/** Returns why nothing may run on a store, if its records are not all here. */
export async function findElsewhere(kv: Pick<KeyValueStore, 'get'>): Promise<AppError | undefined> {
  const mark = await readHomeMark(kv);
  if (mark?.state === 'arriving') {
    return new AppError(
      'storage',
      'A migration into this storage has not ended, so that records are missing here: run `npm run admin -- migrate` again',
    );
  }
  if (mark?.state === 'moved') {
    const day = new Date(mark.atMs).toISOString().slice(0, 10);
    return new AppError(
      'storage',
      `The records of this storage were moved to the other storage on ${day}: use that one (REDIS_URL or DATA_DIR), or move them back with \`npm run admin -- migrate\``,
    );
  }
  return undefined;
}
