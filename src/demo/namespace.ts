import { execFile } from 'node:child_process';

/** Generous: the attempt takes some milliseconds. */
const attemptTimeoutMs = 5_000;

/** Sets the flag IFF_UP of the interface `lo` (SIOCSIFFLAGS) with perl, on machines without the `ip` program. */
const raiseWithPerl = 'socket(S, 2, 2, 0) && ioctl(S, 0x8914, $r = pack("a16sx22", "lo", 1)) or exit 1';

/** Brings the loopback interface of the new namespace up, then runs the given command in place of the shell. */
const script = `
PATH="$PATH:/usr/sbin:/sbin"
{ ip link set lo up || ifconfig lo up || perl -e '${raiseWithPerl}'; } >/dev/null 2>&1 ||
  { echo 'the loopback interface of a new network namespace cannot be brought up' >&2; exit 1; }
exec "$@"`;

/**
 * Wraps a command so that it runs in a new network namespace: it cannot reach the network, and only processes in the
 * same namespace can reach it. Needs no special rights where the kernel lets every user create user namespaces.
 */
export function inNamespace({ command, args }: { command: string; args: readonly string[] }): {
  command: string;
  args: string[];
} {
  // Short options, because busybox may not support long ones.
  return { command: 'unshare', args: ['-U', '-r', '-n', 'sh', '-c', script, 'sh', command, ...args] };
}

/** Tries to run a command in a network namespace. Returns why that is not possible, or undefined when it is. */
export function namespaceProblem(environment: Record<string, string>): Promise<string | undefined> {
  if (process.platform !== 'linux') return Promise.resolve('network namespaces exist on Linux only');
  const { command, args } = inNamespace({ command: 'true', args: [] });
  return new Promise((resolve) => {
    const options = { env: environment, timeout: attemptTimeoutMs, killSignal: 'SIGKILL' } as const;
    execFile(command, args, options, (error, _output, complaint) => {
      if (error === null) resolve(undefined);
      else if (error.code === 'ENOENT')
        resolve('the program unshare, which makes a network namespace, is not installed');
      else if (error.killed) resolve(`no network namespace was made within ${attemptTimeoutMs / 1000} s`);
      else resolve(`a network namespace is refused here (${complaint.trim().split('\n').at(-1) || error.message})`);
    });
  });
}
