import { parseArgs } from 'node:util';
import { type AccessToken, parseAccessToken } from './http/authentication.ts';

export const USAGE = `Usage: npm run codesearch -- --repo <path> [--repo <path>] [options]

Answers questions about local git repositories over the conversation API (/.api/deepsearch/v1) and GraphQL
(/.api/graphql). It searches what git has recorded: commits and staged changes.

  --repo <path>        a git repository; may be given several times
  --port <n>           port to listen on; default: a free one
  --host <address>     address to listen on; default: 127.0.0.1
  --token <token>      an access token, or user:token; may be given several times, the first is the site admin.
                       Without it CODESEARCH_TOKEN is used (several separated by commas), else one is made up
  --data-dir <path>    where conversations are kept; default: a temporary folder, removed at the end
  --sharing            a read token opens other users' conversations through the API
  --quota <n>          answered questions per user and day (UTC); default: unlimited
  --rate-limit <n>     requests per user and minute; default: unlimited
  --base-url <url>     address used in links, when it is not the one listened on
  --step-delay <ms>    pause after each step, to watch a question being worked on and to cancel it; default: 0
  --help               this text

Pages of files, folders, commits and conversations need no token, so that links open in a browser: keep the service
on 127.0.0.1, or behind something that checks who comes. A conversation's page needs its unguessable read token.
`;

/** What the command line asks for, checked. */
export interface Arguments {
  repos: string[];
  tokens: AccessToken[];
  port: number | undefined;
  host: string | undefined;
  dataDir: string | undefined;
  sharing: boolean;
  quota: number | undefined;
  rateLimit: number | undefined;
  baseUrl: string | undefined;
  stepDelayMs: number | undefined;
}

export type ParsedArguments =
  | { kind: 'run'; arguments: Arguments }
  | { kind: 'help' }
  | { kind: 'bad'; problems: string[] };

const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'string', multiple: true } as const;
const FLAG = { type: 'boolean' } as const;
const OPTIONS = {
  repo: TEXTS,
  token: TEXTS,
  port: TEXT,
  host: TEXT,
  'data-dir': TEXT,
  sharing: FLAG,
  quota: TEXT,
  'rate-limit': TEXT,
  'base-url': TEXT,
  'step-delay': TEXT,
  help: FLAG,
} as const;

/** Reads the command line and collects every problem; `environmentToken` stands in for `--token`. */
export function parseArguments(line: readonly string[], environmentToken: string | undefined): ParsedArguments {
  const problems: string[] = [];
  const { values, tokens: parts } = parseArgs({
    args: [...line],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  if (values.help === true) return { kind: 'help' };
  for (const part of parts) {
    if (part.kind === 'positional') problems.push(`“${part.value}” stands alone; a repository is named with --repo.`);
    if (part.kind !== 'option') continue;
    const known = Object.entries(OPTIONS).find(([name]) => name === part.name)?.[1];
    if (known === undefined) problems.push(`${part.rawName} is not an option.`);
    else if (known.type === 'string' && (part.value === undefined || part.value === ''))
      problems.push(`${part.rawName} needs a value.`);
    else if (known.type === 'boolean' && part.value !== undefined) problems.push(`${part.rawName} takes no value.`);
  }
  const text = (name: keyof typeof values): string | undefined => {
    const value = values[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const texts = (name: 'repo' | 'token'): string[] =>
    (values[name] ?? []).filter((value): value is string => typeof value === 'string' && value !== '');
  const whole = (name: keyof typeof values, least: number, most: number): number | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= most) return number;
    problems.push(`--${name} must be a whole number from ${least} to ${most}, not “${value}”.`);
    return undefined;
  };
  const repos = texts('repo');
  if (repos.length === 0 && !parts.some((part) => part.kind === 'option' && part.name === 'repo')) {
    problems.push('At least one repository is needed: --repo <path>.');
  }
  const given = texts('token');
  const tokens = (given.length > 0 ? given : (environmentToken ?? '').split(',').filter((token) => token !== '')).map(
    parseAccessToken,
  );
  for (const { token } of tokens)
    if (/\s|"/.test(token)) problems.push('An access token holds no white space and no quotation marks.');
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length) problems.push('Each --token must be different.');
  const baseUrl = text('base-url');
  if (baseUrl !== undefined && !(URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol))) {
    problems.push(`--base-url must be an http or https address, not “${baseUrl}”.`);
  }
  const parsed: Arguments = {
    repos,
    tokens,
    port: whole('port', 0, 65_535),
    host: text('host'),
    dataDir: text('data-dir'),
    sharing: values.sharing === true,
    quota: whole('quota', 1, 1_000_000),
    rateLimit: whole('rate-limit', 1, 1_000_000),
    baseUrl,
    stepDelayMs: whole('step-delay', 0, 60_000),
  };
  return problems.length > 0 ? { kind: 'bad', problems } : { kind: 'run', arguments: parsed };
}
