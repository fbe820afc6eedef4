import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeOutput } from '../../src/cli/program.ts';
import { Secret } from '../../src/core/secret.ts';
import { withService } from '../../src/core/workspaces/own-service.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';

test.each([
  ['new', undefined],
  ['there already, readable for all and longer', 0o644],
])('a file that a program writes, if it is %s, can be read by its owner only', async (_, mode) => {
  const folder = await createTempDir();
  onTestFinished(() => folder.remove());
  const file = join(folder.path, 'person.json');
  if (mode !== undefined) {
    writeFileSync(file, 'x'.repeat(100));
    chmodSync(file, mode);
  }
  writeOutput('{"questions":[]}\n', file);
  expect(readFileSync(file, 'utf8')).toBe('{"questions":[]}\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a device stays as it is', () => {
  if (!existsSync('/dev/null')) return;
  const { mode } = statSync('/dev/null');
  writeOutput('text', '/dev/null');
  expect(statSync('/dev/null').mode).toBe(mode);
});

test('a list for a terminal has no control characters of a far side', async () => {
  const folder = await createTempDir();
  onTestFinished(() => folder.remove());
  const key = Buffer.alloc(32, 7).toString('base64');
  const { log } = createRecordingLog();
  const encryptionKeys = [{ id: 'a', key: new Secret(key) }];
  const storage = await openStorage({ dataDir: folder.path }, { clock: Date.now, log, encryptionKeys });
  // The name of the account is what the workspace's service says.
  const service = {
    endpoint: 'https://search.example.com',
    token: new Secret('sgp_1'),
    username: 'bot\u001b[2J\u202e\r',
    api: 'auto' as const,
  };
  await storage.workspaceServices.update('T1', (stored) => withService('T1', stored, service, 1_000));
  await storage.close();
  const settings = { DATA_DIR: folder.path, ENCRYPTION_KEYS: `a:${key}` };
  const list = runProgram(await builtProgram('src/cli/admin.ts'), ['workspace'], settings);
  expect([await list.ended, list.output()]).toEqual([0, expect.stringMatching(/^T1 .* as bot\?\[2J\?\?\n$/)]);
});
