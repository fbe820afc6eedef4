import { SETTINGS } from '../config.ts';
import { SETTING_GROUPS } from '../setting-forms.ts';

type Name = keyof typeof SETTINGS;

/** What people set. All other settings have a default that suits most, or belong to one way of running the app. */
export const firstSettings: readonly Name[] = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SRC_ENDPOINT',
  'SRC_ACCESS_TOKEN',
  'REDIS_URL',
  'DATA_DIR',
  'ADMINS',
  'CONTACT',
  'ACCOUNTS',
  'ENCRYPTION_KEYS',
  'RETENTION_DAYS',
];

const names = Object.keys(SETTINGS) as Name[];

/** The text of docs/configuration.md. */
export function configurationDocs(): string {
  return `# Configuration

<!-- Generated from src/config.ts by \`npm run docs\`. -->

The app is configured by environment variables. An empty one counts as not set. At start all problems are reported
at once, with exit code 2. \`npm run doctor\` checks them without starting the app.

## What people set

\`SRC_ENDPOINT\` and \`SRC_ACCESS_TOKEN\` are required, and for Slack \`SLACK_BOT_TOKEN\` with \`SLACK_APP_TOKEN\` or
\`SLACK_SIGNING_SECRET\`. [Operations](operations.md#one-process-or-several) compares the two storages.

${table(firstSettings)}
## Advanced

${Object.entries(SETTING_GROUPS).flatMap(groupDocs).join('\n')}`;
}

function groupDocs([group, about]: [string, string]): string[] {
  const rest = names.filter((name) => SETTINGS[name].group === group && !firstSettings.includes(name));
  return rest.length === 0 ? [] : [`### ${group}\n\n${about}\n\n${table(rest)}`];
}

function table(settings: readonly Name[]): string {
  const rows = settings.map((name) => {
    const { fallback, about } = SETTINGS[name];
    return `| \`${name}\` | ${fallback === undefined ? '' : `\`${fallback}\``} | ${about} |`;
  });
  return `| Variable | Default | What it does |\n|---|---|---|\n${rows.join('\n')}\n`;
}

// `npm run docs` runs this file and saves its output.
if (process.argv[1] === import.meta.filename) process.stdout.write(configurationDocs());
