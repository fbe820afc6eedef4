import { afterAll, describe } from 'vitest';
import { openEmbeddedStore } from '../../../src/storage/embedded-store.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { accountsContract } from './accounts-contract.ts';
import { channelSettingsContract } from './channel-settings-contract.ts';
import { listingContract } from './listing-contract.ts';
import { locksContract } from './locks-contract.ts';
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
  describe('with accounts', () => accountsContract(engine));
  describe('with locks', () => locksContract(engine));
  listingContract(engine);
  channelSettingsContract(engine);

  afterAll(() => directory.remove());
});
