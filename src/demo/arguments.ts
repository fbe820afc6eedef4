import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

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

const VALUE_OPTIONS = [
  'repo',
  'slack-port',
  'service-port',
  'app-port',
  'step-delay',
  'data-dir',
  'local-slack',
] as const;

type ValueOption = (typeof VALUE_OPTIONS)[number];

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
  const values = new Map<ValueOption, string[]>();
  const problems: string[] = [];
  let namespace = true;
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(VALUE_OPTIONS.map((name) => [name, { type: 'string' as const, multiple: true }])),
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`"${token.value}" is not an option`);
    if (token.kind !== 'option') continue;
    if (token.name === 'help') return { kind: 'help' };
    if (token.name === 'no-namespace') {
      if (token.value !== undefined) problems.push('--no-namespace takes no value');
      namespace = false;
      continue;
    }
    const name = VALUE_OPTIONS.find((known) => known === token.name);
    if (name === undefined) problems.push(`there is no option ${token.rawName}`);
    // A forgotten value makes the parser take the next option for it.
    else if (!token.value?.trim() || (!token.inlineValue && token.value.startsWith('--'))) {
      problems.push(`--${name} needs a value`);
    } else values.set(name, [...(values.get(name) ?? []), token.value]);
  }

  const single = (name: ValueOption): string | undefined => {
    const given = values.get(name) ?? [];
    if (given.length > 1) problems.push(`--${name} is given ${given.length} times`);
    return given[0];
  };
  const whole = (name: ValueOption, least: number, most: number): number | undefined => {
    const text = single(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    problems.push(`--${name} ${text}: not a whole number from ${least} to ${most}`);
    return undefined;
  };
  const path = (name: ValueOption): string | undefined => {
    const text = single(name);
    return text === undefined ? undefined : resolve(cwd, text);
  };

  const slackPort = whole('slack-port', 1, 65_535);
  const servicePort = whole('service-port', 1, 65_535);
  const appPort = whole('app-port', 1, 65_535);
  const ports = [slackPort, servicePort, appPort].filter((port) => port !== undefined);
  if (new Set(ports).size < ports.length) problems.push('the ports must differ from each other');
  const stepDelayMs = whole('step-delay', 0, longestStepDelayMs);
  const dataDir = path('data-dir');
  const localSlack = path('local-slack');
  if (problems.length > 0) return { kind: 'wrong', problems };
  return {
    kind: 'run',
    options: {
      repositories: [...new Set((values.get('repo') ?? []).map((repo) => resolve(cwd, repo)))],
      stepDelayMs: stepDelayMs ?? defaultStepDelayMs,
      namespace,
      ...(slackPort === undefined ? {} : { slackPort }),
      ...(servicePort === undefined ? {} : { servicePort }),
      ...(appPort === undefined ? {} : { appPort }),
      ...(dataDir === undefined ? {} : { dataDir }),
      ...(localSlack === undefined ? {} : { localSlack }),
    },
  };
}
