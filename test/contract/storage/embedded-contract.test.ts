import { afterAll, describe } from 'vitest';
import { openEmbeddedStore } from '../../../src/storage/embedded-store.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { listingContract } from './listing-contract.ts';
import { type Engine, storageContract } from './storage-contract.ts';

const { log } = createRecordingLog();

describe('embedded store', () => {
  let directory: Awaited<ReturnType<typeof createTempDir>>;

  const engine: Engine = {
    async open() {
      return openEmbeddedStore(directory.path, Date.now, log);
    },
    async clear() {
      await directory?.remove();
      directory = await createTempDir();
    },
  };

  describe('as a store', () => storageContract(engine));
  listingContract(engine);

  afterAll(() => directory.remove());
});
