import { SETTINGS } from '../config.ts';
import { SETTING_GROUPS } from '../setting-groups.ts';

/** The text of docs/configuration.md. */
export function configurationDocs(): string {
  return `# Configuration

<!-- Generated from src/config.ts by \`npm run docs\`. -->

The app is configured by environment variables. An empty variable counts as not set. At start every problem is
reported at once and the process exits with code 2. \`npm run doctor\` checks them without starting the app.

${Object.entries(SETTING_GROUPS).map(groupDocs).join('\n')}`;
}

function groupDocs([group, about]: [string, string]): string {
  const settings = Object.entries(SETTINGS).filter(([, setting]) => setting.group === group);
  const rows = settings.map(([name, setting]) => {
    const fallback = setting.fallback === undefined ? '' : `\`${setting.fallback}\``;
    return `| \`${name}\` | ${fallback} | ${setting.about} |`;
  });
  return `## ${group}

${about}

| Variable | Default | What it does |
|---|---|---|
${rows.join('\n')}
`;
}

// `npm run docs` runs this file and saves its output.
if (process.argv[1] === import.meta.filename) process.stdout.write(configurationDocs());
