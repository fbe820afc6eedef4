import type { CheckName, Feature, FindingCode, FindingValues } from '../../core/doctor/finding.ts';
import { serviceLines } from './doctor-service-lines.ts';
import { type Line, storageLines } from './doctor-storage-lines.ts';

/** The names of the checks at the beginning of their lines. */
export const checkNames: Record<CheckName, string> = {
  configuration: 'Configuration',
  proxy: 'Proxy',
  token: 'Bot token',
  scopes: 'Scopes',
  delivery: 'Delivery',
  events: 'Events',
  features: 'Features',
  clock: 'Clock',
  service: 'Service',
  certificate: 'Certificate',
  version: 'Version and API',
  serviceToken: 'Service token',
  account: 'Account',
  sharing: 'Sharing',
  quota: 'Quota',
  redis: 'Redis',
  eviction: 'Redis eviction',
  persistence: 'Redis persistence',
  latency: 'Redis latency',
  disk: 'Disk',
};

const features: Record<Feature, string> = {
  agentSessions: "Slack's own stop button",
  suggestedPrompts: "suggested prompts in each person's language",
};

const reinstall = 'Compare the app with manifest.yml at api.slack.com/apps, and install it again';

/**
 * The lines of the doctor, in English for everyone, like the log: operators search for these words in docs/troubleshooting.md.
 */
export const doctorLines: { [Code in FindingCode]: (values: FindingValues[Code]) => Line } = {
  checkCrashed: ({ what }) => [
    `The check itself failed (${what}).`,
    'Run the doctor again. If it fails again, it is a bug: report it with this line.',
  ],
  checkLate: ({ seconds }) => [
    `The check did not end within ${seconds} s.`,
    'Something it talks to does not answer: see the lines with "fail", then run the doctor again.',
  ],
  notChecked: ({ because }) => [`Not checked, because of the line "${checkNames[because]}".`, 'Mend that line first.'],

  configurationFine: () => ['The settings have no problem.'],
  configurationWrong: ({ problem }) => [`${problem}.`, 'See docs/configuration.md.'],
  standIn: () => [
    'SLACK_STAND_IN is true: missing flags of people and channels count as "no".',
    'Remove SLACK_STAND_IN, unless SLACK_API_URL is a stand-in such as emulate.',
  ],
  accountsWithoutKeys: ({ mode }) => [
    `ACCOUNTS is ${mode} and ENCRYPTION_KEYS is not set: no one can connect an account.`,
    'Set ENCRYPTION_KEYS, see docs/accounts.md.',
  ],

  fewOpenFiles: ({ limit }) => [
    `This process may open only ${limit} files, sockets included: with many questions, connections fail.`,
    'Start it after "ulimit -n 4096", or raise LimitNOFILE of its unit.',
  ],
  ownService: ({ host }) => [`This workspace has a service of its own, ${host}: that is what SRC_ENDPOINT means here.`],
  tokenAccepted: ({ botUserId, teamId }) => [`Slack accepts it: bot ${botUserId} in workspace ${teamId}.`],
  tokenRefused: ({ code }) => [
    `Slack refuses it (${code}).`,
    'Set SLACK_BOT_TOKEN to the "Bot User OAuth Token" of the app\'s page "OAuth & Permissions", and start the app again.',
  ],
  tokenOfNoBot: () => [
    'Slack accepts it, but it belongs to no bot.',
    'Set SLACK_BOT_TOKEN to the token that begins with xoxb-, not to one of a person.',
  ],
  tokenOfEachWorkspace: () => [
    'Not checked here: each workspace that installed the app has its own token.',
    'Write /deepsearch doctor in the workspace, as one of the people in ADMINS.',
  ],
  tokenNotChecked: ({ code }) => [
    `Slack does not say whether it accepts it (${code}).`,
    'Run the doctor again in a minute; see status.slack.com.',
  ],
  slackUnreachable: ({ host, code }) => [
    `Slack at ${host} can't be reached (${code}).`,
    'Let this machine open https connections to slack.com, or set HTTPS_PROXY; see the line "Proxy".',
  ],

  scopesGranted: ({ count }) => [`All ${count} scopes of manifest.yml are granted.`],
  scopesMissing: ({ scopes }) => [
    `Not granted: ${scopes}.`,
    `${reinstall}. docs/permissions.md says what does not work without them.`,
  ],
  scopesOptionalMissing: ({ scopes }) => [
    `Not granted, and optional: ${scopes}.`,
    `${reinstall}, if you want what docs/permissions.md says about them.`,
  ],
  scopesNotTold: () => [
    'Slack does not say which scopes the token has.',
    'Compare them with manifest.yml on the page "OAuth & Permissions" of the app.',
  ],

  socketOpens: ({ host }) => [`Socket Mode: Slack offers a connection at ${host}.`],
  appTokenRefused: ({ code }) => [
    `Socket Mode: Slack refuses the app-level token (${code}).`,
    'Create one with connections:write on the page "Basic Information" of the app, and set SLACK_APP_TOKEN.',
  ],
  appTokenOfOtherKind: () => [
    'Socket Mode: SLACK_APP_TOKEN is no app-level token.',
    'Set SLACK_APP_TOKEN to the token that begins with xapp-, not to the bot token.',
  ],
  appTokenWithoutScope: () => [
    'Socket Mode: the app-level token lacks the scope connections:write.',
    'Create one with connections:write on the page "Basic Information" of the app, and set SLACK_APP_TOKEN.',
  ],
  socketNotChecked: ({ code }) => [
    `Socket Mode: Slack offers no connection (${code}).`,
    'Turn Socket Mode on in the settings of the app, and see the line "Bot token".',
  ],
  socketLimited: () => [
    'Socket Mode: Slack lets the app open no further connections for now, because it opened many.',
    'Look for slack_disconnected in the log of the app: its reason says why connections end. Stop other programs with the same app-level token.',
  ],
  endpointAnswers: ({ host }) => [`Signed requests: the app answers at ${host}, with this signing secret.`],
  endpointNotGiven: () => [
    'Signed requests: not checked, because the doctor does not know the address that Slack uses.',
    'Run npm run doctor -- --url with the Request URL of the app, such as https://deepsearch.example.com/slack/events.',
  ],
  endpointNotHttps: () => [
    'Signed requests: the address is not https, and Slack posts only to https.',
    'Give the app an https address, for example with a load balancer.',
  ],
  endpointUnreachable: ({ host, code }) => [
    `Signed requests: ${host} can't be reached from here (${code}).`,
    'Check name, certificate and firewall: Slack reaches the address from the internet.',
  ],
  endpointRefusesSignature: ({ host }) => [
    `Signed requests: the app at ${host} refuses the signature.`,
    'Set the SLACK_SIGNING_SECRET of the page "Basic Information" in the running app, and compare the clocks.',
  ],
  endpointIsOther: ({ host, status }) => [
    `Signed requests: ${host} does not answer as this app (HTTP ${status}).`,
    'The address must end with /slack/events and lead to PORT of the app, without a redirect.',
  ],
  endpointSlow: ({ host }) => [
    `Signed requests: ${host} took longer than the 3 s that Slack waits.`,
    'Look for a slow proxy or load balancer before the app.',
  ],

  eventArrived: () => ['Slack sent the event of a message that the doctor posted.'],
  eventMissing: ({ seconds }) => [
    `No event of the doctor's message came within ${seconds} s.`,
    'Turn "Event Subscriptions" on in the settings of the app, with the bot event message.im; see the line "Delivery".',
  ],
  eventNotPosted: ({ code }) => [
    `The doctor could not post its message (${code}).`,
    'Turn on the Messages tab under "App Home", and see the line "Scopes".',
  ],
  eventMessageLeft: ({ code }) => [
    `The event came, and the doctor's message could not be deleted (${code}).`,
    'Delete the message in your direct messages with the app.',
  ],
  eventsNeedApp: () => [
    'Not checked here: only the running app gets events.',
    'Write /deepsearch doctor in Slack, as one of the people in ADMINS.',
  ],

  featuresThere: () => ['The workspace has agent sessions and suggested prompts.'],
  featureMissing: ({ feature, code }) => [
    `The workspace lacks ${features[feature]} (${code}).`,
    'Nothing, unless you want it: the rest of the app works without it.',
  ],
  featureNotChecked: ({ feature, code }) => [
    `Slack does not say whether the workspace has ${features[feature]} (${code}).`,
    'Run the doctor again in a minute.',
  ],

  clockRight: () => ["This machine's clock agrees with Slack's."],
  clockOff: ({ seconds }) => [
    `This machine's clock differs from Slack's by ${seconds} s.`,
    'Synchronize the clock (NTP). From 300 s on, signed requests are refused.',
  ],
  clockFarOff: ({ seconds }) => [
    `This machine's clock differs from Slack's by ${seconds} s; signed requests are refused from 300 s on.`,
    'Synchronize the clock (NTP).',
  ],
  clockNotTold: () => ['Slack did not send its time.', "Compare this machine's clock with another one."],

  proxyNone: () => ['None is set.'],
  proxyCarries: ({ proxy, hosts }) => [`The proxy ${proxy} carries connections to ${hosts}.`],
  proxyNotFor: ({ hosts }) => [`Without the proxy, by NO_PROXY or its scheme: ${hosts}.`],
  proxyRefuses: ({ proxy, host, status }) => [
    `The proxy ${proxy} refuses a tunnel to ${host} (HTTP ${status}).`,
    `Allow CONNECT to ${host} at the proxy, or add the host to NO_PROXY.`,
  ],
  proxyAsksForPassword: ({ proxy }) => [
    `The proxy ${proxy} asks for a name and a password, or refuses those it gets (HTTP 407).`,
    'Write them into the address: http://name:password@host:port, with special characters percent-encoded.',
  ],
  proxyUnreachable: ({ proxy, code }) => [
    `The proxy ${proxy} can't be reached (${code}).`,
    'Correct HTTPS_PROXY and HTTP_PROXY, or remove them.',
  ],

  ...serviceLines,

  certificateValid: ({ days }) => [`Trusted, and valid for ${days} more days.`],
  certificateEndsSoon: ({ days }) => [`Trusted, and it ends in ${days} days.`, 'Renew it at the service.'],
  certificateExpired: ({ days }) => [`It expired ${days} days ago.`, 'Renew it at the service.'],
  certificateNotYetValid: ({ days }) => [
    `It is valid only in ${days} days.`,
    'Install the right certificate at the service, and see the line "Clock".',
  ],
  certificateUntrusted: ({ code }) => [
    `No authority that this app trusts has signed it (${code}).`,
    'Name the PEM file of your certificate authority in SRC_CA_FILE. The service must send its intermediate certificates too.',
  ],
  certificateOfOtherHost: () => [
    'It belongs to another name than the host of SRC_ENDPOINT.',
    'Set SRC_ENDPOINT to a name in the certificate, or add the name to the certificate.',
  ],
  certificateNotRead: ({ code }) => [`It could not be read (${code}).`, 'See the lines "Service" and "Proxy".'],
  serviceWithoutTls: () => [
    'SRC_ENDPOINT is not https: others on the way can read the token and the answers.',
    'Use https, unless the network between the app and the service is yours alone.',
  ],
  serviceOnThisMachine: () => ['Not needed: the service is on this machine.'],

  generationChosen: ({ version, generation }) => [
    `The service has version ${version}; the app uses generation ${generation} of its API.`,
  ],
  generationNotOffered: ({ version, setting, offered }) => [
    `SRC_API is ${setting}, and the service (version ${version}) offers generation ${offered}.`,
    'Set SRC_API to auto.',
  ],
  apiMissing: ({ version }) => [
    `The service (version ${version}) offers no generation of the conversation API.`,
    'Upgrade the service to 6.7 or later, or turn Deep Search on there.',
  ],
  apiNotTold: ({ version }) => [
    `The service (version ${version}) does not say which generations of its API it offers.`,
    'See the lines "Service" and "Service token".',
  ],

  apiNotFound: ({ host }) => [
    `${host} answers HTTP 404 for the conversation API.`,
    'Check the path of SRC_ENDPOINT, and that a gateway before the service passes /.api/deepsearch/ and /api/deepsearch.v1.Service/.',
  ],

  serviceTokenAccepted: () => ['The service accepts it.'],
  serviceTokenRefused: ({ status, by }) => [
    `The service refuses it (HTTP ${status}).`,
    {
      token: 'Create a token at the service (Settings, Access tokens), set SRC_ACCESS_TOKEN, and start the app again.',
      sudo: 'Set SRC_ACCESS_TOKEN to a token with site-admin:sudo, and SRC_SUDO_USER to a user that exists.',
      account:
        'Check that the tokens of SRC_TOKEN_URL are for this service, and that the account of SRC_CLIENT_ID exists there.',
    }[by],
  ],
  serviceTokenMayNotAsk: ({ by }) => [
    'The service knows it, and does not let it use the conversation API (HTTP 403).',
    {
      token: 'Give the account of the token access to Deep Search, or create a token with the scope user:all.',
      sudo: 'The token needs the scope site-admin:sudo.',
      account: 'Give the account of SRC_CLIENT_ID access to Deep Search.',
    }[by],
  ],
  appGetsNoToken: ({ code }) => [
    `The app gets no access token at SRC_TOKEN_URL (${code}).`,
    'Check SRC_CLIENT_ID, SRC_CLIENT_SECRET and SRC_TOKEN_URL, and that the client may use the grant client_credentials.',
  ],
  serviceTokenNotChecked: ({ code }) => [
    `The service does not say whether it accepts it (${code}).`,
    'Run the doctor again in a minute; see the line "Service".',
  ],

  accountKnown: ({ username }) => [`The app asks as ${username}.`],
  accountIsOther: ({ username }) => [
    `The app asks as ${username}, and not as SRC_SUDO_USER.`,
    'The service ignores sudo: use a token with site-admin:sudo, or remove SRC_SUDO_USER.',
  ],
  accountOfNoOne: () => [
    'The token belongs to no user, so the app has no conversations of its own.',
    'Create the token as the user that the app shall ask as.',
  ],
  accountNotAllowed: ({ code }) => [
    `The token may not ask whose it is (currentUser, ${code}).`,
    "Create a token with the scope user:all. Otherwise channels' repositories can't be checked, and the quota is not known.",
  ],
  accountNotChecked: ({ code }) => [
    `The service does not say whose it is (currentUser, ${code}).`,
    'Run the doctor again in a minute; see the line "Service".',
  ],

  sharingOn: () => ["Sharing is on: the app's account can open the share link that you gave."],
  sharingOff: () => [
    "Sharing is off, or the app's account may not read that conversation: it can't open the share link that you gave.",
    'Turn sharing on at the service, if people shall open the links under answers. Without it they find nothing there.',
  ],
  sharingNotTold: () => [
    'The service does not tell whether sharing is on. To find out, run npm run doctor -- --share-link with the link of a conversation that you asked in the browser.',
  ],
  sharingLinkUnreadable: () => [
    'That is no share link of the service at SRC_ENDPOINT.',
    'Copy it from the conversation in the browser: it ends with /deepsearch/ and a long id.',
  ],
  sharingWithoutTokens: () => [
    'The API in use has no links that open conversations of other accounts.',
    'Nothing: shared links get no preview. The service decides who can open a link in the browser.',
  ],
  sharingNotChecked: ({ code }) => [
    `The service did not open the share link (${code}).`,
    'Run the doctor again in a minute; see the line "Service".',
  ],

  quotaNone: () => ["The app's account has no quota."],
  quotaLeft: ({ percent }) => [`${percent}% of the quota is used.`],
  quotaNearlyUsed: ({ percent }) => [
    `${percent}% of the quota is used.`,
    'Raise the quota, or limit questions with QUESTIONS_PER_PERSON_PER_DAY.',
  ],
  quotaUsedUp: () => [
    'The quota is used up: questions wait until it is reset.',
    'Raise the quota of the account at the service.',
  ],
  quotaNotTold: () => ['The service tells no quota. Answers show one when it is nearly used up.'],
  quotaNotChecked: ({ code }) => [
    `The service does not say (${code}).`,
    'Run the doctor again in a minute; see the line "Service".',
  ],

  ...storageLines,
};
