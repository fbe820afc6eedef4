import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

// Runs the local Slack and ends with it; told to stop, it stops the local Slack. Arguments: the program and its arguments,
// or before them `--relay <socket> <port>`: then a unix socket leads to this port of 127.0.0.1. Such a socket is reached
// through the file system, hence also from outside the network namespace that this process is in.

const [first, socketPath = '', port, ...rest] = process.argv.slice(2);
const isRelayed = first === '--relay';
const [program = '', ...args] = isRelayed ? rest : process.argv.slice(2);

if (isRelayed) {
  const relay = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
    pipeline(near, far, near, () => undefined);
  });
  await new Promise<void>((resolve, reject) => {
    relay.once('error', reject);
    relay.listen(socketPath, resolve);
  });
}

const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  // Its end is told as it was: without a listener, the same signal ends this process too.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
