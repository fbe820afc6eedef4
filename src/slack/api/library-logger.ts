import { LogLevel, type Logger as SlackLogger } from '@slack/web-api';
import type { Log } from '../../core/ports.ts';

/** Longest line taken over from a library, in characters. */
const longestLine = 1_000;

/**
 * Slack's libraries log through this. Their debug lines hold whole payloads and are never written; Bolt and the clients
 * also warn about what is an expected outcome here, so nothing of theirs is more than a warning.
 */
export function createLibraryLogger(log: Log): SlackLogger {
  const line = (parts: unknown[]): string => parts.map(String).join(' ').slice(0, longestLine);
  return {
    debug: () => {},
    info: (...parts) => log.debug({ event: 'slack_library', message: line(parts) }),
    warn: (...parts) => log.warn({ event: 'slack_library', message: line(parts) }),
    error: (...parts) => log.warn({ event: 'slack_library', message: line(parts) }),
    setLevel: () => {},
    setName: () => {},
    getLevel: () => LogLevel.INFO,
  };
}
