import { examine } from '../app/doctor.ts';
import { readCommandLine } from '../command-line.ts';
import { ConfigError, parseConfig } from '../config.ts';
import { type Finding, findingOf, worstOf } from '../core/doctor.ts';
import { doctorReport, doctorText } from '../render/doctor.ts';
import { exitCodeOf, quietLog, UsageError, writeOutput } from './program.ts';

const usage = `Checks everything that the app needs: settings, Slack, the code search service, and the storage.

  npm run doctor -- [--json] [--url https://…/slack/events]
  node dist/cli/doctor.js [options]

  --url   without Socket Mode: the Request URL of the app in Slack. Left out: /slack/events under PUBLIC_URL, if that is set
  --json  the result as JSON, for programs
  --help  this text

Each line is pass, warn or fail, and says what to mend. Needs the settings of the app, and changes nothing: neither in Slack,
nor at the service, nor in the storage. The app may run meanwhile. Whether events arrive, only the running app
can find out: write /deepsearch doctor in Slack, as one of the people in ADMINS. The service that is checked is the app's own
one.
Exit codes: 0 nothing fails, 1 something fails, 2 wrong arguments or settings.
`;

interface Order {
  json: boolean;
  url: string | undefined;
}

/** Returns the exit code, as the usage text describes. */
async function main(): Promise<number> {
  const order = readOrder(process.argv.slice(2));
  if (order === undefined) {
    process.stdout.write(usage);
    return 0;
  }
  const wrong = configurationProblems();
  if (wrong.length > 0) {
    write(wrong, order.json);
    return 2;
  }
  const findings = await examine(parseConfig(process.env), {
    now: Date.now,
    random: Math.random,
    log: quietLog,
    requestUrl: order.url,
  });
  write(findings, order.json);
  return worstOf(findings) === 'fail' ? 1 : 0;
}

/** Every problem of the settings, one line each. The other checks need them all. */
function configurationProblems(): Finding[] {
  try {
    parseConfig(process.env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => findingOf('configuration', 'configurationWrong', { problem }));
  }
}

function write(findings: readonly Finding[], json: boolean): void {
  const report = { status: worstOf(findings), findings: doctorReport(findings) };
  writeOutput(json ? `${JSON.stringify(report, null, 2)}\n` : doctorText(findings), undefined);
}

/** Returns undefined for `--help`. Throws `UsageError` with all problems at once. */
function readOrder(args: string[]): Order | undefined {
  const { help, values, problems } = readCommandLine(args, {
    json: { takes: 'nothing' },
    url: { takes: 'text' },
  });
  if (help) return undefined;
  const { json, url } = values;
  if (url !== undefined && !isWebAddress(url)) problems.push('--url must be an http or https address');
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return { json, url };
}

function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

process.exitCode = await exitCodeOf(main);
