import { type Logger, pino } from 'pino';
import { hideCredentials } from '../core/credentials-in-text.ts';
import { AppError } from '../core/errors.ts';
import type { Log, LogFields } from '../core/ports.ts';

/** Fields that never reach a log line, even if a library or a bug puts secrets there. */
const secretPaths = [
  'token',
  'authorization',
  'Authorization',
  'headers',
  'responseUrl',
  'response_url',
  'text',
  'body',
];

/**
 * Matches Slack's and the service's tokens, those of the embedded service (`cst_` and others), credentials of the schemes `Bearer`, `token` (older ones are 40 hex digits)
 * and `token-sudo`, response URLs, tickets of Slack's sockets, read tokens of share URLs, and the user part of
 * addresses, except in the advice that shows `name:password` there. It runs on a line of JSON, where a quote inside a text is `\"`, and no match goes beyond the end of a
 * quoted string.
 */
const secretPattern = new RegExp(
  [
    String.raw`\b(?:(?:xoxe\.)?xox[a-z]|xapp|sgp|sgd)[-_][\w.-]+`,
    String.raw`\bcs[corst]_[0-9a-f]{64}`,
    String.raw`\bBearer\s+[^\s"\\]+`,
    String.raw`(?<=\btoken\s{1,9})[0-9a-fA-F]{40,}`,
    String.raw`(?<=\btoken=\\?")(?:[^"\\]|\\{3}["\\])+`,
    String.raw`https:\/\/hooks\.slack(?:-gov)?\.com\/[^\s"\\]+`,
    String.raw`(?<=[?&]ticket=)[^\s"\\&]+`,
    String.raw`(?<=\/deepsearch\/(?:shared\/)?|filter_read_token=)[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}`,
    String.raw`(?<=:\/\/)(?!name:password@)[^\s/?#"\\]+(?=@)`,
  ].join('|'),
  'g',
);

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** The process's logger: JSON lines on stdout, without secrets. */
export function createLogger(level: LogLevel, destination?: { write: (line: string) => void }): Logger {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: [...secretPaths, ...secretPaths.map((path) => `*.${path}`)], censor: '[secret]' },
    serializers: { err: describeError },
    // Redacts the finished line, because pino copies an error's message into `msg`.
    hooks: { streamWrite: redact },
  };
  return pino(options, destination ?? standardOutput());
}

/**
 * Writes to standard output. If its reader goes away, lines are lost and the process continues. pino's own destination
 * would then try to write a fatal line forever and block the process (sonic-boom 4.2, `flushSync`).
 */
function standardOutput(): { write: (line: string) => void } {
  // One listener, however many loggers there are.
  if (!process.stdout.listeners('error').includes(ignoreError)) process.stdout.on('error', ignoreError);
  return { write: (line) => void process.stdout.write(line) };
}

function ignoreError(): void {}

function redact(text: string): string {
  return text.replaceAll(secretPattern, '[secret]');
}

interface DescribedError {
  name: string;
  message: string;
  kind?: string;
  code?: string | number;
  said?: string;
  stack?: string;
  cause?: DescribedError;
}

const deepestCause = 4;

/** An error without the objects that libraries attach to it, which may contain requests, headers and tokens. */
function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { name: 'NotAnError', message: String(error) };
  const expected = error instanceof AppError;
  const code =
    'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : undefined;
  return {
    name: error.name,
    message: error.message,
    ...(expected ? { kind: error.kind } : {}),
    ...(code === undefined ? {} : { code }),
    // Also with `SHOW_CREDENTIALS`, which is about Slack.
    ...(expected && error.said !== undefined ? { said: hideCredentials(error.said) } : {}),
    ...(expected || error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined || depth >= deepestCause ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
}

/** A logger on the same output that writes `info` lines at every level but `silent`. */
export function withInfo(logger: Logger): Logger {
  const writesInfo = logger.level === 'silent' || logger.isLevelEnabled('info');
  return writesInfo ? logger : logger.child({}, { level: 'info' });
}

/** The core's `Log` on this logger. Counts each event. Lines of a traced step have its `traceId`. */
export function createLog(
  logger: Logger,
  count: (fields: LogFields) => void,
  traceId: () => string | undefined = () => undefined,
): Log {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (fields: LogFields, error?: unknown): void => {
      count(fields);
      const id = traceId();
      const traced = id === undefined ? fields : { ...fields, traceId: id };
      logger[level](error === undefined ? traced : { ...traced, err: error });
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
