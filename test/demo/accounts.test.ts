import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareAccounts } from '../../src/demo/accounts.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';

describe('the repositories of the demo with accounts', () => {
  let temp: Awaited<ReturnType<typeof createTempDir>>;
  beforeEach(async () => {
    temp = await createTempDir();
  });
  afterEach(() => temp.remove());

  const headOf = (folder: string): string =>
    execFileSync('git', ['-C', folder, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();

  it('are made again where an earlier start was interrupted, and kept where it was not', async () => {
    // As the steps of a start leave them: an empty folder of git, and a repository without a commit.
    mkdirSync(join(temp.path, 'repositories', 'handbook', '.git'), { recursive: true });
    const ledger = join(temp.path, 'repositories', 'ledger');
    mkdirSync(ledger, { recursive: true });
    execFileSync('git', ['-C', ledger, 'init', '-q']);
    execFileSync('git', ['-C', ledger, 'remote', 'add', 'origin', 'https://git.example.com/acme/ledger.git']);
    const { repositories } = await prepareAccounts(temp.path);
    const heads = repositories.map(headOf);
    expect(heads).toHaveLength(3);
    expect((await prepareAccounts(temp.path)).repositories.map(headOf)).toEqual(heads);
  });
});
