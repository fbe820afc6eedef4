import { createAccountCredentials } from '../../src/core/accounts/credentials.ts';
import type { Secret } from '../../src/core/secret.ts';
import { createOAuthClient } from '../../src/service/oauth.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { createDeepSearchClient } from '../support/service/open-client.ts';
import { refreshPlan } from '../support/storm/refresh-plan.ts';

// A separate process: `account-user-process.ts <plan as JSON>`. Uses one person's account at the service without a pause
// until it is killed. Prints `open`, then `used`, `refresh` (before each one), or `failed <kind> <code>`.

const { location, encryptionKeys, person, serviceUrl, oauth, leaseMs } = refreshPlan(process.argv[2]);
const { log } = createRecordingLog();
const say = (...words: unknown[]) => void process.stdout.write(`${words.join(' ')}\n`);

const storage = await openStorage(location, { clock: Date.now, log, encryptionKeys });
const server = createOAuthClient(oauth);
const credentials = createAccountCredentials({
  accounts: storage.accounts,
  // A shorter lease than in the app, so that the test does not wait long for the lock of a killed process.
  locks: { withLock: (name, options, work) => storage.locks.withLock(name, { ...options, leaseMs }, work) },
  server: {
    ...server,
    refresh(token: Secret) {
      say('refresh');
      return server.refresh(token);
    },
  },
  changed: () => undefined,
  now: Date.now,
  log,
});
const client = createDeepSearchClient({
  baseUrl: serviceUrl,
  auth: {
    kind: 'account',
    current: () => credentials.current(person),
    renewed: (rejected) => credentials.renewed(person, rejected),
  },
  userAgentVersion: 'test',
});
say('open');
for (;;) {
  await client.currentUser().then(
    ({ username }) => say('used', username),
    ({ kind, code }) => say('failed', kind, code),
  );
}
