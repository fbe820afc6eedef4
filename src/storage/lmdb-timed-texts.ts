import type { Database, RootDatabase } from 'lmdb';
import { PAGE_SIZE, type TimedText, type TimedTexts, type TimeRange } from './timed-texts.ts';

type Key = [atMs: number, name: string];

/** Runs one operation within the store's deadline and translates its failure. */
type Run = <T>(name: string, operation: () => T | Promise<T>) => Promise<T>;

/** Name of the database. The keys are ordered by time, then by name, so a range is read without an index. */
const DATABASE = 'timed-texts';

/** Opens the texts of a store for reading and writing. `checkKey` throws for a key that is too long. */
export function openTimedTexts(env: RootDatabase, run: Run, checkKey: (key: string) => void): TimedTexts {
  const texts: Database<string, Key> = env.openDB({ name: DATABASE });
  return {
    async append({ atMs, name, text }) {
      checkKey(name);
      return run('append', () =>
        texts.transaction(() => {
          if (texts.doesExist([atMs, name])) return false;
          texts.putSync([atMs, name], text);
          return true;
        }),
      );
    },
    pages: (range) => pagesOf(texts, run, range),
    removeBefore: (beforeMs) =>
      run('removeBefore', () =>
        texts.transaction(() => {
          const old = [...texts.getKeys({ end: [beforeMs, ''], limit: PAGE_SIZE })];
          for (const key of old) texts.removeSync(key);
          return old.length;
        }),
      ),
    replace: ({ atMs, name }, text) =>
      run('replace', () =>
        texts.transaction(() => {
          if (!texts.doesExist([atMs, name])) return false;
          if (text === undefined) texts.removeSync([atMs, name]);
          else texts.putSync([atMs, name], text);
          return true;
        }),
      ),
  };
}

/** Opens the texts for reading beside the process that writes. A store of an earlier version has none. */
export function openTimedTextsForReading(env: RootDatabase): Pick<TimedTexts, 'pages'> {
  const names = [...env.getKeys()].map(String);
  if (!names.includes(DATABASE)) return { pages: async function* () {} };
  const texts: Database<string, Key> = env.openDB({ name: DATABASE });
  return { pages: (range) => pagesOf(texts, async (_name, operation) => operation(), range) };
}

/** Each page is a separate read, so that a long reading does not hold old pages of the file. */
async function* pagesOf(
  texts: Database<string, Key>,
  run: Run,
  { fromMs, toMs }: TimeRange,
): AsyncGenerator<TimedText[]> {
  let last: Key | undefined;
  for (;;) {
    const start: Key = last ?? [fromMs, ''];
    const page = await run('page', () =>
      [...texts.getRange({ start, exclusiveStart: last !== undefined, end: [toMs, ''], limit: PAGE_SIZE })].map(
        ({ key: [atMs, name], value: text }) => ({ atMs, name, text }),
      ),
    );
    const end = page.at(-1);
    if (end !== undefined) yield page;
    if (end === undefined || page.length < PAGE_SIZE) return;
    last = [end.atMs, end.name];
  }
}
