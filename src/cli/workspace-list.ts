import type { Config } from '../config.ts';
import { isAppError } from '../core/errors.ts';
import type { OwnService } from '../core/workspaces/own-service.ts';
import { print, readSealed, type WorkspaceStores } from './workspace-stores.ts';

/** Prints each workspace with its name and its service. Returns the exit code. */
export async function listWorkspaces({ installations, workspaceServices }: WorkspaceStores): Promise<number> {
  const ids = new Set([...(await installations.ids()), ...(await workspaceServices.ids())]);
  for (const id of [...ids].sort()) {
    const installation = await readSealed(installations.get(id));
    const record = await readSealed(workspaceServices.get(id));
    print(`${id}  ${nameOf(installation)}  ${record === 'unreadable' ? noKey : serviceText(record?.current)}`);
    if (record === undefined || record === 'unreadable') continue;
    for (const former of record.former) {
      print(`  what was asked before ${new Date(former.untilMs).toISOString()} ends at ${serviceText(former)}`);
    }
  }
  if (ids.size === 0) print('no workspace installed the app');
  return 0;
}

/** Asks each service of a workspace whether it takes the stored token. Returns the exit code. */
export async function checkServices({ workspaceServices }: WorkspaceStores, config: Config): Promise<number> {
  let failures = 0;
  let checked = 0;
  for (const id of (await workspaceServices.ids()).sort()) {
    const record = await readSealed(workspaceServices.get(id));
    if (record === undefined) continue;
    const service = record === 'unreadable' ? undefined : record.current;
    const problem = service === undefined ? undefined : await problemOf(config, service);
    if (record === 'unreadable' || problem !== undefined) failures += 1;
    const result = record === 'unreadable' ? noKey : `${serviceText(service)}: ${problem ?? 'fine'}`;
    if (record !== 'unreadable' && service === undefined) continue;
    print(`${id}  ${result}`);
    checked += 1;
  }
  if (checked === 0) print('no workspace has its own service');
  return failures === 0 ? 0 : 1;
}

const noKey = 'a service that no key of ENCRYPTION_KEYS decrypts: set it again';

/** Why the app can't ask there. Undefined if it can. */
export async function problemOf(config: Config, service: Omit<OwnService, 'username'>): Promise<string | undefined> {
  try {
    const { examineService } = await import('../app/own-service.ts');
    await examineService(config, service);
    return undefined;
  } catch (error) {
    return problemText(error);
  }
}

/** Says why the app can't ask at a service. Throws what is no `AppError`. */
export function problemText(error: unknown): string {
  if (!isAppError(error)) throw error;
  const code = error.code === undefined ? '' : ` (${error.code})`;
  switch (error.kind) {
    case 'unauthorized':
      return `the service refuses the token, or it may not ask there${code}`;
    case 'unavailable':
      return `the service can't be reached${code}`;
    case 'rateLimited':
      return `the service takes no requests now${code}`;
    default:
      return `that is no service that the app can ask: ${error.message}`;
  }
}

export function serviceText(service: Pick<OwnService, 'endpoint' | 'username'> | undefined): string {
  if (service === undefined) return "the app's own service";
  return service.username === '' ? service.endpoint : `${service.endpoint} as ${service.username}`;
}

function nameOf(installation: { name?: string } | 'unreadable' | undefined): string {
  if (installation === undefined) return '(not installed)';
  return installation === 'unreadable' ? "(can't be decrypted)" : (installation.name ?? '(no name)');
}
