import type { Log } from '../core/ports.ts';
import { CONTENTS_PAGE, isMoved, type StoreContents, type StoredText } from './contents.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { openRedisStore } from './redis-store.ts';

/**
 * Reads the texts under `KEYS`: for each one its value and when it ends (epoch ms, empty for never), or nothing. Redis 6.2
 * tells only how long it still lives.
 */
const READ_TEXTS = `
local now = redis.call('TIME')
local nowMs = now[1] * 1000 + math.floor(now[2] / 1000)
local found = {}
for i, key in ipairs(KEYS) do
  local value = redis.call('GET', key)
  local left = redis.call('PTTL', key)
  if value == false then found[i] = {}
  elseif left < 0 then found[i] = {value, ''}
  else found[i] = {value, string.format('%.0f', nowMs + left)} end
end
return found`;

/** Opens Redis with its contents, for a program that has it for itself. */
export async function openRedisContents(
  redisUrl: string,
  log: Log,
): Promise<KeyValueStore & { contents: StoreContents }> {
  const store = await openRedisStore(redisUrl, log);
  const { client, run } = store;

  async function* scan(match: string, type?: string): AsyncGenerator<string[]> {
    let cursor = '0';
    do {
      const from = cursor;
      const options = { MATCH: match, COUNT: CONTENTS_PAGE, ...(type === undefined ? {} : { TYPE: type }) };
      const page = await run('SCAN', () => client.scan(from, options));
      if (page.keys.length > 0) yield page.keys;
      cursor = page.cursor;
    } while (cursor !== '0');
  }

  async function findTexts(keys: readonly string[]): Promise<(StoredText | undefined)[]> {
    if (keys.length === 0) return [];
    const found = await run('EVAL', () => client.eval(READ_TEXTS, { keys: [...keys], arguments: [] }));
    return keys.map((key, index) => asText(key, Array.isArray(found) ? found[index] : undefined));
  }

  const contents: StoreContents = {
    async *texts() {
      for await (const keys of scan('ds:*', 'string')) {
        yield (await findTexts(keys.filter(isMoved))).filter((text) => text !== undefined);
      }
    },
    findTexts,
    async putTexts(texts) {
      await Promise.all(
        texts.map(({ key, value, expiresMs }) =>
          run('SET', () =>
            client.set(
              key,
              value,
              expiresMs === undefined ? {} : { expiration: { type: 'PXAT', value: Math.round(expiresMs) } },
            ),
          ),
        ),
      );
    },
    async removeTexts(keys) {
      if (keys.length > 0) await run('DEL', () => client.del([...keys]));
    },
    async *members() {
      for await (const keys of scan('ds:*', 'set')) {
        for (const set of keys.filter(isMoved)) {
          let cursor = '0';
          do {
            const from = cursor;
            const page = await run('SSCAN', () => client.sScan(set, from, { COUNT: CONTENTS_PAGE }));
            if (page.members.length > 0) yield page.members.map((member) => ({ set, member }));
            cursor = page.cursor;
          } while (cursor !== '0');
        }
      }
    },
    areMembers: (members) =>
      Promise.all(
        members.map(async ({ set, member }) => (await run('SISMEMBER', () => client.sIsMember(set, member))) === 1),
      ),
    async addMembers(members) {
      await Promise.all(members.map(({ set, member }) => store.addMember(set, member)));
    },
    async removeMembers(members) {
      await Promise.all(members.map(({ set, member }) => store.removeMember(set, member)));
    },
    async removePlans() {
      for await (const keys of scan('ds:bull:*')) await run('UNLINK', () => client.unlink(keys));
    },
  };
  return { ...store, contents };
}

function asText(key: string, found: unknown): StoredText | undefined {
  const [value, expires] = Array.isArray(found) ? found : [];
  if (typeof value !== 'string') return undefined;
  return { key, value, ...(typeof expires === 'string' && expires !== '' ? { expiresMs: Number(expires) } : {}) };
}
