import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configurationDocs, firstSettings } from '../../src/cli/configuration-docs.ts';
import { ConfigError, parseConfig, SETTINGS } from '../../src/config.ts';
import { Secret } from '../../src/core/secret.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { SETTING_GROUPS } from '../../src/setting-forms.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { selfSigned } from '../transport/self-signed.ts';

const root = new URL('../../', import.meta.url);
const secrets = {
  SLACK_BOT_TOKEN: 'xoxb-bot-token',
  SLACK_APP_TOKEN: 'xapp-app-token',
  SLACK_SIGNING_SECRET: 'signing-secret',
  SRC_ACCESS_TOKEN: 'sgp_access-token',
};
const enough = { ...secrets, SRC_ENDPOINT: 'https://code.example' };

function problemsOf(environment: Record<string, string | undefined>): string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const installs = {
  SLACK_CLIENT_ID: '1.2',
  SLACK_CLIENT_SECRET: 'client-secret',
  SLACK_WORKSPACES: 'T0123, E0123,T0123',
  SLACK_SIGNING_SECRET: 'signing-secret',
  PUBLIC_URL: 'https://app.example',
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  SRC_ENDPOINT: 'https://code.example',
  SRC_ACCESS_TOKEN: 'sgp_access-token',
};

describe('the settings for workspaces that install the app', () => {
  it('take the place of the bot token', () => {
    const { SLACK_BOT_TOKEN, SLACK_WORKSPACES, SLACK_CLIENT_SECRET } = parseConfig(installs);
    expect(SLACK_BOT_TOKEN).toBeUndefined();
    expect(SLACK_WORKSPACES).toEqual(['T0123', 'E0123']);
    expect(SLACK_CLIENT_SECRET?.reveal()).toBe('client-secret');
  });

  it.each([
    'SLACK_CLIENT_ID',
    'SLACK_CLIENT_SECRET',
    'SLACK_WORKSPACES',
    'SLACK_SIGNING_SECRET',
    'PUBLIC_URL',
    'ENCRYPTION_KEYS',
  ])('need %s', (name) => {
    const given = name === 'SLACK_CLIENT_ID' ? 'SLACK_CLIENT_SECRET' : 'SLACK_CLIENT_ID';
    expect(problemsOf({ ...installs, [name]: '' })).toContain(`${given} is set, and ${name} is not`);
  });

  it.each(['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'])('exclude %s', (name) => {
    expect(problemsOf({ ...installs, [name]: 'x' })).toEqual([`SLACK_CLIENT_ID and ${name} exclude each other`]);
  });

  it.each(['C0123', 'T0123 E0123', 'all', ','])('refuse %j as a list of workspaces', (list) => {
    expect(problemsOf({ ...installs, SLACK_WORKSPACES: list })).toEqual([
      expect.stringMatching(/^SLACK_WORKSPACES must be ids of workspaces or organizations/),
    ]);
  });
});

describe('reading the configuration', () => {
  it('has a working default for every optional setting', () => {
    const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET, SRC_ACCESS_TOKEN, ...rest } = parseConfig(enough);
    expect(SLACK_BOT_TOKEN?.reveal()).toBe(secrets.SLACK_BOT_TOKEN);
    expect(SLACK_APP_TOKEN?.reveal()).toBe(secrets.SLACK_APP_TOKEN);
    expect(SLACK_SIGNING_SECRET?.reveal()).toBe(secrets.SLACK_SIGNING_SECRET);
    expect(SRC_ACCESS_TOKEN?.reveal()).toBe(secrets.SRC_ACCESS_TOKEN);
    expect(rest).toMatchObject({
      SLACK_API_URL: 'https://slack.com/api/',
      SRC_ENDPOINT: 'https://code.example',
      DATA_DIR: './data',
      PORT: 3000,
      METRICS_PORT: 9464,
      METRICS_HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      MESSAGE_FORMAT: 'markdown',
      PATIENCE_SECONDS: 900,
      SRC_REQUESTS_PER_SECOND: 50,
    });
    expect(rest.REDIS_URL).toBeUndefined();
  });

  it('treats an empty variable, or one of spaces, as not set', () => {
    const blank = Object.fromEntries(Object.keys(SETTINGS).map((name, index) => [name, index % 2 ? '' : '  ']));
    expect(JSON.stringify(parseConfig({ ...blank, ...enough }))).toBe(JSON.stringify(parseConfig(enough)));
    expect(problemsOf(blank)).toEqual(problemsOf({}));
  });

  it('requires one of the two ways in which Slack reaches the app', () => {
    expect(problemsOf({ ...enough, SLACK_APP_TOKEN: undefined })).toEqual([]);
    expect(problemsOf({ ...enough, SLACK_SIGNING_SECRET: '' })).toEqual([]);
    expect(problemsOf({ ...enough, SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: '' })).toEqual([
      'neither SLACK_APP_TOKEN (Socket Mode) nor SLACK_SIGNING_SECRET (HTTP) is set',
    ]);
  });

  it.each([
    ['https://slack.com/api/'],
    ['https://acme.slack.com/api/'],
    ['https://slack-gov.com/api/'],
    ['https://slack.com./api/'],
  ])('does not treat %s as a stand-in for Slack', (url) => {
    expect(problemsOf({ ...enough, SLACK_STAND_IN: 'true', SLACK_API_URL: url })).toEqual([
      'SLACK_STAND_IN is true, and SLACK_API_URL is the address of Slack itself',
    ]);
    expect(problemsOf({ ...enough, SLACK_STAND_IN: 'false', SLACK_API_URL: url })).toEqual([]);
  });

  it('treats another address as a stand-in for Slack only where the setting says so', () => {
    const standIn = { ...enough, SLACK_API_URL: 'http://127.0.0.1:8080/api/' };
    expect(parseConfig(standIn).SLACK_STAND_IN).toBe(false);
    expect(parseConfig({ ...standIn, SLACK_STAND_IN: 'true' }).SLACK_STAND_IN).toBe(true);
    expect(problemsOf({ ...standIn, SLACK_STAND_IN: 'yes' })).toEqual(['SLACK_STAND_IN must be true or false']);
    expect(problemsOf({ ...standIn, SLACK_STAND_IN: 'true', SLACK_API_URL: 'no address' })).toHaveLength(1);
  });

  it('takes a contact of one line and at most 200 characters', () => {
    expect(parseConfig(enough).CONTACT).toBeUndefined();
    for (const CONTACT of ['U0123456789', 'the platform team', 'x'.repeat(200)]) {
      expect(parseConfig({ ...enough, CONTACT }).CONTACT).toBe(CONTACT);
    }
    expect(problemsOf({ ...enough, CONTACT: 'x'.repeat(201) })).toEqual(['CONTACT must have at most 200 characters']);
    expect(problemsOf({ ...enough, CONTACT: 'one\ntwo' })).toEqual(['CONTACT must be one line']);
  });

  it('reports every problem at once, by name', () => {
    const problems = problemsOf({
      SRC_ENDPOINT: 'code.example',
      PORT: '70000',
      LOG_LEVEL: 'loud',
      REDIS_URL: 'http://redis',
      RUNNING_PER_PERSON: '0',
      SHUTDOWN_SECONDS: 'many',
      MESSAGE_FORMAT: 'html',
    });
    const expected = [
      /^SRC_ENDPOINT must be an http or https address$/,
      /^PORT must be between 0 and 65535$/,
      /^LOG_LEVEL must be one of /,
      /^REDIS_URL must be an address such as redis:/,
      /^RUNNING_PER_PERSON must be between 1 and 100000$/,
      /^SHUTDOWN_SECONDS must be a whole number/,
      /^MESSAGE_FORMAT must be one of /,
      /^SLACK_BOT_TOKEN is not set$/,
      /^SRC_ACCESS_TOKEN is not set, nor SRC_CLIENT_ID/,
      /^neither SLACK_APP_TOKEN/,
    ];
    for (const problem of expected) expect(problems).toContainEqual(expect.stringMatching(problem));
    expect(problems).toHaveLength(expected.length);
  });

  it.each(['HTTP_PROXY', 'HTTPS_PROXY'] as const)('reads %s as other programs do', (name) => {
    const proxyOf = (environment: Record<string, string>) => parseConfig({ ...enough, ...environment })[name]?.reveal();
    expect(proxyOf({ [name]: 'proxy.example:3128' })).toBe('http://proxy.example:3128');
    expect(proxyOf({ [name]: 'user:pass@proxy:3128' })).toBe('http://user:pass@proxy:3128');
    expect(proxyOf({ [name]: 'https://proxy:3128' })).toBe('https://proxy:3128');
    expect(proxyOf({ [name.toLowerCase()]: 'lower:1' })).toBe('http://lower:1');
    expect(proxyOf({ [name.toLowerCase()]: 'lower:1', [name]: 'upper:2' })).toBe('http://upper:2');
    expect(proxyOf({ [name.toLowerCase()]: 'lower:1', [name]: ' ' })).toBe('http://lower:1');
    expect(problemsOf({ ...enough, [name]: 'socks5://proxy:1080' })).toEqual([
      expect.stringContaining(`${name} must be an http or https address such as http://name:password@proxy.`),
    ]);
  });

  it.each([
    ['a byte order mark before the first name', { '\ufeffLOG_LEVEL': 'warn' }],
    ['capitals', { LOG_LEVEL: 'WARN', SLACK_STAND_IN: 'False' }],
    ['double quotes', { LOG_LEVEL: '"warn"', SLACK_BOT_TOKEN: '"xoxb-1-2-abc"' }],
    ['single quotes', { LOG_LEVEL: " 'warn' ", SLACK_BOT_TOKEN: "'xoxb-1-2-abc'" }],
    ['a byte order mark before the value', { LOG_LEVEL: '\ufeffwarn' }],
  ])('reads what is meant by %s', (_, written) => {
    const config = parseConfig({ ...enough, SLACK_BOT_TOKEN: 'xoxb-1-2-abc', ...written });
    expect(config.LOG_LEVEL).toBe('warn');
    expect(config.SLACK_BOT_TOKEN?.reveal()).toBe('xoxb-1-2-abc');
  });

  it('reads a variable as it is where there is also one with a byte order mark', () => {
    expect(parseConfig({ ...enough, LOG_LEVEL: 'warn', '\ufeffLOG_LEVEL': 'debug' }).LOG_LEVEL).toBe('warn');
  });

  it.each([
    ['a remark', 'xoxb-1-2-abc # the bot'],
    ['one quote', '"xoxb-1-2-abc'],
    ['two words', 'Bearer xoxb-1-2-abc'],
  ])('refuses a token with %s by its name', (_, value) => {
    for (const name of ['SLACK_BOT_TOKEN', 'SRC_ACCESS_TOKEN', 'SLACK_SIGNING_SECRET']) {
      expect(problemsOf({ ...enough, [name]: value })).toEqual([
        `${name} must be one word, without quotes and without a remark behind it`,
      ]);
    }
  });

  it.each([
    [{ SLACK_BOT_TOKEN: 'xapp-1-A0-1-abc', SLACK_APP_TOKEN: 'xoxb-1-2-abc' }, ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN']],
    [{ SLACK_BOT_TOKEN: 'xapp-1-A0-1-abc' }, ['SLACK_BOT_TOKEN']],
    [{ SLACK_APP_TOKEN: 'xoxe.xoxb-1-abc' }, ['SLACK_APP_TOKEN']],
    [
      { SLACK_SIGNING_SECRET: 'xapp-1-A0-1-abc', SRC_ACCESS_TOKEN: 'xoxb-1-2-abc' },
      ['SLACK_SIGNING_SECRET', 'SRC_ACCESS_TOKEN'],
    ],
  ])('refuses tokens of Slack in the place of others, and names both: %j', (written, names) => {
    const problems = problemsOf({ ...enough, ...written });
    expect(problems.map((problem) => problem.split(' ', 1)[0])).toEqual(names);
    for (const problem of problems) {
      expect(problem).toContain('SLACK_BOT_TOKEN begins with xoxb-… and SLACK_APP_TOKEN with xapp-…');
      expect(problem).not.toContain('abc');
    }
  });

  it.each([
    ['REDIS_URL', 'redis://host/name'],
    ['REDIS_URL', 'redis://host/0/1'],
    ['REDIS_URL', 'redis://:pa#ss@host'],
    ['REDIS_URL', 'redis://:pa%ss@host'],
    ['REDIS_URL', 'host:6379'],
    ['HTTPS_PROXY', 'http://user:pa%ss@proxy:3128'],
    ['HTTPS_PROXY', 'http://user:pa#ss@proxy:3128'],
    ['HTTPS_PROXY', 'user:12#3@proxy:3128'],
  ])('refuses %s=%s with a whole example, also in the log', (name, value) => {
    const [problem = '', ...others] = problemsOf({ ...enough, [name]: value });
    expect(others).toEqual([]);
    const example =
      name === 'REDIS_URL' ? 'redis://name:password@host:6379/0' : 'http://name:password@proxy.example.com:3128';
    expect(problem).toContain(example);
    expect(problem).toContain('# as %23');
    const lines: string[] = [];
    createLogger('info', { write: (line) => void lines.push(line) }).info({
      event: 'x',
      problem,
      value: 'redis://me:hidden@host',
    });
    expect(lines.join()).toContain(example);
    expect(lines.join()).not.toContain('hidden');
  });

  it('reads the hosts without a proxy in both spellings', () => {
    expect(parseConfig({ ...enough, no_proxy: 'a.example' }).NO_PROXY).toBe('a.example');
    for (const networks of ['10.0.0.0/8,fd00::/8', '[fd00::]/8 .example.com', '10.0.0.0/8:443']) {
      expect(parseConfig({ ...enough, NO_PROXY: networks }).NO_PROXY).toBe(networks);
    }
    for (const wrong of ['10.0.0.0/33', 'fd00::/129', 'https://a.example', 'a.example/8', '10.0.0/8']) {
      expect(() => parseConfig({ ...enough, NO_PROXY: wrong })).toThrow(/NO_PROXY has an entry with a slash/);
    }
    expect(parseConfig({ ...enough, no_proxy: 'a.example', NO_PROXY: 'b.example' }).NO_PROXY).toBe('b.example');
  });

  it.each(['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SRC_ACCESS_TOKEN', 'SRC_SUDO_USER'])(
    'refuses a %s that no header can carry',
    (name) => {
      for (const value of ['a\nb', 'tokén', 'a\u0000b', '“quoted”']) {
        expect(problemsOf({ ...enough, [name]: value })).toEqual([
          `${name} has characters that no HTTP header can carry`,
        ]);
      }
    },
  );

  it.each([
    ['lines', 'CF-Access-Client-Id: abc.access\n  Cookie:a=1; b=2 \r\n'],
    ['written line ends', 'CF-Access-Client-Id: abc.access\\nCookie: a=1; b=2'],
    ['quotes', '"CF-Access-Client-Id: abc.access\\nCookie: a=1; b=2"'],
  ])('reads headers for the service in %s', (_, SRC_HEADERS) => {
    const headers = Object.entries(parseConfig({ ...enough, SRC_HEADERS }).SRC_HEADERS ?? {});
    expect(headers.map(([name, value]) => [name, value.reveal()])).toEqual([
      ['cf-access-client-id', 'abc.access'],
      ['cookie', 'a=1; b=2'],
    ]);
    expect(inspect(headers)).not.toContain('abc');
  });

  it.each([
    ['no colon', 'secret-value', 'must be lines such as'],
    ['no value', 'X-Proxy:', 'must be lines such as'],
    ['no name', ': secret-value', 'must be lines such as'],
    ['a name with a space', 'X Proxy: secret-value', 'must be lines such as'],
    ['a value that no header can carry', 'X-Proxy: sécret-value', 'must be lines such as'],
    ['one good line and one other', 'X-Proxy: a\nsecret-value', 'must be lines such as'],
    ['a header twice', 'X-Proxy: a\nx-proxy: b', 'must not name a header twice'],
    ...[
      'Authorization',
      'HOST',
      'Content-Type',
      'Connection',
      'Transfer-Encoding',
      'Proxy-Authorization',
      'Accept',
    ].map((name) => [name, `X-Proxy: a\n${name}: secret-value`, 'must not have Authorization, Host,']),
  ])('refuses headers for the service with %s', (_, SRC_HEADERS, says) => {
    const problems = problemsOf({ ...enough, SRC_HEADERS });
    expect(problems).toEqual([expect.stringContaining(`SRC_HEADERS ${says}`)]);
    expect(problems.join()).not.toContain('cret-value');
  });

  const client = { SRC_CLIENT_ID: 'app', SRC_CLIENT_SECRET: 'pass word', SRC_TOKEN_URL: 'https://login.example/token' };

  it('takes a client of the service in place of an access token', () => {
    const { SRC_ACCESS_TOKEN, SRC_CLIENT_SECRET } = parseConfig({ ...enough, ...client, SRC_ACCESS_TOKEN: '' });
    expect([SRC_ACCESS_TOKEN, SRC_CLIENT_SECRET?.reveal()]).toEqual([undefined, 'pass word']);
    for (const name of Object.keys(client)) {
      const given = name === 'SRC_CLIENT_ID' ? 'SRC_CLIENT_SECRET' : 'SRC_CLIENT_ID';
      expect(problemsOf({ ...enough, ...client, SRC_ACCESS_TOKEN: '', [name]: '' })).toEqual([
        `${given} is set, and ${name} is not`,
      ]);
    }
    expect(problemsOf({ ...enough, ...client })).toEqual(['SRC_CLIENT_ID and SRC_ACCESS_TOKEN exclude each other']);
    expect(problemsOf({ ...enough, SRC_ACCESS_TOKEN: '' })).toEqual([
      'SRC_ACCESS_TOKEN is not set, nor SRC_CLIENT_ID, SRC_CLIENT_SECRET, SRC_TOKEN_URL in its place',
    ]);
    expect(problemsOf({ ...enough, ...client, SRC_ACCESS_TOKEN: '', SRC_TOKEN_URL: 'http://login.example' })).toEqual([
      'SRC_TOKEN_URL must be an https address, unless its host is this machine',
    ]);
  });

  it('accepts a file of certificate authorities, also with text between them', async () => {
    const folder = await createTempDir();
    const file = `${folder.path}/ca.pem`;
    writeFileSync(file, `# ours\n${selfSigned.cert}\n# theirs\n${selfSigned.cert}`);
    expect(parseConfig({ ...enough, SRC_CA_FILE: file }).SRC_CA_FILE).toBe(file);
    await folder.remove();
  });

  it('refuses certificate authorities that cannot be read', () => {
    const problem = 'SRC_CA_FILE is not the path of a readable PEM file with certificates';
    for (const SRC_CA_FILE of ['/no/such/file.pem', fileURLToPath(root), fileURLToPath(import.meta.url)]) {
      expect(problemsOf({ ...enough, SRC_CA_FILE })).toEqual([problem]);
    }
  });

  it.each(['-1', '1.5', '1e3', ' 5 0', '0x10', 'NaN', '99999999999999999999'])(
    'accepts no number written as %j',
    (PORT) => {
      expect(problemsOf({ ...enough, PORT })).toHaveLength(1);
    },
  );

  it('never shows the value of a variable', () => {
    const written = fc.stringMatching(/^[G-Zg-z]{12,30}$/);
    fc.assert(
      fc.property(written, fc.constantFrom(...Object.keys(SETTINGS)), (value, name) => {
        const problems = problemsOf({ [name]: value });
        expect(problems.join()).not.toContain(value);
      }),
    );
  });
});

describe('a secret', () => {
  const config = parseConfig(enough);

  it.each([
    ['util.inspect', (value: unknown) => inspect(value, { depth: 9, showHidden: true, getters: true })],
    ['util.inspect without its custom form', (value: unknown) => inspect(value, { depth: 9, customInspect: false })],
    ['JSON.stringify', (value: unknown) => JSON.stringify(value)],
    ['String', (value: unknown) => String(value)],
    ['a template', (value: unknown) => `${value}`],
    ['+', (value: unknown) => `the ${[value].join('-')}`],
    ['Object.entries', (value: unknown) => JSON.stringify(Object.entries(value ?? {}))],
  ])('does not appear through %s', (_, print) => {
    for (const value of [config, config.SLACK_BOT_TOKEN, config.SRC_ACCESS_TOKEN, { deep: [{ config }] }]) {
      for (const text of Object.values(secrets)) expect(print(value)).not.toContain(text);
    }
  });

  it('shows that it is a secret', () => {
    const secret = new Secret('hush');
    expect([`${secret}`, JSON.stringify({ secret }), inspect(secret)]).toEqual([
      '[secret]',
      '{"secret":"[secret]"}',
      '[secret]',
    ]);
    expect(secret.reveal()).toBe('hush');
  });
});

describe('docs/configuration.md', () => {
  it('matches the schema', () => {
    expect(readFileSync(new URL('docs/configuration.md', root), 'utf8')).toBe(configurationDocs());
  });

  it('is what `npm run docs` writes', () => {
    const { scripts } = z
      .object({ scripts: z.object({ docs: z.string() }) })
      .parse(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')));
    const [command = '', file] = scripts.docs.replace(/ && npm run manifests$/, '').split(' > ');
    const PATH = `${fileURLToPath(new URL('node_modules/.bin', root))}:${process.env.PATH}`;
    const written = execFileSync('sh', ['-c', command], {
      cwd: fileURLToPath(root),
      env: { ...process.env, PATH },
      encoding: 'utf8',
    });
    expect(file).toBe('docs/configuration.md');
    expect(written).toBe(configurationDocs());
  });

  it('names every setting and every default', () => {
    const docs = configurationDocs();
    const rows = docs.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows.map((row) => /^\| `(\w+)`/.exec(row)?.[1]).toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
    expect(rows.every((row) => row.split('|').length === 5)).toBe(true);
    expect(docs).toContain('| `PORT` | `3000` |');
  });

  it('begins with the twelve that people set, and has the others under the headings of their groups', () => {
    const [first = '', advanced = ''] = configurationDocs().split('\n## Advanced\n');
    const namesIn = (text: string): (string | undefined)[] =>
      [...text.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    expect(namesIn(first)).toEqual(firstSettings);
    expect(firstSettings).toHaveLength(12);
    const [, ...sections] = advanced.split('\n### ');
    const written = sections.map((section) => [section.split('\n', 1).join(), namesIn(section)]);
    const others = Object.entries(SETTINGS).filter(([name]) => !namesIn(first).includes(name));
    expect(written).toEqual(
      Object.keys(SETTING_GROUPS)
        .map((group) => [group, others.filter(([, setting]) => setting.group === group).map(([name]) => name)] as const)
        .filter(([, names]) => names.length > 0),
    );
  });
});
