import { readCommandLine } from '../command-line.ts';
import { AppError } from '../core/errors.ts';
import type { AdminCommand } from './admin-command.ts';
import { storageLocation, UsageError } from './program.ts';

const help = `Encrypts every person's stored account with the first key of ENCRYPTION_KEYS.

  npm run admin -- rotate-keys
  node dist/cli/admin.js rotate-keys

Needs ENCRYPTION_KEYS with the new key first and the former keys after it, as the app has it.
The app may run meanwhile. Safe to run again, also after it was interrupted.
Exit codes: 0 done, 1 the storage can't be used, 2 wrong arguments or settings.
`;

export const rotateKeys: AdminCommand = {
  about: "encrypts people's stored accounts with the first key of ENCRYPTION_KEYS",
  help,
  async run(args, environment) {
    const { problems } = readCommandLine(args, {});
    if (problems.length > 0) throw new UsageError(problems.join('\n'));
    storageLocation(environment);
    throw new AppError('storage', 'rotate-keys has no store of accounts yet');
  },
};
