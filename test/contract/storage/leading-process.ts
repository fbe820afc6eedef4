import { openRedisStore } from '../../../src/storage/redis-store.ts';
import { createSharedWatch } from '../../../src/storage/shared-watch.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { createListedService } from '../../support/watching/listed-service.ts';
import { startWatching, watchMany } from '../../support/watching/watching-process.ts';

// A separate process: `leading-process.ts <redis address>`. Watches questions of a service of its own and prints `list` for
// each list, until it is killed.

const [redisUrl] = process.argv.slice(2);
if (redisUrl === undefined) throw new Error('usage: leading-process.ts <redis address>');

const service = createListedService();
const store = await openRedisStore(redisUrl, createRecordingLog().log);
const watcher = startWatching(service, createSharedWatch(store, service.now));
await watchMany(service, watcher, 8);
setInterval(() => {
  void watcher.watching.tick().then(() => {
    if (service.taken().length > 0) process.stdout.write('list\n');
  });
}, 200);
