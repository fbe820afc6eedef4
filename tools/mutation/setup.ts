import { configureGlobal } from 'fast-check';
import { vi } from 'vitest';

// The same samples each time, so that a mutant is caught in every run or in none. No shrinking, and a quarter of a second
// of samples is enough for one mutant.
configureGlobal({ seed: 1, endOnFailure: true, interruptAfterTimeLimit: 250 });

// New modules for each test file: caches filled by an earlier file would hide which code a test runs.
vi.resetModules();
