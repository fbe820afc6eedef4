import { type CommandLine, readCommandLine } from '../command-line.ts';
import { parseConfig } from '../config.ts';
import type { OwnService } from '../core/workspaces/own-service.ts';
import type { AdminCommand } from './admin-command.ts';
import { UsageError } from './program.ts';
import { changeService } from './workspace-change.ts';
import { checkServices, listWorkspaces } from './workspace-list.ts';
import { withStores } from './workspace-stores.ts';
import { readToken } from './workspace-token.ts';

const help = `Shows which code search service each workspace asks, and gives a workspace its own.

  npm run admin -- workspace
  npm run admin -- workspace --check
  npm run admin -- workspace --id T… --endpoint https://… --token-file FILE [--sudo-user NAME] [--api 1|2]
  npm run admin -- workspace --id T… --clear
  node dist/cli/admin.js workspace [options]

  --check       asks each service of a workspace whether it takes the stored token
  --id          the workspace (T…) or organization (E…). It need not have installed the app yet
  --endpoint    the base address of its service, as in SRC_ENDPOINT
  --token-file  a file with the access token for that service; - is the standard input
  --sudo-user   as SRC_SUDO_USER, for that service
  --api         as SRC_API, for that service; left out: the app finds out what it offers
  --clear       the workspace asks at the app's own service again
  --help        this text

Before a service is stored, it is asked whether it takes the token. The token is stored encrypted, and never shown. The app
may run meanwhile, and takes the change at the next event. What runs at the service before ends there. People of a workspace
with its own service ask with the account of this token, whatever ACCOUNTS says. Needs all settings of the app; the list only
ENCRYPTION_KEYS and where the records are.
Exit codes: 0 done, 1 a service does not take its token or the storage can't be used, 2 wrong arguments or settings.
`;

const options = {
  check: { takes: 'nothing' },
  id: { takes: 'text' },
  endpoint: { takes: 'text' },
  'token-file': { takes: 'text' },
  'sudo-user': { takes: 'text' },
  api: { takes: 'text' },
  clear: { takes: 'nothing' },
} as const;

/** `workspace`: lists workspaces with their services, and changes the service of one. */
export const workspaceCommand: AdminCommand = {
  help,
  async run(args, environment) {
    const line = readCommandLine(args, options);
    const { check, id, endpoint, api } = line.values;
    const { 'token-file': tokenFile, 'sudo-user': sudoUser } = line.values;
    const problems = problemsOf(line);
    if (problems.length > 0) throw new UsageError(problems.join('\n'));
    if (id === undefined) {
      const config = check ? parseConfig(environment) : undefined;
      return withStores(environment, (stores) =>
        config === undefined ? listWorkspaces(stores) : checkServices(stores, config),
      );
    }
    const config = parseConfig(environment);
    if (config.SLACK_CLIENT_ID === undefined) {
      throw new UsageError('the app serves the one workspace of SLACK_BOT_TOKEN: set its service with SRC_ENDPOINT');
    }
    const service =
      endpoint === undefined || tokenFile === undefined
        ? undefined
        : { ...serviceOf(endpoint, sudoUser, api), token: await readToken(tokenFile) };
    return withStores(environment, (stores) => changeService(stores, config, id, service));
  },
};

function serviceOf(
  endpoint: string,
  sudoUser: string | undefined,
  api: string | undefined,
): Omit<OwnService, 'username' | 'token'> {
  return {
    endpoint: new URL(endpoint).href.replace(/\/+$/, ''),
    ...(sudoUser === undefined ? {} : { sudoUser }),
    api: api === '1' || api === '2' ? api : 'auto',
  };
}

function problemsOf({ values, problems }: CommandLine<typeof options>): string[] {
  const { check, id, endpoint, api, clear, 'token-file': tokenFile, 'sudo-user': sudoUser } = values;
  const ofService = Object.entries({ endpoint, 'token-file': tokenFile, 'sudo-user': sudoUser, api })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name}`);
  if (id === undefined) {
    const without = [...ofService, ...(clear ? ['--clear'] : [])];
    return [...problems, ...without.map((name) => `${name} needs --id`)];
  }
  return [
    ...problems,
    ...(/^[TE][A-Z0-9]{2,}$/.test(id)
      ? []
      : ['--id must be a workspace (T0123456789) or an organization (E0123456789)']),
    ...(check ? ['--check is without --id'] : []),
    ...(clear
      ? ofService.map((name) => `--clear and ${name} exclude each other`)
      : neededProblems(endpoint, tokenFile)),
    ...(api === undefined || ['auto', '1', '2'].includes(api) ? [] : ['--api must be auto, 1 or 2']),
    ...(sudoUser === undefined || /^[\x21-\x7e]+$/.test(sudoUser) ? [] : ['--sudo-user is no name of a user']),
  ];
}

function neededProblems(endpoint: string | undefined, tokenFile: string | undefined): string[] {
  const missing = Object.entries({ endpoint, 'token-file': tokenFile }).filter(([, value]) => !value);
  const wrong = endpoint ? endpointProblem(endpoint) : undefined;
  return [...missing.map(([name]) => `--${name} is missing`), ...(wrong === undefined ? [] : [`--endpoint ${wrong}`])];
}

function endpointProblem(endpoint: string): string | undefined {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'must be an http or https address';
  const isPlain = [url.username, url.password, url.search, url.hash].every((part) => part === '');
  return isPlain ? undefined : 'must be an address without user, password, query and fragment';
}
