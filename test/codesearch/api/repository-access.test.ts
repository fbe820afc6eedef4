import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createRepoAccess,
  parseRepoAccess,
  type RepoAccessRules,
} from '../../../src/codesearch/accounts/repo-access.ts';
import { findPlaces, overlap } from '../../../src/codesearch/git/places.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createHarbourRepository, createTestRepository } from '../support/repository.ts';
import { createCaller, startTestService } from '../support/service.ts';

const harbour = createHarbourRepository();
const vault = createTestRepository({ 'src/vault.ts': 'export function unlockVault() {\n  return retryDelay(9);\n}\n' });
const VAULT = 'github.com/harbour-org/vault';
let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  vault.origin(`https://${VAULT}.git`);
  vault.commit('Unlock the vault with unlockVault');
  service = await startTestService({
    repos: [harbour.path, vault.path],
    tokens: [
      { username: 'alice', token: 'admin-token' },
      { username: 'bob', token: 'bob-token' },
      { username: 'carol', token: 'carol-token' },
    ],
    repoAccess: { [VAULT]: ['bob'] },
  });
});

afterAll(async () => {
  await service.stop();
  harbour.remove();
  vault.remove();
});

describe('an answer', () => {
  const questions = [
    'Where is unlockVault defined?',
    'What uses retryDelay?',
    'who changed the vault last?',
    'what is this repository about?',
    'which files have to do with unlockVault?',
    `What is in ${VAULT}?`,
  ];

  test.each(questions)('comes only from repositories that the asker may read: %s', async (question) => {
    const text = JSON.stringify(await createCaller(service.url, 'carol-token').answer(question));
    const told = text.replaceAll(JSON.stringify(question).slice(1, -1), '');
    expect(told).not.toMatch(/src\/vault|return retryDelay\(9\)|harbour-org\/vault\/-/);
  });

  test.each(['bob-token', 'admin-token'])('comes from all that %s may read', async (token) => {
    const { answer, sources } = await createCaller(service.url, token).answer('Where is unlockVault defined?');
    expect(answer).toContain('src/vault.ts');
    expect(JSON.stringify(sources)).toContain(VAULT);
  });

  test('is found for an asker who may read nothing', async () => {
    const closed = await startTestService({
      repos: [harbour.path],
      tokens: [
        { username: 'alice', token: 'admin-token' },
        { username: 'bob', token: 'bob-token' },
      ],
      repoAccess: { '*': ['carol'] },
    });
    try {
      const asked = ['Where is retryDelay defined?', 'what is this repository about?', 'who wrote it?'];
      for (const question of asked) {
        const answered = await createCaller(closed.url, 'bob-token').answer(question);
        expect(answered.error).toBeUndefined();
        expect(answered.answer).not.toContain('src/');
      }
    } finally {
      await closed.stop();
    }
  });
});

describe('a repository that a user may not read', () => {
  const graphql = async (token: string, query: string) =>
    (await createCaller(service.url, token).call('POST', '/.api/graphql', { query })).text();

  test.each([
    '{ repositories(first: 100) { nodes { name } } }',
    `{ repository(name: "${VAULT}") { name defaultBranch { name } } }`,
    '{ search(query: "unlockVault") { results { matchCount results { ... on FileMatch { file { path } } } } } }',
    '{ search(query: "type:commit unlock the vault") { results { matchCount } } }',
    '{ search(query: "repo:vault") { results { matchCount } } }',
  ])('is absent from GraphQL: %s', async (query) => {
    const [seen, hidden] = [await graphql('bob-token', query), await graphql('carol-token', query)];
    expect(seen).toMatch(/harbour-org\/vault|"matchCount":[1-9]/);
    expect(hidden).not.toContain('errors');
    expect(hidden).not.toMatch(/harbour-org\/vault|"matchCount":[1-9]/);
  });

  test('stays hidden when a site admin acts as the user', async () => {
    const headers = { Authorization: 'token-sudo user="carol",token="admin-token"' };
    const asked = { query: '{ search(query: "unlockVault") { results { matchCount } } }' };
    const text = await (await service.call('POST', '/.api/graphql', asked, headers)).text();
    expect(text).toContain('"matchCount":0');
  });

  test('is absent from the stream of a search', async () => {
    const stream = async (token: string) => {
      const query = new URLSearchParams({ q: 'unlockVault', v: 'V3' });
      return (await createCaller(service.url, token).call('GET', `/.api/search/stream?${query}`)).text();
    };
    expect(await stream('bob-token')).toContain('src/vault.ts');
    expect(await stream('carol-token')).not.toContain('vault.ts');
  });

  test.each([
    `/${VAULT}`,
    `/${VAULT}/-/blob/src/vault.ts`,
    `/${VAULT}/-/tree/src`,
    `/${VAULT}/-/commits`,
    `/${VAULT}@main/-/blob/src/vault.ts`,
    `/r/${VAULT}@main/-/blob/src/vault.ts`,
  ])('has no page: %s', async (path) => {
    const statusFor = async (headers: Record<string, string>) =>
      (await fetch(`${service.url}${path}`, { headers, redirect: 'manual' })).status;
    const seen = await statusFor({ Authorization: 'token bob-token' });
    const hidden = [await statusFor({ Authorization: 'token carol-token' }), await statusFor({})];
    expect(seen).toBeLessThan(400);
    expect(hidden).toEqual([404, 404]);
  });

  test('is named neither on the start page nor in the results of the search page', async () => {
    for (const path of ['/', '/search?q=unlock']) {
      const headers = { Authorization: 'token carol-token' };
      const text = await (await fetch(`${service.url}${path}`, { headers })).text();
      expect([path, text.includes('harbour-org/vault')]).toEqual([path, false]);
    }
  });
});

describe('what a user is told', () => {
  const open = createTestRepository({
    'src/lift.ts': 'export function lift() {\n  // The crane lifts what the crane holds.\n  return hold(1);\n}\n',
    'src/plan.ts': 'export function arrange() {\n  // The schedule of a schedule.\n  return hold(2);\n}\n',
    'src/day.ts': 'export function day() {\n  return "schedule";\n}\n',
    'src/week.ts': 'export function week() {\n  return "schedule";\n}\n',
    'src/port.ts': 'export class Berth {}\n',
  });
  const hidden = createTestRepository({
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `src/part${at}.ts`,
        `// The crane of the crane.\nexport const part${at} = ${at};\n`,
      ]),
    ),
    'src/berth.ts': 'export function berth() {}\n',
  });
  const OPEN = 'github.com/harbour-org/Open';
  const services: Awaited<ReturnType<typeof startTestService>>[] = [];

  beforeAll(async () => {
    open.origin(`https://${OPEN}.git`);
    open.commit('Lift with a crane');
    hidden.origin('https://github.com/harbour-org/open.git');
    hidden.commit('Arrange the schedule of every crane');
    const tokens = [
      { username: 'alice', token: 'admin-token' },
      { username: 'bob', token: 'bob-token' },
    ];
    const rules = { 'github.com/harbour-org/open': ['alice'] };
    services.push(
      await startTestService({ repos: [open.path], tokens }),
      await startTestService({ repos: [hidden.path, open.path], tokens, repoAccess: rules }),
    );
  });

  afterAll(async () => {
    for (const one of services) await one.stop();
    open.remove();
    hidden.remove();
  });

  /** The replies of both services, without what differs from one call to the next. */
  async function tell(
    ask: (caller: ReturnType<typeof createCaller>, url: string) => Promise<string>,
  ): Promise<string[]> {
    const texts: string[] = [];
    for (const { url } of services) {
      const text = await ask(createCaller(url, 'bob-token'), url);
      texts.push(
        text
          .replaceAll(url, '')
          .replace(/("(?:elapsedMilliseconds|durationMs|time_millis|timestamp)"):\d+/g, '$1:0')
          .replace(/nonce="[^"]*"/g, '')
          .replace(/searched in [\d.]+ s/g, '')
          .replace(/("(?:created_at|updated_at|createdAt|read_token|share_url)"):"[^"]*"/g, '$1:""'),
      );
    }
    return texts;
  }

  test.each([
    'How do the crane and the schedule work?',
    'Where is `berth` defined?',
    'What uses the crane?',
    'which files have to do with the schedule of the crane?',
    'Where is "The crane of the crane" written?',
  ])('in an answer is the same as if there were no other repository: %s', async (question) => {
    const [without, beside] = await tell(async (caller) => JSON.stringify(await caller.answer(question)));
    expect(beside).toBe(without);
  });

  test('in the steps counts no changed file of another repository', async () => {
    hidden.write('src/late.ts', 'export const late = 1;\n');
    hidden.commit('Late');
    const [without, beside] = await tell(async (caller) =>
      JSON.stringify((await caller.answer('What is week?')).turns),
    );
    expect(beside).toBe(without);
  });

  test.each([
    '{ repositories { totalCount nodes { name } pageInfo { hasNextPage } } }',
    `{ repository(name: "${OPEN.toUpperCase()}") { name } }`,
    '{ search(query: "crane") { results { matchCount resultCount approximateResultCount limitHit } } }',
    '{ search(query: "type:symbol berth count:1") { results { matchCount limitHit alert { title } } } }',
    '{ search(query: "type:commit schedule") { results { matchCount repositories { name } alert { title } } } }',
    '{ search(query: "repo:^nothing$") { results { matchCount missing { name } timedout { name } alert { title description } } } }',
    '{ search(query: "repo:open@gone crane") { results { matchCount missing { name } alert { title description } } } }',
  ])('by GraphQL is the same: %s', async (query) => {
    const [without, beside] = await tell(async (caller) =>
      (await caller.call('POST', '/.api/graphql', { query })).text(),
    );
    expect(without).not.toContain('errors');
    expect(beside).toBe(without);
  });

  test.each(['/', '/search?q=crane', `/${OPEN}`, `/${OPEN}/-/blob/src/lift.ts`, '/.api/search/stream?q=crane'])(
    'at %s is the same',
    async (path) => {
      const [without, beside] = await tell(async (caller, url) => (await caller.call('GET', `${url}${path}`)).text());
      expect(beside).toBe(without);
    },
  );
});

describe('the rules of repository access', () => {
  const repositories = ['github.com/acme/app', 'github.com/acme/secret', 'gitlab.com/other'];
  const user = (username: string, siteAdmin = false) => ({ username, siteAdmin });
  const readable = (rules: RepoAccessRules, reader?: { username: string; siteAdmin: boolean }) =>
    repositories.filter((name) => createRepoAccess(rules, repositories).canRead(reader, name));

  test('leave a repository without a rule open, also to people who are not signed in', () => {
    expect(readable({ 'gitlab.com/other': ['bob'] })).toEqual(repositories.slice(0, 2));
  });

  test('take names, patterns with * and regular expressions', () => {
    for (const pattern of ['github.com/acme/*', '/^github\\.com/', '*acme*']) {
      expect(readable({ [pattern]: ['bob'] }, user('carol'))).toEqual(['gitlab.com/other']);
      expect(readable({ [pattern]: ['bob'] }, user('bob'))).toEqual(repositories);
    }
    expect(() => readable({ 'github-com/acme/app': ['bob'] })).toThrow('no repository fits');
  });

  test('all apply where several fit', () => {
    const rules = { 'github.com/acme/*': ['bob', 'carol'], 'github.com/acme/secret': ['carol'] };
    expect(readable(rules, user('bob'))).toEqual(['github.com/acme/app', 'gitlab.com/other']);
    expect(readable(rules, user('carol'))).toEqual(repositories);
  });

  test('open a repository to everyone who is signed in with the name *', () => {
    expect(readable({ '*': ['*'] }, user('bob'))).toEqual(repositories);
    expect(readable({ '*': ['*'] })).toEqual([]);
  });

  test('never hide a repository from a site admin', () => {
    expect(readable({ '*': [] }, user('alice', true))).toEqual(repositories);
  });

  test.each(['{', '[]', '{"x": "bob"}', '{"x": [1]}', '{"/(/": ["bob"]}', 'null'])('refuse the file %s', (text) => {
    expect(() => createRepoAccess(parseRepoAccess(text), repositories)).toThrow('--repo-access');
  });
});

/** A new repository that borrows the objects of another one, by a list with these lines. */
function borrow(folder: string, lines: string | Buffer): void {
  execFileSync('git', ['init', '-q', folder]);
  writeFileSync(join(folder, '.git/objects/info/alternates'), lines);
}

const octal = (path: string): string =>
  [...Buffer.from(path)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

describe('a folder that leads into a restricted repository', () => {
  const forms: Record<string, (folder: string, secret: string) => void> = {
    'a .git file': (folder, secret) => writeFileSync(join(folder, '.git'), `gitdir: ${secret}/.git\n`),
    'a link to the git directory': (folder, secret) => symlinkSync(join(secret, '.git'), join(folder, '.git')),
    'a link to its objects': (folder, secret) => {
      execFileSync('git', ['init', '-q', folder]);
      rmSync(join(folder, '.git/objects'), { recursive: true });
      symlinkSync(join(secret, '.git/objects'), join(folder, '.git/objects'));
    },
    'borrowed objects': (folder, secret) => borrow(folder, `# of the secret\n${secret}/.git/objects\n`),
    'borrowed objects in quotation marks': (folder, secret) => borrow(folder, `"${secret}/.git/objects"\n`),
    'borrowed objects with an octal escape': (folder, secret) => borrow(folder, `"${secret}/.git/object\\163"\n`),
    'borrowed objects, all in octal': (folder, secret) => borrow(folder, `"${octal(`${secret}/.git/objects`)}"`),
    'borrowed objects with outer spaces': (folder, secret) => {
      symlinkSync(join(secret, '.git/objects'), `${folder}/door `);
      borrow(folder, '../../door \n');
    },
    'borrowed objects with a quoted tab': (folder, secret) => {
      symlinkSync(join(secret, '.git/objects'), `${folder}/\tdöör`);
      borrow(folder, '"../../\\td\\303\\266\\303\\266r"\n');
    },
    'borrowed objects above the target of a link': (folder, secret) => {
      symlinkSync(join(secret, '.git/refs'), join(folder, 'door'));
      borrow(folder, '../../door/../objects\n');
    },
    'borrowed objects that borrow': (folder, secret) => {
      borrow(`${folder}/between`, `${secret}/.git/objects\n`);
      borrow(folder, '../../between/.git/objects\n');
    },
    'a link to its index': (folder, secret) => {
      execFileSync('git', ['init', '-q', folder]);
      symlinkSync(join(secret, '.git/index'), join(folder, '.git/index'));
    },
    'a link to one of its packs': (folder, secret) => {
      execFileSync('git', ['-C', secret, 'repack', '-adq']);
      execFileSync('git', ['init', '-q', folder]);
      const packs = join(secret, '.git/objects/pack');
      for (const name of readdirSync(packs)) symlinkSync(join(packs, name), join(folder, '.git/objects/pack', name));
    },
    'a link to one of its packs, with a name in no UTF-8': (folder, secret) => {
      execFileSync('git', ['init', '-q', folder]);
      const packs = Buffer.from(join(folder, '.git/objects/pack/pack-'));
      symlinkSync(join(secret, '.git/objects/pack'), Buffer.concat([packs, Buffer.from([0xff])]));
    },
    'a link to its branches': (folder, secret) => {
      execFileSync('git', ['init', '-q', folder]);
      rmSync(join(folder, '.git/refs'), { recursive: true });
      symlinkSync(join(secret, '.git/refs'), join(folder, '.git/refs'));
    },
  };

  async function withDoor(
    make: (folder: string, secret: string) => void,
    use: (
      start: (repoAccess?: RepoAccessRules) => ReturnType<typeof startTestService>,
      name: string,
      folder: string,
      secret: string,
    ) => Promise<void>,
  ): Promise<void> {
    // Without a remote, each folder has a name of its own.
    const secret = createTestRepository({ 'secret.ts': 'export const secret = 1;\n' });
    secret.commit('Keep a secret');
    const folder = await createTempDir();
    const open = join(folder.path, 'open-door');
    mkdirSync(open);
    make(open, secret.path);
    const name = secret.path.slice(secret.path.lastIndexOf('/') + 1);
    try {
      await use((repoAccess) => startTestService({ repos: [secret.path, open], repoAccess }), name, open, secret.path);
    } finally {
      secret.remove();
      await folder.remove();
    }
  }

  /** Where git finds the data of the repository in this folder. */
  const placesOf = (folder: string) =>
    findPlaces(
      execFileSync('git', ['-C', folder, 'rev-parse', '--path-format=absolute', '--git-common-dir'], {
        encoding: 'utf8',
      }).trim(),
    );

  test.each(Object.entries(forms))('by %s shares its data', (_, make) =>
    withDoor(make, async (_start, _name, folder, secret) => {
      expect(overlap(await placesOf(secret), await placesOf(folder))).toBe(true);
    }),
  );

  test('ends the start, unless the same rules fit both', () =>
    withDoor(
      (folder, secret) => borrow(folder, `"${secret}/.git/object\\163"\n`),
      async (start, name) => {
        await expect(start({ [name]: ['alice'] })).rejects.toThrow(/share git data/);
        await (await start({ [name]: ['alice'], 'open-door': ['alice'] })).stop();
      },
    ));

  const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
  test.each<[string, (secret: string) => string | Buffer]>([
    ['an escape that git does not know', (secret) => `"${secret}/.git/object\\x73"\n`],
    ['an octal escape of two digits', (secret) => `"${secret}/.git/object\\63"\n`],
    ['no second quotation mark', (secret) => `"${secret}/.git/objects\n`],
    ['a further path behind the second mark', (secret) => `"/tmp"x${secret}/.git/objects\n`],
    ['quotation marks around two lines', (secret) => `"/tmp/a\nb"\n${secret}/.git/objects\n`],
    ['an escaped NUL', (secret) => `"${secret}/.git/objects\\000/"\n`],
    ['a NUL', (secret) => `${secret}/.git/objects\0\n`],
    ['bytes that are no UTF-8', () => latin1('../d\xf6\xf6r\n')],
    ['escaped bytes that are no UTF-8', () => '"../d\\366\\366r"\n'],
  ])('by a list of borrowed objects with %s can not be read', (_, lines) =>
    withDoor(
      (folder, secret) => borrow(folder, lines(secret)),
      (_start, _name, folder) => expect(placesOf(folder)).rejects.toThrow(/has a line that can't be read/),
    ),
  );

  test('as the last of many from which it borrows ends the start, where there are rules', () =>
    withDoor(
      (folder, secret) => {
        const others = Array.from({ length: 100 }, (_, at) => `/tmp/none-${at}`);
        borrow(folder, [...others, `${secret}/.git/objects`, ''].join('\n'));
      },
      async (start, name) => {
        await expect(start({ [name]: ['alice'] })).rejects.toThrow('borrows objects of more than 100 folders');
        await (await start()).stop();
      },
    ));
});
