import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { AppError, type ErrorKind } from '../../../src/core/errors.ts';
import { fromSlack } from '../../../src/slack/api/errors.ts';

const platform = (error: string) => new WebAPIPlatformError({ ok: false, error });
const network = (code: string) =>
  new WebAPIRequestError(new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) }));

describe('translating an error of Slack', () => {
  it.each<[string, ErrorKind]>([
    ['invalid_blocks', 'unrenderable'],
    ['msg_too_long', 'unrenderable'],
    ['no_text', 'unrenderable'],
    ['metadata_too_large', 'unrenderable'],
    ['not_in_channel', 'undeliverable'],
    ['channel_not_found', 'undeliverable'],
    ['is_archived', 'undeliverable'],
    ['restricted_action_read_only_channel', 'undeliverable'],
    ['messages_tab_disabled', 'undeliverable'],
    ['thread_not_found', 'undeliverable'],
    ['message_not_found', 'notFound'],
    ['cant_update_message', 'notFound'],
    ['invalid_auth', 'unauthorized'],
    ['missing_scope', 'unauthorized'],
    ['token_revoked', 'unauthorized'],
    ['ratelimited', 'rateLimited'],
    ['something_new', 'refused'],
    ['constructor', 'refused'],
    ['invalid_arguments', 'refused'],
  ])('reads %s as %s, with a known outcome', (code, kind) => {
    const error = fromSlack(platform(code), 'chat.postMessage');
    expect(error).toMatchObject({ kind, code, outcomeUnknown: false });
    expect(error.message).toBe(`chat.postMessage: ${code}`);
    expect(error.cause).toBeInstanceOf(WebAPIPlatformError);
  });

  it.each(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'])(
    'reads %s as an unknown outcome',
    (code) => {
      expect(fromSlack(platform(code), 'chat.postMessage')).toMatchObject({
        kind: 'unavailable',
        outcomeUnknown: true,
      });
    },
  );

  it('keeps how long Slack asks to wait', () => {
    expect(fromSlack(new WebAPIRateLimitedError(30), 'chat.update')).toMatchObject({
      kind: 'rateLimited',
      retryAfterMs: 30_000,
      outcomeUnknown: false,
    });
  });

  it.each<[number, ErrorKind, boolean]>([
    [400, 'refused', false],
    [404, 'refused', false],
    [500, 'unavailable', true],
    [502, 'unavailable', true],
    [503, 'unavailable', true],
  ])('reads HTTP %i as %s', (status, kind, outcomeUnknown) => {
    const error = fromSlack(new WebAPIHTTPError(status, 'Status', {}, '<html>'), 'chat.postMessage');
    expect(error).toMatchObject({ kind, code: status, outcomeUnknown });
    expect(error.message).not.toContain('html');
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])(
    'reads %s as a sign that nothing was sent',
    (code) => {
      expect(fromSlack(network(code), 'chat.postMessage')).toMatchObject({
        kind: 'unavailable',
        outcomeUnknown: false,
      });
    },
  );

  it.each(['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'EPIPE'])(
    'does not read %s as a sign that nothing was sent',
    (code) => {
      expect(fromSlack(network(code), 'chat.postMessage')).toMatchObject({ kind: 'unavailable', outcomeUnknown: true });
    },
  );

  it('reads a call that ran out of time as an unknown outcome', () => {
    const timeout = new WebAPIRequestError(new DOMException('The operation timed out', 'TimeoutError'));
    expect(fromSlack(timeout, 'chat.postMessage')).toMatchObject({ kind: 'unavailable', outcomeUnknown: true });
  });

  it('leaves errors as they are that are translated already', () => {
    const error = new AppError('notFound', 'gone');
    expect(fromSlack(error, 'chat.update')).toBe(error);
  });

  it.each([new Error('strange'), 'strange', undefined])(
    'reads anything else as a call of unknown outcome: %s',
    (thrown) => {
      expect(fromSlack(thrown, 'chat.postMessage')).toMatchObject({ kind: 'unavailable', outcomeUnknown: true });
    },
  );
});
