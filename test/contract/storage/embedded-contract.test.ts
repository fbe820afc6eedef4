import { afterAll, describe } from 'vitest';
import { openEmbeddedStore } from '../../../src/storage/embedded-store.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { storageContract } from './storage-contract.ts';

const { log } = createRecordingLog();

describe('embedded store', () => {
  let directory: Awaited<ReturnType<typeof createTempDir>>;

  storageContract({
    async open() {
      return openEmbeddedStore(directory.path, Date.now, log);
    },
    async clear() {
      await directory?.remove();
      directory = await createTempDir();
    },
  });

  afterAll(() => directory.remove());
});
