import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'deepsearch-skipped-'));
const file = join(folder, 'layers.txt');

/** Vitest calls this at the start of a run (`globalSetup`). The workers record what they skip. */
export function setup(): void {
  process.env.SKIPPED_LAYERS_FILE = file;
}

/** Vitest calls this at the end of a run; its lines are the last on the screen. */
export function teardown(): void {
  const skipped = new Set(readSkipped());
  rmSync(folder, { recursive: true });
  if (skipped.size > 0)
    process.stderr.write(`\n${[...skipped].map((line) => `*** SKIPPED: ${line} ***\n`).join('')}\n`);
}

function readSkipped(): string[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
