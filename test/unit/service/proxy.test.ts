import { describe, expect, test } from 'vitest';
import { proxyFor } from '../../../src/service/proxy.ts';

describe('the proxy that carries a connection', () => {
  const proxy = { http: 'http://plain.example:1', https: 'secure.example:2' };

  test.each([
    ['https://search.example.com', '', 'secure.example:2'],
    ['http://search.example.com', '', 'plain.example:1'],
    ['https://search.example.com', '*', undefined],
    ['https://search.example.com', 'other.com, example.com', undefined],
    ['https://search.example.com', '.example.com', undefined],
    ['https://search.example.com', '*.example.com', undefined],
    ['https://search.example.com', 'ample.com', 'secure.example:2'],
    ['https://search.example.com', 'SEARCH.example.com:443', undefined],
    ['https://search.example.com:8443', 'search.example.com:443', 'secure.example:2'],
    ['https://10.1.2.3', '10.0.0.0/8', undefined],
    ['https://11.1.2.3', '10.0.0.0/8', 'secure.example:2'],
    ['https://172.31.255.255', '10.0.0.0/8,172.16.0.0/12', undefined],
    ['https://172.32.0.0', '172.16.0.0/12', 'secure.example:2'],
    ['https://10.1.2.3:8443', '10.0.0.0/8:443', 'secure.example:2'],
    ['https://10.1.2.3', '10.1.2.3', undefined],
    ['https://10.1.2.30', '10.1.2.3', 'secure.example:2'],
    ['https://[fd00::1]', 'fd00::/8', undefined],
    ['https://[fd00::1]', '[fd00::]/8', undefined],
    ['https://[2001:db8::1]', 'fd00::/8', 'secure.example:2'],
    ['https://[::1]:8443', '[::1]:8443', undefined],
    ['https://[0:0::1]', '::1', undefined],
    ['https://search.example.com', '0.0.0.0/0', 'secure.example:2'],
    ['https://search.example.com', '10.0.0.0/99', 'secure.example:2'],
  ])('of %s with NO_PROXY "%s" is %s', (address, noProxy, expected) => {
    expect(proxyFor(new URL(address), { ...proxy, noProxy })?.host).toBe(expected);
  });
});
