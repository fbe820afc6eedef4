import { describe, expect, it } from 'vitest';
import { hideCredentials } from '../../../src/core/credentials-in-text.ts';

const hex = '9f8e7d6c5b4a39281706f5e4d3c2b1a0';
const letters = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5';
const lines = 'MIIEpAIBAAKCAQEAyoneP7f8K2hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ\n'.repeat(6);

// Made up, and put together here, so that no scanner of this repository takes one for real.
const found: [string, string, string][] = [
  ['AWS key', `id AKIA${'2E0A8F3B244C9986'} in`, 'id [hidden: AWS key] in'],
  ['AWS key', `aws_secret_access_key = ${letters}/+bC`, 'aws_secret_access_key = [hidden: AWS key]'],
  ['GitHub token', `\`ghp_${letters}\``, '`[hidden: GitHub token]`'],
  ['GitLab token', `glpat-${letters.slice(0, 20)}`, '[hidden: GitLab token]'],
  [
    'Slack token',
    `SLACK_BOT_TOKEN=xoxb-${'123456789012-1234567890123'}-${letters.slice(0, 24)}`,
    'SLACK_BOT_TOKEN=[hidden: Slack token]',
  ],
  [
    'Slack webhook',
    `https://hooks.slack.com/services/T01234567/B01234567/${letters.slice(0, 24)}`,
    '[hidden: Slack webhook]',
  ],
  ['OpenAI key', `sk-proj-${letters}${letters}`, '[hidden: OpenAI key]'],
  ['Anthropic key', `sk-ant-api03-${letters}${letters}AA`, '[hidden: Anthropic key]'],
  ['Google key', `key=AIza${letters.slice(0, 35)}&x`, 'key=[hidden: Google key]&x'],
  ['Stripe key', `sk_live_${letters.slice(0, 24)}`, '[hidden: Stripe key]'],
  ['GitHub token', `github_pat_${letters}${letters}${letters.slice(0, 10)}`, '[hidden: GitHub token]'],
  ['GitLab token', `GR1348941${letters.slice(0, 20)}`, '[hidden: GitLab token]'],
  ['Sourcegraph token', `slk_${hex}${hex}`, '[hidden: Sourcegraph token]'],
  ['Azure secret', `"abc8${'Q~'}${letters.slice(0, 34)}"`, '"[hidden: Azure secret]"'],
  ['Alibaba key', `LTAI${letters.slice(0, 20)}`, '[hidden: Alibaba key]'],
  ['Airtable token', `pat${letters.slice(0, 14)}.${hex}${hex}`, '[hidden: Airtable token]'],
  ['Artifactory token', `AKCp${letters}${letters.slice(0, 33)}`, '[hidden: Artifactory token]'],
  ['Doppler token', `dp.pt.${letters}${letters.slice(0, 7)}`, '[hidden: Doppler token]'],
  ['Dynatrace token', `dt0c01.${letters.slice(0, 24)}.${hex}${hex}`, '[hidden: Dynatrace token]'],
  ['Fly token', `fo1_${letters}${letters.slice(0, 7)}`, '[hidden: Fly token]'],
  ['Heroku key', `HRKU-AA${letters}${letters.slice(0, 22)}`, '[hidden: Heroku key]'],
  ['PlanetScale token', `pscale_tkn_${letters}`, '[hidden: PlanetScale token]'],
  ['Pulumi token', `pul-${hex}${hex.slice(0, 8)}`, '[hidden: Pulumi token]'],
  ['npm token', `//registry/:_authToken=npm_${letters}`, '//registry/:_authToken=[hidden: npm token]'],
  ['Sourcegraph token', `sgp_${hex.slice(0, 16)}_${hex}${hex.slice(0, 8)}`, '[hidden: Sourcegraph token]'],
  ['token', `Bearer eyJ${letters}.eyJ${letters}.${letters}`, 'Bearer [hidden: token]'],
  ['password', 'postgres://admin:s3cr3t-Pw@db:5432/app', 'postgres://admin:[hidden: password]@db:5432/app'],
  ['secret', `api_key: "${hex}"`, 'api_key: "[hidden: secret]"'],
  ['secret', `export API_KEY=${hex}`, 'export API_KEY=[hidden: secret]'],
  [
    'private key',
    `a\n-----BEGIN RSA PRIVATE KEY-----\n${lines}-----END RSA PRIVATE KEY-----\nb`,
    'a\n[hidden: private key]\nb',
  ],
  [
    'private key',
    `"key": "-----BEGIN PRIVATE KEY-----\\n${lines.replaceAll('\n', '\\n')}-----END PRIVATE KEY-----\\n"`,
    '"key": "[hidden: private key]\\n"',
  ],
  ...[
    ['password', `curl -s -u ci:${letters} https://e.org`, 'curl -s -u ci:[hidden: password] https://e.org'],
    ['password', 'Server=db;Password=hunt3r-2;User=sa', 'Server=db;Password=[hidden: password];User=sa'],
    ['secret', `Authorization: Basic ${letters}==`, 'Authorization: Basic [hidden: secret]'],
    ['secret', `.header("X-Api-Key", "${hex}")`, '.header("X-Api-Key", "[hidden: secret]")'],
    [
      'secret',
      `https://e.org/a?x=1&access_token=${letters}&y=2`,
      'https://e.org/a?x=1&access_token=[hidden: secret]&y=2',
    ],
    ['secret', `[b](https://e.org/b?sv=2022&sig=${letters}%3D)`, '[b](https://e.org/b?sv=2022&sig=[hidden:-secret])'],
    ['secret', `db:\n  password: ${letters}\n  port: 5`, 'db:\n  password: [hidden: secret]\n  port: 5'],
    ['secret', `spring.datasource.password=${letters}`, 'spring.datasource.password=[hidden: secret]'],
    ['secret', `<password>${letters}</password>`, '<password>[hidden: secret]</password>'],
    [
      'Discord webhook',
      `https://discord.com/api/webhooks/${'123456789012345678'}/${letters}${letters}`,
      '[hidden: Discord webhook]',
    ],
    [
      'Teams webhook',
      `https://acme.webhook.office.com/webhookb2/${hex}@${hex}/IncomingWebhook/${hex}/x`,
      '[hidden: Teams webhook]',
    ],
    ['Telegram token', `/bot123456789:AA${letters.slice(0, 33)}/send`, '/bot[hidden: Telegram token]/send'],
    [
      'private key',
      `client-key-data: LS0tLS1CRUdJTi${'BSU0EgUFJJVkFURSBLRVkt'}${letters}`,
      'client-key-data: [hidden: private key]',
    ],
    [
      'private key',
      `7: -----BEGIN RSA PRIVATE KEY-----\n${lines.trim().replace(/^/gm, '8: ')}\n14: -----END RSA PRIVATE KEY-----`,
      '7: [hidden: private key]',
    ],
    [
      'private key',
      `| -----BEGIN RSA PRIVATE KEY-----<br>${lines.replaceAll('\n', '<br>')}-----END RSA PRIVATE KEY----- |`,
      '| [hidden: private key] |',
    ],
  ].map(([kind = '', text = '', shown = '']): [string, string, string] => [kind, text, shown]),
  ['private key', `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}…`, '[hidden: private key]…'],
  ['link’s address', `[x](https://e.org/?k=AKIA${'2E0A8F3B244C9986'})`, '[x](https://e.org/?k=[hidden:-AWS-key])'],
];

describe('a text of the service', () => {
  it.each(found)('has no %s', (_kind, text, shown) => {
    expect(hideCredentials(text)).toBe(shown);
    expect(hideCredentials(shown)).toBe(shown);
  });

  it.each([
    'AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI',
    'sk-... and sk-proj-your_key, ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'xoxb-your-token or `xoxb-…`',
    'postgres://user:password@host/db and https://$USER:$PASS@host',
    '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
    'it looks for -----BEGIN RSA PRIVATE KEY----- and then for the line with the end of it',
    'const key = process.env.AWS_SECRET_ACCESS_KEY ?? "";',
    'token: "refresh-token-of-the-account", secret = "{{ secrets.NPM_TOKEN }}"',
    'API_KEY=readFromTheEnvironment123()',
    'password: secret/data/app1/2024/db3\ntoken: my-service-v2-2024-token1\nsecret = refreshTokenOfTheAccount',
    'curl -u $USER:$TOKEN and curl -u user:password https://e.org/?key=SHOP-12345&sig=none',
    'Authorization: Bearer YOUR_TOKEN_123456789 and `Authorization: Bearer $TOKEN`',
    'commit 9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c and https://e.org/a@b:c',
  ])('keeps what is no credential: %s', (text) => {
    expect(hideCredentials(text)).toBe(text);
  });

  // A pattern that is not linear takes minutes for these.
  it.each([
    'AKIA',
    'eyJ',
    'eyJ-',
    'eyJa.',
    '-----BEGIN RSA PRIVATE KEY-----\n',
    'https://a:',
    'xoxb-1-',
    'secret_key=',
    'token="a1',
    'ghp_',
    '://',
    'a.b-',
    'curl -u a',
    'a=1;Password=b',
    '?a_token=',
    'x-a-key: ',
    'token: a1 ',
    '-----BEGIN PRIVATE KEY-----\n1: a',
  ])('is read quickly where %s is repeated', (piece) => {
    expect(hideCredentials(piece.repeat(1_000_000 / piece.length)).length).toBeGreaterThan(0);
  });
});
