import { describe } from 'vitest';
import { createGeneration1 } from '../../../src/deepsearch/generation-1/deep-search.ts';
import { describeGeneration } from './generation-contract.ts';

describe('the first generation of the client', () => {
  describe('on an instance with both generations', () => describeGeneration(createGeneration1, undefined));
  describe('on an instance without the second one', () => describeGeneration(createGeneration1, 2));
});
