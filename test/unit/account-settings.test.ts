import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig } from '../../src/config.ts';

const enough = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  SRC_ENDPOINT: 'https://src.example.com',
  SRC_ACCESS_TOKEN: 'sgp_1',
};
const signIn = {
  SRC_OAUTH_CLIENT_ID: 'sgapp_1',
  SRC_OAUTH_AUTHORIZE_URL: 'https://src.example.com/authorize',
  SRC_OAUTH_TOKEN_URL: 'https://src.example.com/token',
  PUBLIC_URL: 'https://bot.example.com',
};

function problemsOf(settings: Record<string, string>): string[] {
  try {
    parseConfig({ ...enough, ...settings });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function without(name: keyof typeof signIn): Record<string, string> {
  return Object.fromEntries(Object.entries(signIn).filter(([each]) => each !== name));
}

describe('settings of accounts', () => {
  it('are shared accounts without keys when nothing is set', () => {
    expect(parseConfig(enough)).toMatchObject({ ACCOUNTS: 'shared' });
    expect(parseConfig(enough).ENCRYPTION_KEYS).toBeUndefined();
  });

  it.each(['preferred', 'required'])(
    'may be %s without keys: connecting then says why it does not work',
    (ACCOUNTS) => {
      expect(problemsOf({ ACCOUNTS })).toEqual([]);
    },
  );

  it('read keys in order', () => {
    const [first, second] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
    const { ENCRYPTION_KEYS: keys } = parseConfig({ ...enough, ENCRYPTION_KEYS: `2026-11:${first}, old:${second}` });
    expect(keys?.map(({ id, key }) => [id, key.reveal()])).toEqual([
      ['2026-11', first],
      ['old', second],
    ]);
  });

  it.each([
    ['too short', `a:${randomBytes(16).toString('base64')}`],
    ['too long', `a:${randomBytes(33).toString('base64')}`],
    ['without an id', randomBytes(32).toString('base64')],
    ['twice with one id', `a:${randomBytes(32).toString('base64')},a:${randomBytes(32).toString('base64')}`],
    ['with an empty place', `a:${randomBytes(32).toString('base64')},`],
  ])('refuse keys that are %s, and repeat none', (_, keys) => {
    const problems = problemsOf({ ENCRYPTION_KEYS: keys });
    expect(problems).toEqual([expect.stringMatching(/^ENCRYPTION_KEYS must be keys of the form/)]);
    expect(problems.join()).not.toContain(keys.slice(2, 20));
  });
});

describe('settings of the sign-in', () => {
  it('are complete without a secret and without scopes', () => {
    expect(problemsOf(signIn)).toEqual([]);
    expect(problemsOf({ PUBLIC_URL: signIn.PUBLIC_URL })).toEqual([]);
  });

  it.each(Object.keys(signIn))('are incomplete without %s', (name) => {
    const settings = Object.fromEntries(Object.entries(signIn).filter(([each]) => each !== name));
    expect(problemsOf(settings)).toEqual([expect.stringMatching(`^SRC_OAUTH_\\w+ is set, and ${name} is not$`)]);
  });

  it('are incomplete with a secret alone', () => {
    expect(problemsOf({ SRC_OAUTH_CLIENT_SECRET: 'x' })).toHaveLength(4);
  });

  it('tell of a wrong address once', () => {
    expect(problemsOf({ ...without('PUBLIC_URL'), PUBLIC_URL: 'bot.example.com' })).toEqual([
      'PUBLIC_URL must be an http or https address',
    ]);
  });

  it.each(['SRC_OAUTH_AUTHORIZE_URL', 'SRC_OAUTH_TOKEN_URL', 'PUBLIC_URL'])('need https for %s', (name) => {
    for (const host of ['bot.example.com', '127.0.0.1.example.com', 'localhost.example.com', '10.0.0.1', '[fe80::1]'])
      expect(problemsOf({ ...signIn, [name]: `http://${host}/x` })).toEqual([
        `${name} must be an https address, unless its host is this machine`,
      ]);
    for (const host of ['127.0.0.1:3000', 'localhost', 'LOCALHOST:80', '[::1]:3000', '127.1.2.3'])
      expect(problemsOf({ ...signIn, [name]: `http://${host}/x` })).toEqual([]);
  });
});
