import { SETTINGS } from '../config.ts';

/** The text of docs/configuration.md. */
export function configurationDocs(): string {
  const rows = Object.entries(SETTINGS).map(([name, { about, ...rest }]) => {
    const fallback = 'fallback' in rest && rest.fallback !== undefined ? `\`${rest.fallback}\`` : '';
    return `| \`${name}\` | ${fallback} | ${about} |`;
  });
  return `# Configuration

<!-- Generated from src/config.ts by \`npm run docs\`. -->

The app is configured by environment variables. An empty variable counts as not set. At start every problem is
reported at once and the process exits with code 2.

| Variable | Default | What it does |
|---|---|---|
${rows.join('\n')}
`;
}

// `npm run docs` runs this file and saves its output.
if (process.argv[1] === import.meta.filename) process.stdout.write(configurationDocs());
