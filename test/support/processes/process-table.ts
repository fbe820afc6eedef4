import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The processes a process has started (Linux). */
export function childrenOf(pid: number | undefined): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return listed.trim().split(' ').filter(Boolean).map(Number);
}

/** Those, and what they have started in turn. */
export function descendantsOf(pid: number | undefined): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Whether a process is there and not only waiting for its parent to take note of its end. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Where a process listens in this network namespace: `127.0.0.1:80`, and `0.0.0.0:80` or `tcp6:80` for more than that. */
export function listeningAddressesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const open = new Set(readdirSync(folder).map((fd) => tryReadLink(join(folder, fd))));
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && open.has(`socket:[${inode}]`))
      .map(([, local = '']) => {
        const [address = '', port = ''] = local.split(':');
        const ipv4 = Buffer.from(address, 'hex').toReversed().join('.');
        return `${table === 'tcp' ? ipv4 : table}:${Number.parseInt(port, 16)}`;
      }),
  );
}

function tryReadLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
