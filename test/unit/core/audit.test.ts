import { expect, it } from 'vitest';
import { createAuditLog } from '../../../src/core/history/audit.ts';
import { createLog, createLogger, type LogLevel, withInfo } from '../../../src/observability/logger.ts';

it.each<[LogLevel, lines: number]>([
  ['trace', 1],
  ['info', 1],
  ['warn', 1],
  ['fatal', 1],
  ['silent', 0],
])('at LOG_LEVEL=%s the audit log has %d line of an entry, with its fields', (level, count) => {
  const lines: string[] = [];
  const logger = createLogger(level, { write: (line) => void lines.push(line) });
  createAuditLog(createLog(withInfo(logger), () => {})).note({
    id: 'ended:q1',
    atMs: 1_000,
    action: 'ended',
    teamId: 'T1',
    userId: 'U1',
    detail: 'answered',
    usage: { durationMs: 5_000, repositories: ['github.com/acme/one', 'github.com/acme/two'] },
  });
  const line = {
    ...{ level: 'info', event: 'audit', outcome: 'ended', audit: true, id: 'ended:q1', atMs: 1_000, action: 'ended' },
    ...{ teamId: 'T1', userId: 'U1', detail: 'answered', durationMs: 5_000 },
    repositories: 'github.com/acme/one github.com/acme/two',
    time: expect.any(String),
  };
  expect(lines.map((each): unknown => JSON.parse(each))).toEqual(Array.from({ length: count }, () => line));
});
