import { resolve } from 'node:path';
import { readCommandLine } from '../command-line.ts';

/** What the demo was asked to do. A port that is absent is chosen freely. */
export interface DemoOptions {
  /** Absolute paths, none of them checked yet; empty means the repository of this project. */
  repositories: string[];
  slackPort?: number;
  servicePort?: number;
  appPort?: number;
  /** How long each step of an answer is held up, so that a card can be watched. */
  stepDelayMs: number;
  /** Kept at the end; without it everything is written to a temporary folder and removed. */
  dataDir?: string;
  localSlack?: string;
  /** Whether the local Slack may have a network namespace of its own, where that is possible. */
  namespace: boolean;
}

export type DemoArguments =
  | { kind: 'run'; options: DemoOptions }
  | { kind: 'help' }
  | { kind: 'wrong'; problems: string[] };

/** Long enough to see a card move and to press Cancel, short enough not to be a wait. */
const defaultStepDelayMs = 800;
const longestStepDelayMs = 60_000;

export const USAGE = `Usage: npm run demo -- [options]

  --repo <path>          git repository to answer from; may be given several times (default: this project)
  --slack-port <n>       port of the local Slack (default: a free one)
  --service-port <n>     port of the code search service (default: a free one)
  --app-port <n>         port of the app's health pages (default: a free one)
  --step-delay <ms>      hold up each step of an answer by so much (default: ${defaultStepDelayMs})
  --data-dir <path>      keep data and logs here (default: a temporary folder, removed at the end)
  --local-slack <path>   the local-slack program to use (also: LOCAL_SLACK_BIN)
  --no-namespace         let the local Slack listen on every interface (default: only where there is no other way)
  --help                 show this
`;

/** Reads the command line; every problem is found in one go. Relative paths count from `cwd`. */
export function parseArguments(args: readonly string[], cwd: string): DemoArguments {
  const port = { takes: 'whole', least: 1, most: 65_535 } as const;
  const { help, values, problems } = readCommandLine(args, {
    repo: { takes: 'texts' },
    'slack-port': port,
    'service-port': port,
    'app-port': port,
    'step-delay': { takes: 'whole', least: 0, most: longestStepDelayMs },
    'data-dir': { takes: 'text' },
    'local-slack': { takes: 'text' },
    'no-namespace': { takes: 'nothing' },
  });
  if (help) return { kind: 'help' };
  const {
    'slack-port': slackPort,
    'service-port': servicePort,
    'app-port': appPort,
    'data-dir': dataDir,
    'local-slack': localSlack,
  } = values;
  const ports = [slackPort, servicePort, appPort].filter((given) => given !== undefined);
  if (new Set(ports).size < ports.length) problems.push('the ports must differ from each other');
  if (problems.length > 0) return { kind: 'wrong', problems };
  return {
    kind: 'run',
    options: {
      repositories: [...new Set(values.repo.map((repo) => resolve(cwd, repo)))],
      stepDelayMs: values['step-delay'] ?? defaultStepDelayMs,
      namespace: !values['no-namespace'],
      ...(slackPort === undefined ? {} : { slackPort }),
      ...(servicePort === undefined ? {} : { servicePort }),
      ...(appPort === undefined ? {} : { appPort }),
      ...(dataDir === undefined ? {} : { dataDir: resolve(cwd, dataDir) }),
      ...(localSlack === undefined ? {} : { localSlack: resolve(cwd, localSlack) }),
    },
  };
}
