import { describe, expect, test } from 'vitest';
import type { HttpReply } from '../../../src/deepsearch/http.ts';
import {
  movedTo,
  offerOfGeneration1,
  offerOfGeneration2,
  offersOfVersion,
  versionText,
} from '../../../src/deepsearch/probes.ts';

const page = '<!doctype html><html></html>';

function reply(status: number, body = '', type = 'application/json', headers: Record<string, string> = {}): HttpReply {
  return { status, body, headers: { 'content-type': type, ...headers } };
}

const json = (status: number, value: unknown) => reply(status, JSON.stringify(value));
const html = (status: number) => reply(status, page, 'text/html; charset=utf-8');
const plain = (status: number, body: string) => reply(status, body, 'text/plain; charset=utf-8');
const redirect = (location: string) => reply(302, '', 'text/html', { location });

describe('what a version offers', () => {
  test.each([
    ['7.0.0', 'yes', 'yes'],
    ['7.2.1', 'yes', 'yes'],
    ['v7.1', 'yes', 'yes'],
    ['7.0.0-rc.1', 'yes', 'yes'],
    ['6.7.0', 'yes', 'no'],
    ['6.12.0', 'yes', 'no'],
    ['6.6.2', 'no', 'no'],
    ['5.11.0', 'no', 'no'],
    ['8.0.0', 'unknown', 'yes'],
    ['10.3.0', 'unknown', 'yes'],
    ['298437_2026-03-30_7.0-abcdef123456', 'unknown', 'unknown'],
    ['dev', 'unknown', 'unknown'],
    ['7', 'unknown', 'unknown'],
    [undefined, 'unknown', 'unknown'],
  ])('%s: generation 1 %s, generation 2 %s', (version, first, second) => {
    expect(offersOfVersion(version)).toEqual({ 1: first, 2: second });
  });
});

describe('the text of the version', () => {
  test.each([
    ['a version', plain(200, '7.0.1\n'), '7.0.1'],
    ['a build of the cloud', plain(200, '298437_2026-03-30_7.0-abcdef'), '298437_2026-03-30_7.0-abcdef'],
    ['a missing page', plain(404, '404 page not found'), undefined],
    ['a page of a proxy', html(200), undefined],
    ['HTML without its type', plain(200, page), undefined],
    ['an empty reply', plain(200, ''), undefined],
    ['a long text', plain(200, '7'.repeat(65)), undefined],
    ['an outage', plain(503, '7.0.0'), undefined],
  ])('%s', (_name, answered, text) => {
    expect(versionText(answered)).toBe(text);
  });
});

describe('the probe of generation 1', () => {
  test.each([
    ['200 with a list', json(200, { conversations: [] }), 'yes'],
    ['200 with a bare array', json(200, []), 'yes'],
    ['404 with the words of the router', plain(404, 'no route\n'), 'no'],
    ['404 with other words', plain(404, '404 page not found'), 'unknown'],
    ['404 with JSON', json(404, { message: 'no such path' }), 'unknown'],
    ['401 for the token', plain(401, 'Invalid access token.'), 'unknown'],
    ['401 of a private instance', plain(401, 'Private mode requires authentication.'), 'unknown'],
    ['403', plain(403, 'no'), 'unknown'],
    ['200 with HTML', html(200), 'unknown'],
    ['200 with another text', plain(200, 'ok'), 'unknown'],
    ['405', plain(405, ''), 'unknown'],
    ['429', plain(429, ''), 'unknown'],
    ['503', html(503), 'unknown'],
    ['a redirect', redirect('/sign-in'), 'unknown'],
  ])('%s: %s', (_name, answered, offer) => {
    expect(offerOfGeneration1(answered)).toBe(offer);
  });
});

describe('the probe of generation 2', () => {
  test.each([
    ['200 with an empty object', json(200, {}), 'yes'],
    ['200 with summaries', json(200, { conversationSummaries: [{ name: 'users/1/conversations/2' }] }), 'yes'],
    ['401 unauthenticated', json(401, { code: 'unauthenticated', message: 'who?' }), 'yes'],
    ['403 permission_denied', json(403, { code: 'permission_denied' }), 'yes'],
    ['429 resource_exhausted', json(429, { code: 'resource_exhausted' }), 'yes'],
    ['503 unavailable', json(503, { code: 'unavailable' }), 'yes'],
    ['500 internal', json(500, { code: 'internal' }), 'yes'],
    ['501 unimplemented', json(501, { code: 'unimplemented' }), 'no'],
    ['404 unimplemented', json(404, { code: 'unimplemented' }), 'no'],
    ['404 as plain text', plain(404, '404 page not found'), 'no'],
    ['404 with HTML', html(404), 'no'],
    ['404 with JSON of another program', json(404, { code: 'NOT_HERE' }), 'no'],
    ['405 without a body', plain(405, ''), 'no'],
    ['200 with HTML', html(200), 'no'],
    ['a redirect to the sign-in', redirect('/sign-in?returnTo=%2Fapi'), 'no'],
    ['a redirect to the whole address of the sign-in', redirect('https://code.example/sign-in'), 'no'],
    ['another redirect', redirect('https://sso.example/login'), 'unknown'],
    ['404 not_found', json(404, { code: 'not_found' }), 'unknown'],
    ['401 without a code', plain(401, 'Invalid access token.'), 'unknown'],
    ['403 with HTML of a proxy', html(403), 'unknown'],
    ['403 with a number as code', json(403, { code: 1020 }), 'unknown'],
    ['429 without a code', plain(429, ''), 'unknown'],
    ['500 without a code', plain(500, 'oops'), 'unknown'],
    ['503 with HTML', html(503), 'unknown'],
    ['200 with a list', json(200, []), 'unknown'],
    ['200 with another text', plain(200, 'ok'), 'unknown'],
    ['200 with nothing', plain(200, ''), 'unknown'],
  ])('%s: %s', (_name, answered, offer) => {
    expect(offerOfGeneration2(answered)).toBe(offer);
  });
});

test('a redirect to the same path of another origin shows that the address is wrong', () => {
  const path = '/prefix/__version';
  expect(movedTo(redirect('https://code.example/prefix/__version'), path)).toBe('https://code.example');
  expect(movedTo(redirect('https://code.example/sign-in'), path)).toBeUndefined();
  expect(movedTo(redirect('/elsewhere'), path)).toBeUndefined();
  expect(movedTo(plain(200, '7.0.0'), path)).toBeUndefined();
});
