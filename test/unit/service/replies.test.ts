import { describe, expect, it } from 'vitest';
import type { ErrorKind } from '../../../src/core/errors.ts';
import { replyFailure } from '../../../src/service/replies.ts';

const nowMs = Date.UTC(2026, 0, 1);

function failureOf(status: number, headers: Record<string, string> = {}, safe = false) {
  return replyFailure({ status, headers, body: '' }, { label: 'POST /x', safe }, nowMs);
}

describe('a reply', () => {
  it.each([200, 202, 204, 299])('of %i is a success', (status) => {
    expect(failureOf(status)).toBeUndefined();
  });

  it.each<[number, ErrorKind, boolean]>([
    [300, 'badReply', true],
    [302, 'badReply', true],
    [399, 'badReply', true],
    [400, 'refused', false],
    [401, 'unauthorized', false],
    [403, 'unauthorized', false],
    [404, 'notFound', false],
    [407, 'unauthorized', false],
    [408, 'unavailable', true],
    [409, 'refused', false],
    [425, 'unavailable', true],
    [429, 'rateLimited', false],
    [499, 'refused', false],
    [500, 'unavailable', true],
    [503, 'unavailable', true],
  ])('of %i to a creation is read as %s, and it is %j that the outcome is unknown', (status, kind, outcomeUnknown) => {
    expect(failureOf(status)).toMatchObject({
      kind,
      code: status,
      outcomeUnknown,
      message: expect.stringContaining(`POST /x answered ${status}`),
    });
    expect(failureOf(status, {}, true)).toMatchObject({ kind, outcomeUnknown: false });
  });

  it.each([408, 425, 429, 500, 503])('of %i says how long to wait', (status) => {
    expect(failureOf(status, { 'retry-after': '7' })?.retryAfterMs).toBe(7_000);
    expect(failureOf(status)?.retryAfterMs).toBeUndefined();
  });

  it.each([
    [{ location: 'https://code.example/a?token=secret' }, 'to https://code.example;'],
    [{ location: '/a?token=secret' }, 'to another path;'],
    [{}, 'to nowhere;'],
  ])('that redirects names only the host: %j', (headers, place) => {
    const message = failureOf(302, headers as Record<string, string>)?.message;
    expect(message).toContain(place);
    expect(message).not.toContain('secret');
  });

  it.each([
    ['/sign-in?returnTo=%2F', true],
    ['https://acme.okta.example/oauth2/v1/authorize?x=1', true],
    ['https://login.example/', true],
    ['https://acme.cloudflareaccess.example/cdn-cgi/access/login/x', true],
    ['https://accounts.example/o/oauth2', true],
    ['https://code.example/.api/deepsearch/v1', false],
    ['https://authors.example/designing', false],
    ['https://code.example/x?next=login', false],
  ])('that redirects to %s leads to a sign-in: %j', (location, isSignIn) => {
    expect(failureOf(302, { location })?.code).toBe(isSignIn ? 'signInPage' : 302);
  });
});
