import { SETTINGS } from '../../src/config.ts';

/** Texts of which each kind of secret setting accepts one. */
const samples = [
  'text',
  'https://user:password@proxy.example.com',
  'redis://redis.example.com',
  'X-Name: text',
  `key:${Buffer.alloc(32).toString('base64')}`,
];

/** What the chart sets by values of their own, or must not leave to a value: the probes need the address. */
const setByChart = ['DATA_DIR', 'HOST', 'METRICS_HOST', 'METRICS_PORT', 'PORT', 'SHUTDOWN_SECONDS', 'SRC_CA_FILE'];

/** Names of the settings that the app keeps secret. They belong into the Secret. */
export const secretSettings: string[] = Object.entries(SETTINGS)
  .filter(([, { schema }]) =>
    // A secret prints as `[secret]`, wherever it stands in the value.
    samples.some((sample) => JSON.stringify(schema.safeParse(sample).data ?? '').includes('[secret]')),
  )
  .map(([name]) => name);

/** The schema of `settings` in values.schema.json. Numbers from a million on would reach the app with an exponent. */
export function settingsSchema(): Record<string, unknown> {
  const plain = Object.entries(SETTINGS).filter(
    ([name]) => !(secretSettings.includes(name) || setByChart.includes(name)),
  );
  return {
    type: 'object',
    description:
      'Generated from src/config.ts by `npm run docs`. Secrets, and what the chart sets itself, are left out.',
    additionalProperties: false,
    properties: Object.fromEntries(
      plain.map(([name, { about }]) => [
        name,
        { type: ['string', 'integer', 'boolean'], maximum: 999_999, description: about },
      ]),
    ),
  };
}
