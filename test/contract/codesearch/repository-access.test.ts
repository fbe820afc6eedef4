import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createRepoAccess,
  parseRepoAccess,
  type RepoAccessRules,
} from '../../../src/codesearch/accounts/repo-access.ts';
import { createHarbourRepository, createTestRepository } from '../../support/codesearch/repository.ts';
import { createCaller, startTestService } from '../../support/codesearch/service.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';

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

describe('a folder that leads into a restricted repository', () => {
  const forms: Record<string, (folder: string, secret: string) => void> = {
    'a .git file': (folder, secret) => writeFileSync(join(folder, '.git'), `gitdir: ${secret}/.git\n`),
    'a link to the git directory': (folder, secret) => symlinkSync(join(secret, '.git'), join(folder, '.git')),
    'a link to its objects': (folder, secret) => {
      execFileSync('git', ['init', '-q', folder]);
      rmSync(join(folder, '.git/objects'), { recursive: true });
      symlinkSync(join(secret, '.git/objects'), join(folder, '.git/objects'));
    },
    'borrowed objects': (folder, secret) => {
      execFileSync('git', ['init', '-q', folder]);
      writeFileSync(join(folder, '.git/objects/info/alternates'), `${secret}/.git/objects\n`);
    },
    'a link to its branches': (folder, secret) => {
      execFileSync('git', ['init', '-q', folder]);
      rmSync(join(folder, '.git/refs'), { recursive: true });
      symlinkSync(join(secret, '.git/refs'), join(folder, '.git/refs'));
    },
  };

  test.each(Object.keys(forms))('by %s ends the start, unless the same rules fit both', async (form) => {
    // Without a remote, each folder has a name of its own.
    const secret = createTestRepository({ 'secret.ts': 'export const secret = 1;\n' });
    secret.commit('Keep a secret');
    const folder = await createTempDir();
    const open = join(folder.path, 'open-door');
    mkdirSync(open);
    forms[form]?.(open, secret.path);
    const name = secret.path.slice(secret.path.lastIndexOf('/') + 1);
    try {
      const start = (repoAccess: RepoAccessRules) => startTestService({ repos: [secret.path, open], repoAccess });
      await expect(start({ [name]: ['alice'] })).rejects.toThrow(/share git data/);
      await (await start({ [name]: ['alice'], 'open-door': ['alice'] })).stop();
    } finally {
      secret.remove();
      await folder.remove();
    }
  });
});
