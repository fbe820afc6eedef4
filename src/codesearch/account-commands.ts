import { existsSync } from 'node:fs';
import { readCommandLine } from '../command-line.ts';
import { openOAuthStore } from './accounts/oauth-store.ts';
import type { OAuthApp, TokenRecord, User } from './accounts/records.ts';
import { AccountError, type Accounts, openAccounts } from './accounts/store.ts';
import { isScope, type Scope } from './accounts/viewer.ts';
import { openDataDirectory } from './data-directory.ts';

const COMMANDS_USAGE = `Accounts of a data directory, also while the service runs on it. Each prints one line of JSON per result:

  user create --name <name> [--service-account] [--site-admin]
  user list
  user promote --name <name>       makes a person site admin; demote ends it
  user demote --name <name>
  token create --user <name> [--scope <scope>]… [--days <n>] [--note <text>]
                                   prints the token, once; scopes: user:all (default), site-admin:sudo,
                                   externalapi:read, externalapi:write; without --days it never expires
  token list [--user <name>]
  token revoke --id <n>
  oauth-app create --name <name> --redirect-uri <address> [--redirect-uri …] [--confidential]
  oauth-app create --name <name> --user <service account>
                                   an app that gets tokens of it by client_credentials
  oauth-app list
  oauth-app remove --client-id <id>

All need --data-dir <path>, an existing folder.
`;

/** Results for standard output, one line each. */
type Lines = readonly object[];

interface Stores {
  accounts: Accounts;
  oauth: Awaited<ReturnType<typeof openOAuthStore>>;
}

const OPTIONS = {
  'data-dir': { takes: 'text' },
  name: { takes: 'text' },
  user: { takes: 'text' },
  scope: { takes: 'texts' },
  days: { takes: 'whole', least: 1, most: 3_650 },
  note: { takes: 'text' },
  id: { takes: 'whole', least: 1, most: 1_000_000_000 },
  'client-id': { takes: 'text' },
  'redirect-uri': { takes: 'texts' },
  confidential: { takes: 'nothing' },
  'service-account': { takes: 'nothing' },
  'site-admin': { takes: 'nothing' },
} as const;

type Values = ReturnType<typeof readCommandLine<typeof OPTIONS>>['values'];

const COMMANDS: Record<string, (values: Values, stores: Stores, nowMs: number) => Promise<Lines>> = {
  async 'user create'(values, { accounts }) {
    const kind = values['service-account'] ? 'serviceAccount' : 'user';
    const siteAdmin = values['site-admin'];
    if (siteAdmin && kind === 'serviceAccount') throw new AccountError('A service account is never site admin.');
    return [await accounts.createUser({ username: required(values.name, '--name'), kind, siteAdmin })];
  },
  'user list': async (_values, { accounts }) => accounts.users(),
  'user promote': (values, stores) => setSiteAdmin(values, stores, true),
  'user demote': (values, stores) => setSiteAdmin(values, stores, false),
  async 'token create'(values, { accounts }, nowMs) {
    const user = userNamed(accounts, values.user);
    const { token, record } = await accounts.createToken({
      userId: user.id,
      scopes: readScopes(values.scope),
      note: values.note ?? '',
      expiresMs: values.days === undefined ? undefined : nowMs + values.days * 24 * 3_600_000,
    });
    return [{ token, ...describeToken(record, user) }];
  },
  async 'token list'(values, { accounts }) {
    const owner = values.user === undefined ? undefined : userNamed(accounts, values.user);
    return accounts.tokens(owner?.id).map((record) => describeToken(record, accounts.userById(record.userId)));
  },
  async 'token revoke'(values, { accounts }) {
    const id = required(values.id, '--id');
    if (!(await accounts.revokeToken(id))) throw new AccountError(`There is no token ${id}.`);
    return [{ id, revoked: true }];
  },
  async 'oauth-app create'(values, { accounts, oauth }) {
    const account = values.user === undefined ? undefined : userNamed(accounts, values.user);
    if (account !== undefined && account.kind !== 'serviceAccount') {
      throw new AccountError(`${account.username} is a person: only a service account gets tokens without signing in.`);
    }
    const { app, secret } = await oauth.createApp({
      name: required(values.name, '--name'),
      redirectUris: values['redirect-uri'],
      confidential: values.confidential,
      serviceAccount: account?.id,
    });
    return [{ ...describeApp(app), ...(secret === undefined ? {} : { clientSecret: secret }) }];
  },
  'oauth-app list': async (_values, { oauth }) => oauth.apps().map(describeApp),
  async 'oauth-app remove'(values, { oauth }) {
    const clientId = required(values['client-id'], '--client-id');
    if (!(await oauth.removeApp(clientId))) throw new AccountError(`There is no app ${clientId}.`);
    return [{ clientId, removed: true }];
  },
};

/** Whether a command line begins with a command instead of an option of the service. */
export function isCommand(line: readonly string[]): boolean {
  return line[0] !== undefined && !line[0].startsWith('-');
}

/**
 * Runs a command that {@link isCommand} recognized. Returns its output, or everything that is wrong with it. A service may
 * run on the same data directory, but in another process: LMDB can't be opened twice in one.
 */
export async function runCommand(line: readonly string[]): Promise<{ output: string } | { problems: string[] }> {
  const command = COMMANDS[line.slice(0, 2).join(' ')];
  const { help, values, problems } = readCommandLine(line.slice(command === undefined ? 1 : 2), OPTIONS);
  if (help) return { output: COMMANDS_USAGE };
  if (command === undefined) return { problems: [`there is no command "${line.slice(0, 2).join(' ')}"`] };
  const directory = values['data-dir'];
  if (directory === undefined) problems.push('--data-dir is needed');
  else if (!existsSync(directory)) problems.push(`--data-dir ${directory}: there is no such folder`);
  if (directory === undefined || problems.length > 0) return { problems };
  const data = openDataDirectory(directory);
  try {
    const stores = {
      accounts: await openAccounts(data.root, Date.now),
      oauth: await openOAuthStore(data.root, Date.now),
    };
    const lines = await command(values, stores, Date.now());
    return { output: lines.map((result) => `${JSON.stringify(result)}\n`).join('') };
  } catch (error) {
    if (error instanceof AccountError) return { problems: [error.message] };
    throw error;
  } finally {
    await data.close();
  }
}

async function setSiteAdmin(values: Values, { accounts }: Stores, siteAdmin: boolean): Promise<Lines> {
  const { id } = userNamed(accounts, values.name);
  await accounts.setSiteAdmin(id, siteAdmin);
  return [accounts.userById(id) ?? {}];
}

function userNamed(accounts: Accounts, name: string | undefined): User {
  const user = accounts.userByName(required(name, '--user or --name'));
  if (user === undefined) throw new AccountError(`There is no user ${name}.`);
  return user;
}

function required<Value>(value: Value | undefined, option: string): Value {
  if (value === undefined) throw new AccountError(`${option} is needed`);
  return value;
}

function readScopes(texts: readonly string[]): Scope[] {
  if (texts.length === 0) return ['user:all'];
  const scopes = texts.filter(isScope);
  if (scopes.length < texts.length) throw new AccountError('There is no scope of this name. Try --help.');
  return [...new Set(scopes)];
}

function describeToken({ id, scopes, note, createdMs, expiresMs, lastUsedMs }: TokenRecord, user: User | undefined) {
  const time = (ms: number | undefined): string | undefined =>
    ms === undefined ? undefined : new Date(ms).toISOString();
  const [created, expires, lastUsed] = [time(createdMs), time(expiresMs), time(lastUsedMs)];
  return { id, user: user?.username, scopes, note, created, expires, lastUsed };
}

function describeApp({ clientId, name, redirectUris, secretDigest }: OAuthApp) {
  return { clientId, name, redirectUris, kind: secretDigest === undefined ? 'public' : 'confidential' };
}
