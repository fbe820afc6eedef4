import { LogLevel, type Logger as SlackLogger } from '@slack/web-api';
import type { Log } from '../../core/ports.ts';
import { longestLogLine } from '../settings.ts';

/**
 * The logger of Slack's libraries. Debug messages are never logged, because they contain whole payloads. Errors become
 * warnings, because some of them are expected outcomes here.
 */
export function createLibraryLogger(log: Log): SlackLogger {
  const line = (parts: unknown[]): string => parts.map(String).join(' ').slice(0, longestLogLine);
  return {
    debug: () => {},
    info: (...parts) => log.debug({ event: 'slack_library', message: line(parts) }),
    // The caller logs the failure of a call. A Slack that is down would fill the log with every try twice.
    warn: (...parts) =>
      parts[0] === 'http request failed' ? undefined : log.warn({ event: 'slack_library', message: line(parts) }),
    error: (...parts) => log.warn({ event: 'slack_library', message: line(parts) }),
    setLevel: () => {},
    setName: () => {},
    getLevel: () => LogLevel.INFO,
  };
}
