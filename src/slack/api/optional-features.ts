import { isAppError } from '../../core/errors.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { lackingFeatureRestMs } from '../settings.ts';

/** After this many refusals in a row with unknown codes, a feature counts as missing. */
const strangeRefusals = 3;

/** Codes that mean that this app or workspace may not use a method. Source: docs.slack.dev/reference/methods. */
const lacking: ReadonlySet<string | number | undefined> = new Set<string | number | undefined>([
  'feature_disabled',
  'unknown_method',
  'not_authorized',
  'not_allowed',
  'not_enabled',
  'method_deprecated',
  'deprecated_endpoint',
  'team_access_not_granted',
  'access_denied',
  'no_permission',
  'not_allowed_token_type',
  'missing_scope',
  404,
]);

/** Codes about one call only: its place, its form, or a person who is gone. They say nothing about other calls. */
const aboutOneCall = new Set<string | number | undefined>([
  'thread_ts_required',
  'thread_ts_not_allowed',
  'invalid_thread_ts',
  'invalid_arguments',
  'invalid_status',
  'session_not_found',
  'user_not_found',
]);

/** `noRoom`: not sent, because there was no room. `unsure`: sent, but without a usable answer. `no`: it can't succeed. */
export type Attempt = { is: 'done' | 'unsure' | 'no' } | { is: 'noRoom'; retryAfterMs: number };

interface Optional {
  /** Runs a call that a workspace may not offer. Never throws. A feature that is missing is not tried for a day. */
  attempt(run: () => Promise<unknown>): Promise<Attempt>;
  /** Whether the workspace is known to lack the feature. */
  isLacking(): boolean;
}

/** A feature of Slack that some workspaces lack. The app works without it. */
export function createOptional(options: { feature: string; now: Clock; log: Log }): Optional {
  const { feature, now, log } = options;
  let restUntilMs = 0;
  let strange = 0;

  return { attempt, isLacking };

  function isLacking(): boolean {
    return now() < restUntilMs;
  }

  async function attempt(run: () => Promise<unknown>): Promise<Attempt> {
    if (isLacking()) return { is: 'no' };
    try {
      await run();
      strange = 0;
      return { is: 'done' };
    } catch (error) {
      if (!isAppError(error)) {
        log.error({ event: 'optional_failed', feature }, error);
        return { is: 'no' };
      }
      const { kind, code, retryAfterMs = 0 } = error;
      if (kind === 'rateLimited' || kind === 'unavailable' || kind === 'badReply') {
        log.debug({ event: 'optional_skipped', feature, kind });
        return kind === 'rateLimited' ? { is: 'noRoom', retryAfterMs } : { is: 'unsure' };
      }
      if (kind === 'refused' && !aboutOneCall.has(code)) strange += 1;
      if (lacking.has(code) || strange >= strangeRefusals) {
        restUntilMs = now() + lackingFeatureRestMs;
        strange = 0;
        log.info({ event: 'optional_missing', outcome: String(code ?? kind), feature });
      } else {
        log.debug({ event: 'optional_refused', feature, outcome: String(code ?? kind) });
      }
      return { is: 'no' };
    }
  }
}
