import { readFileSync } from 'node:fs';
import { readCommandLine } from '../command-line.ts';
import { startLocalSlack } from './local-slack.ts';
import { readManifest } from './manifest.ts';
import { createPage } from './page/page.ts';
import { team } from './people.ts';

const USAGE = `Usage: npm run local-slack -- [options]

A Slack workspace on this machine, for one app: the Web API, as strict as Slack's, events, interactions, and a page on
which you act as any of its people. It keeps nothing, and listens on 127.0.0.1 only.

  --port <n>              port to listen on; default: a free one
  --manifest <path>       the manifest of the app; default: manifest.yml of this project
  --events-url <url>      where the app takes signed requests; default: it connects by Socket Mode
  --signing-secret <text> the secret of the signatures; default: ${team.signingSecret}
  --unfurl-host <host>    links to this host get previews by the app, as those to the domains of the manifest;
                          may be given several times
  --rate-limits           refuse calls that come too often, as Slack does
  --help                  this text

The first line of the output says, as JSON, the address and the tokens. Later lines say what the app did that Slack does
not allow.
`;

const options = {
  port: { takes: 'whole', least: 0, most: 65_535 },
  manifest: { takes: 'text' },
  'events-url': { takes: 'text' },
  'signing-secret': { takes: 'text' },
  'unfurl-host': { takes: 'texts' },
  'rate-limits': { takes: 'nothing' },
} as const;

async function main(): Promise<void> {
  const { help, values, problems } = readCommandLine(process.argv.slice(2), options);
  if (help) return void process.stdout.write(USAGE);
  const { 'events-url': url, 'signing-secret': signingSecret = team.signingSecret } = values;
  if (url !== undefined && !URL.canParse(url)) problems.push(`--events-url ${url}: not a URL`);
  if (problems.length > 0) return fail(problems);
  const path = values.manifest ?? new URL('../../manifest.yml', import.meta.url);
  const local = await startLocalSlack({
    manifest: readManifest(readFileSync(path, 'utf8')),
    pages: createPage,
    rateLimits: values['rate-limits'],
    unfurlHosts: values['unfurl-host'],
    ...(values.port === undefined ? {} : { port: values.port }),
    ...(url === undefined ? {} : { events: { url, signingSecret } }),
  });
  const { botToken, appToken } = team;
  const admins = [...local.workspace.people.values()].filter((each) => each.is_admin === true).map(({ id }) => id);
  report({ event: 'ready', url: local.url, apiUrl: `${local.url}/api/`, botToken, appToken, signingSecret, admins });

  let said = 0;
  const reporting = setInterval(() => {
    for (const violation of local.violations.slice(said)) report({ event: 'violation', violation });
    said = local.violations.length;
  }, 500);
  const end = (): void => {
    clearInterval(reporting);
    void local.stop().then(() => process.exit(0));
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

function report(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function fail(problems: readonly string[]): void {
  process.stderr.write(`${problems.map((problem) => `local-slack: ${problem}`).join('\n')}\nTry --help.\n`);
  process.exitCode = 2;
}

await main().catch((error: unknown) => {
  fail([error instanceof Error ? error.message : String(error)]);
  process.exitCode = 1;
});
