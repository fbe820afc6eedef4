import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

// Runs the local Slack and ends with it; forwards stop signals to it. Arguments: the program and its arguments, optionally
// after `--relay <socket> <port>`, which forwards a unix socket to this port of 127.0.0.1. Unix sockets belong to the file
// system, so the socket can be reached from outside this process's network namespace.

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
  // End the same way as the local Slack: without a listener, the same signal ends this process too.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
