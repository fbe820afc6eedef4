import { readCommandLine } from '../command-line.ts';
import { restoreStore } from '../storage/restore.ts';
import {
  type AdminCommand,
  embeddedDir,
  quietLog,
  requireText,
  UsageError,
  writeCounts,
  writeOutput,
} from './program.ts';

const help = `Puts a backup of the embedded storage into DATA_DIR, while no app runs there.

  npm run admin -- restore --from DIR [--replace]
  node dist/cli/admin.js restore --from DIR [--replace]

  --from     the folder of a backup
  --replace  replaces the store that is in DATA_DIR; left out: a DATA_DIR with a store is refused
  --help     this text

Checks the backup before it changes anything. What happened after the backup is forgotten; the app goes on with the
questions that were open then, and looks in Slack and at the service for what it did with them before it does it again.
Exit codes: 0 restored, 1 the backup or the storage can't be used, 2 wrong arguments or settings.
`;

export const restoreCommand: AdminCommand = {
  help,
  async run(args, environment) {
    const { values, problems } = readCommandLine(args, { from: { takes: 'text' }, replace: { takes: 'nothing' } });
    const folder = requireText('--from', values.from, problems);
    if (folder === undefined) throw new UsageError(problems.join('\n'));
    const { manifest, open } = await restoreStore(folder, embeddedDir(environment), {
      clock: Date.now,
      log: quietLog,
      replaces: values.replace,
    });
    const from = `the backup of ${new Date(manifest.createdMs).toISOString()}, by version ${manifest.version}`;
    writeOutput(`restored ${from}; questions that go on: ${open}\n`, undefined);
    writeCounts(manifest.counts);
    return 0;
  },
};
