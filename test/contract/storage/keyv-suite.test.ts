import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import keyvTestSuite from '@keyv/test-suite';
import { Keyv } from 'keyv';
import { open } from 'lmdb';
import * as vitest from 'vitest';
import { createLmdbAdapter, createLmdbEntries } from '../../../src/storage/lmdb-adapter.ts';

// The suite creates its store while tests are collected, so the directory is created here and not in a hook.
const directory = mkdtempSync(join(tmpdir(), 'deepsearch-'));
const env = open({ path: join(directory, 'store.mdb'), maxDbs: 4 });
const entries = createLmdbEntries(env, () => Date.now());

vitest.afterAll(async () => {
  await env.close();
  rmSync(directory, { recursive: true });
});

// Without the iterator tests: Keyv 5.6 iterates only over adapters it knows by name.
keyvTestSuite(vitest, Keyv, () => createLmdbAdapter(entries));
