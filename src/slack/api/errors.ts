import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { AppError, type ErrorKind, isAppError } from '../../core/errors.ts';

/** What Slack's error codes mean to the app. Source: docs.slack.dev/reference/methods, error tables. */
const kindOfCode: Record<string, ErrorKind> = {
  ...all('unrenderable', [
    'invalid_blocks',
    'invalid_blocks_format',
    'invalid_attachments',
    'invalid_metadata_format',
    'invalid_metadata_schema',
    'metadata_too_large',
    'metadata_must_be_sent_from_app',
    'msg_too_long',
    'msg_blocks_too_long',
    'msg_blocks_too_many',
    'markdown_text_conflict',
    'block_mismatch',
    'no_text',
    'too_many_attachments',
    'attachment_payload_limit_exceeded',
  ]),
  ...all('undeliverable', [
    'channel_not_found',
    'not_in_channel',
    'is_archived',
    'is_inactive',
    'restricted_action',
    'restricted_action_read_only_channel',
    'restricted_action_thread_only_channel',
    'restricted_action_non_threadable_channel',
    'restricted_action_thread_locked',
    'messages_tab_disabled',
    'cannot_reply_to_message',
    'thread_not_found',
    'invalid_thread_ts',
    'user_not_in_channel',
    'user_not_found',
    'cannot_dm_bot',
    'app_access_restricted',
    'team_access_not_granted',
    'channel_type_not_supported',
    'method_not_supported_for_channel_type',
  ]),
  ...all('notFound', [
    'message_not_found',
    'cant_update_message',
    'edit_window_closed',
    'cant_delete_message',
    'file_not_found',
    'file_deleted',
  ]),
  ...all('unauthorized', [
    'not_authed',
    'invalid_auth',
    'account_inactive',
    'token_revoked',
    'token_expired',
    'no_permission',
    'missing_scope',
    'not_allowed_token_type',
    'access_denied',
    'ekm_access_denied',
    'org_login_required',
    'team_added_to_org',
  ]),
  ...all('rateLimited', ['ratelimited', 'rate_limited', 'message_limit_exceeded']),
  ...all('unavailable', ['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'accesslimited']),
};

/** A private channel without the app looks like one that does not exist. */
const invitable = new Set(['not_in_channel', 'channel_not_found']);

/** Codes that mean that the token itself is refused. Other refusals are about one method or place. */
const tokenRefusals = new Set([
  'not_authed',
  'invalid_auth',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'org_login_required',
]);

/** Whether Slack refuses the app's token. */
export function isTokenRefused(error: unknown): boolean {
  return isAppError(error, 'unauthorized') && tokenRefusals.has(String(error.code));
}

function all(kind: ErrorKind, codes: string[]): Record<string, ErrorKind> {
  return Object.fromEntries(codes.map((code) => [code, kind]));
}

/** Runs one Web API call. What it throws becomes an `AppError`. */
export async function translatingErrors<Result>(method: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw fromSlack(error, method);
  }
}

/**
 * Translates the error of a Web API call. After a server error or a lost connection, the call may have taken effect.
 */
export function fromSlack(error: unknown, method: string): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof WebAPIRateLimitedError) {
    return new AppError('rateLimited', `${method}: rate limited`, {
      cause: error,
      retryAfterMs: error.retryAfter * 1000,
    });
  }
  if (error instanceof WebAPIPlatformError) {
    const code = error.data.error;
    const kind = (Object.hasOwn(kindOfCode, code) ? kindOfCode[code] : undefined) ?? 'refused';
    return new AppError(kind, `${method}: ${code}`, {
      cause: error,
      code,
      outcomeUnknown: kind === 'unavailable',
      invitationHelps: invitable.has(code),
    });
  }
  if (error instanceof WebAPIHTTPError) {
    const refused = error.statusCode >= 400 && error.statusCode < 500;
    return new AppError(refused ? 'refused' : 'unavailable', `${method}: HTTP ${error.statusCode}`, {
      cause: error,
      code: error.statusCode,
      outcomeUnknown: !refused,
    });
  }
  if (error instanceof WebAPIRequestError) {
    return new AppError('unavailable', `${method}: no answer`, {
      cause: error,
      outcomeUnknown: !neverSent(error.original),
    });
  }
  return new AppError('unavailable', `${method}: failed`, { cause: error, outcomeUnknown: true });
}

const neverSentCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** Node's fetch puts the socket's error into `cause`. These codes mean that there was never a connection. */
function neverSent(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1) {
    if ('code' in current && typeof current.code === 'string' && neverSentCodes.has(current.code)) return true;
  }
  return false;
}
