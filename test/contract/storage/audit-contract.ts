import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AuditEntry, AuditRange, AuditStore } from '../../../src/core/history/audit.ts';
import { createAuditStore } from '../../../src/storage/audit-store.ts';
import type { EngineStore } from '../../../src/storage/key-value-store.ts';
import { PAGE_SIZE } from '../../../src/storage/timed-texts.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

/** A storage engine; `open` opens the same data again, `clear` deletes it. */
interface Engine {
  open(): Promise<EngineStore>;
  clear(): Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Noon, so that tests cross midnight on purpose only. Today's, because Redis drops days that are over. */
const noonMs = Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2;
const keepMs = 90 * dayMs;

export const all: AuditRange = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

export function sampleEntry(overrides: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: 'asked:q0123456789abcdef01234567',
    atMs: noonMs,
    action: 'asked',
    teamId: 'T1',
    userId: 'U1',
    channelId: 'C1',
    questionId: 'q0123456789abcdef01234567',
    ...overrides,
  };
}

/** The contract of the stored audit log, for every engine. */
export function auditContract(engine: Engine): void {
  let kv: EngineStore;
  let audit: AuditStore;
  const { log } = createRecordingLog();

  beforeEach(async () => {
    await engine.clear();
    kv = await engine.open();
    audit = createAuditStore(kv, keepMs, log);
  });

  afterEach(() => kv.close());

  async function idsIn(range: AuditRange = all): Promise<string[]> {
    return (await entriesIn(range)).map(({ id }) => id);
  }

  async function entriesIn(range: AuditRange = all): Promise<AuditEntry[]> {
    const entries: AuditEntry[] = [];
    for await (const page of audit.pages(range)) entries.push(...page);
    return entries;
  }

  async function appendAt(atMs: number, ...names: string[]): Promise<void> {
    for (const id of names) await audit.append(sampleEntry({ id, atMs }));
  }

  /** A few at a time, so that no write waits longer than the storage allows on a busy machine. */
  async function appendMany(names: readonly string[], atMs: (index: number) => number): Promise<void> {
    for (let from = 0; from < names.length; from += 50) {
      await Promise.all(names.slice(from, from + 50).map((name, index) => appendAt(atMs(from + index), name)));
    }
  }

  it('returns an entry with all its fields, also after the storage was opened again', async () => {
    const entry = sampleEntry({
      action: 'ended',
      detail: 'answered',
      access: 'own',
      usage: { durationMs: 41_000, credits: 2.5, repositories: ['github.com/acme/one', 'github.com/acme/two'] },
    });
    expect(await audit.append(entry)).toBe(true);
    await kv.close();
    kv = await engine.open();
    audit = createAuditStore(kv, keepMs, log);
    expect(await entriesIn()).toEqual([entry]);
  });

  it('stores an entry once for its id and time, and keeps the first', async () => {
    expect(await audit.append(sampleEntry({ detail: 'first' }))).toBe(true);
    expect(await audit.append(sampleEntry({ detail: 'second' }))).toBe(false);
    expect((await entriesIn()).map(({ detail }) => detail)).toEqual(['first']);
  });

  it('stores an entry once when many processes append it at the same time', async () => {
    const stored = await Promise.all(Array.from({ length: 20 }, () => audit.append(sampleEntry())));
    expect(stored.filter(Boolean)).toHaveLength(1);
    expect(await idsIn()).toHaveLength(1);
  });

  it('tells ids of the same millisecond apart, also when one begins with the other', async () => {
    await appendAt(noonMs, 'ended:q1:10', 'ended:q1:1', 'ended:q1');
    expect(await idsIn()).toEqual(['ended:q1', 'ended:q1:1', 'ended:q1:10']);
  });

  it('returns entries in order of time, in whatever order they came, across days', async () => {
    await appendAt(noonMs + dayMs, 'c');
    await appendAt(noonMs - dayMs, 'a');
    await appendAt(noonMs, 'b');
    expect(await idsIn()).toEqual(['a', 'b', 'c']);
  });

  it('returns the entries of a range with its beginning and without its end', async () => {
    await appendAt(noonMs - 1, 'before');
    await appendAt(noonMs, 'first');
    await appendAt(noonMs + dayMs - 1, 'last');
    await appendAt(noonMs + dayMs, 'after');
    expect(await idsIn({ fromMs: noonMs, toMs: noonMs + dayMs })).toEqual(['first', 'last']);
  });

  it('returns nothing for an empty log and for an empty range', async () => {
    expect(await idsIn()).toEqual([]);
    await appendAt(noonMs, 'a');
    expect(await idsIn({ fromMs: noonMs + 1, toMs: noonMs + 1 })).toEqual([]);
  });

  it('reads many entries in pages, each once, also when more than a page has the same millisecond', async () => {
    const names = Array.from({ length: PAGE_SIZE + 50 }, (_, index) => `e${String(index).padStart(5, '0')}`);
    await appendMany(names, () => noonMs);
    await appendAt(noonMs + 1, 'later');
    const pages: AuditEntry[][] = [];
    for await (const page of audit.pages(all)) pages.push(page);
    expect(pages.flat().map(({ id }) => id)).toEqual([...names, 'later']);
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(PAGE_SIZE);
  });

  it('continues a reading although entries come and go meanwhile', async () => {
    const names = Array.from({ length: PAGE_SIZE + 10 }, (_, index) => `e${String(index).padStart(5, '0')}`);
    await appendMany(names, (index) => noonMs + Math.floor(index / 7));
    const seen: string[] = [];
    for await (const page of audit.pages(all)) {
      seen.push(...page.map(({ id }) => id));
      for (const entry of page.slice(-20)) await audit.replace(entry, undefined);
      await appendAt(noonMs - 1, `early${seen.length}`);
    }
    expect(seen).toEqual(names);
  });

  it('removes entries older than a time in steps, and says when none is left', async () => {
    const old = Array.from({ length: PAGE_SIZE + 1 }, (_, index) => `old${index}`);
    await appendMany(old, (index) => noonMs - index - 1);
    await appendAt(noonMs - 3 * dayMs, 'older');
    await appendAt(noonMs, 'kept');
    let removed = 0;
    for (let steps = 0; steps < 10; steps += 1) removed += await audit.removeBefore(noonMs);
    expect(removed).toBe(old.length + 1);
    expect(await audit.removeBefore(noonMs)).toBe(0);
    expect(await idsIn()).toEqual(['kept']);
  });

  it('removes and rewrites single entries', async () => {
    await appendAt(noonMs, 'a', 'b', 'c');
    const { userId: _, ...anonymous } = sampleEntry({ id: 'b' });
    expect(await audit.replace({ id: 'a', atMs: noonMs }, undefined)).toBe(true);
    expect(await audit.replace({ id: 'b', atMs: noonMs }, anonymous)).toBe(true);
    expect(await audit.replace({ id: 'b', atMs: noonMs }, anonymous)).toBe(true);
    expect(await audit.replace({ id: 'gone', atMs: noonMs }, undefined)).toBe(false);
    expect(await entriesIn()).toEqual([anonymous, sampleEntry({ id: 'c' })]);
  });

  it('refuses an entry that has text instead of a code, and stores nothing of it', async () => {
    await expect(audit.append(sampleEntry({ detail: 'Where is the key?' }))).rejects.toMatchObject({ kind: 'corrupt' });
    await expect(audit.append(sampleEntry({ id: 'two words' }))).rejects.toMatchObject({ kind: 'corrupt' });
    const usage = { repositories: ['not a name'] };
    await expect(audit.append(sampleEntry({ usage }))).rejects.toMatchObject({ kind: 'corrupt' });
    expect(await idsIn()).toEqual([]);
  });

  it('leaves out a damaged entry and returns the others', async () => {
    await appendAt(noonMs, 'a', 'c');
    for (const [index, text] of ['', '{', '[]', '{"action":"asked"}'].entries()) {
      await kv.timed.append({ atMs: noonMs, name: `b${index}`, text }, keepMs);
    }
    expect(await idsIn()).toEqual(['a', 'c']);
  });
}
