const KEY = 'codesearch-console-history';
const MOST_ENTRIES = 50;
const LONGEST_ENTRY = 20_000;
const MOST_CHARACTERS = 400_000;

/**
 * The latest queries, kept in this browser, newest first. Works without storage too, for as long as the page is open.
 *
 * @typedef {{ query: string, variables: string }} Entry
 */
export function createHistory() {
  /** @type {Entry[]} */
  let entries = read();

  /** @returns {Entry[]} */
  function read() {
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? '[]');
      if (!Array.isArray(stored)) return [];
      return stored
        .filter((entry) => typeof entry?.query === 'string' && typeof entry?.variables === 'string')
        .slice(0, MOST_ENTRIES);
    } catch {
      return [];
    }
  }

  function write() {
    try {
      localStorage.setItem(KEY, JSON.stringify(entries));
    } catch {
      // The storage is full or switched off: the entries last as long as the page.
    }
  }

  return {
    entries: () => entries,
    /** @param {Entry} entry */
    add(entry) {
      if (entry.query.length + entry.variables.length > LONGEST_ENTRY) return;
      entries = [entry, ...entries.filter(({ query }) => query.trim() !== entry.query.trim())].slice(0, MOST_ENTRIES);
      let left = MOST_CHARACTERS;
      entries = entries.filter(({ query, variables }) => {
        left -= query.length + variables.length;
        return left >= 0;
      });
      write();
    },
    clear() {
      entries = [];
      write();
    },
  };
}
