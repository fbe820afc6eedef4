import { readCommandLine } from '../command-line.ts';
import { parseEncryptionKeys } from '../config.ts';
import { rotateStoredKeys } from '../storage/open-storage.ts';
import { type AdminCommand, quietLog, storageLocation, UsageError, writeOutput } from './program.ts';

const help = `Encrypts every person's stored account, and every workspace's stored tokens, with the first key of ENCRYPTION_KEYS.

  npm run admin -- rotate-keys
  node dist/cli/admin.js rotate-keys

  --help   this text

Needs ENCRYPTION_KEYS with the new key first and the former keys after it. Every copy of the app must have both keys before.
The app may run meanwhile. Safe to run again, also after it was interrupted. What no key decrypts is left as it is.
Exit codes: 0 done, 1 the storage can't be used, 2 wrong arguments or settings.
`;

export const rotateKeys: AdminCommand = {
  help,
  async run(args, environment) {
    const { problems } = readCommandLine(args, {});
    if (problems.length > 0) throw new UsageError(problems.join('\n'));
    const encryptionKeys = parseEncryptionKeys(environment);
    const location = storageLocation(environment);
    const { rotated, current, unreadable } = await rotateStoredKeys(location, {
      clock: Date.now,
      log: quietLog,
      encryptionKeys,
    });
    const lines = [
      `encrypted with the first key now: ${rotated}`,
      `encrypted with it before: ${current}`,
      `left because no key decrypts them: ${unreadable}`,
    ];
    writeOutput(`${lines.join('\n')}\n`, undefined);
    return 0;
  },
};
