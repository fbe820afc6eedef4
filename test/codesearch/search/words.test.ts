import { describe, expect, test } from 'vitest';
import { stem } from '../../../src/codesearch/index/stem.ts';
import { identifierTerms, splitIdentifier, textTerms } from '../../../src/codesearch/index/words.ts';

describe('splitting an identifier', () => {
  test.each([
    ['retryDelayMs', ['retry', 'delay', 'ms']],
    ['HTTPServer', ['http', 'server']],
    ['MAX_RETRY_COUNT', ['max', 'retry', 'count']],
    ['snake_case_name', ['snake', 'case', 'name']],
    ['sha256', ['sha256']],
    ['Größe', ['größe']],
  ])('finds the words of %s', (identifier, words) => {
    expect(splitIdentifier(identifier)).toEqual(words);
  });
});

describe('stemming a word', () => {
  test.each([
    ['retry', 'retries', 'retrying', 'retried'],
    ['schedule', 'scheduler', 'scheduling', 'scheduled', 'schedules'],
    ['cancel', 'cancelled', 'cancels', 'cancelling'],
    ['configure', 'configured', 'configuring'],
    ['validate', 'validation', 'validator', 'validated'],
    ['process', 'processes', 'processing', 'processed'],
    ['limit', 'limits', 'limiter', 'limited', 'limiting'],
  ])('gives %s and its forms one stem', (word, ...forms) => {
    expect(forms.map(stem)).toEqual(forms.map(() => stem(word)));
  });

  test('keeps short words and words that only look alike apart', () => {
    expect(stem('class')).toBe('class');
    expect(stem('is')).toBe('is');
    expect(stem('status')).not.toBe(stem('state'));
    expect(stem('queue')).not.toBe(stem('query'));
  });
});

test('an identifier is indexed by its words and as a whole', () => {
  expect(identifierTerms('retryDelay')).toEqual([stem('retry'), stem('delay'), 'retrydelay']);
  expect(textTerms('await retryDelay(1)')).toContain('retrydelay');
});

test('a long identifier is indexed as a whole only, and text without words not at all', () => {
  const long = 'shouldRejectTheRequestOfACustomerWhoseAccountHasBeenClosedForMoreThanOneYear';
  expect(identifierTerms(long)).toEqual([long.toLowerCase()]);
  expect(identifierTerms('a1'.repeat(200))).toEqual([]);
});
