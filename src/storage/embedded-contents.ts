import type { Database } from 'lmdb';
import type { Clock, Log } from '../core/ports.ts';
import { CONTENTS_PAGE, isMoved, type Member, pagesOf, type StoreContents } from './contents.ts';
import { openEmbedded, settle, translate } from './embedded-store.ts';
import type { EngineStore } from './key-value-store.ts';
import type { KeyedEntry } from './lmdb-adapter.ts';

/** Opens the embedded store with its contents, for the process that has its lock. */
export function openEmbeddedContents(
  dataDir: string,
  clock: Clock,
  log: Log,
): EngineStore & { contents: StoreContents } {
  const { store, env, entries } = openEmbedded(dataDir, clock, log);
  const membership: Database<true, [string, string]> = env.openDB({ name: 'members' });

  const contents: StoreContents = {
    async *texts() {
      let after: string | undefined;
      for (;;) {
        const page: KeyedEntry[] = [];
        for (const entry of entries.living(after)) {
          page.push(entry);
          if (page.length === CONTENTS_PAGE) break;
        }
        const last = page.at(-1);
        if (last === undefined) return;
        after = last.key;
        yield page.filter(({ key }) => isMoved(key)).flatMap(asText);
      }
    },
    findTexts: async (keys) => keys.map((key) => asText(entries.find(key))[0]),
    async putTexts(texts) {
      await change(() => {
        for (const text of texts) entries.put(text);
      });
    },
    async removeTexts(keys) {
      await change(() => {
        for (const key of keys) entries.remove(key);
      });
    },
    async *members() {
      for (const page of pagesOf([...membership.getKeys()])) {
        yield page.map(([set, member]) => ({ set, member })).filter(({ set }) => isMoved(set));
      }
    },
    areMembers: async (members) => members.map(({ set, member }) => membership.doesExist([set, member])),
    addMembers: (members) => changeMembers(members, (key) => void membership.putSync(key, true)),
    removeMembers: (members) => changeMembers(members, (key) => void membership.removeSync(key)),
    timed: store.timed,
    // Timers are planned runs here, and end with their process.
    removePlans: async () => {},
  };
  return { ...store, contents };

  function changeMembers(members: readonly Member[], changeOne: (key: [string, string]) => void): Promise<void> {
    return change(() => {
      for (const { set, member } of members) changeOne([set, member]);
    });
  }

  /** One transaction. */
  async function change(action: () => void): Promise<void> {
    try {
      await settle(() => entries.transaction(action));
    } catch (error) {
      throw translate(error);
    }
  }
}

/** None for an entry that is no text: the app stores texts only. */
function asText(entry: KeyedEntry | undefined): { key: string; value: string; expiresMs?: number }[] {
  if (typeof entry?.value !== 'string') return [];
  const { key, value, expiresMs } = entry;
  return [{ key, value, ...(expiresMs === undefined ? {} : { expiresMs }) }];
}
