import { isAppError } from '../../../src/core/errors.ts';
import { openEmbeddedStore } from '../../../src/storage/embedded-store.ts';
import { createQuestionStore } from '../../../src/storage/repositories.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { sampleQuestion } from './sample-records.ts';

// Run as a process of its own: `writer-process.ts <data directory>`. Says `open`, then the id of every question whose
// creation was acknowledged, in eight lines of work at once, until it is killed. Where the store refuses a write, it says
// `refused`, then `readable` when what was acknowledged can still be read, and ends.

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
