import { readCommandLine } from '../command-line.ts';
import { type AccessToken, parseAccessToken } from './accounts/command-line-tokens.ts';
import { type ModelEnvironment, type ModelSettings, readModelSettings } from './agent/settings.ts';
import { type CostLimits, readSiteConfiguration } from './graphql/site-configuration.ts';

export const USAGE = `Usage: npm run codesearch -- --repo <path> [--repo <path>] [options]

Answers questions about local git repositories over the conversation API (/.api/deepsearch/v1) and GraphQL
(/.api/graphql). It searches what git has recorded: commits and staged changes.

  --repo <path>        a git repository; may be given several times
  --port <n>           port to listen on; default: a free one
  --host <address>     address to listen on; default: 127.0.0.1
  --token <token>      an access token, or user:token; may be given several times, the first is the site admin.
                       Without it CODESEARCH_TOKEN is used (several separated by commas), else one is made up
  --service-token <token>  the same for a service account: a user for programs such as the app, who is no site admin and can't sign in.
                       Without it CODESEARCH_SERVICE_TOKEN is used
  --data-dir <path>    where conversations and accounts are kept; default: a temporary folder, removed at the end
  --repo-access <file> who may read which repository, as JSON: {"<repository or pattern>": ["<user name>", …]};
                       site admins read all, and so does everyone a repository without a rule
  --public-pages       show pages without sign-in; default: on a loopback address only
  --oauth-token-lifetime <s>  seconds that an OAuth access token is valid; default: 3600
  --sharing            a read token opens other users' conversations, through the API and as a page
  --quota <n>          credits per user and day (UTC); default: unlimited. An answer costs one, with a model its cents
  --site-config <file> JSON with the cost limits of GraphQL queries under rateLimits (docs/codesearch/graphql.md);
                       it may contain // comments, and its other keys are ignored
  --rate-limit <n>     requests per user and minute; default: 6000
  --hide-generation <n>  hide one generation of the conversation API, 1 (/.api/deepsearch/v1) or 2
                       (/api/deepsearch.v1.Service); default: both are offered
  --as-version <text>  what /__version answers; default: 7.0.0, or one that fits the hidden generation
  --suggested-followups  second generation: add suggestedFollowups to finished questions
  --base-url <url>     address used in links, when it is not the one listened on
  --step-delay <ms>    pause after each step, to watch a question being worked on and to cancel it; default: 0
  --llm-base-url <url> an OpenAI-compatible API that writes the answers, for example http://127.0.0.1:11434/v1.
                       Questions and parts of the repositories are sent there
  --llm-model <name>   the model to use there
  --help               this text

The environment may set LLM_BASE_URL, LLM_MODEL and LLM_API_KEY, and limits for one question: LLM_MAX_STEPS (16),
LLM_MAX_TOKENS (300000), LLM_CONTEXT_TOKENS (60000), LLM_MAX_SECONDS (120), LLM_MAX_SILENT_SECONDS (60), LLM_MAX_COST (1, in
dollars) by LLM_PRICES (3,0.3,15: dollars for a million tokens of input, cached input and output). See docs/codesearch/model.md.

On a loopback address, pages of files, folders and commits need no sign-in, so that links open in a browser. On
other addresses, and with a --base-url elsewhere, people sign in at /sign-in with an access token.
A conversation's page needs its unguessable read token and, unless the reader is its owner, --sharing.

There are commands for users, access tokens and OAuth apps: npm run codesearch -- token --help
`;

/** The checked values of the command line. */
export interface Arguments {
  repos: string[];
  tokens: AccessToken[];
  port: number | undefined;
  host: string | undefined;
  dataDir: string | undefined;
  /** A JSON file. */
  repoAccessFile: string | undefined;
  publicPages: boolean;
  oauthTokenLifetime: number | undefined;
  sharing: boolean;
  quota: number | undefined;
  rateLimit: number | undefined;
  /** From the site configuration; undefined without one. */
  costLimits: CostLimits | undefined;
  hideGeneration: 1 | 2 | undefined;
  asVersion: string | undefined;
  suggestedFollowups: boolean;
  /** Undefined: answers are written without a model. */
  model: ModelSettings | undefined;
  baseUrl: string | undefined;
  stepDelayMs: number | undefined;
}

export type ParsedArguments =
  | { kind: 'run'; arguments: Arguments }
  | { kind: 'help' }
  | { kind: 'bad'; problems: string[] };

/** The environment variables that the service reads. */
export type Environment = ModelEnvironment & {
  readonly CODESEARCH_TOKEN?: string | undefined;
  readonly CODESEARCH_SERVICE_TOKEN?: string | undefined;
};

/** Reads the command line and the environment, and collects every problem. `--token` wins over `CODESEARCH_TOKEN`. */
export function parseArguments(line: readonly string[], environment: Environment): ParsedArguments {
  const { help, values, problems } = readCommandLine(line, {
    repo: { takes: 'texts' },
    token: { takes: 'texts' },
    'service-token': { takes: 'texts' },
    port: { takes: 'whole', least: 0, most: 65_535 },
    host: { takes: 'text' },
    'data-dir': { takes: 'text' },
    'repo-access': { takes: 'text' },
    'public-pages': { takes: 'nothing' },
    'oauth-token-lifetime': { takes: 'whole', least: 60, most: 86_400 },
    sharing: { takes: 'nothing' },
    quota: { takes: 'whole', least: 1, most: 1_000_000 },
    'site-config': { takes: 'text' },
    'rate-limit': { takes: 'whole', least: 1, most: 1_000_000 },
    'hide-generation': { takes: 'whole', least: 1, most: 2 },
    'as-version': { takes: 'text' },
    'suggested-followups': { takes: 'nothing' },
    'base-url': { takes: 'text' },
    'step-delay': { takes: 'whole', least: 0, most: 60_000 },
    'llm-base-url': { takes: 'text' },
    'llm-model': { takes: 'text' },
  });
  if (help) return { kind: 'help' };
  if (values.repo.length === 0) problems.push('at least one repository is needed: --repo <path>');
  const orListed = (given: readonly string[], list = ''): readonly string[] =>
    given.length > 0 ? given : list.split(',').filter((token) => token !== '');
  const people = orListed(values.token, environment.CODESEARCH_TOKEN).map((text, at) => parseAccessToken(text, at));
  const programs = orListed(values['service-token'], environment.CODESEARCH_SERVICE_TOKEN).map(
    (text, at): AccessToken => ({ ...parseAccessToken(text, at, 'service'), kind: 'serviceAccount' }),
  );
  const tokens = [...people, ...programs];
  if (tokens.some(({ token }) => /\s|"/.test(token))) {
    problems.push('an access token holds no white space and no quotation marks');
  }
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length)
    problems.push('each --token and --service-token must be different');
  const baseUrl = values['base-url'];
  if (baseUrl !== undefined && !(URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol))) {
    problems.push(`--base-url ${baseUrl}: not an http or https address`);
  }
  const siteConfig = values['site-config'];
  const site = siteConfig === undefined ? undefined : readSiteConfiguration(siteConfig);
  problems.push(...(site?.problems ?? []));
  const model = readModelSettings(environment, { baseUrl: values['llm-base-url'], model: values['llm-model'] });
  problems.push(...model.problems);
  if (problems.length > 0) return { kind: 'bad', problems };
  return {
    kind: 'run',
    arguments: {
      repos: values.repo,
      tokens,
      port: values.port,
      host: values.host,
      dataDir: values['data-dir'],
      repoAccessFile: values['repo-access'],
      publicPages: values['public-pages'],
      oauthTokenLifetime: values['oauth-token-lifetime'],
      sharing: values.sharing,
      quota: values.quota,
      rateLimit: values['rate-limit'],
      costLimits: site?.costLimits,
      hideGeneration: values['hide-generation'] as 1 | 2 | undefined,
      asVersion: values['as-version'],
      suggestedFollowups: values['suggested-followups'],
      model: model.settings,
      baseUrl,
      stepDelayMs: values['step-delay'],
    },
  };
}
