import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from 'redis';
import { describe, expect, it, test } from 'vitest';
import type { Credential } from '../../src/core/accounts/accounts.ts';
import { Secret } from '../../src/core/secret.ts';
import type { SlackBlock } from '../../src/local-slack/messages.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { ACTIONS } from '../../src/render/ids.ts';
import { createKeyRing } from '../../src/storage/encryption.ts';
import { openStoreBeside, type StorageLocation } from '../../src/storage/open-storage.ts';
import { accountKey, createAccountStore } from '../../src/storage/sealed-records.ts';
import { answerConsent, registerOAuthApp } from '../codesearch/support/oauth-app.ts';
import { createPerson, hiddenField } from '../codesearch/support/people.ts';
import { eventually } from '../support/eventually.ts';
import { buttonOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { freePort } from '../support/processes/free-port.ts';
import { type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { engines } from '../support/storage/engines.ts';
import { startRecordedService } from '../support/world/recorded-service.ts';
import { buttonsOf, startWorld } from '../support/world/world.ts';

/** Something that must not be found, by a name that a failing test may print. */
interface KnownSecret {
  name: string;
  value: string | Buffer;
}

/** Shortest text whose forms are searched, so that no form occurs by chance. */
const fewestBytes = 8;

/**
 * Finds secrets in texts and files, raw and as base64 (also inside a longer text that was encoded as a whole), base64 for
 * addresses, hex, or encoded for addresses. Returns which secret was found where and how, never the secret.
 */
function findLeaks(places: ReadonlyMap<string, string | Buffer>, secrets: readonly KnownSecret[]): string[] {
  const leaks: string[] = [];
  for (const [place, content] of places) {
    const text = typeof content === 'string' ? content : content.toString('latin1');
    const lower = text.toLowerCase();
    for (const { name, value } of secrets) {
      for (const [form, encoded] of formsOf(value)) {
        if ((form === 'hex' ? lower : text).includes(encoded)) leaks.push(`${name} as ${form} in ${place}`);
      }
    }
  }
  return leaks;
}

function formsOf(value: string | Buffer): [form: string, encoded: string][] {
  const bytes = Buffer.from(value);
  if (bytes.length < fewestBytes) throw new Error('too short to be searched for');
  const text = bytes.toString('latin1');
  return [
    ['raw', text],
    ['hex', bytes.toString('hex')],
    ['address', encodeURIComponent(text)],
    ...[0, 1, 2].flatMap((offset): [string, string][] => {
      const encoded = withinBase64(bytes, offset);
      return [
        ['base64', encoded],
        ['base64url', encoded.replaceAll('+', '-').replaceAll('/', '_')],
      ];
    }),
  ];
}

/** What base64 of a longer text has of these bytes, if `offset` bytes come before them in a group of three. */
function withinBase64(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  // The first and the last letters depend on the neighbors.
  return encoded.slice(offset === 0 ? 0 : offset + 1, (bytes.length + offset) % 3 === 0 ? undefined : -1);
}

const { log } = createRecordingLog();
const patient = { timeoutMs: 60_000 };
/** Part of a question: it must be found in the storage and in Slack, so the search can find what is there. */
const planted = 'planted-words-of-a-question';
const ada = { teamId: team.id, userId: people.ada };
const bob = { teamId: team.id, userId: people.bob };
const gerd = { teamId: team.id, userId: people.gerd };

describe.each(engines)('a run of the app on $name', ({ isRedis }) => {
  test('leaves none of its secrets in logs, storage, job payloads, metrics or Slack', async () => {
    const run = await startRun(isRedis);
    try {
      await run.askInEveryWay();
      const { places, secrets } = await run.collect();
      expect(findLeaks(places, secrets)).toEqual([]);
      // The search reads what it should: words that must be there are found.
      const words = (value: string): KnownSecret[] => [{ name: 'words', value }];
      expect(findLeaks(places, words(planted)).map(placeOf)).toEqual(expect.arrayContaining(['storage', 'Slack']));
      expect(findLeaks(places, words('question_closed')).map(placeOf)).toContain('logs');
      expect(findLeaks(places, words('deepsearch_slack_events_total')).map(placeOf)).toContain('metrics');
      expect(secrets.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["bob's first refresh token", "bob's later access token"]),
      );
    } finally {
      await run.stop();
    }
  }, 180_000);
});

describe('the search for secrets', () => {
  const secret = { name: 'it', value: 'sgp_Some/thing+secret?&' };
  it.each([
    ['raw', `a line with ${secret.value} in it`],
    ['base64', `{"authorization":"${Buffer.from(`ab ${secret.value} c`).toString('base64')}"}`],
    ['base64url', `x.${Buffer.from(`{"token":"${secret.value}"}`).toString('base64url')}.y`],
    ['hex', `\\x${Buffer.from(secret.value).toString('hex').toUpperCase()}`],
    ['address', `https://example.com/?token=${encodeURIComponent(secret.value)}&x=1`],
  ])('finds one as %s', (form, text) => {
    for (const content of [text, Buffer.from(`\0\u00ff${text}\0`)]) {
      expect(findLeaks(new Map([['logs', content]]), [secret])).toContain(`it as ${form} in logs`);
    }
    expect(findLeaks(new Map([['logs', text.slice(0, -20)]]), [{ name: 'it', value: 'another secret' }])).toEqual([]);
  });

  it('finds bytes, as those of a key', () => {
    const key = randomBytes(32);
    expect(
      findLeaks(new Map([['storage', Buffer.concat([randomBytes(9), key])]]), [{ name: 'key', value: key }]),
    ).toEqual(['key as raw in storage']);
  });
});

function placeOf(leak: string): string {
  return leak.split(' in ').at(-1)?.split(':')[0] ?? '';
}

async function startRun(isRedis: boolean) {
  const directory = await createTempDir();
  const redis = isRedis ? await startRedisServer() : undefined;
  const commands = redis === undefined ? undefined : await watchCommands(redis);
  const service = await startRecordedService();
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const oauth = await registerOAuthApp(service.url, service.token, `${publicUrl}/accounts/callback`);
  const keys = ['k2', 'k1'].map((id) => ({ id, key: new Secret(randomBytes(32).toString('base64')) }));
  const signingSecret = randomBytes(16).toString('hex');
  const appToken = `xapp-${randomBytes(12).toString('hex')}`;
  const wrongToken = `sgp_wrong-${randomBytes(12).toString('hex')}`;
  const location: StorageLocation = redis === undefined ? { dataDir: directory.path } : { redisUrl: redis.url };
  const secrets: KnownSecret[] = [
    { name: 'the bot token', value: team.botToken },
    { name: 'the signing secret', value: signingSecret },
    { name: 'the app-level token', value: appToken },
    { name: "the app's access token", value: service.token },
    { name: "ada's access token", value: service.tokenOf('ada') },
    { name: 'a refused access token', value: wrongToken },
    { name: "the OAuth app's secret", value: oauth.clientSecret },
    ...keys.flatMap(({ id, key }) => [
      { name: `key ${id}`, value: Buffer.from(key.reveal(), 'base64') },
      { name: `key ${id} as it is set`, value: key.reveal() },
    ]),
  ];
  const lines: string[] = [];
  const replies: unknown[] = [];
  const world = await startWorld({
    service,
    onLogLine: (line) => void lines.push(line),
    settings: {
      ACCOUNTS: 'preferred',
      ENCRYPTION_KEYS: keys.map(({ id, key }) => `${id}:${key.reveal()}`).join(),
      SLACK_SIGNING_SECRET: signingSecret,
      SLACK_APP_TOKEN: appToken,
      SRC_OAUTH_CLIENT_ID: oauth.clientId,
      SRC_OAUTH_CLIENT_SECRET: oauth.clientSecret,
      SRC_OAUTH_AUTHORIZE_URL: oauth.authorizeUrl,
      SRC_OAUTH_TOKEN_URL: oauth.tokenUrl,
      PUBLIC_URL: publicUrl,
      PORT: String(port),
      LOG_LEVEL: 'trace',
      DATA_DIR: directory.path,
      ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
    },
  });

  return { askInEveryWay, collect, stop };

  /** Asks with every kind of access, while the service, the forms and the stored records fail in every way. */
  async function askInEveryWay(): Promise<void> {
    await submitToken(people.bob, wrongToken);
    await submitToken(people.ada, service.tokenOf('ada'));
    await signIn();
    await damageAccountOfGerd();
    replies.push(await world.command('connect', { user: people.gerd }));
    service.breakFor('ada', 2);
    await isEnded(await world.direct(`where are payment retries configured? ${planted}`, { user: people.ada }));
    await expireTokensOfBob();
    await isEnded(await world.direct('what signs a gateway request?', { user: people.bob }));
    await noteTokensOfBob("bob's later");
    await world.direct('who asks as gerd?', { user: people.gerd });
    service.refuse('ada');
    await world.direct('what is refused?', { user: people.ada });
    await eventually(() =>
      expect(service.requests.some(({ by, status }) => by === 'ada' && status === 401)).toBe(true),
    );
    replies.push(await world.command('disconnect', { user: people.ada }));
    service.breakFor('app', 2);
    await world.direct('where are retries?', { user: people.ada });
    await eventually(() => {
      const whoAsked = service.asked().map(({ by }) => by);
      expect(whoAsked).toEqual(expect.arrayContaining(['ada', 'bob', 'app']));
    }, patient);
    expect(service.requests.some(({ status }) => status === 500)).toBe(true);
    replies.push(await world.command('status', { user: people.bob }));
    await world.openHome();
  }

  /** A question ends with an answer, a failure or a private notice; until then it counts as open. */
  async function isEnded(_ts: string): Promise<void> {
    await eventually(
      async () => expect(await world.metrics()).toMatch(/deepsearch_slack_open_questions(?:\{[^}]*\})? 0/),
      patient,
    );
  }

  /** Submits the form for access tokens. */
  async function submitToken(user: string, token: string): Promise<void> {
    const { response } = await world.command('connect', { user });
    const { blocks } = response as { blocks?: SlackBlock[] };
    const button = one(buttonsOf(blocks).filter(({ actionId }) => actionId === ACTIONS.connectByToken));
    const ephemeral = { channel: 'C0GENERAL', user, text: '' };
    const place = { ephemeral, responseUrl: world.slack.responseUrl(`connect-${user}?user=${user}&channel=C0GENERAL`) };
    await world.deliver(buttonOf({ ...button, value: button.value ?? '', user, place, label: button.label }));
    const form = await eventually(async () => {
      const view = await world.modal();
      expect(JSON.stringify(view.blocks)).toContain('"token"');
      return view;
    });
    replies.push(await world.submit(form, { token }, { user }));
    await eventually(async () => {
      const shown = `${JSON.stringify(await world.modal())}${JSON.stringify(replies.at(-1))}`;
      expect(shown).toMatch(/Connected as|errors/);
    });
    await world.closeModal(await world.modal(), { user });
  }

  /** From the button in Slack to the last page. */
  async function signIn(): Promise<void> {
    const { response } = await world.command('connect', { user: people.bob });
    const url = /"url":"([^"]*accounts\/start[^"]*)"/.exec(JSON.stringify(response))?.[1] ?? 'missing:';
    const browser = createPerson(publicUrl);
    const { text } = await browser.open(url);
    const begun = await browser.submit(new URL(url).pathname, { ticket: hiddenField(text, 'ticket') });
    const atService = createPerson(service.url);
    await atService.signIn(service.tokenOf('bob'));
    const target = await answerConsent(atService, begun.response.headers.get('location') ?? '');
    expect((await browser.open(target.href)).text).toContain('Connected as bob');
    secrets.push({ name: 'the authorization code', value: target.searchParams.get('code') ?? '' });
    secrets.push({ name: 'the state of a sign-in', value: target.searchParams.get('state') ?? '' });
    await noteTokensOfBob("bob's first");
  }

  /** The app pauses: one process must not open the embedded store twice. */
  async function withAccounts<Result>(work: (store: Awaited<ReturnType<typeof openStoreBeside>>) => Promise<Result>) {
    await world.stopApp();
    const store = await openStoreBeside(location, { clock: Date.now, log });
    try {
      return await work(store);
    } finally {
      await store.close();
      await world.startApp();
    }
  }

  async function noteTokensOfBob(name: string): Promise<void> {
    const account = await withAccounts((store) => createAccountStore(store, createKeyRing(keys)).get(bob));
    const credential: Credential | undefined = account?.credential;
    if (credential?.kind !== 'oauth') throw new Error('bob has no tokens');
    secrets.push({ name: `${name} access token`, value: credential.accessToken.reveal() });
    service.know('bob', credential.accessToken.reveal());
    if (credential.refreshToken !== undefined)
      secrets.push({ name: `${name} refresh token`, value: credential.refreshToken.reveal() });
  }

  /** The next request of bob's refreshes his tokens. */
  async function expireTokensOfBob(): Promise<void> {
    await withAccounts((store) =>
      createAccountStore(store, createKeyRing(keys)).update(bob, (stored) =>
        stored?.credential.kind === 'oauth'
          ? { ...stored, credential: { ...stored.credential, expiresAtMs: 1 } }
          : stored,
      ),
    );
  }

  async function damageAccountOfGerd(): Promise<void> {
    await withAccounts(async (store) => {
      const sealed = (await store.get(accountKey(ada))) ?? '';
      await store.set(accountKey(gerd), sealed);
      await store.set('ds:question:q000000000000000000000000', '{"version":1');
    });
  }

  /** Everything that the run left anywhere. */
  async function collect(): Promise<{ places: Map<string, string | Buffer>; secrets: KnownSecret[] }> {
    const places = new Map<string, string | Buffer>();
    places.set('metrics', (await world.metrics()) + (await (await world.readyz()).text()));
    await world.stopApp();
    places.set('logs', lines.join(''));
    const { requests, responses, messages, openViews } = world.slack;
    places.set('Slack', JSON.stringify([requests, responses, messages, openViews, replies]));
    if (commands !== undefined && redis !== undefined) {
      places.set('storage: commands to Redis', commands.all.join('\n'));
      places.set('storage: Redis', await dump(redis));
    }
    for (const file of await readdir(directory.path)) {
      places.set(`storage: ${file}`, await readFile(join(directory.path, file)));
    }
    return { places, secrets };
  }

  async function stop(): Promise<void> {
    await world.stop();
    await service.stop();
    await commands?.stop();
    await redis?.stop();
    await directory.remove();
  }
}

/** Records every command that any client sends to Redis, also those whose keys are gone soon, like finished jobs. */
async function watchCommands(redis: RedisServer) {
  const all: string[] = [];
  const client = createClient({ url: redis.url });
  client.on('error', () => {});
  await client.connect();
  await client.monitor((line) => void all.push(line));
  return { all, stop: async () => client.destroy() };
}

/** Every key of Redis with its value, as text. */
async function dump(redis: RedisServer): Promise<string> {
  const client = createClient({ url: redis.url });
  await client.connect();
  const all: unknown[] = [];
  for await (const keys of client.scanIterator()) {
    for (const key of keys) all.push(key, await read(key));
  }
  client.destroy();
  return JSON.stringify(all);

  async function read(key: string): Promise<unknown> {
    switch (await client.type(key)) {
      case 'string':
        return client.get(key);
      case 'hash':
        return client.hGetAll(key);
      case 'set':
        return client.sMembers(key);
      case 'list':
        return client.lRange(key, 0, -1);
      case 'zset':
        return client.zRange(key, 0, -1);
      case 'stream':
        return client.xRange(key, '-', '+');
      default:
        return undefined;
    }
  }
}
