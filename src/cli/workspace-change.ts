import type { Config } from '../config.ts';
import { shownLine } from '../core/shown-line.ts';
import { type OwnService, withService } from '../core/workspaces/own-service.ts';
import { noteInAudit } from '../storage/person-audit.ts';
import { problemText, serviceText } from './workspace-list.ts';
import { print, readSealed, type WorkspaceStores } from './workspace-stores.ts';

/**
 * Gives a workspace this service, after asking it, or none of its own. Prints what changed. Returns the exit code. Throws
 * `AppError` of kind `storage`.
 */
export async function changeService(
  { store, installations, workspaceServices }: WorkspaceStores,
  config: Config,
  id: string,
  service: Omit<OwnService, 'username'> | undefined,
): Promise<number> {
  let next: OwnService | undefined;
  if (service !== undefined) {
    try {
      const { examineService } = await import('../app/own-service.ts');
      next = { ...service, ...(await examineService(config, service)) };
    } catch (error) {
      process.stderr.write(`${shownLine(`nothing is changed: ${problemText(error)}`)}\n`);
      return 1;
    }
  }
  const before = await readSealed(workspaceServices.get(id));
  // No key decrypts the record, so nothing can be ended at the service before.
  if (before === 'unreadable') await workspaceServices.remove(id);
  else if (before?.current === undefined && next === undefined) {
    print(`${id} asks at the app's own service already`);
    return 0;
  }
  const nowMs = Date.now();
  const stored = await workspaceServices.update(id, (current) => withService(id, current, next, nowMs));
  const { AUDIT_DAYS: auditDays, RETENTION_DAYS: retentionDays = Number.POSITIVE_INFINITY } = config;
  const atMs = stored?.changedMs ?? nowMs;
  const detail = next === undefined ? 'cleared' : new URL(next.endpoint).host;
  const entry = { id: `serviceChanged:${atMs}`, atMs, action: 'serviceChanged' as const, teamId: id, detail };
  await noteInAudit(store, entry, Math.min(auditDays, retentionDays));
  print(`${id} asks at ${serviceText(next)} now`);
  if (stored !== undefined && stored.former.length > 0) print('what runs at the service before ends there');
  if (next?.username === '') print('the service does not tell whose token that is');
  if (next !== undefined && config.ACCOUNTS !== 'shared') {
    print(`ACCOUNTS=${config.ACCOUNTS} does not apply to it: its people ask with the account of this token`);
  }
  if ((await readSealed(installations.get(id))) === undefined) print('it has not installed the app yet');
  return 0;
}
