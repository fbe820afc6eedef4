import type { Clock } from '../core/ports.ts';
import type { Member, StoreContents, StoredText } from './contents.ts';
import { countKind, type RecordCounts } from './record-counts.ts';
import { isAfter, type TimedText, type TimeRange } from './timed-texts.ts';

/** Two clocks read in two steps may tell ends that differ by this much, in milliseconds. */
const SAME_END_MS = 10;
/** A text that ends this soon may have ended in one of two stores already, in milliseconds. */
const ENDS_SOON_MS = 60_000;

/** What makes the target's records the source's: what is missing there or differs, and what is there too much. */
interface Differences {
  texts: StoredText[];
  extraTexts: StoredText[];
  members: Member[];
  extraMembers: Member[];
  timed: TimedText[];
  extraTimed: TimedText[];
}

const none: Differences = { texts: [], extraTexts: [], members: [], extraMembers: [], timed: [], extraTimed: [] };

/** What is compared besides texts and members. */
export interface TimedScope {
  /** Texts in order of time that are older are left out: they are about to be removed, and Redis does not take them any more. */
  fromMs: number;
  /** The least life of those that are stored. */
  keepMs: number;
}

/**
 * Makes the target hold exactly what the source holds, with the times at which it ends. Reads everything and writes what
 * differs, so it may be interrupted and begun again.
 */
export async function transferContents(
  source: StoreContents,
  target: StoreContents,
  { fromMs, keepMs }: TimedScope,
): Promise<void> {
  for await (const found of differences(source, target, fromMs)) {
    const { texts, extraTexts, members, extraMembers, timed, extraTimed } = found;
    if (texts.length > 0) await target.putTexts(texts);
    if (extraTexts.length > 0) await target.removeTexts(extraTexts.map(({ key }) => key));
    if (members.length > 0) await target.addMembers(members);
    if (extraMembers.length > 0) await target.removeMembers(extraMembers);
    await Promise.all(
      timed.map(async (item) => {
        if (!(await target.timed.append(item, keepMs))) await target.timed.replace(item, item.text);
      }),
    );
    await Promise.all(extraTimed.map((item) => target.timed.replace(item, undefined)));
  }
}

/** Compares every record of two stores. Returns the source's records by kind, and how many differ or are missing. */
export async function compareContents(
  source: StoreContents,
  target: StoreContents,
  { fromMs, clock }: { fromMs: number; clock: Clock },
): Promise<{ counts: RecordCounts; different: number }> {
  const counts: RecordCounts = {};
  let different = 0;
  const lasts = ({ expiresMs = Number.POSITIVE_INFINITY }: StoredText): boolean => expiresMs > clock() + ENDS_SOON_MS;
  const count = (key: string): void => countKind(counts, key);
  for await (const { texts, extraTexts, ...others } of differences(source, target, fromMs, count)) {
    different += [...texts, ...extraTexts].filter(lasts).length;
    for (const found of Object.values(others)) different += found.length;
  }
  return { counts, different };
}

/** Whether a store holds nothing that would move. */
export async function isEmpty({ texts, members, timed }: StoreContents): Promise<boolean> {
  for (const pages of [texts(), members(), timed.pages({ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER })]) {
    for await (const page of pages) if (page.length > 0) return false;
  }
  return true;
}

async function* differences(
  source: StoreContents,
  target: StoreContents,
  fromMs: number,
  count: (key: string) => void = () => {},
): AsyncGenerator<Differences> {
  for await (const page of source.texts()) {
    const found = await target.findTexts(page.map(({ key }) => key));
    for (const { key } of page) count(key);
    yield { ...none, texts: page.filter((text, index) => !isSame(text, found[index])) };
  }
  for await (const page of target.texts()) {
    const found = await source.findTexts(page.map(({ key }) => key));
    yield { ...none, extraTexts: page.filter((_, index) => found[index] === undefined) };
  }
  for await (const page of source.members()) {
    for (const { set } of page) count(set);
    yield { ...none, members: await missingIn(target, page) };
  }
  for await (const page of target.members()) yield { ...none, extraMembers: await missingIn(source, page) };
  yield* timedDifferences(source, target, fromMs, count);
}

async function missingIn(contents: StoreContents, members: Member[]): Promise<Member[]> {
  const areThere = await contents.areMembers(members);
  return members.filter((_, index) => areThere[index] === false);
}

function isSame(text: StoredText, other: StoredText | undefined): boolean {
  if (other?.value !== text.value) return false;
  if (text.expiresMs === undefined || other.expiresMs === undefined) return text.expiresMs === other.expiresMs;
  return Math.abs(text.expiresMs - other.expiresMs) <= SAME_END_MS;
}

/** Both stores have these texts in the same order, so one pass over both compares them. */
async function* timedDifferences(
  source: StoreContents,
  target: StoreContents,
  fromMs: number,
  count: (key: string) => void,
): AsyncGenerator<Differences> {
  const range = { fromMs, toMs: Number.MAX_SAFE_INTEGER };
  const there = itemsOf(target, range);
  let next = await there.next();
  for await (const page of source.timed.pages(range)) {
    const found: Differences = { ...none, timed: [], extraTimed: [] };
    for (const item of page) {
      count('ds:audit');
      while (next.done !== true && isAfter(item, next.value)) {
        found.extraTimed.push(next.value);
        next = await there.next();
      }
      const other = next.done === true || isAfter(next.value, item) ? undefined : next.value;
      if (other !== undefined) next = await there.next();
      if (other?.text !== item.text) found.timed.push(item);
    }
    yield found;
  }
  for (; next.done !== true; next = await there.next()) yield { ...none, extraTimed: [next.value] };
}

async function* itemsOf({ timed }: StoreContents, range: TimeRange): AsyncGenerator<TimedText, undefined> {
  for await (const page of timed.pages(range)) yield* page;
  return undefined;
}
