import { openStorage } from '../../src/storage/open-storage.ts';
import { createRecordingLog } from '../support/recording-log.ts';

// A separate process: `vote-writer-process.ts <data directory or redis address>`. Prints `open`, then the number of every
// acknowledged vote, until it is killed.

const [place] = process.argv.slice(2);
if (place === undefined) throw new Error('usage: vote-writer-process.ts <data directory or redis address>');

const location = place.startsWith('redis:') ? { redisUrl: place } : { dataDir: place };
const { votes } = await openStorage(location, { clock: Date.now, log: createRecordingLog().log });
process.stdout.write('open\n');

for (let index = 0; ; index++) {
  await votes.put({
    version: 1,
    teamId: 'T1',
    userId: 'U1',
    questionId: `q${String(index).padStart(24, '0')}`,
    verdict: 'up',
    reasons: [],
    atMs: Date.now(),
  });
  process.stdout.write(`${index}\n`);
}
