import type { RedisConnection } from './redis-connection.ts';
import { isAfter, PAGE_SIZE, type TimedText, type TimedTexts, type TimeRange } from './timed-texts.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Key of the set with the days (UTC, `2026-11-22`) that have texts. */
const DAYS_KEY = 'ds:audit-days';

/** Key of the sorted set with a day's texts: the score is the time, a member is the name, a line feed and the text. */
function dayKey(day: string): string {
  return `ds:audit:${day}`;
}

/**
 * Adds `ARGV[2]` (the name and a line feed) with `ARGV[3]` at the score `ARGV[1]`, unless the name is there. The day ends
 * at `ARGV[4]` and is listed as `ARGV[5]`. Few texts have the same millisecond.
 */
const APPEND = `
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[1], 'BYSCORE')) do
  if string.sub(member, 1, #ARGV[2]) == ARGV[2] then return 0 end
end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2] .. ARGV[3])
redis.call('PEXPIREAT', KEYS[1], ARGV[4])
redis.call('SADD', KEYS[2], ARGV[5])
return 1`;

/** Removes the member with the score `ARGV[1]` that begins with `ARGV[2]`. Adds it with `ARGV[3]`, if that is given. */
const REPLACE = `
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[1], 'BYSCORE')) do
  if string.sub(member, 1, #ARGV[2]) == ARGV[2] then
    if #ARGV == 3 then redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2] .. ARGV[3]) end
    if #ARGV == 2 or member ~= ARGV[2] .. ARGV[3] then redis.call('ZREM', KEYS[1], member) end
    return 1
  end
end
return 0`;

/** The texts in Redis: a sorted set for each day, so that old days end as a whole, by their time to live. */
export function createRedisTimedTexts({ client, run }: Pick<RedisConnection, 'client' | 'run'>): TimedTexts {
  return { append, pages, removeBefore, replace };

  async function append({ atMs, name, text }: TimedText, keepMs: number): Promise<boolean> {
    const day = dayOf(atMs);
    const expiresMs = startOf(day) + DAY_MS + keepMs;
    const done = await run('EVAL', () =>
      client.eval(APPEND, {
        keys: [dayKey(day), DAYS_KEY],
        arguments: [String(atMs), `${name}\n`, text, String(expiresMs), day],
      }),
    );
    return done === 1;
  }

  async function* pages(range: TimeRange): AsyncGenerator<TimedText[]> {
    const days = (await readDays()).filter((day) => startOf(day) + DAY_MS > range.fromMs && startOf(day) < range.toMs);
    for (const day of days) yield* pagesOfDay(day, range);
  }

  /** Continues at the time of the last text, and leaves out what it had before: other texts may come and go meanwhile. */
  async function* pagesOfDay(day: string, { fromMs, toMs }: TimeRange): AsyncGenerator<TimedText[]> {
    let last: TimedText | undefined;
    for (let offset = 0; ; ) {
      const raw = await readPage(day, Math.max(fromMs, last?.atMs ?? 0), toMs, offset);
      const page = raw.filter((item) => isAfter(item, last));
      if (page.length > 0) yield page;
      if (raw.length < PAGE_SIZE) return;
      // A whole page of one millisecond brings nothing new, so the next one is further on.
      offset = page.length === 0 ? offset + PAGE_SIZE : 0;
      last = page.at(-1) ?? last;
    }
  }

  async function readPage(day: string, fromMs: number, toMs: number, offset: number): Promise<TimedText[]> {
    const members = await run('ZRANGE', () =>
      client.zRangeWithScores(dayKey(day), fromMs, `(${toMs}`, {
        BY: 'SCORE',
        LIMIT: { offset, count: PAGE_SIZE },
      }),
    );
    return members.map(({ value, score }) => read(value, score));
  }

  async function removeBefore(beforeMs: number): Promise<number> {
    for (const day of await readDays()) {
      if (startOf(day) >= beforeMs) return 0;
      const removed = startOf(day) + DAY_MS <= beforeMs ? await removeDay(day) : await removeSome(day, beforeMs);
      if (removed > 0) return removed;
    }
    return 0;
  }

  /** Removes a whole day, which Redis frees in the background. A day that has expired is only listed. */
  async function removeDay(day: string): Promise<number> {
    const count = await run('ZCARD', () => client.zCard(dayKey(day)));
    await run('UNLINK', () => client.unlink(dayKey(day)));
    await run('SREM', () => client.sRem(DAYS_KEY, day));
    return count;
  }

  async function removeSome(day: string, beforeMs: number): Promise<number> {
    const options = { BY: 'SCORE' as const, LIMIT: { offset: 0, count: PAGE_SIZE } };
    const old = await run('ZRANGE', () => client.zRange(dayKey(day), '-inf', `(${beforeMs}`, options));
    return old.length === 0 ? 0 : run('ZREM', () => client.zRem(dayKey(day), old));
  }

  async function replace({ atMs, name }: Omit<TimedText, 'text'>, text: string | undefined): Promise<boolean> {
    const done = await run('EVAL', () =>
      client.eval(REPLACE, {
        keys: [dayKey(dayOf(atMs))],
        arguments: [String(atMs), `${name}\n`, ...(text === undefined ? [] : [text])],
      }),
    );
    return done === 1;
  }

  async function readDays(): Promise<string[]> {
    return (await run('SMEMBERS', () => client.sMembers(DAYS_KEY))).toSorted();
  }
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function read(member: string, atMs: number): TimedText {
  const end = member.indexOf('\n');
  return { atMs, name: member.slice(0, end), text: member.slice(end + 1) };
}
