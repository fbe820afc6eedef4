import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createShareUrlReader } from '../../../src/slack/unfurls/share-urls.ts';

const token = '0b7e9c1a-3d52-4f6e-9a10-c0ffee000001';
const read = createShareUrlReader('https://sourcegraph.example.com/');
const readPrefixed = createShareUrlReader('https://example.com/code/search/');

describe('a share URL', () => {
  it.each([
    [`https://sourcegraph.example.com/deepsearch/${token}`],
    [`https://sourcegraph.example.com/deepsearch/${token}/`],
    [`https://sourcegraph.example.com/deepsearch/shared/${token}`],
    [`https://SOURCEGRAPH.example.com:443/deepsearch/${token.toUpperCase()}`],
    [`https://sourcegraph.example.com/deepsearch/${token}?a=b&amp;c=d`],
    [`https://sourcegraph.example.com/deepsearch/${token}#answer`],
    [`https://sourcegraph.example.com/x/../deepsearch/${token}`],
  ])('has the form %s', (address) => {
    const found = read(address);
    expect(found?.readToken).toBe(token);
    expect(found?.url).not.toMatch(/[?#]/);
  });

  it.each([
    [`https://example.com/code/search/deepsearch/${token}`],
    [`https://example.com/code/search/deepsearch/shared/${token}?x`],
  ])('below a path has the form %s', (address) => {
    expect(readPrefixed(address)).toMatchObject({ readToken: token });
  });

  it.each(['140', '18446744073709551615'])(
    'has the number of the conversation, which anyone can guess: %s',
    (number) => {
      expect(read(`https://sourcegraph.example.com/deepsearch/${number}?x`)).toEqual({
        readToken: number,
        url: `https://sourcegraph.example.com/deepsearch/${number}`,
        isGuessable: true,
      });
      expect(read(`https://sourcegraph.example.com/deepsearch/${token}`)).not.toHaveProperty('isGuessable');
    },
  );

  it.each([
    [''],
    ['not an address'],
    ['https://sourcegraph.example.com/'],
    ['https://sourcegraph.example.com/deepsearch'],
    ['https://sourcegraph.example.com/deepsearch/0140'],
    ['https://sourcegraph.example.com/deepsearch/shared/140'],
    ['https://sourcegraph.example.com/deepsearch/123456789012345678901'],
    [`https://sourcegraph.example.com/deepsearch/${token}/more`],
    [`https://sourcegraph.example.com/deepsearch/${token}0`],
    [`https://sourcegraph.example.com/deepsearch/${token}%2F`],
    [`https://sourcegraph.example.com/deepsearch/a/${token}`],
    [`https://sourcegraph.example.com/search?q=/deepsearch/${token}`],
    [`https://sourcegraph.example.com/search#/deepsearch/${token}`],
    [`https://sourcegraph.example.com:8443/deepsearch/${token}`],
    [`http://sourcegraph.example.com/deepsearch/${token}`],
    [`https://sourcegraph.example.com.evil.example/deepsearch/${token}`],
    [`https://sourcegraph.example.com@evil.example/deepsearch/${token}`],
    [`https://ada:secret@sourcegraph.example.com/deepsearch/${token}`],
    [`https://evil.example/https://sourcegraph.example.com/deepsearch/${token}`],
    [`https://other.sourcegraph.example.com/deepsearch/${token}`],
    [`javascript://sourcegraph.example.com/deepsearch/${token}`],
    [`https://sourcegraph.example.com/deepsearch/${token}?${'x'.repeat(2_000)}`],
  ])('does not have the form %s', (address) => {
    expect(read(address)).toBeUndefined();
  });

  it.each([
    [`https://example.com/deepsearch/${token}`],
    [`https://example.com/code/searching/deepsearch/${token}`],
    [`https://example.com/other/deepsearch/${token}`],
  ])('below a path does not have the form %s', (address) => {
    expect(readPrefixed(address)).toBeUndefined();
  });

  it('is found in no other text, and never throws', () => {
    const part = fc.constantFrom(
      'https://',
      'sourcegraph.example.com',
      '/',
      'deepsearch',
      token,
      '?',
      '#',
      '@',
      ':',
      '\\',
      '%2f',
    );
    const address = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(address, (text) => {
        const found = read(text);
        if (found !== undefined) expect(new URL(found.url).origin).toBe('https://sourcegraph.example.com');
      }),
    );
  });
});
