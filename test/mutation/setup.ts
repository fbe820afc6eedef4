import { configureGlobal } from 'fast-check';
import { vi } from 'vitest';

// With the same samples each time a mutant is caught in every run or in none. The smallest sample is of no interest here,
// and a quarter of a second of samples says enough about one mutant.
configureGlobal({ seed: 1, endOnFailure: true, interruptAfterTimeLimit: 250 });

// Each file of tests gets modules of its own: what an earlier file left in a cache would hide which code a test runs.
vi.resetModules();
