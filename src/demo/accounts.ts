import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  /** `ENCRYPTION_KEYS` of the app. */
  encryptionKeys: string;
}

interface Secrets {
  admin: string;
  app: string;
  alice: string;
  bob: string;
  key: string;
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
    'README.md': '# Ledger\n\nBooks transfers between accounts. Only the team of Alice reads this repository.\n',
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
  const { admin, app, alice, bob, key } = readSecrets(join(folder, 'accounts.json'));
  const accessFile = join(folder, 'repo-access.json');
  const access = { [`${owner}/ledger`]: ['alice'], [`${owner}/warehouse`]: ['bob'] };
  writeFileSync(accessFile, JSON.stringify(access));
  return {
    repositories,
    tokens: [`admin:${admin}`, `deepsearch:${app}`, `alice:${alice}`, `bob:${bob}`],
    appToken: app,
    accessFile,
    people: [
      { name: 'alice', token: alice, repository: `${owner}/ledger` },
      { name: 'bob', token: bob, repository: `${owner}/warehouse` },
    ],
    encryptionKeys: `demo:${key}`,
  };
}

/** The settings of the app. `publicUrl`: where a browser reaches the app. */
export function accountSettings(
  { encryptionKeys }: Pick<AccountsSetup, 'encryptionKeys'>,
  { serviceUrl, publicUrl, clientId }: { serviceUrl: string; publicUrl: string; clientId: string },
): Record<string, string> {
  return {
    ACCOUNTS: 'preferred',
    ENCRYPTION_KEYS: encryptionKeys,
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

/** Kept with the data, so that the accounts of an earlier run still work. Only this user can read the file. */
function readSecrets(file: string): Secrets {
  if (!existsSync(file)) {
    const [admin, app, alice, bob] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const key = randomBytes(32).toString('base64');
    const made: Secrets = { admin, app, alice, bob, key };
    writeFileSync(file, JSON.stringify(made), { mode: 0o600 });
    return made;
  }
  const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isSecrets(read)) throw new DemoProblem(`${file} is not from this demo; remove it`);
  return read;
}

function isSecrets(read: unknown): read is Secrets {
  if (typeof read !== 'object' || read === null) return false;
  const known = new Map(Object.entries(read));
  return ['admin', 'app', 'alice', 'bob', 'key'].every((name) => typeof known.get(name) === 'string');
}
