import { resolve } from 'node:path';
import { readCommandLine } from '../command-line.ts';

/** Options of the demo. A free port is chosen for each missing port. */
export interface DemoOptions {
  /** Absolute paths, not checked yet; empty means the repository of this project. */
  repositories: string[];
  slackPort?: number;
  servicePort?: number;
  appPort?: number;
  /** Folder that stays after the demo; without it the demo uses a temporary folder and removes it. */
  dataDir?: string;
  /** A model that writes the answers; the service checks both values. */
  model?: { baseUrl: string; name: string };
  /** People connect accounts of their own, and two small repositories are readable by one of them each. */
  accounts: boolean;
}

export type DemoArguments =
  | { kind: 'run'; options: DemoOptions }
  | { kind: 'help' }
  | { kind: 'wrong'; problems: string[] };

export const USAGE = `Usage: npm run demo -- [options]

  --repo <path>          git repository to answer from; may be given several times (default: this project)
  --accounts             people connect accounts of their own: Ada and Bob read different repositories
  --slack-port <n>       port of the local Slack (default: a free one)
  --service-port <n>     port of the code search service (default: a free one)
  --app-port <n>         port of the app's health pages (default: a free one)
  --llm-base-url <url>   an OpenAI-compatible API that writes the answers; questions and parts of the repositories go there
  --llm-model <name>     the model to use there; LLM_API_KEY and the limits of docs/codesearch/model.md come from the environment
  --data-dir <path>      keep data and logs here (default: a temporary folder, removed at the end)
  --help                 show this
`;

/** Reads the command line and returns all problems at once. Relative paths are resolved from `cwd`. */
export function parseArguments(args: readonly string[], cwd: string): DemoArguments {
  const port = { takes: 'whole', least: 1, most: 65_535 } as const;
  const { help, values, problems } = readCommandLine(args, {
    repo: { takes: 'texts' },
    'slack-port': port,
    'service-port': port,
    'app-port': port,
    'data-dir': { takes: 'text' },
    'llm-base-url': { takes: 'text' },
    'llm-model': { takes: 'text' },
    accounts: { takes: 'nothing' },
  });
  if (help) return { kind: 'help' };
  const {
    'slack-port': slackPort,
    'service-port': servicePort,
    'app-port': appPort,
    'data-dir': dataDir,
    'llm-base-url': modelUrl,
    'llm-model': modelName,
  } = values;
  const ports = [slackPort, servicePort, appPort].filter((given) => given !== undefined);
  if (new Set(ports).size < ports.length) problems.push('the ports must differ from each other');
  if ((modelUrl === undefined) !== (modelName === undefined)) {
    problems.push('--llm-base-url and --llm-model are given together');
  }
  if (problems.length > 0) return { kind: 'wrong', problems };
  return {
    kind: 'run',
    options: {
      repositories: [...new Set(values.repo.map((repo) => resolve(cwd, repo)))],
      accounts: values.accounts,
      ...(slackPort === undefined ? {} : { slackPort }),
      ...(servicePort === undefined ? {} : { servicePort }),
      ...(appPort === undefined ? {} : { appPort }),
      ...(dataDir === undefined ? {} : { dataDir: resolve(cwd, dataDir) }),
      ...(modelUrl === undefined || modelName === undefined ? {} : { model: { baseUrl: modelUrl, name: modelName } }),
    },
  };
}
