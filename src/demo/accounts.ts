import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { git } from './git.ts';
import { DemoProblem } from './problem.ts';

/** What `--accounts` adds to the demo: people with accounts of their own, and repositories that only one of them reads. */
export interface AccountsSetup {
  /** Folders of the small repositories, added to those of the person who runs the demo. */
  repositories: string[];
  /** `user:token` for the service. The first user is its site admin, and no one uses that one. */
  tokens: string[];
  /** The token of the app's account, which reads what everyone may read. */
  appToken: string;
  /** The file for `--repo-access`. */
  accessFile: string;
  /** The tokens with which people connect, by their name in the local Slack and at the service. */
  people: { name: string; token: string; repository: string }[];
}

const owner = 'git.example.com/acme';

/** A question to which each person gets a different answer. */
export const QUESTION_FOR_EVERYONE = 'Where is `TRANSFER_RETRIES` defined?';

/** What the banner suggests where the demo has only its own repositories. */
export const ACCOUNT_QUESTIONS: readonly string[] = [
  QUESTION_FOR_EVERYONE,
  'Which repositories can you search, and what is each of them for?',
  'What changed recently?',
];

const FILES: Record<string, Record<string, string>> = {
  handbook: {
    'README.md':
      '# Handbook\n\nEveryone at Acme reads this.\n\n## Repositories\n\nAsk the team that owns a repository.\n',
  },
  ledger: {
    'README.md': '# Ledger\n\nBooks transfers between accounts. Only the team of Ada reads this repository.\n',
    'src/transfers.ts': `/** How often the ledger tries a failed transfer again. */
export const TRANSFER_RETRIES = 3;

/** Whether a transfer of the ledger is tried again. */
export function retriesTransfer(attempt: number): boolean {
  return attempt < TRANSFER_RETRIES;
}
`,
  },
  warehouse: {
    'README.md': '# Warehouse\n\nMoves goods between buildings. Only the team of Bob reads this repository.\n',
    'src/moves.ts': `/** How often the warehouse tries a failed transfer of goods again. */
export const TRANSFER_RETRIES = 7;

/** Whether a transfer of goods is tried again. */
export function retriesMove(attempt: number): boolean {
  return attempt < TRANSFER_RETRIES;
}
`,
  },
};

/** Creates the repositories, tokens and keys in the folder of the demo, or finds those of an earlier run. */
export async function prepareAccounts(folder: string): Promise<AccountsSetup> {
  const parent = join(folder, 'repositories');
  const repositories = await Promise.all(Object.keys(FILES).map((name) => createRepository(parent, name)));
  const accessFile = join(folder, 'repo-access.json');
  const access = { [`${owner}/ledger`]: ['ada'], [`${owner}/warehouse`]: ['bob'] };
  writeFileSync(accessFile, JSON.stringify(access));
  return {
    repositories,
    tokens: ['admin', 'deepsearch', 'ada', 'bob'].map((name) => `${name}:${tokenOf(name)}`),
    appToken: tokenOf('deepsearch'),
    accessFile,
    people: [
      { name: 'ada', token: tokenOf('ada'), repository: `${owner}/ledger` },
      { name: 'bob', token: tokenOf('bob'), repository: `${owner}/warehouse` },
    ],
  };
}

/** Not secret: who reaches the programs of the demo can also act as each person of its Slack, without any token. */
function tokenOf(name: string): string {
  return `token-of-${name}-in-the-demo`;
}

/** The settings of the app. `publicUrl`: where a browser reaches the app. */
export function accountSettings({
  serviceUrl,
  publicUrl,
  clientId,
}: Record<'serviceUrl' | 'publicUrl' | 'clientId', string>): Record<string, string> {
  return {
    ACCOUNTS: 'preferred',
    // As little a secret as the tokens; the same at each start, so that stored accounts stay readable.
    ENCRYPTION_KEYS: `demo:${Buffer.alloc(32, 'demo').toString('base64')}`,
    PUBLIC_URL: publicUrl,
    SRC_OAUTH_CLIENT_ID: clientId,
    SRC_OAUTH_AUTHORIZE_URL: `${serviceUrl}/.auth/idp/oauth/authorize`,
    SRC_OAUTH_TOKEN_URL: `${serviceUrl}/.auth/idp/oauth/token`,
  };
}

/** A port of this machine that is free now. The address of the app has to be known before the app starts. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

async function createRepository(parent: string, name: string): Promise<string> {
  const folder = join(parent, name);
  // Not the commit of a repository around the folder.
  if ((await git(folder, '--git-dir=.git', 'rev-parse', '--verify', 'HEAD')) !== undefined) return folder;
  // An interrupted start may have left a part.
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(FILES[name] ?? {})) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const identity = ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.com', '-c', 'commit.gpgsign=false'];
  const steps = [
    ['init', '-q'],
    ['remote', 'add', 'origin', `https://${owner}/${name}.git`],
    ['add', '.'],
    [...identity, 'commit', '-q', '-m', `Add the ${name}`],
  ];
  for (const step of steps) {
    if ((await git(folder, ...step)) === undefined) throw new DemoProblem(`git could not create ${folder}`);
  }
  return folder;
}
