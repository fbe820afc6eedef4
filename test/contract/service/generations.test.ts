import { describe } from 'vitest';
import { createGeneration1 } from '../../../src/service/generation-1/deep-search.ts';
import { createGeneration2 } from '../../../src/service/generation-2/deep-search.ts';
import { describeGeneration } from './generation-contract.ts';

describe('the first generation of the client', () => {
  describe('on an instance with both generations', () => describeGeneration(createGeneration1, undefined));
  describe('on an instance without the second one', () => describeGeneration(createGeneration1, 2));
});

describe('the second generation of the client', () => {
  describe('on an instance with both generations', () => describeGeneration(createGeneration2, undefined));
  describe('on an instance without the first one', () => describeGeneration(createGeneration2, 1));
});
