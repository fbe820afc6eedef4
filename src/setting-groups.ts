/** The headings of docs/configuration.md in their order, and the sentence under each. */
export const SETTING_GROUPS = {
  Slack: '[Installing in Slack](install-slack.md) says on which page of Slack each value is.',
  'Several workspaces': 'For an app that more than one workspace installs, see [workspaces](workspaces.md).',
  'Code search service': 'Where the app asks, and as whom.',
  Network: 'For a proxy or a private certificate authority, see [operations](operations.md#behind-a-proxy).',
  Storage: '[Operations](operations.md#one-process-or-several) compares the two.',
  'HTTP and metrics': 'What the app listens on.',
  'Log and shutdown': '[Operations](operations.md#draining-and-deploying) says what happens when the app stops.',
  Waiting: 'The default suits most.',
  Limits: 'How much people may ask at once and in a day.',
  'Who may ask':
    'Admins choose more for each channel with `/deepsearch settings`, within these limits. Commas separate ids.',
  Accounts: "For people's own accounts at the service, see [accounts](accounts.md).",
  Retention: 'See [operations](operations.md#keeping-exporting-and-erasing-data).',
  Traces: 'See [traces](observability/traces.md).',
} as const;

export type SettingGroup = keyof typeof SETTING_GROUPS;
