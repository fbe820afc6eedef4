import { execFile } from 'node:child_process';

/** Long enough for any machine that can do it: the attempt takes some milliseconds. */
const patienceMs = 5_000;

/** Sets the flag IFF_UP of the interface `lo` (SIOCSIFFLAGS), where perl is there but no program for networks. */
const raiseWithPerl = 'socket(S, 2, 2, 0) && ioctl(S, 0x8914, $r = pack("a16sx22", "lo", 1)) or exit 1';

/** A new network namespace has a loopback interface which is down: brings it up, then becomes the given command. */
const script = `
PATH="$PATH:/usr/sbin:/sbin"
{ ip link set lo up || ifconfig lo up || perl -e '${raiseWithPerl}'; } >/dev/null 2>&1 ||
  { echo 'the loopback interface of a new network namespace cannot be brought up' >&2; exit 1; }
exec "$@"`;

/**
 * The command, to be run in a network namespace of its own: there it reaches nothing but itself, and only processes of
 * that namespace reach it. Needs no rights where the kernel lets everybody make user namespaces.
 */
export function inNamespace({ command, args }: { command: string; args: readonly string[] }): {
  command: string;
  args: string[];
} {
  // Short options, because busybox may know no others.
  return { command: 'unshare', args: ['-U', '-r', '-n', 'sh', '-c', script, 'sh', command, ...args] };
}

/** Why no command can be run in a network namespace here, in words; undefined when it can: it is tried. */
export function namespaceProblem(environment: Record<string, string>): Promise<string | undefined> {
  if (process.platform !== 'linux') return Promise.resolve('network namespaces exist on Linux only');
  const { command, args } = inNamespace({ command: 'true', args: [] });
  return new Promise((resolve) => {
    const options = { env: environment, timeout: patienceMs, killSignal: 'SIGKILL' } as const;
    execFile(command, args, options, (error, _output, complaint) => {
      if (error === null) resolve(undefined);
      else if (error.code === 'ENOENT')
        resolve('the program unshare, which makes a network namespace, is not installed');
      else if (error.killed) resolve(`no network namespace was made within ${patienceMs / 1000} s`);
      else resolve(`a network namespace is refused here (${complaint.trim().split('\n').at(-1) || error.message})`);
    });
  });
}
