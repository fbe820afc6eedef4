import type { AuditAction, AuditEntry } from '../../src/core/history/audit.ts';

/**
 * Collects the audit log. Start the app with `settings` and `onLogLine`: its lines are written at every level, and at this
 * one there are few others.
 */
export function createAuditLines() {
  const lines: string[] = [];
  const all = (): AuditEntry[] => lines.map((line) => JSON.parse(line) as AuditEntry);
  return {
    settings: { LOG_LEVEL: 'fatal' },
    onLogLine(line: string): void {
      if (line.includes('"audit":true')) lines.push(line);
    },
    lines,
    all,
    of: (action: AuditAction) => all().filter((entry) => entry.action === action),
  };
}
