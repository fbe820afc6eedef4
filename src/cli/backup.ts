import { readCommandLine } from '../command-line.ts';
import { backUpStore } from '../storage/backup.ts';
import { version } from '../version.ts';
import { type AdminCommand, embeddedDir, requireText, UsageError, writeCounts, writeOutput } from './program.ts';

const help = `Copies the embedded storage (DATA_DIR) to a folder, while the app may run.

  npm run admin -- backup --out DIR
  node dist/cli/admin.js backup --out DIR

  --out    a new or empty folder
  --help   this text

The folder gets the records as they were at one moment, and a manifest with version, time, counts and a checksum. Only its
owner can read it. Accounts stay encrypted in it, and the keys are not in it. Run it as the user of the app, in its container.
With REDIS_URL, back Redis up by its own means.
Exit codes: 0 whole, 1 the storage or the folder can't be used, 2 wrong arguments or settings.
`;

export const backupCommand: AdminCommand = {
  help,
  async run(args, environment) {
    const { values, problems } = readCommandLine(args, { out: { takes: 'text' } });
    const folder = requireText('--out', values.out, problems);
    if (folder === undefined) throw new UsageError(problems.join('\n'));
    const manifest = await backUpStore(embeddedDir(environment), folder, { version, clock: Date.now });
    writeOutput(`backed up to ${folder}: ${manifest.bytes} bytes\n`, undefined);
    writeCounts(manifest.counts);
    return 0;
  },
};
