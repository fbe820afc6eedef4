import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'deepsearch-run-'));

/** Vitest calls this at the start of a run (`globalSetup`). The workers keep in `RUN_FOLDER` what several files of tests use. */
export function setup(): void {
  process.env.RUN_FOLDER = folder;
}

/** Vitest calls this at the end of a run. */
export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
