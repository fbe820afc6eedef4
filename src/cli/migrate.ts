import { readCommandLine } from '../command-line.ts';
import { parseStorageConfig } from '../config.ts';
import { migrateStore } from '../storage/migration.ts';
import { useEndsMs } from '../storage/store-use.ts';
import { type AdminCommand, quietLog, UsageError, writeCounts, writeOutput } from './program.ts';

const help = `Moves all records from the embedded storage (DATA_DIR) to Redis (REDIS_URL), or back, while no app runs.

  npm run admin -- migrate --to redis
  npm run admin -- migrate --to embedded
  node dist/cli/admin.js migrate --to redis|embedded

  --to     redis or embedded
  --help   this text

Needs DATA_DIR and REDIS_URL. The other storage must hold no records, or those that a migration left there.
Every record is compared at the end. Then the app runs only on the other storage; the records of the former one stay
there, until you delete them. May be killed; the next run continues. An app that ended leaves a lock on Redis for some
20 s, for which this waits.
Exit codes: 0 moved, 1 a storage can't be used or an app runs, 2 wrong arguments or settings.
`;

export const migrateCommand: AdminCommand = {
  help,
  async run(args, environment) {
    const { values, problems } = readCommandLine(args, { to: { takes: 'text' } });
    const { to } = values;
    if (to !== 'redis' && to !== 'embedded') {
      throw new UsageError([...problems, '--to must be redis or embedded'].join('\n'));
    }
    if (problems.length > 0) throw new UsageError(problems.join('\n'));
    const { REDIS_URL: redisUrl, DATA_DIR: dataDir } = parseStorageConfig(environment);
    if (redisUrl === undefined) throw new UsageError('REDIS_URL is not set');
    const counts = await migrateStore({
      dataDir,
      redisUrl: redisUrl.reveal(),
      to,
      patienceMs: useEndsMs,
      clock: Date.now,
      log: quietLog,
    });
    const settings = to === 'redis' ? 'with REDIS_URL' : 'without REDIS_URL';
    writeOutput(`every record was moved and compared: start the app ${settings}\n`, undefined);
    writeCounts(counts);
    return 0;
  },
};
