import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namespaceProblem } from '../../../src/demo/namespace.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';

describe.skipIf(process.platform !== 'linux')('the check for a network namespace', () => {
  /** With a program `unshare` that does this, or without one. */
  async function problemWith(script?: string): Promise<string | undefined> {
    const temp = await createTempDir();
    try {
      const file = join(temp.path, 'unshare');
      if (script !== undefined) {
        await writeFile(file, `#!/bin/sh\n${script}\n`);
        await chmod(file, 0o755);
      }
      return await namespaceProblem({ PATH: temp.path });
    } finally {
      await temp.remove();
    }
  }

  it('tries to make one', async () => {
    expect(await problemWith('exit 0')).toBeUndefined();
  });

  it('returns the message of the system where it is refused', async () => {
    expect(await problemWith('echo "unshare: unshare failed: Operation not permitted" >&2; exit 1')).toBe(
      'a network namespace is refused here (unshare: unshare failed: Operation not permitted)',
    );
  });

  it('returns what is missing where there is no program for it', async () => {
    expect(await problemWith()).toContain('unshare, which makes a network namespace, is not installed');
  });
});
