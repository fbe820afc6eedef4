import { isAppError } from '../../../src/core/errors.ts';
import { openEmbeddedStore } from '../../../src/storage/embedded-store.ts';
import { createQuestionStore } from '../../../src/storage/repositories.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { sampleQuestion } from './sample-records.ts';

// A separate process: `writer-process.ts <data directory>`. Prints `open`, then the id of every acknowledged question, with
// eight concurrent writers, until it is killed. When the store refuses a write, it prints `refused`, then `readable` if the
// acknowledged questions can still be read, and ends.

const [dataDir] = process.argv.slice(2);
if (dataDir === undefined) throw new Error('usage: writer-process.ts <data directory>');

const questions = createQuestionStore(openEmbeddedStore(dataDir, Date.now, createRecordingLog().log));
process.stdout.write('open\n');

async function write(queue: number): Promise<void> {
  for (let index = 0; ; index++) {
    const id = `q${queue}-${index}`;
    await questions.create(sampleQuestion({ id }));
    await questions.update(id, (current) => ({ ...current, text: `acknowledged ${id}` }));
    process.stdout.write(`${id}\n`);
  }
}

try {
  await Promise.all(Array.from({ length: 8 }, (_, queue) => write(queue)));
} catch (error) {
  if (!isAppError(error, 'storage')) throw error;
  process.stdout.write('refused\n');
  if ((await questions.get('q0-0')) !== undefined) process.stdout.write('readable\n');
}
